"""What was found of a lock, put into the words of reports."""

from __future__ import annotations

from collections.abc import Mapping

from bmc.regress.outcome import Case, Judgement, Outcome, Standing
from bmc.regress.parts import is_of_the_model
from bmc.regress.renewal import Renewal
from bmc.regress.summary import Summary
from bmc.reports.regression.view import (
    LineDifference,
    LockView,
    ModelView,
    PartChange,
    PropertyView,
    UpdateView,
)

_KNOWN_WRONG = frozenset({Standing.VIOLATED, Standing.HOLDS, Standing.LONGER})


def view_of(summary: Summary) -> LockView:
    """A summary as reports tell it."""
    return LockView(
        summary.lock,
        tuple(_model(summary, judgement) for judgement in summary.judgements),
        summary.unlocked,
        summary.unavailable,
        None if summary.renewal is None else _update(summary.renewal, summary.written),
        summary.interrupted,
    )


def _model(summary: Summary, judgement: Judgement) -> ModelView:
    case = judgement.case
    return ModelView(
        case.protocol,
        _parameters(case),
        case.suite,
        tuple(
            PartChange(c.kind, c.name, c.how, c.source, is_of_the_model(c)) for c in case.changes
        ),
        tuple(
            _property(case, o, o.green or summary.accepted(judgement, o))
            for o in judgement.outcomes
        ),
        judgement.unlocked,
        () if case.suite is None or case.named else tuple(case.suite.unjudged.items()),
        judgement.seconds,
    )


def _parameters(case: Case) -> Mapping[str, int] | None:
    return None if case.for_all else case.parameters


def _property(case: Case, outcome: Outcome, green: bool) -> PropertyView:
    locked = outcome.locked
    return PropertyView(
        name=outcome.name,
        standing=outcome.standing.value,
        green=green,
        known_wrong=outcome.standing in _KNOWN_WRONG,
        new=outcome.standing is Standing.NEW,
        unchecked=outcome.standing is Standing.UNCHECKED,
        expected="" if locked is None else locked.expected.value,
        expected_length=None if locked is None else locked.trace_length,
        expected_states=None if locked is None else locked.distinct_states,
        expected_depth=None if locked is None else locked.depth,
        verdict="" if outcome.verdict is None else outcome.verdict.value,
        engine=outcome.engine,
        k=outcome.k,
        states=_states(outcome),
        depth=outcome.depth,
        trace=outcome.trace,
        temporal=outcome.temporal,
        specification=_specification(outcome),
        expected_loop=None if locked is None else locked.loop,
        induction_failure=outcome.induction_failure,
        reason=outcome.reason,
        seconds=outcome.seconds,
        source=case.source(outcome.name),
    )


def _states(outcome: Outcome) -> int | None:
    if outcome.explored is not None:
        return outcome.explored.distinct_states
    return (outcome.temporal.states or None) if outcome.temporal is not None else None


def _specification(outcome: Outcome) -> str | None:
    if outcome.temporal is not None:
        return outcome.temporal.specification
    return None if outcome.locked is None else outcome.locked.specification


def _update(renewal: Renewal, written: bool) -> UpdateView:
    return UpdateView(
        written,
        tuple(
            LineDifference(
                d.case.protocol, _parameters(d.case), d.name, d.before, d.after, d.accepted
            )
            for d in renewal.differences
        ),
        tuple((case.protocol, _parameters(case)) for case in renewal.held_back),
        tuple((case.protocol, o.name, o.reason) for case, o in renewal.open),
    )
