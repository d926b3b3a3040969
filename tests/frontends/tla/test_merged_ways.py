"""Ways that differ only in what variables become are one behind a choice from many."""

from __future__ import annotations

from pathlib import Path

import pytest

from bmc.frontends.tla.agreement import OutsideBounds, compare_reachable
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.errors import EvaluationError
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.specification import Specification
from bmc.frontends.tla.translate.model import Translation, translate
from bmc.frontends.tla.translated_model import TranslatedModel
from bmc.readings.circuit import evaluate
from bmc.system.transition import TransitionSystem

TEXT = """
---- MODULE M ----
EXTENDS Naturals, Sequences
CONSTANT Most
VARIABLES x, log
Init == x = 0 /\\ log = <<>>
Take(m) ==
  {step}
Next == \\E m \\in [a : 1 .. Most, b : 1 .. Most] : Take(m)
Inv == x \\in 0 .. 2 /\\ Len(log) < 3
====
"""

FEW, MANY = 3, 17
"""Of 9 choices each way is one of its own, of 289 they are merged."""

WAYS = {
    "a condition": (
        "IF m.a > m.b THEN x' = 1 /\\ log' = <<>> ELSE x' = 2 /\\ log' = <<m.a % 2>>",
        1,
    ),
    "cases, of which one keeps a variable": (
        """/\\ CASE log = <<>> -> log' = <<m.a % 2>>
            [] Len(log) = 1 /\\ log[1] = m.b % 2 -> log' = Append(log, 1)
            [] OTHER -> UNCHANGED log
  /\\ UNCHANGED x""",
        1,
    ),
    "a condition in a condition": (
        """/\\ IF m.a = 1 THEN (IF x > 0 THEN x' = 0 ELSE UNCHANGED x) ELSE x' = 1 + (m.b % 2)
  /\\ UNCHANGED log""",
        1,
    ),
    "a value that is there in its own way only": (
        """/\\ IF Len(log) > m.a % 2 THEN log' = Tail(log) ELSE log' = Append(log, m.b % 2)
  /\\ x' = IF log # <<>> THEN log[1] ELSE 2""",
        1,
    ),
    "next values that are read behind it": (
        """/\\ IF m.a > m.b THEN x' = 1 ELSE x' = 2
  /\\ IF x' = 1 THEN log' = <<x'>> ELSE UNCHANGED log
  /\\ x' # x""",
        1,
    ),
    "a way with a guard": ("(IF m.a = 1 THEN m.b > 2 /\\ x' = 1 ELSE x' = 0) /\\ log' = <<>>", 2),
    "a way with a choice": (
        "(IF m.a = 1 THEN \\E n \\in 1 .. 2 : x' = n ELSE x' = 0) /\\ log' = <<>>",
        2,
    ),
    "a way that assigns another variable": (
        """\\/ (IF m.a = 1 THEN x' = 1 ELSE UNCHANGED x) /\\ UNCHANGED log
  \\/ IF m.b = 1 THEN x' = 0 /\\ UNCHANGED log ELSE log' = <<>> /\\ UNCHANGED x""",
        2,
    ),
}


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("most", [FEW, MANY])
def test_steps_are_those_of_the_text(name: str, most: int, tmp_path: Path) -> None:
    """Each state has the same steps, whether ways are merged or not."""
    step, merged = WAYS[name]
    specification, translation = _translated(step, most, tmp_path)
    model = TranslatedModel(translation)
    compared = compare_reachable(Search(Machine(specification)), model, 100)
    assert compared.complete
    assert compared.skipped == 0
    assert compared.states > 1
    ways = len(translation.model.actions)
    assert ways == merged if most == MANY else ways > 1


@pytest.mark.parametrize(
    "step",
    [
        "(IF log[1] = m.a THEN x' = 1 ELSE x' = 0) /\\ UNCHANGED log",
        "(IF m.a > m.b THEN x' = log[1] ELSE x' = 0) /\\ UNCHANGED log",
        "(IF m.a > m.b THEN x' = 0 ELSE log' = Tail(log) /\\ x' = 1) /\\ UNCHANGED log",
    ],
)
def test_what_has_no_value_leaves_the_step_without_one(step: str, tmp_path: Path) -> None:
    """A condition is read for every choice, a way's values where the way is taken."""
    specification, translation = _translated(step, MANY, tmp_path)
    machine = Machine(specification)
    (start,) = machine.initial_states()
    with pytest.raises(EvaluationError):
        list(machine.successors(start))
    with pytest.raises(OutsideBounds):
        list(TranslatedModel(translation).steps(start))


def _translated(step: str, most: int, room: Path) -> tuple[Specification, Translation]:
    (room / "M.tla").write_text(TEXT.replace("{step}", step))
    (room / "M.cfg").write_text(f"CONSTANT Most = {most}\nINIT Init\nNEXT Next\nINVARIANT Inv\n")
    specification = load(room / "M.tla")
    return specification, translate(specification)


def test_choices_that_are_never_taken_change_nothing(tmp_path: Path) -> None:
    """They only say where what is read before them has no value."""
    step = """\\/ log' = <<1>> /\\ UNCHANGED x
  \\/ \\E s \\in SUBSET (1 .. 5) :
       log[1] = 1 /\\ 3 \\in s /\\ 4 \\notin s /\\ x' = 1 /\\ UNCHANGED log"""
    specification, translation = _translated(step, 1, tmp_path)
    system = TransitionSystem(translation.model, {})
    taken = [rule for rule in system.rules if "s" in rule.arguments]
    never = [rule for rule in taken if rule.guard is system.circuit.false]
    assert never
    assert not any(rule.updates for rule in never)
    assert len(taken) == 8 + len(never)
    (start,) = Machine(specification).initial_states()
    assert start[1] == ()
    numbers = system.encode({"x": start[0], "log": ()})
    assert evaluate([system.within_bounds], numbers) == [0]
