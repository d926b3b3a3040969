"""Temporal claims by their rankings: that a rank does what it has to is shown by induction.

What a ranking claims is an invariant of the model beside a monitor of it
(:mod:`bmc.system.ranked`), which k-induction proves with the suite's lemmas, and the judge of
certificates re-checks. Nothing is refuted here: where a ranking is wrong, the claim may be true.
"""

from __future__ import annotations

from time import monotonic

from bmc.engines.kinduction import induct
from bmc.engines.liveness.one_by_one import WithoutVerdicts, decide_each
from bmc.engines.liveness.question import Question
from bmc.engines.task import Deadline, OutOfTime, Task
from bmc.engines.team import Relay
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.statements import as_judged
from bmc.evidence.trace import TraceStep
from bmc.evidence.verdict import Result, Verdict
from bmc.layout.inhabited import EmptySort
from bmc.system.follower import name_of
from bmc.system.ranked import NO_FAULT, NotFair, RankMonitor
from bmc.system.watched import Ranked, WatchedSuite, monitor, watched

ENGINE = "ranked"

DEPTH = 3
"""The deepest induction: what lemmas leave open is better said by one more lemma."""


def prove_by_ranking(question: Question, observer: Relay) -> tuple[TemporalResult, ...]:
    """Return a result for each claim, in order; a proof comes with its certificate.

    Raises NoInitialState, and Contradiction when a certificate does not survive its re-check.
    """
    return decide_each(question, observer, _decided)


def _decided(question: Question, name: str, deadline: Deadline, observer: Relay) -> TemporalResult:
    started = monotonic()
    suite = question.suite
    specification = suite.describe_temporal(name, suite.model(False)).specification

    def answer(verdict: Verdict, **more: object) -> TemporalResult:
        return TemporalResult(
            name,
            verdict,
            specification,
            monotonic() - started,
            engine=ENGINE,
            **more,  # type: ignore[arg-type]
        )

    reasons = []
    for ranking in suite.rankings_of(name):
        observer.phase(f"{name}: by {ranking}")
        try:
            beside = watched(suite, name, Ranked(ranking))
            task = Task(beside, question.parameters, (name,), depth=DEPTH).within(deadline)
            (found,) = induct(task, WithoutVerdicts(observer))
        except (NotFair, EmptySort, OutOfTime) as refused:
            reasons.append(str(refused))
            continue
        if found.verdict is Verdict.PROVED:
            assert found.certificate is not None
            certificate, _ = as_judged(found.certificate, beside)
            return answer(Verdict.PROVED, certificate=certificate, checked_by=found.checked_by)
        reasons.append(f"by {ranking}: {_open(beside, found)}")
    return answer(Verdict.UNKNOWN, reason="; ".join(reasons) or f"nobody ranks {name}")


def _open(beside: WatchedSuite, found: Result) -> str:
    """Why a ranking proves nothing, for who wrote it."""
    if found.trace is not None:
        told = fault_shown(beside, found.trace.steps[-1])
        return f"{told}, after {len(found.trace) - 1} steps from an initial state"
    failure = found.induction_failure
    if failure is not None and failure.conjunct == found.property:
        told = fault_shown(beside, failure.path.steps[-1])
        return f"{told}, in a state that no lemma excludes"
    return found.reason or "its induction does not close"


def fault_shown(beside: WatchedSuite, last: TraceStep) -> str:
    """Return what is wrong with a rank on the last step of a path, for who wrote it."""
    watching = monitor(beside, False)
    assert isinstance(watching, RankMonitor)
    value = str(last.state[name_of(watching.fault)])
    text = "it is wrong" if value == NO_FAULT else watching.faults[int(value)]
    given = ", ".join(f"{name} = {value}" for name, value in last.arguments.items())
    return f"{text} (on {last.action}{f', {given}' if given else ''})"
