"""The obligations of one proof, as executors know them: by the protocol's name and by numbers.

Terms stay where they are. A worker looks the protocol up, builds the same system and conjuncts as
the driver did, and is told the names of what may be assumed and the positions of goals. That its
text is the driver's is compared first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import count

from bmc.engines.conjuncts import Conjunct, conjunct, within_bounds
from bmc.engines.goals import Goals, Hypotheses, Moment
from bmc.engines.task import Deadline, Task
from bmc.evidence.certificate import Certificate
from bmc.evidence.certify import Questions, second_opinion
from bmc.evidence.panel import Inquiry, JudgeShare, Sitting
from bmc.lang.fingerprint import fingerprint, property_digest
from bmc.lang.model import Model
from bmc.lang.properties import Property
from bmc.lang.ready import with_lemmas_instead
from bmc.lang.suite import Suite
from bmc.lang.written import read_lemma, write_property
from bmc.readings.value import ConcreteState
from bmc.sweep.runner import OtherModel, prepare
from bmc.system.cone import ConeOfInfluence
from bmc.system.transition import TransitionSystem

Find = Callable[[str], Suite]


@dataclass(frozen=True)
class ProofQuestion:
    """What is to be proved, in words that an executor can look up with ``find``.

    ``identity`` is a digest of the text that the driver has, see :func:`identity_of_task`.
    ``found`` are lemmas, written as JSON, in the place of the text's own and of its history; None
    for these.
    """

    find: Find
    protocol: str
    parameters: tuple[tuple[str, int], ...]
    properties: tuple[str, ...]
    lemmas: bool
    lemma_groups: tuple[str, ...] | None
    solver: str
    identity: str
    found: tuple[str, ...] | None = None

    @staticmethod
    def of(
        find: Find, protocol: str, task: Task, found: Sequence[Property] | None = None
    ) -> ProofQuestion:
        """Return a task's question. Raises OtherModel when ``protocol`` is not found as it is.

        ``found`` are the task's lemmas, where they are not those of its protocol.
        """
        question = ProofQuestion(
            find,
            protocol,
            tuple(task.parameters.items()),
            task.properties,
            task.lemmas,
            task.lemma_groups,
            task.solver,
            identity_of_task(task),
            None if found is None else tuple(map(written, found)),
        )
        question.task()
        return question

    def task(self) -> Task:
        """Return the task. Raises OtherModel when the text here is another one."""
        suite = self.find(self.protocol)
        if self.found is not None:
            lemmas = [read(one, suite.model(ghosts=True)) for one in self.found]
            suite = with_lemmas_instead(suite, lemmas, self.properties)
        task = Task(
            suite,
            dict(self.parameters),
            self.properties,
            lemmas=self.lemmas,
            solver=self.solver,
            lemma_groups=self.lemma_groups,
        )
        if identity_of_task(task) != self.identity:
            raise OtherModel(
                f"what is found as {self.protocol} is another text than the one to be proved: "
                "executors need the driver's files, and lemmas or bounds that were found on the "
                "way are not known there; leave --master out, or write them into the protocol"
            )
        return task


def written(lemma: Property) -> str:
    """Return a lemma as text that can be sent."""
    return json.dumps(write_property(lemma))


def read(text: str, model: Model) -> Property:
    """Return the lemma that was written over a model's variables."""
    return read_lemma(json.loads(text), model.variables)


def identity_of_task(task: Task) -> str:
    """Return a digest of everything that the obligations of a task's proof are made of."""
    model = task.model(ghosts=task.lemmas)
    stated = (*task.stated(model), *task.strengthening(model))
    parts = [fingerprint(model, task.parameters), *map(property_digest, stated)]
    return sha256("\n".join(parts).encode()).hexdigest()


class Built:
    """A question's system, and its conjuncts by name."""

    def __init__(self, question: ProofQuestion) -> None:
        task = question.task()
        model = task.model(ghosts=task.lemmas)
        self.system = TransitionSystem(model, task.parameters)
        self.influence = ConeOfInfluence(self.system)
        stated = {p.name: p for p in (*task.stated(model), *task.strengthening(model))}
        found = [conjunct(self.system, one) for one in stated.values()]
        self.conjuncts = {one.name: one for one in [*found, within_bounds(self.system)]}

    def named(self, names: tuple[str, ...]) -> list[Conjunct]:
        """Return conjuncts by their names."""
        return [self.conjuncts[name] for name in names]


@lru_cache(maxsize=2)
def built_for(question: ProofQuestion) -> Built:
    """Return what is built once in a process."""
    return Built(question)


@dataclass(frozen=True)
class GoalAsked:
    """A goal by its conjunct's name and its position; with ``action`` after that one only."""

    name: str
    position: int
    action: str | None = None


@dataclass(frozen=True)
class GoalFails:
    """The goal at ``position`` fails at the end of these states, and so does its conjunct."""

    position: int
    states: tuple[ConcreteState, ...]


@dataclass(frozen=True)
class GoalService:
    """Answers goals under the hypotheses of one round: GoalFails, or None for one that holds."""

    question: ProofQuestion
    moment: Moment
    candidates: tuple[str, ...]
    proven: tuple[str, ...]
    k: int

    def load(self) -> None:
        """Build the system."""
        prepare(self.question.solver)
        built_for(self.question)

    def open(self) -> Callable[[GoalAsked], GoalFails | None]:
        """Return what asks a goal."""
        built = built_for(self.question)
        given = Hypotheses(
            self.moment, built.named(self.candidates), built.named(self.proven), self.k
        )
        goals = Goals(built.system, self.question.solver, given, built.influence, Deadline(None))
        failed: dict[str, GoalFails] = {}
        left = {one.name: set(range(len(one.goals))) for one in built.conjuncts.values()}

        def answer(item: GoalAsked) -> GoalFails | None:
            if item.name in failed:
                # Of a conjunct that fails no more need be known.
                return failed[item.name]
            one = built.conjuncts[item.name]
            states = goals.fails(one, one.goals[item.position], item.action)
            if states is not None:
                failed[item.name] = GoalFails(item.position, states)
                return failed[item.name]
            if item.action is None and self.moment is Moment.CONSECUTION:
                left[item.name].discard(item.position)
                if not left[item.name]:
                    goals.keep(one)
            return None

        return answer


@dataclass(frozen=True)
class JudgeService:
    """Asks the questions about a certificate, of ``shares`` equal shares the one with a number."""

    find: Find
    protocol: str
    certificate: str
    sitting: Sitting
    shares: int

    def load(self) -> None:
        """Read the protocol."""
        self.find(self.protocol).model(ghosts=True)

    def open(self) -> Callable[[int], JudgeShare]:
        """Return what asks a share."""
        certificate = Certificate.from_json(json.loads(self.certificate))
        suite = self.find(self.protocol)
        solver = second_opinion(certificate.found_by, len(certificate.clauses))
        work = Questions(certificate, suite, solver).of(self.sitting)

        def answer(number: int) -> JudgeShare:
            inquiry = Inquiry(count(number, self.shares).__next__, lambda text: None)
            work(inquiry)
            return JudgeShare.of(inquiry)

        return answer
