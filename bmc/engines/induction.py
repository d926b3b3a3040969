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

from bmc.engines.conjuncts import Conjunct, conjunct
from bmc.engines.goals import Goals, Hypotheses, Moment
from bmc.engines.houdini import Round, greatest
from bmc.engines.task import Deadline, Observer
from bmc.lang.properties import Property
from bmc.readings.value import ConcreteState
from bmc.system.cone import ConeOfInfluence
from bmc.system.transition import Instance, TransitionSystem


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
    """What an induction found: the conjuncts that are proven together, and why others fail.

    ``at_fault`` names those that fail though all the others are assumed; of the rest it is only
    known that they lean on what failed.
    """

    survivors: tuple[Conjunct, ...]
    failures: dict[str, Failure]
    at_fault: tuple[str, ...] = ()


class Induction:
    """Inductive steps over one transition system; initiation is the caller's to check."""

    def __init__(
        self, system: TransitionSystem, solver: str, observer: Observer, deadline: Deadline
    ) -> None:
        self.system = system
        self.solver = solver
        self.observer = observer
        self.deadline = deadline
        self.influence = ConeOfInfluence(system)

    def strengthen(
        self, candidates: Sequence[Conjunct], proven: Sequence[Conjunct], k: int
    ) -> Inductive:
        """The greatest subset of the candidates that is k-inductive on top of ``proven``.

        Raises OutOfTime when the deadline passes.
        """
        named = {c.name: c for c in candidates}
        failures: dict[str, Failure] = {}
        at_fault: tuple[str, ...] = ()

        def ask_all(_: dict[str, None], alive: dict[str, None]) -> Round[str, str]:
            nonlocal at_fault
            failing = self._round([named[name] for name in alive], proven, k)
            failures.update(failing)
            at_fault = at_fault or tuple(failing)
            return Round({n: None for n in alive if n not in failing}, failing)

        survivors = greatest({name: name for name in named}, ask_all)
        return Inductive(tuple(named[name] for name in survivors), failures, at_fault)

    def _round(
        self, alive: Sequence[Conjunct], proven: Sequence[Conjunct], k: int
    ) -> dict[str, Failure]:
        """Return the candidates that fail when all of them are assumed, and why."""
        goals = self._goals(Hypotheses(Moment.CONSECUTION, alive, proven, k))
        failing: dict[str, Failure] = {}
        for one in alive:
            self.observer.phase(f"induction, k = {k}: {one.name}")
            for goal in one.goals:
                states = goals.fails(one, goal)
                if states is not None:
                    failing[one.name] = Failure(one, goal, states, k)
                    break
            else:
                goals.keep(one)
        return failing

    def _goals(self, given: Hypotheses) -> Goals:
        return Goals(self.system, self.solver, given, self.influence, self.deadline)

    def implied(self, claims: Sequence[Conjunct], proven: Sequence[Conjunct]) -> set[str]:
        """The claims that hold in every state in which the proven conjuncts do.

        No step is involved: this is what a strengthening is for.
        """
        goals = self._goals(Hypotheses(Moment.IMPLIED, proven=proven))
        found = set()
        for claim in claims:
            self.observer.phase(f"implied by the lemmas: {claim.name}")
            if all(goals.fails(claim, goal) is None for goal in claim.goals):
                found.add(claim.name)
        return found

    def fails_initially(self, candidates: Sequence[Conjunct]) -> set[str]:
        """The candidates that some initial state violates."""
        goals = self._goals(Hypotheses(Moment.INITIAL))
        return {
            one.name
            for one in candidates
            if any(goals.fails(one, goal) is not None for goal in one.instances)
        }

    def steps_hold(
        self, stated: Property, proven: Sequence[Conjunct]
    ) -> tuple[ConcreteState, ...] | None:
        """A step between states that satisfy ``proven`` and violates a step invariant, if any."""
        goals = self._goals(Hypotheses(Moment.STEP, proven=proven))
        one = conjunct(self.system, stated)
        found = (goals.fails(one, goal) for goal in one.goals)
        return next((states for states in found if states is not None), None)
