"""A claim that cannot be translated is named with its place, and the others are judged."""

import inspect
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.frontends.tla.load import load
from bmc.frontends.tla.translate.model import Translation, translate
from bmc.lang.fingerprint import term_digest

COUNTER = """---- MODULE Counter ----
EXTENDS Naturals, Sequences, FiniteSets
VARIABLES x, s
Init == x = 0 /\\ s = {0}
Next == x' = (x + 1) % 3 /\\ s' = s \\cup {x'}
Spec == Init /\\ [][Next]_<<x, s>>
Name == IF x = 0 THEN "zero" ELSE "one"
Lettered == Len(Name) > 3 \\/ x # 0
Named == [](Len(Name) > 2)
Small == x < 3
Two == x < 2
Each == \\A i \\in s : <>(x = i)
Sized == Cardinality({<<Head(<<x>>)[2]>>}) # 7
====
"""
TURNED = """---- MODULE Turned ----
EXTENDS Naturals, Sequences
VARIABLES s
Init == s = <<>>
Next == (\\E k \\in 0..2 : Len(s) < 3 /\\ s' = Append(s, k)) \\/ (s # <<>> /\\ s' = Tail(s))
Reversed(q) ==
    LET RECURSIVE from(_)
        from(w) == IF w = <<>> THEN <<>> ELSE Append(from(Tail(w)), Head(w))
    IN from(q)
Same == Len(Reversed(s)) = Len(s)
Short == Len(s) <= 3
====
"""
BAGGED = """---- MODULE Bagged ----
EXTENDS Naturals, Bags, TLC
VARIABLES x, held
Init == x = 0 /\\ held = EmptyBag
Put == BagCardinality(held) < 2 /\\ x' = 1 - x /\\ held' = held (+) SetToBag({x})
Take == \\E one \\in BagToSet(held) : x' = one /\\ held' = held (-) SetToBag({one})
Next == Put \\/ Take
Nobody == CHOOSE one : one \\notin {0, 1}
Few == BagCardinality(held) <= 2
Somebody == x # Nobody
Soon == TLCGet("level") < 9
Half == x < 1.5
Called == LET RECURSIVE f(_) f(n) == 1 + f(n + 1) IN x < f(1)
====
"""
END = "====\n"
CHAIN = "\n".join(
    [
        "D0 == x",
        *(f"D{i} == IF D{i - 1} > {i} THEN 0 ELSE D{i - 1} + 1" for i in range(1, 900)),
        "Deep == D899 >= 0\n",
    ]
)
BESIDE = {"Lettered": "Counter.tla:8:13", "Named": "Counter.tla:9:13"}


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    return tmp_path / "Counter.tla"


def configured(counter: Path, *lines: str) -> str:
    text = "\n".join(["SPECIFICATION Spec", "CHECK_DEADLOCK FALSE", *lines, ""])
    counter.with_suffix(".cfg").write_text(text)
    return str(counter)


@pytest.mark.parametrize("command", ["prove", "check", "explore"])
def test_others_are_judged_and_the_answer_says_which_is_not(
    command: str, counter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = configured(counter, "INVARIANTS Lettered Small Two", "PROPERTY Named")
    assert run([command, text]) == 2
    said = capsys.readouterr()
    assert "  Two " in said.out
    assert "violated" in said.out
    for name, place in BESIDE.items():
        why = f"{counter.parent / place}: Len of a string that varies"
        assert f"{name} is NOT checked: {why}" in said.out
        assert f"{why}\n" in said.err
    assert "`bmc explore --on-text` searches the text as it is" in said.err


def test_what_holds_is_proved_and_the_code_is_none_of_success(
    counter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text is compared with its model without the claim, which is false in some states."""
    text = configured(counter, "INVARIANTS Small Lettered")
    assert run(["prove", text, "--json"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert [(one["property"], one["verdict"]) for one in document["results"]] == [
        ("Small", "proved")
    ]
    assert any("Lettered is NOT checked" in note for note in document["scope"]["notes"])


def test_one_whose_sorts_do_not_fit_costs_the_others_nothing(
    counter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole text was refused, without a word on what to do."""
    assert run(["explore", configured(counter, "INVARIANTS Small Sized")]) == 2
    said = capsys.readouterr()
    assert "  Small  proved" in said.out
    assert "Counter.tla:13:10: the sorts of this expression do not fit" in said.err
    assert "`bmc explore --on-text` searches the text as it is" in said.err


@pytest.mark.parametrize("claim", ["Somebody", "Soon", "Half", "Called", "Deep"])
def test_one_costs_the_others_nothing_where_a_variable_has_no_end(
    claim: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Claims are read as hints of where such a variable ends, and the whole text was refused."""
    text = tmp_path / "Bagged.tla"
    text.write_text(f"{BAGGED.removesuffix(END)}{CHAIN}{END}")
    text.with_suffix(".cfg").write_text(f"INIT Init\nNEXT Next\nINVARIANTS Few {claim}\n")
    assert run(["explore", str(text)]) == 2
    said = capsys.readouterr()
    assert f"{claim} is NOT checked: {tmp_path}/Bagged." in said.out
    assert "  Few       proved" in said.out


def test_one_of_too_many_definitions_within_each_other_costs_the_others_nothing(
    counter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole text was refused, at the line of its NEXT."""
    counter.write_text(f"{COUNTER.removesuffix(END)}{CHAIN}{END}")
    assert run(["explore", configured(counter, "INVARIANTS Small Deep")]) == 2
    said = capsys.readouterr()
    assert "  Small  proved" in said.out
    assert "Counter.cfg:3:18: this is nested too deeply" in said.err


def test_one_whose_term_is_too_deep_to_be_read_costs_the_others_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was translated, and the whole answer was refused without a place when it was read."""
    monkeypatch.setattr("bmc.frontends.tla.translate.properties._LEVELS", 40)
    text = tmp_path / "Turned.tla"
    text.write_text(TURNED)
    text.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Same Short\n")
    assert run(["explore", str(text)]) == 2
    said = capsys.readouterr()
    assert "  Short     proved" in said.out
    assert "Turned.cfg:3:12: this is nested too deeply" in said.err


def test_one_that_runs_over_more_than_is_listed_costs_the_others_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The engine refused the model, without a place, and nothing was judged."""
    text = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nOk == x < 2\n"
    wide = "Wide == \\A y \\in SUBSET (1..40) : x \\notin y \\/ x > 0\n"
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{text}{wide}====\n")
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next INVARIANTS Ok Wide")
    assert run(["explore", str(tmp_path / "M.tla")]) == 2
    said = capsys.readouterr()
    assert "Ok        proved" in said.out
    assert "over SUBSET Int[1..40], of more than 4,000,000 values" in said.err


def test_what_is_refused_does_not_depend_on_how_deep_the_caller_is(tmp_path: Path) -> None:
    """A finder and its judge call from different places: what one has a model of, both have."""
    text = tmp_path / "Turned.tla"
    text.write_text(TURNED)
    text.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Same Short\n")

    specification = replace(load(text, text.with_suffix(".cfg")), partly=True)

    def called(frames: int) -> Translation:
        return called(frames - 1) if frames else translate(specification)

    def told(found: Translation) -> tuple[list[str], list[str]]:
        return [term_digest(one.body) for one in found.properties], [*found.refused]

    nearly_all = sys.getrecursionlimit() - len(inspect.stack()) - 60
    assert told(called(nearly_all)) == told(called(0))


def test_one_that_is_asked_for_by_name_needs_no_other(
    counter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = configured(counter, "INVARIANTS Lettered Small")
    assert run(["explore", text, "-P", "Small"]) == 0
    assert run(["explore", text, "-P", "Lettered"]) == 2
    assert "Lettered of" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["prove", "simulate", "infer"])
def test_where_no_other_is_judged_the_text_is_refused(
    command: str, counter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    others = ["Small"] if command != "prove" else []
    text = configured(counter, f"INVARIANTS {' '.join(['Lettered', *others])}")
    assert run([command, text]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "Counter.tla:8:13: Len of a string that varies" in said.err


def test_a_temporal_claim_of_each_member_of_what_varies_is_refused_as_such(
    counter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prove", configured(counter, "PROPERTY Each"), "-P", "Each"]) == 2
    said = capsys.readouterr().err
    assert "Counter.tla:12:18: a temporal formula for each member of what varies" in said
    assert "quantify over a constant set" in said


@pytest.mark.parametrize("claim", ["<>(x' > x)", "[](x' > x)"])
def test_what_is_no_temporal_formula_is_told_with_what_to_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], claim: str
) -> None:
    text = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\n"
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{text}P == {claim}\n====\n")
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next PROPERTY P")
    assert run(["prove", str(tmp_path / "M.tla"), "-P", "P"]) == 2
    assert "of steps write [][A]_v and <>(<<A>>_v)" in capsys.readouterr().err
