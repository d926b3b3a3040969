"""Bounds that are guessed too small are made larger by the path that leaves them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.app import run
from bmc.frontends.tla import gathering, layout, samples
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle import wandering
from bmc.frontends.tla.origin import Text
from bmc.frontends.tla.translate.model import translate
from bmc.lang.ready import ReadySuite
from bmc.lang.sorts import IntSort

SUM = """---- MODULE Sum ----
EXTENDS Naturals
CONSTANT Side
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == /\\ x + y < Side * Side
        /\\ (x' = x + 1 /\\ UNCHANGED y) \\/ (y' = y + 1 /\\ UNCHANGED x)
Low == x + y <= Side * Side
Wrong == x < 8
Early == x < 2
====
"""

Bmc = Callable[..., tuple[int, str]]


@pytest.fixture
def bmc(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Bmc:
    """Return a command on a text of which few states are sampled."""
    monkeypatch.setattr(samples, "_NEAR", 5)
    monkeypatch.setattr(samples, "_WALKS", 0)
    (tmp_path / "Sum.tla").write_text(SUM)
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANT Side = 3 INVARIANTS Low Wrong Early"
    (tmp_path / "Sum.cfg").write_text(config)

    def call(command: str, *options: str) -> tuple[int, str]:
        code = run([command, str(tmp_path / "Sum.tla"), *options])
        return code, capsys.readouterr().out

    return call


def test_an_exploration_goes_on_with_larger_bounds(bmc: Bmc) -> None:
    code, said = bmc("explore", "--property", "Low", "--json")
    assert (code, json.loads(said)["distinct_states"]) == (0, 55)


@pytest.mark.parametrize("command", ["prove", "check", "explore"])
def test_a_verdict_is_one_line_however_often_bounds_grow(bmc: Bmc, command: str) -> None:
    _, said = bmc(command, "-P", "Early", "-P", "Wrong", "--json-lines")
    told = [json.loads(line).get("result", {}).get("property") for line in said.splitlines()]
    assert told == ["Early", "Wrong", None]


SEVERAL = """---- MODULE Several ----
EXTENDS Naturals, Sequences
VARIABLES x, y, q
Init == x = 0 /\\ y = 0 /\\ q = <<>>
Next == \\/ x < 9 /\\ x' = x + 1 /\\ UNCHANGED <<y, q>>
        \\/ x = 9 /\\ y < x * x /\\ y' = y + x /\\ UNCHANGED <<x, q>>
        \\/ y > 70 /\\ Len(q) * Len(q) < 20 /\\ q' = Append(q, y + 1) /\\ UNCHANGED <<x, y>>
Small == x <= 9
====
"""


def test_what_leaves_the_bounds_is_gathered_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each variable was given room by itself, and a model was made each time: four of them."""
    monkeypatch.setattr(samples, "_NEAR", 2)
    monkeypatch.setattr(samples, "_WALKS", 0)
    (tmp_path / "Several.tla").write_text(SEVERAL)
    (tmp_path / "Several.cfg").write_text(
        "INIT Init NEXT Next INVARIANT Small CHECK_DEADLOCK FALSE"
    )
    translated = []
    made = Text.translated

    def counted(*given: Any) -> ReadySuite:
        translated.append(given)
        return made(*given)

    monkeypatch.setattr(Text, "translated", counted)
    assert run(["explore", str(tmp_path / "Several.tla"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["complete"], len(translated)) == (True, 2), found


RARE = """---- MODULE Rare ----
EXTENDS Naturals
VARIABLES sent, right, stage, seen
Init == /\\ sent = {[from |-> 0, to |-> 0], [from |-> 0, to |-> 1], [from |-> 1, to |-> 0]}
        /\\ right = 0 /\\ stage = 2 /\\ seen = [i \\in 1 .. 3 |-> 1]
Guess(n) == /\\ seen' = [seen EXCEPT ![(right % 3) + 1] = n]
            /\\ IF n # ((stage + right) % 8) + 1
               THEN right' = 0 /\\ UNCHANGED <<stage, sent>>
               ELSE IF right < 5
                    THEN right' = right + 1 /\\ UNCHANGED <<stage, sent>>
                    ELSE /\\ right' = 0 /\\ stage' = stage + 1
                         /\\ sent' = sent \\union {[from |-> stage, to |-> stage * n]}
Next == stage < 6 /\\ \\E n \\in 1 .. 8 : Guess(n)
Few == \\A m \\in sent : m.from \\in 0 .. 99 /\\ m.to \\in 0 .. 99
====
"""


@pytest.mark.parametrize("reached", [None, 100])
def test_messages_that_walks_miss_are_met_by_a_search_further_than_the_path(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    reached: int | None,
) -> None:
    """Six right guesses of one in eight send a message: each had a model of its own.

    So it has where the end of the path is not reached with little work: to search the text took
    longer than to make models anew.
    """
    if reached is not None:
        monkeypatch.setattr(gathering, "_REACHED", reached)
    (tmp_path / "Rare.tla").write_text(RARE)
    (tmp_path / "Rare.cfg").write_text("INIT Init NEXT Next INVARIANT Few CHECK_DEADLOCK FALSE")
    monkeypatch.setattr(layout, "MOST_ELEMENTS", 4)
    monkeypatch.setattr(wandering, "QUIET", 100)
    translated = []
    made = Text.translated

    def counted(*given: Any) -> ReadySuite:
        translated.append(given)
        return made(*given)

    monkeypatch.setattr(Text, "translated", counted)
    assert run(["explore", str(tmp_path / "Rare.tla"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["complete"], len(translated) == 2) == (True, reached is None), found


def test_a_coverage_goes_on_with_larger_bounds(bmc: Bmc) -> None:
    code, said = bmc("cover", "--json")
    assert (code, json.loads(said)["distinct_states"]) == (0, 55)


def test_a_lock_holds_what_is_proved_with_larger_bounds(
    bmc: Bmc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It took the first guess: everything stayed unknown."""
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "Sum.cfg"
    config.write_text(config.read_text().replace("Low Wrong", "Low"))
    assert run(["regress", "--update", "--protocol", "Sum.tla"]) == 0
    assert "Low: not in the lock → proved" in capsys.readouterr().out
    assert run(["regress"]) == 0
    assert "1 proved" in capsys.readouterr().out


def test_a_temporal_claim_is_decided_with_larger_bounds(bmc: Bmc, tmp_path: Path) -> None:
    text = SUM.replace(
        "====",
        "Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Next)\nEnds == <>(x + y = 9)\n====",
    )
    (tmp_path / "Sum.tla").write_text(text)
    (tmp_path / "Sum.cfg").write_text(
        "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nCONSTANT Side = 3\nPROPERTY Ends\n"
    )
    for command in ("prove", "check"):
        code, said = bmc(command, "--property", "Ends", "--json")
        (result,) = json.loads(said)["results"]
        assert (code, result["verdict"]) == (0, "proved"), result


@pytest.mark.parametrize("command", [("infer",), ("prove", "--infer", "--engine", "kinduction")])
def test_an_inference_goes_on_with_larger_bounds(bmc: Bmc, command: tuple[str, ...]) -> None:
    code, said = bmc(*command, "--property", "Low", "--json")
    (result,) = json.loads(said)["results"]
    assert (code, result["verdict"]) == (0, "proved")


def test_only_the_end_that_fell_short_goes_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "_NEAR", 3)
    monkeypatch.setattr(samples, "_WALKS", 0)
    (tmp_path / "Down.tla").write_text(
        "---- MODULE Down ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\n"
        "Next == x * x < 50 /\\ x' \\in {x - 1, x + 1}\n====\n"
    )
    (tmp_path / "Down.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    specification = load(tmp_path / "Down.tla")

    def ends(seen: samples.Samples) -> tuple[int, int]:
        sort = translate(specification, samples=seen).model.variables["x"]
        assert isinstance(sort, IntSort)
        return sort.low.constant, sort.high.constant

    first = samples.Samples(specification)
    low, high = ends(first)
    assert low >= -5
    once = first.and_more([(-6,)])
    assert ends(once) == (-7, high)
    twice = once.and_more([(-8,)])
    assert ends(twice) == (-10, high)
    assert ends(twice.and_more([(high + 1,)])) == (-12, high + 5)


EXCLUDED = """---- MODULE Excluded ----
EXTENDS Integers
VARIABLES x, f, r
Init == x = 0 /\\ f = [i \\in {1, 3} |-> i] /\\ r = [n |-> [m |-> 0]]
Choose == x = 0 /\\ x' \\in {-2, 1, 2} /\\ UNCHANGED <<f, r>>
Use == /\\ x # 0 /\\ x' = 0
       /\\ f' = [f EXCEPT ![1] = x + @, ![1] = @ * 2 - 1, ![3] = IF @ > 5 THEN 0 ELSE @ + 1]
       /\\ r' = [r EXCEPT !.n.m = @ + x * x]
       /\\ f'[1] < 7 /\\ f'[1] > -3 /\\ r'.n.m <= 9
Next == Choose \\/ Use
Inv == f[1] <= 6 /\\ f[3] <= 7
====
"""


def test_a_step_that_a_guard_behind_its_update_excludes_leaves_no_bound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Excluded.tla").write_text(EXCLUDED)
    (tmp_path / "Excluded.cfg").write_text("INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE")
    assert run(["explore", str(tmp_path / "Excluded.tla"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["distinct_states"] == 28


def test_many_updates_of_a_function_are_translated_in_time_that_grows_with_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each reads what those before it left; twice the work for each more would take hours."""
    updates = ", ".join(f"![{1 + 2 * (n % 2)}] = x + @ - 1" for n in range(40))
    chain = EXCLUDED[: EXCLUDED.index("f' = [f")] + f"f' = [f EXCEPT {updates}] /\\ r' = r\n"
    text = f"{chain}Next == Choose \\/ (Use /\\ f'[1] > -90)\nInv == x < 3\n====\n"
    (tmp_path / "Excluded.tla").write_text(text)
    (tmp_path / "Excluded.cfg").write_text("INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE")
    assert run(["explore", str(tmp_path / "Excluded.tla"), "--max-depth", "2"]) == 0
    assert "level" in capsys.readouterr().out


def test_a_violation_beyond_the_first_guess_is_found(bmc: Bmc) -> None:
    code, said = bmc("check", "--property", "Wrong", "--json")
    (result,) = json.loads(said)["results"]
    assert (code, result["verdict"], result["depth"]) == (1, "violated", 8)


def test_a_proof_says_where_its_bounds_come_from(bmc: Bmc, tmp_path: Path) -> None:
    # A claim that is violated would say nothing of the bounds.
    kept = SUM.replace("x < 8", "x < 10").replace("x < 2", "TRUE")
    (tmp_path / "Sum.tla").write_text(kept)
    code, said = bmc("prove", "--property", "Low", "--explain")
    assert code == 0
    assert "x 0..10: from the text" in said
    assert "y 0..11: guessed from samples, and proven" in said


def test_a_choice_beyond_the_guess_is_no_step_that_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value that is chosen in the end is a number that no sample has."""
    monkeypatch.setattr(samples, "_NEAR", 2)
    monkeypatch.setattr(samples, "_WALKS", 0)
    text = SUM.replace("(x' = x + 1", "(x' \\in {x + 1} \\union Late").replace(
        "Low ==", "Unused == 0\nLow =="
    )
    text = text.replace("Init ==", "Late == IF x + y > 3 THEN {40} ELSE {}\nInit ==")
    (tmp_path / "Sum.tla").write_text(text)
    config = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nCONSTANT Side = 3\n"
    (tmp_path / "Sum.cfg").write_text(config + "INVARIANT Wrong\n")
    assert run(["check", str(tmp_path / "Sum.tla"), "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert (result["verdict"], result["depth"]) == ("violated", 5)


GROWING = {
    "a function that gains arguments": (
        "[m \\in {} |-> 0]",
        "held @@ ([id |-> Top + 7] :> 1)",
        "DOMAIN held",
    ),
    "a set that is mapped": ("{}", "{[id |-> m.id + 7] : m \\in held} \\union First", "held"),
}


@pytest.mark.parametrize("kind", GROWING)
def test_members_beyond_a_guess_are_not_left_out(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without them a step would stay inside the bounds, and false claims would hold."""
    monkeypatch.setattr(samples, "_NEAR", 3)
    monkeypatch.setattr(samples, "_WALKS", 0)
    initial, grown, members = GROWING[kind]
    (tmp_path / "Grows.tla").write_text(f"""---- MODULE Grows ----
EXTENDS Naturals, FiniteSets, TLC
VARIABLES held
First == {{[id |-> 0]}}
Top == IF {members} = {{}} THEN 0
       ELSE (CHOOSE m \\in {members} : \\A k \\in {members} : k.id <= m.id).id
Init == held = {initial}
Next == Cardinality({members}) < 5 /\\ held' = {grown}
Small == \\A m \\in {members} : m.id # 3 * 7
====
""")
    (tmp_path / "Grows.cfg").write_text("INIT Init NEXT Next INVARIANT Small CHECK_DEADLOCK FALSE")
    assert run(["explore", str(tmp_path / "Grows.tla"), "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["verdict"] == "violated"


MAPPED = {
    "a set that is mapped": ("{0}", "s' = {e + x * x : e \\in s}", "\\A e \\in s : e < 9"),
    "a set and what it is mapped to": (
        "{0}",
        "s' = s \\cup {e + x * x : e \\in s}",
        "\\A e \\in s : e < 9",
    ),
    "a set inside a function": (
        "[i \\in {1, 3} |-> {[q |-> 0]}]",
        "s' = [s EXCEPT ![3] = {[q |-> e.q + x * x] : e \\in @}]",
        "\\A e \\in s[3] : e.q < 9",
    ),
    "the domain of a function": (
        "[e \\in {[q |-> 0]} |-> 1]",
        "\\E e \\in DOMAIN s : s' = [d \\in {[q |-> e.q + x * x]} |-> 1]",
        "\\A e \\in DOMAIN s : e.q < 9",
    ),
    "the domain of a function that is mapped": (
        "[e \\in {0} |-> 1]",
        "s' = [d \\in {e + x * x : e \\in DOMAIN s} |-> 1]",
        "\\A e \\in DOMAIN s : e < 9",
    ),
}


@pytest.mark.parametrize("name", MAPPED)
def test_what_a_sort_has_no_room_for_is_not_left_out_of_a_set(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the member beyond the guess the set is smaller, and the claim was proved."""
    monkeypatch.setattr(samples, "_NEAR", 2)
    monkeypatch.setattr(samples, "_WALKS", 0)
    initial, grows, claim = MAPPED[name]
    text = f"""---- MODULE Grows ----
EXTENDS Naturals
VARIABLES x, s
Init == x = 0 /\\ s = {initial}
Next == \\/ x < 9 /\\ x' = x + 1 /\\ s' = s
        \\/ x = 9 /\\ {grows} /\\ x' = 10
Inv == {claim}
===="""
    (tmp_path / "Grows.tla").write_text(text)
    (tmp_path / "Grows.cfg").write_text("INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE")
    assert run(["explore", str(tmp_path / "Grows.tla"), "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert (result["verdict"], len(result["trace"])) == ("violated", 11)


@pytest.mark.parametrize(
    "options", [("--engine", "kinduction"), ("--engine", "explicit"), ("--infer",)]
)
def test_a_certificate_says_how_its_bounds_were_made_larger(
    bmc: Bmc, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    """With the first guess alone it would be a proof about another model."""
    file = tmp_path / "proof.json"
    code, said = bmc("prove", "-P", "Low", *options, "--certificate", str(file))
    assert code == 0, said
    command = re.search(r"`bmc (certify .*)` checks it", said)
    assert command is not None, said
    assert run(shlex.split(command[1])) == 0
    assert "accepted" in capsys.readouterr().out
    document = json.loads(file.read_text())
    assert document.pop("widened")
    file.write_text(json.dumps(document))
    assert run(shlex.split(command[1])) == 2
    document["widened"] = [[0, 99]]
    file.write_text(json.dumps(document))
    assert run(shlex.split(command[1])) == 2
    assert "by paths that it does not have" in capsys.readouterr().err


def test_the_command_that_checks_a_certificate_gives_the_bounds_that_were_given(
    bmc: Bmc, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "proof.json"
    code, said = bmc("prove", "-P", "Low", "--bound", "y=0..12", "--certificate", str(file))
    command = re.search(r"`bmc (certify .*)` checks it", said)
    assert code == 0
    assert command is not None, said
    assert "--bound y=0..12" in command[1]
    assert run(shlex.split(command[1])) == 0


HELD = """---- MODULE Held ----
EXTENDS Naturals, Sequences, FiniteSets
VARIABLES held, n
Init == held = <<1>> /\\ n = 1
RECURSIVE InOrder(_)
InOrder(S) ==
    IF S = {} THEN <<>> ELSE LET s == CHOOSE s \\in S : TRUE IN <<s>> \\o InOrder(S \\ {s})
Next == held' = InOrder({held[1]}) /\\ n' = 3 - n
Wrong == Len(held) # 1
Right == n < 3
====
"""

IN_TURN = (
    HELD.replace(
        "Next == held' = InOrder({held[1]})",
        "Next == n = 1 /\\ held' = InOrder({held[1], held[2]})",
    )
    .replace("held = <<1>>", "held = <<1, 2>>")
    .replace("Len(held) # 1", "n = 1 => Len(held) # 2")
)


@pytest.mark.parametrize("text", [HELD, IN_TURN])
def test_a_claim_that_is_violated_says_nothing_of_the_bounds(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No step was taken from where it is false, so the other claims were unknown."""
    assert text.count("held[1]") == 1
    (tmp_path / "Held.tla").write_text(text)
    (tmp_path / "Held.cfg").write_text(
        "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANTS Wrong Right"
    )
    assert run(["explore", str(tmp_path / "Held.tla"), "--continue", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    verdicts = {one["property"]: one["verdict"] for one in found["results"]}
    assert (found["distinct_states"], verdicts["Right"]) == (2, "proved")
