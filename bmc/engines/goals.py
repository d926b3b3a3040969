"""The goals of an induction, one by one: what may be assumed is asserted once, in one solver.

Whoever asks all goals in one process and whoever hands them to the tasks of a cluster asks them
here, so that both assume the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from bmc.engines.conjuncts import Conjunct
from bmc.engines.task import Deadline, OutOfTime
from bmc.evidence.assumptions import IN_ONE_STATE, OF_A_STEP, Assumptions, consecution
from bmc.readings.value import ConcreteState
from bmc.solving.factory import create
from bmc.solving.interface import Answer, Handle, Solver
from bmc.system.cone import ConeOfInfluence
from bmc.system.precedence import Precedence, named
from bmc.system.transition import Instance, TransitionSystem
from bmc.system.unrolling import Unrolling


class Moment(Enum):
    """Of which states goals are asked, and so what may be assumed of them.

    INITIAL: of every initial state. CONSECUTION: of the state after ``k`` that satisfy all
    candidates. IMPLIED: of every state that satisfies what is proven. STEP: of both states of a
    step, of which the same is known.
    """

    INITIAL = "initially"
    CONSECUTION = "after steps"
    IMPLIED = "in every state"
    STEP = "of every step"


@dataclass(frozen=True)
class Hypotheses:
    """What the goals of a round may assume: conjuncts, of the states that :class:`Moment` says."""

    moment: Moment
    candidates: Sequence[Conjunct] = ()
    proven: Sequence[Conjunct] = ()
    k: int = 1


class Goals:
    """Asks goals in a solver that has the path and the hypotheses of a round."""

    def __init__(
        self,
        system: TransitionSystem,
        solver: str,
        given: Hypotheses,
        influence: ConeOfInfluence,
        deadline: Deadline,
    ) -> None:
        self._system = system
        self._given = given
        self._deadline = deadline
        cone = None
        if given.moment is Moment.CONSECUTION:
            both = (*given.candidates, *given.proven)
            cone = influence.of([i.holds for one in both for i in one.instances])
        self._unrolling = Unrolling(system, create(solver), cone)
        self._last = 0
        self._assume()
        self._ordered = _Ordered(self._unrolling, self._last)
        self._actions: dict[str, Handle] = {}

    def _assume(self) -> None:
        match self._given.moment:
            case Moment.INITIAL:
                self._unrolling.start()
            case Moment.CONSECUTION:
                self._last = self._given.k
                self._take(consecution(self._given.k))
            case Moment.IMPLIED:
                self._take(IN_ONE_STATE)
            case Moment.STEP:
                self._last = 1
                self._take(OF_A_STEP)
            case _:
                assert_never(self._given.moment)

    def _take(self, assumed: Assumptions) -> None:
        """Assert the path and what may be assumed of its states."""
        for position in range(assumed.steps + 1):
            if position in assumed.proven:
                assume(self._unrolling, self._given.proven, position)
            if position in assumed.candidates:
                assume(self._unrolling, self._given.candidates, position)
            if position < assumed.steps:
                self._unrolling.step(position)

    def fails(
        self, one: Conjunct, goal: Instance, action: str | None = None
    ) -> tuple[ConcreteState, ...] | None:
        """Return the states of a path at whose end ``goal`` is false, None where there is none.

        With ``action`` only paths are looked at whose last step is one of that action: a goal
        holds if it does after each. Raises OutOfTime when the solver gives up.
        """
        given: list[Handle] = []
        if self._given.moment is Moment.CONSECUTION:
            given = self._ordered.after(one, goal)
            if action is not None:
                given.append(self._last_step(action))
        if self._given.moment is Moment.STEP:
            formula = self._unrolling.across(goal.holds, 0)
        else:
            formula = self._unrolling.at(goal.holds, self._last)
        if ask(self._unrolling.solver, formula, self._deadline, given) is Answer.UNSAT:
            return None
        return tuple(self._unrolling.states(self._last))

    def _last_step(self, action: str) -> Handle:
        if action not in self._actions:
            selectors = self._unrolling.frames[self._last - 1].selectors
            rules = zip(self._system.rules, selectors, strict=True)
            mine = [selector for rule, selector in rules if rule.action == action]
            self._actions[action] = self._unrolling.solver.any(mine)
        return self._actions[action]

    def keep(self, one: Conjunct) -> None:
        """Assume a conjunct that was shown: it follows from the hypotheses, and may help others."""
        assume(self._unrolling, [one], self._last)


def assume(unrolling: Unrolling, known: Sequence[Conjunct], depth: int) -> None:
    """Assert every instance of the conjuncts in a frame."""
    for one in known:
        for instance in one.instances:
            unrolling.solver.add(unrolling.at(instance.holds, depth))


class _Ordered:
    """That ``steps`` steps name members in their order, after those of a goal."""

    def __init__(self, unrolling: Unrolling, steps: int) -> None:
        self._steps = steps
        self._unrolling = unrolling
        self._known: dict[tuple[tuple[str, int], ...], Handle] = {}

    def after(self, one: Conjunct, goal: Instance) -> list[Handle]:
        """What to assume when ``goal``, which represents its orbit, is asked for."""
        if one.stated is None:
            return []
        first = named(one.stated, goal)
        key = tuple(sorted(first.items()))
        if key not in self._known:
            when = self._known[key] = self._unrolling.solver.boolean()
            precedence = Precedence(self._unrolling, first, when)
            for depth in range(self._steps):
                precedence.step(depth)
        return [self._known[key]]


def ask(
    solver: Solver, formula: Handle, deadline: Deadline, given: Sequence[Handle] = ()
) -> Answer:
    """Whether ``formula`` can be false where ``given`` holds: SAT if so, UNSAT if it follows.

    Raises OutOfTime when the solver gives up: an unknown is never an answer.
    """
    deadline.check()
    answer = solver.check([*given, solver.negation(formula)], deadline.remaining())
    if answer is Answer.UNKNOWN:
        raise OutOfTime("the solver gave up within the time limit")
    return answer
