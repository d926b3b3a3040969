"""What a command cannot judge is said with its place and what to do about it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.app import run
from bmc.engines.confirmation import confirmed
from bmc.engines.explicit import explore
from bmc.engines.exploration import Exploration
from bmc.engines.task import Interrupted, Observer, Task
from bmc.evidence.verdict import Result

from .clock import CLOCK, Bmc

UNSAID = """---- MODULE Unsaid ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\\ y = 0
Up(n) == /\\ x' = (x + n) % 4
         /\\ \\/ x < 3 /\\ y' = y
            \\/ x = 3
Next == Up(1)
Inv == y = 0
====
"""


@pytest.mark.parametrize("command", ["explore", "check", "prove"])
def test_a_step_that_leaves_a_variable_without_a_value_is_named(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Unsaid.tla").write_text(UNSAID)
    (tmp_path / "Unsaid.cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    assert run([command, str(tmp_path / "Unsaid.tla")]) == 3
    said = capsys.readouterr().out
    why = "Unsaid.tla:5:10: Up does not say what y becomes; say so, or UNCHANGED y"
    assert f"{why}; no violation within" in said
    assert f"The text gives a step no value: {tmp_path / why}\n" in said
    assert "  3  Up_1\n" in said


SHRINKING = """---- MODULE Shrinking ----
EXTENDS Naturals, Sequences
VARIABLES x, q
Init == x = 0 /\\ q = <<1>>
Next == x < 4 /\\ x' = x + 1 /\\ q' = IF x = 1 THEN <<>> ELSE q
Inv == x \\in 0..4
InState == Head(q) = 1
OfStep == Head(q') = 1
====
"""


@pytest.mark.parametrize("command", ["explore", "check", "prove"])
@pytest.mark.parametrize(
    ("constraint", "place"), [("CONSTRAINT InState", "7:12"), ("ACTION_CONSTRAINT OfStep", "8:11")]
)
def test_a_constraint_without_a_value_is_named(
    command: str, constraint: str, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Shrinking.tla").write_text(SHRINKING)
    config = f"INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE {constraint}"
    (tmp_path / "Shrinking.cfg").write_text(config)
    assert run([command, str(tmp_path / "Shrinking.tla")]) == 3
    said = capsys.readouterr().out
    why = f"Shrinking.tla:{place}: Head of the empty sequence"
    assert f"{why}; no violation within" in said
    assert f"The text gives a step no value: {tmp_path / why}\n" in said
    assert "bound" not in said.partition("Known apart from that")[0]


ASSERTED = """---- MODULE Asserted ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x < 5 /\\ x' = x + 1 /\\ Assert(x' # 3, "three")
Small == x < 9
Two == x < 2
====
"""


@pytest.mark.parametrize(
    "command", [("explore",), ("explore", "--continue"), ("check",), ("prove",)]
)
@pytest.mark.parametrize(
    ("claims", "code"), [("", 3), ("INVARIANT Small", 3), ("INVARIANT Two", 1)]
)
def test_a_step_that_is_refused_by_an_assertion_is_no_deadlock(
    command: tuple[str, ...],
    claims: str,
    code: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The command ended with the assertion's text alone, without the steps to it."""
    (tmp_path / "Asserted.tla").write_text(ASSERTED)
    (tmp_path / "Asserted.cfg").write_text(f"INIT Init NEXT Next {claims}")
    name, *options = command
    assert run([name, str(tmp_path / "Asserted.tla"), *options]) == code
    said = capsys.readouterr().out
    why = f'{tmp_path / "Asserted.tla"}:5:32: the assertion fails: "three"'
    if code == 3:
        assert f"Deadlock  unknown  {why}" in said
        assert said.count(f"The text gives a step no value: {why}\n") == 1
        assert "  x  1 → 2\n" in said
    else:
        assert "Two" in said
        assert "Deadlock  violated" not in said


def test_a_way_to_take_a_step_that_never_gives_a_variable_a_value_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Unsaid.tla").write_text(UNSAID.replace("/\\ y' = y", ""))
    (tmp_path / "Unsaid.cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    assert run(["explore", str(tmp_path / "Unsaid.tla")]) == 2
    said = capsys.readouterr().err
    assert "Unsaid.tla:5:10: this way to take Up gives y no next value\n" in said
    assert "UNCHANGED y" in said


def test_what_is_missing_is_named_with_what_is_there(
    bmc: Bmc, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bmc("list", "INVARIANT Lit")
    assert run(["check", str(tmp_path / "Clok.tla")]) == 2
    assert f"did you mean {tmp_path / 'Clock.tla'}?" in capsys.readouterr().err
    (tmp_path / "Clock.cfg").rename(tmp_path / "Other.cfg")
    assert run(["check", str(tmp_path / "Clock.tla")]) == 2
    said = capsys.readouterr().err
    assert "it has no configuration Clock.cfg beside it" in said
    assert f"--config FILE.cfg; there are {tmp_path / 'Other.cfg'}" in said
    (tmp_path / "MCClock.tla").touch()
    (tmp_path / "MCClock.cfg").touch()
    assert run(["check", str(tmp_path / "Clock.tla")]) == 2
    assert f"its model seems to be {tmp_path / 'MCClock.tla'}" in capsys.readouterr().err
    assert run(["check", str(tmp_path / "MCClock")]) == 2
    assert f"did you mean {tmp_path / 'MCClock.tla'}?" in capsys.readouterr().err


def test_what_is_refused_while_it_is_read_shows_its_line(bmc: Bmc) -> None:
    code, said = bmc("check", "INVARIANT Nowhere", stderr=True)
    assert code == 2
    assert "  INVARIANT Nowhere\n" in said
    assert "^^^^^^^" in said


def test_a_bound_of_what_is_no_integer_is_refused(bmc: Bmc, tmp_path: Path) -> None:
    (tmp_path / "Clock.tla").write_text(CLOCK.replace("THEN clock ELSE Off", 'THEN "on" ELSE Off'))
    code, said = bmc("explore", "INVARIANT Bounded", "--bound", "lamp=0..1", stderr=True)
    assert code == 2
    assert "lamp is bounded, and its values are no integers" in said


def test_a_bound_without_an_initial_state_is_blamed_on_the_bound(bmc: Bmc) -> None:
    code, said = bmc("explore", "INVARIANT Bounded", "--bound", "clock=7..9", stderr=True)
    assert code == 2
    assert "clock is bounded to 7..9, and no initial state has such a value of it" in said


def test_a_bound_that_lacks_the_initial_value_is_named_with_its_place(bmc: Bmc) -> None:
    code, said = bmc("explore", "INVARIANT Bounded", "--bound", "clock=1..7", stderr=True)
    assert code == 2
    assert "Clock.tla:10: Init gives clock a value outside its sort" in said
    assert "enlarge the sort, or the bound that it was given" in said


def test_a_lemma_that_is_no_operator_is_blamed_on_the_command_line(bmc: Bmc) -> None:
    code, said = bmc("explore", "INVARIANT Bounded", "--lemma", "Tigth", stderr=True)
    assert code == 2
    assert said.startswith("bmc explore: --lemma Tigth: module Clock has no such operator")
    assert "Tight" in said


@pytest.mark.parametrize(
    ("operator", "why"),
    [("Odd == {1}", "{1} is used as a truth value"), ("Odd(n) == n = 1", "Odd has parameters")],
)
def test_a_lemma_that_is_no_formula_is_blamed_where_it_is_defined(
    operator: str, why: str, bmc: Bmc, tmp_path: Path
) -> None:
    """The first line of the configuration was named, which does not speak of it."""
    text = CLOCK.replace("Init ==", f"{operator}\nInit ==")
    (tmp_path / "Clock.tla").write_text(text)
    line = text.splitlines().index(operator) + 1
    _, told = bmc("prove", "INVARIANT Bounded", "--lemma", "Odd")
    _, said = bmc("prove", "INVARIANT Bounded", "--lemma", "Odd", stderr=True)
    assert f"Clock.tla:{line}:1: {why}" in told + said


def test_a_lemma_that_is_an_invariant_is_told_what_to_leave_out(bmc: Bmc) -> None:
    code, said = bmc("prove", "INVARIANT Bounded", "--lemma", "Bounded", stderr=True)
    assert code == 2
    assert said.startswith("bmc prove: --lemma Bounded: it is an INVARIANT of the configuration")


def test_a_lemma_of_the_configuration_may_be_an_invariant_as_well(bmc: Bmc) -> None:
    """An exported module's configuration offers lemmas, which whoever doubts them may ask TLC."""
    code, told = bmc("prove", "INVARIANT Bounded\n\\* bmc: lemma Bounded\n")
    assert code == 0
    assert told.count("Bounded") == 1


def test_what_is_enabled_after_a_step_is_refused_at_its_place(bmc: Bmc, tmp_path: Path) -> None:
    """It was read as what is enabled before it, and proved what is false."""
    text = CLOCK.replace("Spec ==", "Can == ENABLED Next\nStep == Next /\\ Can'\nSpec ==")
    (tmp_path / "Clock.tla").write_text(text.replace("[Next]", "[Step]"))
    code, told = bmc("explore", "INVARIANTS Lit", stderr=True)
    assert code == 2
    assert "ENABLED of the next state is not supported" in told


GROWING = """---- MODULE Growing ----
EXTENDS Naturals, TLC
VARIABLES x, s
Init == x = 0 /\\ s = {}
Next == x' = x + 1 /\\ s' = s \\union {x} /\\ Assert(x < 5, "five")
Low == x >= 0
Little == x < 2
====
"""


@pytest.mark.parametrize("command", ["explore", "check", "prove", "simulate"])
@pytest.mark.parametrize(("claim", "code"), [("Low", 3), ("Little", 1)])
def test_an_assertion_that_samples_of_guessed_bounds_meet_is_told_with_the_path_to_it(
    command: str, claim: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command ended with the assertion's text alone, even where a claim is false before it."""
    (tmp_path / "Growing.tla").write_text(GROWING)
    (tmp_path / "Growing.cfg").write_text(f"INIT Init NEXT Next INVARIANT {claim}")
    assert run([command, str(tmp_path / "Growing.tla")]) == code
    said = capsys.readouterr().out
    why = f'{tmp_path / "Growing.tla"}:5:44: the assertion fails: "five"'
    told = f"The text gives a step no value: {why}\n" if code == 3 else "Little is violated after"
    assert told in said
    assert "  2  Next_1\n" in said


@pytest.mark.parametrize(
    ("formula", "column"), [("v % 999 # 7", 8), ("v \\div 999 # 7", 8), ("v' \\div 9 = 0", 12)]
)
def test_a_quotient_of_too_many_numbers_is_refused_with_its_place_and_what_to_do(
    formula: str, column: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claim = formula if column == 8 else f"[][{formula}]_v"
    where = "INVARIANT" if column == 8 else "PROPERTY"
    text = "EXTENDS Naturals\nVARIABLE v\nInit == v = 0\nNext == v < 9000 /\\ v' = v + 1"
    path = tmp_path / "Wide.tla"
    path.write_text(f"---- MODULE Wide ----\n{text}\nOk == {claim}\n====\n")
    (tmp_path / "Wide.cfg").write_text(f"INIT Init NEXT Next {where} Ok CHECK_DEADLOCK FALSE")
    assert run(["prove", str(tmp_path / "Wide.tla")]) == 2
    told = capsys.readouterr().err
    assert "Wide.tla:6:" in told
    assert "the number that is divided here has 9,001 values" in told
    assert "a CONSTRAINT or --bound" in told


def test_a_conjunct_of_a_specification_that_is_no_fairness_has_a_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """---- MODULE Turning ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Spec == Init /\\ [][Next]_x /\\ WF_x(Next) SOMETIMES
Often == []<>(x = 2)
Premised == []<>(x = 1) => []<>(x = 2)
===="""
    path = tmp_path / "Turning.tla"
    path.with_suffix(".cfg").write_text("SPECIFICATION Spec PROPERTY Often Premised")
    path.write_text(text.replace("SOMETIMES", "/\\ []<>(x = 1)"))
    assert run(["prove", str(path), "-P", "Often"]) == 2
    told = capsys.readouterr().err
    assert "Turning.tla:6:45: " in told
    assert "state it as the premise of each PROPERTY that needs it (premise => claim)" in told
    path.write_text(text.replace("SOMETIMES", ""))
    assert run(["prove", str(path), "-P", "Premised"]) == 0


def test_a_property_that_is_not_checked_is_not_asked_of_initial_states(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "VARIABLE x\nInit == x = 0\nNext == x' = x\nHidden == \\EE y : [](y = x)"
    (tmp_path / "Hiding.tla").write_text(f"---- MODULE Hiding ----\n{text}\n====\n")
    (tmp_path / "Hiding.cfg").write_text("INIT Init NEXT Next PROPERTY Hidden")
    assert run(["prove", str(tmp_path / "Hiding.tla")]) == 2
    said = capsys.readouterr().out
    assert "Hidden is NOT checked" in said
    assert "asked of initial states" not in said


PASSING = """---- MODULE Passing ----
EXTENDS Naturals
VARIABLES x, f
Init == x = 0 /\\ f = [i \\in 0..2 |-> i]
Next == x' = (x + 1) % 5 /\\ f' = f
Within == f[x] >= 0
Small == x < 4
====
"""


@pytest.mark.parametrize("command", ["simulate", "explore"])
@pytest.mark.parametrize("claims", ["Within", "Within Small"])
def test_walks_by_a_claim_without_a_value_are_not_clean(
    command: str, claims: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Passing.tla").write_text(PASSING)
    (tmp_path / "Passing.cfg").write_text(f"INIT Init NEXT Next INVARIANT {claims}")
    judged = command == "simulate" and "Small" in claims
    assert run([command, str(tmp_path / "Passing.tla")]) == (1 if judged else 3)
    said = capsys.readouterr().out
    assert "Within    unknown" in said
    assert "The text gives Within no value: " in said
    assert "Passing.tla:6:11: 3 is not in the domain of" in said


def _passing(tmp_path: Path, claims: str) -> str:
    (tmp_path / "Passing.tla").write_text(PASSING)
    (tmp_path / "Passing.cfg").write_text(f"INIT Init NEXT Next {claims}")
    return str(tmp_path / "Passing.tla")


@pytest.mark.parametrize(
    "command", ["explore", "explore --continue", "check", "prove", "simulate", "prove --engine ic3"]
)
def test_a_claim_without_a_value_is_told_with_the_path_to_it(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command ended with the error alone, without the steps to it."""
    name, *options = command.split()
    file = tmp_path / "path.txt"
    trace = [] if name == "simulate" else ["--trace", str(file)]
    assert run([name, _passing(tmp_path, "INVARIANT Within"), *options, *trace]) == 3
    said = capsys.readouterr().out
    assert "Passing.tla:6:11: 3 is not in the domain of" in said
    shown = said.partition("It has none at the end of this trace:")[2]
    assert shown.count("Next_1") == 3
    if trace:
        assert file.read_text().count("Next_1") == 3


@pytest.mark.parametrize("command", ["explore --continue", "prove"])
def test_beside_a_claim_without_a_value_the_others_have_their_verdicts(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *options = command.split()
    path = _passing(tmp_path, "INVARIANT Within Small Five PROPERTY Kept Missing")
    told = (tmp_path / "Passing.tla").read_text()
    told = told.replace(
        "====", "Five == x < 5\nMissing == [][f[x] >= 0]_x\nKept == [][x < 5]_x\n===="
    )
    (tmp_path / "Passing.tla").write_text(told)
    assert run([name, path, *options, "--json"]) == 1
    results = {one["property"]: one for one in json.loads(capsys.readouterr().out)["results"]}
    verdicts = {name: one["verdict"] for name, one in results.items()}
    open_ones = {"Within": "unknown", "Missing": "unknown"}
    proved = {"Five": "proved", "Kept": "proved", "Deadlock": "proved"}
    assert verdicts == {"Small": "violated", **open_ones, **proved}
    assert [len(results[name]["undefined"]) for name in open_ones] == [4, 5]


@pytest.mark.parametrize(
    ("command", "during"),
    [
        ("explore --continue", "the search"),
        ("explore --continue", "the comparison"),
        ("check", "the comparison"),
        ("prove --engine explicit", "the comparison"),
    ],
)
def test_an_interruption_leaves_a_claim_without_a_value_open(
    command: str,
    during: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its trace was called a violation, which nobody had held against the text."""
    name, *options = command.split()
    if during == "the search":

        def cut(task: Task, observer: Observer, **limits: object) -> Exploration:
            found = explore(task, observer, max_depth=3)
            raise Interrupted(replace(found, complete=False, stopped_because="interrupted"))

        monkeypatch.setattr("bmc.engines.parted.search.explore_by_processes", cut)
    else:
        left: list[type[BaseException]] = [KeyboardInterrupt]

        def compared(*given: Any) -> tuple[Result, ...]:
            if left:
                raise left.pop()
            return confirmed(*given)

        where = "engines.confirmation" if name == "explore" else "cli.shared.decide"
        monkeypatch.setattr(f"bmc.{where}.confirmed", compared)
    path = _passing(tmp_path, "INVARIANT Within")
    assert run([name, path, *options, "-P", "Within", "--json"]) == 3
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["verdict"] == "unknown"
    assert "Passing.tla:6:11: 3 is not in the domain of" in result["reason"]


@pytest.mark.parametrize("command", ["explore", "check", "prove", "simulate"])
def test_an_assertion_that_fails_in_an_initial_state_is_told_with_the_state(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The parameters were called too small, and no place was named."""
    text = ASSERTED.replace("x = 0", 'x \\in 0..2 /\\ Assert(x < 2, "two")')
    (tmp_path / "Asserted.tla").write_text(text)
    (tmp_path / "Asserted.cfg").write_text("INIT Init NEXT Next INVARIANT Small")
    assert run([command, str(tmp_path / "Asserted.tla")]) == 2
    said = capsys.readouterr().err
    assert 'Asserted.tla:4:23: the assertion fails: "two"; Init has no value in an initial' in said
    assert "x = 2" in said


@pytest.mark.parametrize(
    "line", ["CONSTANT N = {}", "\\* bmc: bound x 0..{}", "CONSTANT N = {{{}}}"]
)
def test_a_configurations_number_that_nobody_can_write_is_refused(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Clock.tla").write_text(CLOCK)
    (tmp_path / "Clock.cfg").write_text(line.format("1" * 5000))
    assert run(["explore", str(tmp_path / "Clock.tla")]) == 2
    said = capsys.readouterr().err
    assert "Clock.cfg:1:" in said
    assert "a number of more than 1000 digits is not read" in said
