"""A proof by k-induction whose goals, and whose re-check, are tasks of a cluster.

The proof is the ordinary engine's (:mod:`bmc.engines.kinduction`): this process decides what is
asked, and makes the certificate. Executors answer the goals of a round; what a round has shown
counts for the next: which conjuncts fail, the steps that refute them (which are tried on the others
here, without a solver), and what each goal has cost. The certificate is judged as every other one
is, by a solver that did not find it; the judge's questions are tasks, too, and they are counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bmc.engines.conjuncts import Conjunct, conjunct, names
from bmc.engines.goals import Moment
from bmc.engines.induction import Failure, Induction
from bmc.engines.task import Deadline, Observer, OutOfTime
from bmc.evidence.certificate import Certificate
from bmc.evidence.certify import NotDecided
from bmc.evidence.panel import (
    JudgeShare,
    Panel,
    Progress,
    Sitting,
    Tally,
    Work,
    every_question,
)
from bmc.lang.properties import Property
from bmc.readings.circuit import evaluate
from bmc.readings.value import ConcreteState
from bmc.sweep.crew import Crew
from bmc.sweep.obligations import GoalAsked, GoalFails, GoalService, JudgeService, ProofQuestion
from bmc.sweep.services import Item, Served, Service, Unserved
from bmc.system.transition import TransitionSystem

TRIAL_SECONDS = 20.0
"""A goal that takes longer is asked again action by action: each is a smaller question."""
_LEAST_COST = 1e-3


@dataclass(frozen=True)
class ClusterProof:
    """How the goals of a proof are asked on a cluster, and its certificate judged there.

    ``began`` is called when the first round of the induction is over.
    """

    crew: Crew
    question: ProofQuestion
    began: Callable[[], None] = lambda: None

    def induction(
        self, system: TransitionSystem, solver: str, observer: Observer, deadline: Deadline
    ) -> Induction:
        """Return the induction that asks goals there."""
        return SharedInduction(self, system, solver, observer, deadline)

    def panel(self, certificate: Certificate) -> Panel:
        """Return who has the questions about a certificate asked there."""
        written = json.dumps(certificate.to_json())

        def ask(sitting: Sitting, work: Work, progress: Progress, end: float | None) -> Tally:
            shares = self.crew.capacity()
            about = self.question
            service = JudgeService(about.find, about.protocol, written, sitting, shares)
            said: dict[Item, JudgeShare] = {}
            try:
                for one in self.answers(f"re-check ({sitting.value})", service, range(shares)):
                    said[one.item] = one.answer
            except OutOfTime as limit:
                raise NotDecided(str(limit)) from None
            return every_question(said.values())

        return ask

    def answers(self, what: str, service: Service, items: Iterable[Item]) -> Iterable[Served]:
        """Yield the answers to items; what is unserved is asked once more.

        Raises OutOfTime for an item that was unserved twice.
        """
        again: list[Item] = []
        for one in self.crew.ask(what, service, list(items)):
            if isinstance(one, Unserved):
                again.append(one.item)
            else:
                yield one
        yield from self.surely(what, service, again)

    def surely(self, what: str, service: Service, items: Sequence[Item]) -> Iterable[Served]:
        """Yield the answers to items, each in a task of its own. Raises OutOfTime for unserved."""
        for one in self.crew.ask_alone(what, service, items):
            if isinstance(one, Unserved):
                raise OutOfTime(f"{what}: {one.reason}, twice")
            yield one


class SharedInduction(Induction):
    """An induction whose goals are asked on a cluster, all goals of a round at once."""

    def __init__(
        self,
        on: ClusterProof,
        system: TransitionSystem,
        solver: str,
        observer: Observer,
        deadline: Deadline,
    ) -> None:
        super().__init__(system, solver, observer, deadline)
        self._on = on
        self._costs: dict[Moment, dict[tuple[str, int], float]] = {one: {} for one in Moment}

    def _round(
        self, alive: Sequence[Conjunct], proven: Sequence[Conjunct], k: int
    ) -> dict[str, Failure]:
        service = self._service(Moment.CONSECUTION, alive, proven, k)
        is_first = not self._costs[Moment.CONSECUTION]
        found = self._failing(f"induction, k = {k}", service, alive)
        if is_first:
            self._on.began()
        failing = {
            one.name: Failure(one, one.goals[found[one.name].position], found[one.name].states, k)
            for one in alive
            if one.name in found
        }
        return failing | self._also(list(failing.values()), alive)

    def _also(self, known: Sequence[Failure], alive: Sequence[Conjunct]) -> dict[str, Failure]:
        """Return the other conjuncts that the steps refute which refute those that are known."""
        refuted = {failure.conjunct.name for failure in known}
        found: dict[str, Failure] = {}
        for failure in known:
            numbers = self.system.encode(failure.states[-1])
            for one in alive:
                if one.name in refuted:
                    continue
                holds = evaluate([goal.holds for goal in one.goals], numbers)
                if 0 in holds:
                    goal = one.goals[holds.index(0)]
                    found[one.name] = Failure(one, goal, failure.states, failure.k)
                    refuted.add(one.name)
        return found

    def implied(self, claims: Sequence[Conjunct], proven: Sequence[Conjunct]) -> set[str]:
        """The claims that hold in every state in which the proven conjuncts do."""
        service = self._service(Moment.IMPLIED, (), proven)
        failing = self._failing("implied by the lemmas", service, claims)
        return {claim.name for claim in claims} - set(failing)

    def fails_initially(self, candidates: Sequence[Conjunct]) -> set[str]:
        """The candidates that some initial state violates."""
        service = self._service(Moment.INITIAL, (), ())
        return set(self._failing("initially", service, candidates))

    def steps_hold(
        self, stated: Property, proven: Sequence[Conjunct]
    ) -> tuple[ConcreteState, ...] | None:
        """A step between states that satisfy ``proven`` and violates a step invariant, if any."""
        service = self._service(Moment.STEP, (), proven)
        failing = self._failing("of every step", service, [conjunct(self.system, stated)])
        return next((failure.states for failure in failing.values()), None)

    def _service(
        self,
        moment: Moment,
        candidates: Sequence[Conjunct],
        proven: Sequence[Conjunct],
        k: int = 1,
    ) -> GoalService:
        return GoalService(self._on.question, moment, names(candidates), names(proven), k)

    def _failing(
        self, what: str, service: GoalService, asked: Sequence[Conjunct]
    ) -> dict[str, GoalFails]:
        """Return the conjuncts of which a goal fails; every goal of the others holds."""
        goals = [GoalAsked(one.name, place) for one in asked for place in range(len(one.goals))]
        failing: dict[str, GoalFails] = {}
        again: list[GoalAsked] = []
        splits = service.moment is Moment.CONSECUTION
        trial = TRIAL_SECONDS if splits else None
        costs = self._costs[service.moment]
        mean = sum(costs.values()) / max(1, len(costs))

        def cost(goal: GoalAsked) -> float:
            # What it took in the round before, and never nothing.
            return _LEAST_COST + costs.get((goal.name, goal.position), mean)

        for one in self._on.crew.ask(what, service, goals, cost, trial):
            if isinstance(one, Unserved):
                again.append(one.item)
            else:
                costs[one.item.name, one.item.position] = one.seconds
                _hear(one, failing)
        again = [goal for goal in again if goal.name not in failing]
        if splits:
            actions = dict.fromkeys(rule.action for rule in self.system.rules)
            again = [GoalAsked(g.name, g.position, action) for g in again for action in actions]
        for one in self._on.surely(f"{what}, what takes long", service, again):
            _hear(one, failing)
        return failing


def _hear(one: Served, failing: dict[str, GoalFails]) -> None:
    if one.answer is not None:
        failing.setdefault(one.item.name, one.answer)
