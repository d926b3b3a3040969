"""Consecution with cores: which conjuncts are preserved by a step, and thanks to which others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bmc.engines.conjuncts import Conjunct
from bmc.engines.task import Deadline
from bmc.readings.value import ConcreteState
from bmc.solving.interface import Answer
from bmc.solving.sat_solver import SatSolver
from bmc.system.transition import Instance, TransitionSystem
from bmc.system.unrolling import Unrolling


@dataclass(frozen=True)
class Preserved:
    """A goal holds after every step from states in which the conjuncts ``by`` name hold."""

    by: frozenset[str]


@dataclass(frozen=True)
class BreakingStep:
    """A goal fails after a step between two states; in the first all that was assumed holds.

    ``left`` and ``reached`` are these states as the numbers of their leaves: a search looks at
    thousands of them, and few are ever read as states.
    """

    system: TransitionSystem
    left: tuple[int, ...]
    reached: tuple[int, ...]

    @cached_property
    def before(self) -> ConcreteState:
        """The state before the step."""
        return self.system.decode(self.left)

    @cached_property
    def after(self) -> ConcreteState:
        """The state after it."""
        return self.system.decode(self.reached)


class Consecution:
    """``depth`` steps of a system in CaDiCaL, under assumptions that can be switched by name.

    What is assumed is assumed of all states but the last. Steps that leave the model's bounds are
    left out, as everywhere in an induction: that there are none is a conjunct of its own. With
    depth 0 there is one state, of which nothing is demanded. With ``to_the_end`` it is assumed of
    the last state as well.
    """

    def __init__(
        self,
        system: TransitionSystem,
        deadline: Deadline,
        depth: int = 1,
        to_the_end: bool = False,
    ) -> None:
        self.system = system
        self.deadline = deadline
        self._depth = depth
        self._frames = max(depth + to_the_end, 1)
        self._solver = SatSolver()
        self._unrolling = Unrolling(system, self._solver)
        for number in range(depth):
            self._unrolling.step(number)
        self._switch: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._actions: dict[str, int] = {}

    def know(self, one: Conjunct) -> None:
        """Make a conjunct one that can be assumed."""
        if one.name in self._switch:
            return
        switch = self._switch[one.name] = self._solver.boolean()
        self._names[switch] = one.name
        for number in range(self._frames):
            for instance in one.instances:
                self._solver.clause(-switch, self._unrolling.at(instance.holds, number))

    def after_step(
        self, goal: Instance, assumed: Iterable[str], action: str | None = None
    ) -> Preserved | BreakingStep:
        """Whether a goal holds in the last state, where the named conjuncts hold before it.

        With ``action`` only its steps are meant, at depth 1. Raises OutOfTime.
        """
        return self._asked(self._unrolling.at(goal.holds, self._depth), assumed, action)

    def over_step(
        self, goal: Instance, assumed: Iterable[str], action: str | None = None
    ) -> Preserved | BreakingStep:
        """Whether a goal that speaks of the last step holds of it, as `after_step` asks of states.

        With ``action`` only its steps are meant, at depth 1. Raises OutOfTime.
        """
        return self._asked(self._unrolling.across(goal.holds, self._depth - 1), assumed, action)

    def _asked(
        self, holds: int, assumed: Iterable[str], action: str | None
    ) -> Preserved | BreakingStep:
        self.deadline.check()
        switches = [self._switch[name] for name in assumed]
        if action is not None:
            switches.append(self._taken(action))
        if self._solver.check([*switches, -holds]) is Answer.SAT:
            left, reached = map(self._unrolling.numbers, (self._depth - 1, self._depth))
            return BreakingStep(self.system, tuple(left), tuple(reached))
        return Preserved(self._used())

    def implied(self, goal: Instance, assumed: Iterable[str]) -> frozenset[str] | None:
        """Names that suffice to imply a goal in one and the same state, None when none do.

        Unless the depth is 0, that is asked of states that have a successor only.
        """
        self.deadline.check()
        holds = self._unrolling.at(goal.holds, 0)
        switches = [self._switch[name] for name in assumed]
        if self._solver.check([*switches, -holds]) is Answer.SAT:
            return None
        return self._used()

    def _taken(self, action: str) -> int:
        """The switch that makes the step one of an action's."""
        if action not in self._actions:
            switch = self._actions[action] = self._solver.boolean()
            selectors = zip(self.system.rules, self._unrolling.frame(0).selectors, strict=True)
            self._solver.clause(-switch, *(s for r, s in selectors if r.action == action))
        return self._actions[action]

    def _used(self) -> frozenset[str]:
        return frozenset(self._names[x] for x in self._solver.core() if x in self._names)
