"""Which lemmas a step preserves together, asked of a cluster: the rounds of Houdini as tasks.

An inference asks it now and then of all lemmas that it has, and of parts of them once it has
enough. Lemmas that are searched for stand in no text: they are sent, and workers build them over
the system of the protocol that they look up. What survives is the greatest set that is preserved,
whoever was asked and in whatever order; which steps break the others may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bmc.analysis.mining.consecution import BreakingStep, Consecution, Preserved
from bmc.analysis.mining.houdini import Answers, Ask, Goal, asked_here
from bmc.engines.conjuncts import Conjunct, conjunct
from bmc.engines.task import Deadline
from bmc.evidence.certificate import WITHIN_BOUNDS
from bmc.sweep.crew import Crew
from bmc.sweep.obligations import ProofQuestion, built_for, read, written
from bmc.sweep.runner import prepare
from bmc.sweep.services import Served, Unserved


@dataclass(frozen=True)
class StepAsked:
    """A goal by its conjunct's name and its position, asked without the ``dropped`` conjuncts."""

    name: str
    position: int
    dropped: frozenset[str]


@dataclass(frozen=True)
class StepAnswer:
    """What a goal's step needs; or the step that breaks it, as numbers of leaves."""

    by: frozenset[str] | None
    left: tuple[int, ...] = ()
    reached: tuple[int, ...] = ()


@dataclass(frozen=True)
class PreservingService:
    """Answers the goals of some claims of a protocol and of ``lemmas``, which are written."""

    question: ProofQuestion
    claims: tuple[str, ...]
    lemmas: tuple[str, ...]

    def load(self) -> None:
        """Build the system."""
        prepare(self.question.solver)
        built_for(self.question)

    def open(self) -> Callable[[StepAsked], StepAnswer]:
        """Return what asks a goal."""
        built = built_for(self.question)
        system = built.system
        lemmas = [conjunct(system, read(one, system.model)) for one in self.lemmas]
        named = {one.name: one for one in (*built.named(self.claims), *lemmas)}
        consecution = Consecution(system, Deadline(None))
        of_states = [name for name, one in named.items() if not one.of_steps]
        for name in of_states:
            consecution.know(named[name])

        def answer(item: StepAsked) -> StepAnswer:
            one = named[item.name]
            ask_of = consecution.over_step if one.of_steps else consecution.after_step
            assumed = [name for name in of_states if name not in item.dropped]
            found = ask_of(one.goals[item.position], assumed)
            if isinstance(found, Preserved):
                return StepAnswer(found.by)
            return StepAnswer(None, found.left, found.reached)

        return answer


@dataclass(frozen=True)
class ClusterSteps:
    """Makes what has goals answered on a cluster; ``question`` is the inference's, without lemmas.

    What no worker answers is asked here.
    """

    crew: Crew
    question: ProofQuestion

    def __call__(self, consecution: Consecution, named: Mapping[str, Conjunct]) -> Ask:
        """Return what asks the goals of these candidates. It raises OutOfTime."""
        # Workers know the claims by their names, and that bounds are kept.
        known = {WITHIN_BOUNDS, *self.question.properties}
        claims = [name for name in named if name in known]
        lemmas = [one.stated for name, one in named.items() if name not in known and one.stated]
        service = PreservingService(self.question, tuple(claims), tuple(map(written, lemmas)))
        here = asked_here(consecution, named)
        places = {
            (one.name, goal.arguments): place
            for one in named.values()
            for place, goal in enumerate(one.goals)
        }

        def ask(wanted: dict[Goal, None], assumed: list[str]) -> Answers:
            dropped = frozenset(named) - frozenset(assumed)
            asked = {StepAsked(goal[0], places[goal], dropped): goal for goal in wanted}
            found: dict[Goal, Preserved | BreakingStep] = {}
            consecution.deadline.check()
            for one in self._answers(service, asked):
                consecution.deadline.check()
                goal = asked[one.item]
                if isinstance(one, Unserved):
                    found |= here({goal: None}, assumed)
                else:
                    found[goal] = _said(consecution, one)
            return found

        return ask

    def _answers(
        self, service: PreservingService, asked: Iterable[StepAsked]
    ) -> Iterable[Served | Unserved]:
        return self.crew.ask("what a step preserves together", service, list(asked))


def _said(consecution: Consecution, one: Served) -> Preserved | BreakingStep:
    answer: StepAnswer = one.answer
    if answer.by is not None:
        return Preserved(answer.by)
    return BreakingStep(consecution.system, answer.left, answer.reached)
