"""What has no value in a state is refused by translation and evaluation, in the same words."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.frontends.tla.errors import TlaError, TlaUnsupported
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.errors import Unassigned
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.specification import Specification
from bmc.frontends.tla.translate.model import translate

TEXT = """---- MODULE M ----
EXTENDS Integers, TLC
VARIABLE x
Can == ENABLED (x' = x + 1)
Init == x = 0
Next == x' = (x + 1) % 3 /\\ ({})
====
"""

REFUSED = {
    "what a step enables": "Can'",
    "what a step enables, in place": "(ENABLED (x' = 2))'",
    "what a step enables, under a quantifier": "\\E y \\in 0..2 : (ENABLED (x' = x + y))'",
    "two steps as one, of a step that is given": "~((x' = x) \\cdot (x' = x))",
    "a register of TLC": "TLCGet(1) = 1",
    "a register that is set": "TLCSet(1, 2)",
    "a clock": "JavaTime = 1",
    "chance": "RandomElement({1, 2}) = 1",
}


def stepped(specification: Specification) -> None:
    machine = Machine(specification)
    for state in machine.initial_states():
        machine.successors(state)


@pytest.mark.parametrize("construct", REFUSED.values(), ids=REFUSED)
def test_both_refuse_it_alike(tmp_path: Path, construct: str) -> None:
    (tmp_path / "M.tla").write_text(TEXT.format(construct))
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    specification = load(tmp_path / "M.tla", tmp_path / "M.cfg")
    readers: tuple[Callable[[Specification], object], ...] = (translate, stepped)
    told = set()
    for reader in readers:
        with pytest.raises(TlaUnsupported) as refused:
            reader(specification)
        told.add((refused.value.span, refused.value.message, refused.value.hint))
    assert len(told) == 1


def test_an_interval_of_a_million_and_one_is_not_written_out(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(
        TEXT.format("0 \\in 0..10^12 /\\ Cardinality(0..1000000) > x").replace("TLC", "FiniteSets")
    )
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    with pytest.raises(TlaUnsupported, match="has too many possible ones"):
        translate(load(tmp_path / "M.tla", tmp_path / "M.cfg"))


def test_an_initial_predicate_with_a_choice_says_all_in_each_of_its_branches(
    tmp_path: Path,
) -> None:
    text = TEXT.replace("Init == x = 0", "Init == x \\in {{1, 2}} \\/ y = 0").replace(
        "VARIABLE x", "VARIABLES x, y"
    )
    (tmp_path / "M.tla").write_text(text.format("y' = 0"))
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    with pytest.raises(TlaError, match=r"the initial predicate gives . no value"):
        translate(load(tmp_path / "M.tla", tmp_path / "M.cfg"))


@pytest.mark.parametrize("first", ["1", "TRUE", "None"])
def test_a_choice_from_what_is_never_a_set_is_refused_at_its_place(
    first: str, tmp_path: Path
) -> None:
    text = TEXT.replace("VARIABLE x", "CONSTANT None\nVARIABLES x, k")
    text = text.replace("x = 0", f"x = 0 /\\ k = {first}").format(
        "k' = TRUE \\/ \\E v \\in k : k' = k"
    )
    (tmp_path / "M.tla").write_text(text)
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next CONSTANT None = None")
    with pytest.raises(TlaUnsupported, match=r"k \(a .*\) is used as a set") as refused:
        translate(load(tmp_path / "M.tla", tmp_path / "M.cfg"))
    assert refused.value.span.line == 7


@pytest.mark.parametrize(
    "step",
    [
        "\\E v \\in @ : x' = 1",
        "x' \\in @",
        "\\E <<v, w>> \\in @ : x' = v",
        "\\E v \\in SUBSET @ : x' = 1",
        "(ENABLED (\\E v \\in @ : x' = v) /\\ x' = 1)",
    ],
)
@pytest.mark.parametrize("members", ["({1} \\ [a |-> x])", "({1} \\cap [a |-> x])"])
def test_a_choice_by_what_is_in_no_set_is_refused_at_its_place(
    step: str, members: str, tmp_path: Path
) -> None:
    """What is in the choice is only asked when members are taken: it was an internal failure."""
    (tmp_path / "M.tla").write_text(TEXT.format(f"x' = 0 \\/ {step.replace('@', members)}"))
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next")
    with pytest.raises(TlaUnsupported, match="a record has no end") as refused:
        translate(load(tmp_path / "M.tla", tmp_path / "M.cfg"))
    assert refused.value.span.line == 6


@pytest.mark.parametrize(
    ("initial", "said"),
    [
        ("x = 0 /\\ x = 1", "no state satisfies the initial predicate"),
        ("x \\in {}", "no state satisfies the initial predicate"),
        ("TRUE", "the initial predicate gives x no value"),
        ("x = 0 \\/ TRUE", "the initial predicate gives x no value"),
    ],
)
def test_an_initial_predicate_without_states_is_no_missing_value(
    initial: str, said: str, tmp_path: Path
) -> None:
    text = TEXT.format("x' = 0").replace("Init == x = 0", f"Init == {initial}")
    (tmp_path / "M.tla").write_text(text)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    with pytest.raises(TlaError, match=said):
        translate(load(tmp_path / "M.tla", tmp_path / "M.cfg"))


COUNTED = """---- MODULE M ----
EXTENDS Naturals, Sequences
VARIABLE n
RECURSIVE Counted(_)
Counted(i) == IF i = 0 THEN 0 ELSE 1 + Counted(i - 1)
Init == n = 0
Next == n' = (n + 1) % 1000
Low == Counted(n) < 5000
====
"""


@pytest.mark.parametrize("conditions", [0, 40])
def test_a_recursion_that_does_not_end_is_named_with_its_place(
    conditions: int, tmp_path: Path
) -> None:
    """Where the body is wide Python's room ends before the calls that are unrolled."""
    step = "1 + Counted(i - 1)"
    wide = "(IF n = 7 THEN 0 ELSE " * conditions + step + ")" * conditions
    (tmp_path / "M.tla").write_text(COUNTED.replace(step, wide))
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\n")
    with pytest.raises(TlaUnsupported, match="the recursion of Counted does not end") as refused:
        translate(load(tmp_path / "M.tla", tmp_path / "M.cfg"))
    assert refused.value.span.line == 5
    assert "FoldSeq" in str(refused.value)


def test_a_constant_recursion_without_end_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(COUNTED.replace("Counted(n) < 5000", "n < Counted(0 - 1)"))
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\n")
    with pytest.raises(TlaUnsupported, match="does not end, or goes deeper") as refused:
        translate(load(tmp_path / "M.tla", tmp_path / "M.cfg"))
    assert refused.value.span.line == 8


def test_a_fold_over_a_set_of_millions_is_refused_with_its_place(tmp_path: Path) -> None:
    """Of 10^7 possible messages it was said, without a place, that they would have to be listed."""
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\n"
        "EXTENDS Integers, Sequences, FiniteSets, FiniteSetsExt\n"
        "VARIABLES sent, log\n"
        "Entries == [term : 0..9, value : 0..9]\n"
        "Init == sent = {} /\\ log = <<>>\n"
        "Grow == \\E e \\in Entries : Len(log) < 4 /\\ log' = Append(log, e) /\\ UNCHANGED sent\n"
        "Send == sent' = sent \\union {[log |-> log]} /\\ UNCHANGED log\n"
        "Next == Grow \\/ Send\n"
        "Small == FoldSet(LAMBDA m, n : n + Len(m.log), 0, sent) < 100\n"
        "====\n"
    )
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next INVARIANT Small CHECK_DEADLOCK FALSE\n")
    with pytest.raises(TlaUnsupported, match="a fold over a set with too many") as refused:
        translate(load(tmp_path / "M.tla", tmp_path / "M.cfg"))
    # It is told where the text folds, and not where the shipped module does.
    assert (refused.value.span.file, refused.value.span.line) == (str(tmp_path / "M.tla"), 9)
    assert "in FoldSet (FiniteSetsExt.tla)" in str(refused.value)


@pytest.mark.parametrize(
    "claim",
    [
        "\\A s \\in SUBSET (Nat \\ {x}) : s = {}",
        "{1 : s \\in SUBSET (Nat \\cup {x})} = {1}",
        "SUBSET (Nat \\ {x}) # {{x}}",
        "\\A p \\in (SUBSET (Nat \\ {x})) \\X {1} : p[1] = {}",
        "(CHOOSE s \\in SUBSET (Nat \\ {x}) : TRUE) = {}",
        "(CHOOSE s \\in Seq({x}) : TRUE) = <<>>",
        "Len(CHOOSE s \\in Seq({1, 2}) : Len(s) = x) = x",
    ],
)
def test_nothing_runs_over_a_set_without_end(tmp_path: Path, claim: str) -> None:
    """What is known of such a set's members is no list of them: the first claim was proved."""
    text = TEXT.format("TRUE").replace("TLC", "TLC, Sequences").replace("====", f"Inv == {claim}")
    (tmp_path / "M.tla").write_text(f"{text}====\n")
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    with pytest.raises(TlaUnsupported, match="has no end, so nothing can run over its members"):
        translate(load(tmp_path / "M.tla"))


@pytest.mark.parametrize("more", [[], ["--on-text"]])
@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("Max(x..1) > 0", "CHOOSE finds no such member, in Max (FiniteSetsExt.tla)"),
        ("IsInjective(x)", "0 is no function, it has no DOMAIN, in IsInjective (Functions.tla)"),
    ],
)
def test_an_operator_of_a_shipped_module_without_a_value_is_told_where_it_is_called(
    claim: str, why: str, more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\n"
        "EXTENDS Integers, FiniteSetsExt, Functions\n"
        "VARIABLE x\n"
        "Init == x = 0\n"
        "Next == x < 3 /\\ x' = x + 1\n"
        f"Claim == {claim}\n"
        "====\n"
    )
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next INVARIANT Claim CHECK_DEADLOCK FALSE\n")
    assert run(["explore", str(tmp_path / "M.tla"), *more]) == 3
    assert f"{tmp_path / 'M.tla'}:6:10: {why}" in capsys.readouterr().out


NESTED = ("<<w, n>>", "[v |-> n, next |-> w]", "{w, n}", "Append(<<>>, w)", "[p \\in 1..2 |-> w]")


@pytest.mark.parametrize("given", NESTED)
@pytest.mark.parametrize("first", ["<<>>", "0", "[p \\in 3..4 |-> <<1, TRUE>>]"])
def test_values_within_values_without_end_are_refused_soon(
    first: str, given: str, tmp_path: Path
) -> None:
    """Where they grow: each level would be read twice, or as often as Python has calls for."""
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\nEXTENDS Integers, Sequences\nVARIABLES w, n\n"
        f"Init == w = {first} /\\ n = 0\n"
        f"Next == n < 3 /\\ n' = n + 1 /\\ w' = {given}\n====\n"
    )
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    with pytest.raises(TlaUnsupported, match="w has values within values without end") as refusal:
        translate(load(tmp_path / "M.tla"))
    assert refusal.value.span.line == 5


def test_values_that_are_nested_deeply_and_no_further_are_none_without_end(tmp_path: Path) -> None:
    deep = "[a |-> " * 20 + "x" + "]" * 20
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\nEXTENDS Integers\nVARIABLES w, x\n"
        f"Init == x = 0 /\\ w = {deep}\nNext == x < 30 /\\ x' = x + 1 /\\ w' = {deep}\n====\n"
    )
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    assert translate(load(tmp_path / "M.tla")).actions


@pytest.mark.parametrize(
    "action",
    [
        "1 = x'",
        "TRUE = x'",
        "x' <=> TRUE",
        "TRUE <=> x'",
        "<<x'>> = <<1>>",
        "<<x>>' = <<1>>",
        "(LET one == <<x>> IN one' = 1)",
        "(\\E i \\in {1, 2} : i = x')",
    ],
)
def test_what_only_equals_a_next_value_does_not_say_what_it_is(tmp_path: Path, action: str) -> None:
    """As for TLC, whose error it is."""
    text = TEXT.replace("x' = (x + 1) % 3 /\\ ({})", f"{action} /\\ x' = x")
    (tmp_path / "M.tla").write_text(text)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    specification = load(tmp_path / "M.tla")
    with pytest.raises(Unassigned):
        stepped(specification)
    with pytest.raises(TlaUnsupported, match="x' is read before it is assigned"):
        translate(specification)
