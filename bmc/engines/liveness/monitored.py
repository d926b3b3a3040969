"""Temporal claims by IC3, on the model beside a monitor of the claim.

The monitor first counts to small numbers how often it sees everything that a fair behaviour shows
which violates the claim. Where that is not bounded by a small number it waits for a state to come
back instead, and IC3 decides the claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from bmc.engines.ic3.prove import find_invariant
from bmc.engines.liveness.one_by_one import WithoutVerdicts, decide_each
from bmc.engines.liveness.question import Question
from bmc.engines.task import Deadline, OutOfTime, Task
from bmc.engines.team import Relay
from bmc.evidence.lasso import Lasso, TemporalResult, judged, without_repetitions
from bmc.evidence.statements import as_judged
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Contradiction, Verdict
from bmc.lang.suite import Suite
from bmc.lang.temporal import TemporalProperty
from bmc.layout.domain import Domains, Value
from bmc.layout.inhabited import EmptySort
from bmc.readings.value import Interpreter
from bmc.system.follower import frozen_name, prefix_of
from bmc.system.watched import Closing, NotMonitored, Return, Rounds, watched

ENGINE = "monitored"

CLOSINGS: tuple[Closing, ...] = (Rounds(1), Rounds(2), Rounds(3), Return())
"""What the monitor is asked, in order; the last one decides."""


def prove_by_monitor(question: Question, observer: Relay) -> tuple[TemporalResult, ...]:
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
    for closing in CLOSINGS:
        said = f"at most {closing.most - 1} rounds" if isinstance(closing, Rounds) else "no return"
        observer.phase(f"{name}: {said} of all that a violation shows")
        try:
            task = Task(watched(suite, name, closing), question.parameters, (name,)).within(
                deadline
            )
            (found,) = find_invariant(task, WithoutVerdicts(observer))
        except (NotMonitored, EmptySort, OutOfTime) as refused:
            reason = str(refused)
            break
        seconds = monotonic() - started
        match found.verdict:
            case Verdict.UNKNOWN:
                reason = found.reason
                break
            case Verdict.PROVED:
                assert found.certificate is not None
                certificate, _ = as_judged(found.certificate, task.suite)
                return _result(
                    stated,
                    Verdict.PROVED,
                    seconds,
                    certificate=certificate,
                    checked_by=found.checked_by,
                )
            case Verdict.VIOLATED if isinstance(closing, Return):
                assert found.trace is not None
                lasso, values = _lasso(question, suite, stated, found.trace)
                names = [str(a.data[1]) for a in stated.arguments]  # type: ignore[index]
                arguments = dict(zip(names, values, strict=True))
                return _result(stated, Verdict.VIOLATED, seconds, lasso=lasso, arguments=arguments)
    return _result(stated, Verdict.UNKNOWN, monotonic() - started, reason=reason)


def _result(
    stated: TemporalProperty, verdict: Verdict, seconds: float, **more: object
) -> TemporalResult:
    return TemporalResult(
        stated.name,
        verdict,
        stated.specification,
        seconds,
        engine=ENGINE,
        **more,  # type: ignore[arg-type]
    )


def _lasso(
    question: Question, suite: Suite, stated: TemporalProperty, trace: Trace
) -> tuple[Lasso, Sequence[Value]]:
    """The lasso of a run on which a remembered state came back, judged."""
    model = suite.model(False)
    end = trace.steps[-1].state
    prefix = prefix_of(model)
    loop = next(n for n, step in enumerate(trace.steps) if step.state[f"{prefix}_saved"])
    values = [end[frozen_name(prefix, one)] for one in stated.arguments]
    plain = [{name: step.state[name] for name in model.variables} for step in trace.steps]
    if plain[-1] != plain[loop]:
        raise Contradiction("a state that is said to come back is another one")
    states, start = without_repetitions(plain, loop)
    interpreter = Interpreter(model, Domains(question.parameters))
    specification = suite.specification(stated.specification, model)
    return judged(interpreter, states, start, specification, stated, values), values
