"""k-induction with lemmas.

A set of conjuncts is *k-inductive* if any ``k`` states in a row that satisfy all of them are
followed only by states that do (Sheeran, Singh and Stålmarck, *Checking safety properties using
induction and a SAT-solver*, 2000). Candidates that fail are dropped and the rest is asked again
until nothing fails (:mod:`bmc.engines.houdini`): what remains is proven *together*. One
query is asked an instance, one representative an orbit; all instances are assumed. The steps
before it name members of scalarsets in their order, after those that the instance names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bmc.engines.conjuncts import Conjunct
from bmc.engines.houdini import Round, greatest
from bmc.engines.task import Deadline, Observer, OutOfTime
from bmc.evidence.assumptions import IN_ONE_STATE, OF_A_STEP, Assumptions, consecution
from bmc.lang.properties import Property
from bmc.readings.value import ConcreteState
from bmc.solving.factory import create
from bmc.solving.interface import Answer, Handle, Solver
from bmc.system.cone import ConeOfInfluence
from bmc.system.precedence import Precedence, named
from bmc.system.transition import Instance, TransitionSystem
from bmc.system.unrolling import Unrolling


@dataclass(frozen=True)
class Failure:
    """Why a conjunct is not inductive: ``states`` satisfy every hypothesis but the last, in
    which ``instance`` fails. None of them need be reachable."""

    conjunct: Conjunct
    instance: Instance
    states: tuple[ConcreteState, ...]
    k: int


@dataclass(frozen=True)
class Inductive:
    """What an induction found: the conjuncts that are proven together, and why others fail."""

    survivors: tuple[Conjunct, ...]
    failures: dict[str, Failure]


class Induction:
    """Inductive steps over one transition system; initiation is the caller's to check."""

    def __init__(
        self, system: TransitionSystem, solver: str, observer: Observer, deadline: Deadline
    ) -> None:
        self.system = system
        self.solver = solver
        self.observer = observer
        self.deadline = deadline
        self._influence = ConeOfInfluence(system)

    def strengthen(
        self, candidates: Sequence[Conjunct], proven: Sequence[Conjunct], k: int
    ) -> Inductive:
        """The greatest subset of the candidates that is k-inductive on top of ``proven``.

        Raises OutOfTime when the deadline passes.
        """
        named = {c.name: c for c in candidates}
        failures: dict[str, Failure] = {}

        def ask_all(_: dict[str, None], alive: dict[str, None]) -> Round[str, str]:
            failing = self._round([named[name] for name in alive], proven, k)
            failures.update(failing)
            return Round({n: None for n in alive if n not in failing}, failing)

        survivors = greatest({name: name for name in named}, ask_all)
        return Inductive(tuple(named[name] for name in survivors), failures)

    def _round(
        self, alive: Sequence[Conjunct], proven: Sequence[Conjunct], k: int
    ) -> dict[str, Failure]:
        asked = [i.holds for one in (*alive, *proven) for i in one.instances]
        unrolling = Unrolling(self.system, create(self.solver), self._influence.of(asked))
        _take(unrolling, consecution(k), alive, proven)
        failing: dict[str, Failure] = {}
        ordered = _Ordered(unrolling, k)
        for one in alive:
            self.observer.phase(f"induction, k = {k}: {one.name}")
            failure = self._failure(unrolling, one, ordered)
            if failure is not None:
                failing[one.name] = failure
            else:
                # It follows from what is assumed, so it may help the conjuncts after it.
                assume(unrolling, [one], k)
        return failing

    def _failure(self, unrolling: Unrolling, one: Conjunct, ordered: _Ordered) -> Failure | None:
        k = ordered.steps
        for goal in one.goals:
            formula = unrolling.at(goal.holds, k)
            given = ordered.after(one, goal)
            if ask(unrolling.solver, formula, self.deadline, given) is Answer.SAT:
                return Failure(one, goal, tuple(unrolling.states(k)), k)
        return None

    def implied(self, claims: Sequence[Conjunct], proven: Sequence[Conjunct]) -> set[str]:
        """The claims that hold in every state in which the proven conjuncts do.

        No step is involved: this is what a strengthening is for.
        """
        solver = create(self.solver)
        unrolling = Unrolling(self.system, solver)
        _take(unrolling, IN_ONE_STATE, (), proven)
        found = set()
        for claim in claims:
            self.observer.phase(f"implied by the lemmas: {claim.name}")
            goals = [unrolling.at(goal.holds, 0) for goal in claim.goals]
            if all(ask(solver, goal, self.deadline) is Answer.UNSAT for goal in goals):
                found.add(claim.name)
        return found

    def fails_initially(self, candidates: Sequence[Conjunct]) -> set[str]:
        """The candidates that some initial state violates."""
        solver = create(self.solver)
        unrolling = Unrolling(self.system, solver)
        unrolling.start()
        failing = set()
        for one in candidates:
            goals = [unrolling.at(goal.holds, 0) for goal in one.instances]
            if any(ask(solver, goal, self.deadline) is Answer.SAT for goal in goals):
                failing.add(one.name)
        return failing

    def steps_hold(
        self, stated: Property, proven: Sequence[Conjunct]
    ) -> tuple[ConcreteState, ConcreteState] | None:
        """A step between states that satisfy ``proven`` and violates a step invariant, if any."""
        solver = create(self.solver)
        unrolling = Unrolling(self.system, solver)
        _take(unrolling, OF_A_STEP, (), proven)
        for goal in self.system.representatives(stated):
            formula = unrolling.across(goal.holds, 0)
            if ask(solver, formula, self.deadline) is Answer.SAT:
                return unrolling.state(0), unrolling.state(1)
        return None


def _take(
    unrolling: Unrolling,
    assumed: Assumptions,
    candidates: Sequence[Conjunct],
    proven: Sequence[Conjunct],
) -> None:
    """Assert the path and what may be assumed of its states."""
    for position in range(assumed.steps + 1):
        if position in assumed.proven:
            assume(unrolling, proven, position)
        if position in assumed.candidates:
            assume(unrolling, candidates, position)
        if position < assumed.steps:
            unrolling.step(position)


def assume(unrolling: Unrolling, known: Sequence[Conjunct], depth: int) -> None:
    """Assert every instance of the conjuncts in a frame."""
    for one in known:
        for instance in one.instances:
            unrolling.solver.add(unrolling.at(instance.holds, depth))


class _Ordered:
    """That ``steps`` steps name members in their order, after those of a goal."""

    def __init__(self, unrolling: Unrolling, steps: int) -> None:
        self.steps = steps
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
            for depth in range(self.steps):
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
