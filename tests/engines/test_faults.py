"""A fault in an engine never becomes a verdict: replay and the judge of certificates notice."""

from collections.abc import Callable
from typing import Any

import pytest

from bmc.engines import goals
from bmc.engines.bounded import check
from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.verdict import Contradiction
from bmc.solving.interface import Answer
from bmc.system import unrolling
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Unrolling
from tests.engines import machines

Patch = Callable[[pytest.MonkeyPatch], None]


def _believe_every_step(patch: pytest.MonkeyPatch) -> None:
    def ask(*_: Any) -> Answer:
        return Answer.UNSAT

    patch.setattr(goals, "ask", ask)


def _prove_nothing_of_an_orbit(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(TransitionSystem, "representatives", lambda self, stated: ())


def _forget_the_initial_states(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Unrolling, "start", lambda self: None)


def _take_no_steps(patch: pytest.MonkeyPatch) -> None:
    whole = Unrolling.step

    def step(self: Unrolling, k: int) -> None:
        whole(self, k)
        self.solver.add(self.solver.constant(False))

    patch.setattr(Unrolling, "step", step)


@pytest.mark.parametrize("fault", [_believe_every_step, _prove_nothing_of_an_orbit, _take_no_steps])
def test_a_wrong_proof_does_not_survive_its_re_check(
    fault: Patch, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    task = Task(machines.suite(machines.Pair), {}, ("OtherBelowLimit",), 2)
    with pytest.raises(Contradiction, match="a proof did not survive its re-check"):
        prove(task)


def _change_what_no_rule_writes(patch: pytest.MonkeyPatch) -> None:
    def everywhere(system: TransitionSystem) -> list[list[int]]:
        return [list(range(len(system.rules))) for _ in system.leaves]

    patch.setattr(unrolling, "_writers", everywhere)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (_change_what_no_rule_writes, "cannot be replayed: no action leads there"),
        (_forget_the_initial_states, "is not initial on replay"),
    ],
)
def test_a_wrong_trace_does_not_survive_replay(
    fault: Patch, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    task = Task(machines.suite(Halting), {}, ("BothSmall",), 4)
    with pytest.raises(Contradiction, match=said):
        check(task)


class Halting(machines.Pair):
    """Only one of the counters moves, so the other stays where it started."""

    @machines.action()
    def Advance(self, s: machines.Step) -> None:
        s.require(s.one < self.limit - 1)
        s.one = s.one + 1

    Next = machines.one_of(Advance)

    @machines.invariant("the other counter never moves")
    def BothSmall(self, s: machines.State) -> machines.Term:
        return s.other == 0
