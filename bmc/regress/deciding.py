"""Deciding from nothing, within a budget: a short proof for all, then a search for the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from bmc.engines.bounded import check
from bmc.engines.prove import prove
from bmc.engines.task import Deadline, Observer, OutOfTime, Task
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.suite import Suite

_Engine = Callable[[Task, Observer], tuple[Result, ...]]
_PROOFS_SHARE = 0.6
"""How much of the budget the proof may use, so that something is left for the search."""


def decide(
    suite: Suite,
    parameters: Mapping[str, int],
    names: Sequence[str],
    observer: Observer,
    *,
    k: int,
    depth: int,
    seconds: float,
) -> dict[str, Result]:
    """A result for each name: a proof up to ``k``, or the shortest trace up to ``depth``.

    An unknown one tells of both: why no proof closes, and how deep no trace was found.
    """
    deadline = Deadline(seconds)
    results: dict[str, Result] = {}
    if not names:
        return results
    share = seconds * _PROOFS_SHARE
    task = Task(suite, parameters, tuple(names), max(k, 1), share)
    for result in _within(prove, task, observer):
        results[result.property] = result
    open_ = tuple(n for n in names if results[n].verdict is Verdict.UNKNOWN)
    left = deadline.remaining()
    if open_ and left:
        task = Task(suite, parameters, open_, depth, left)
        for result in _within(check, task, observer):
            results[result.property] = _joined(results[result.property], result)
    return results


def _within(engine: _Engine, task: Task, observer: Observer) -> tuple[Result, ...]:
    try:
        return engine(task, observer)
    except OutOfTime as limit:
        return tuple(
            Result(name, Verdict.UNKNOWN, "none", 0.0, reason=str(limit))
            for name in task.properties
        )


def _joined(proof: Result, search: Result) -> Result:
    """What an attempt at a proof and a search know together."""
    if search.verdict is not Verdict.UNKNOWN:
        return replace(search, seconds=proof.seconds + search.seconds)
    depths = [d for d in (proof.depth, search.depth) if d is not None]
    return replace(
        proof,
        seconds=proof.seconds + search.seconds,
        depth=max(depths, default=None),
    )
