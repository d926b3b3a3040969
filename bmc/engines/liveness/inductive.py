"""Temporal claims by k-induction, on the model beside a monitor of the claim.

The monitor is asked what :mod:`bmc.engines.liveness.monitored` asks it. Where its invariant is not
k-inductive by itself, clauses of what it remembers help, which are proven with it
(:mod:`bmc.engines.liveness.guesses`). Nothing is learned from counterexamples to induction: what
is proved is proved quickly, and of models that are large to IC3, and the rest stays unknown.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from bmc.engines.kinduction import induct
from bmc.engines.liveness.guesses import Denied, lemmas_beside
from bmc.engines.liveness.monitored import CLOSINGS, answered, beyond
from bmc.engines.liveness.one_by_one import WithoutVerdicts, decide_each
from bmc.engines.liveness.question import Question
from bmc.engines.samples import BoundMet
from bmc.engines.task import Deadline, OutOfTime, Task
from bmc.engines.team import Relay
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Verdict
from bmc.lang.ready import with_lemmas
from bmc.layout.inhabited import EmptySort
from bmc.readings.value import ConcreteState
from bmc.system.fair_monitor import NotMonitored, Rounds
from bmc.system.watched import watched

ENGINE = "inductive"

DEPTH = 6
"""The deepest induction, and search: a monitor goes round where the model may go on for ever."""


def prove_by_induction(question: Question, observer: Relay) -> tuple[TemporalResult, ...]:
    """Return a result for each claim, in order; a proof comes with its certificate.

    Raises NoInitialState, and Contradiction when a lasso or a certificate does not survive its
    re-check.
    """
    return decide_each(question, observer, _decided)


def _decided(question: Question, name: str, deadline: Deadline, observer: Relay) -> TemporalResult:
    started = monotonic()
    suite = question.suite
    stated = suite.describe_temporal(name, suite.model(False))
    reason: str | None = None
    reached: tuple[ConcreteState, ...] = ()
    for closing in CLOSINGS:
        said = f"at most {closing.most - 1} rounds" if isinstance(closing, Rounds) else "no return"
        observer.phase(f"{name}: {said} of all that a violation shows, by k-induction")
        try:
            task = Task(watched(suite, name, closing), question.parameters, (name,), depth=DEPTH)
            try:
                found_lemmas = lemmas_beside(task, observer, deadline)
            except (Denied, BoundMet):
                # There is nothing to prove; what the search below meets, it shows.
                if isinstance(closing, Rounds):
                    continue
                found_lemmas = ()
            task = replace(task, suite=with_lemmas(task.suite, found_lemmas)).within(deadline)
            (found,) = induct(task, WithoutVerdicts(observer))
        except (NotMonitored, EmptySort, OutOfTime) as refused:
            reason = str(refused)
            break
        answer = answered(ENGINE, question, stated, task, found, monotonic() - started)
        if answer is not None:
            return answer
        reason, reached = found.reason or reason, beyond(found) or reached
    return TemporalResult(
        name,
        Verdict.UNKNOWN,
        stated.specification,
        monotonic() - started,
        engine=ENGINE,
        reason=reason,
        reached=reached,
    )
