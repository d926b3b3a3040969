"""The sentences that every report on a lock has in common."""

from __future__ import annotations

import os

from bmc.lang.protocol import Source
from bmc.regress.lock import Expected, LockedProperty
from bmc.regress.outcome import Case, Outcome, Standing
from bmc.regress.parts import Change
from bmc.regress.renewal import Difference
from bmc.reports.traces import count

SHORT = {
    Standing.VIOLATED: "violated",
    Standing.HOLDS: "suddenly holds",
    Standing.LONGER: "longer trace",
    Standing.UNKNOWN: "unknown",
    Standing.GONE: "not stated any more",
    Standing.UNUSABLE: "unusable",
}


def parameters_text(case: Case) -> str:
    """``replicas=3 log_size=2``."""
    return " ".join(f"{name}={value}" for name, value in case.parameters.items())


def expected_text(locked: LockedProperty) -> str:
    """What the lock expects: ``proved``, or ``violated by a trace of 9 states``."""
    if locked.expected is Expected.PROVED:
        return "proved"
    return f"{locked.expected.value} by a trace of {count(locked.trace_length or 0, 'state')}"


def sentence(outcome: Outcome) -> str:
    """What the lock expects of a property and what is so now."""
    locked = outcome.locked
    was = "" if locked is None else f"was {expected_text(locked)}, "
    length = count(len(outcome.trace or ()), "state")
    match outcome.standing:
        case Standing.VIOLATED:
            return f"{was}is violated by a trace of {length}"
        case Standing.HOLDS if locked is not None and locked.expected is Expected.REACHED:
            return f"{was}is never reached any more: proofs may be about nothing"
        case Standing.HOLDS:
            return f"{was}holds now: either it was mended, or the model lost what broke it"
        case Standing.LONGER:
            return f"{was}needs a trace of {length} now"
        case Standing.UNKNOWN:
            return f"{was}is unknown now"
        case Standing.GONE:
            return f"{was}is not stated any more"
        case Standing.UNUSABLE:
            return f"{was}cannot be judged"
        case Standing.NEW:
            return "is not in the lock yet" + ("" if outcome.verdict else ", and not decided")
    return f"{was}as it is now ({outcome.standing.value})"


def place(source: Source | None) -> str:
    """``file:line``, relative to where bmc runs if it is below that; empty if unknown."""
    found = location(source)
    return "" if found is None else f"{found[0]}:{found[1]}"


def location(source: Source | None) -> tuple[str, int] | None:
    """A source's file, relative if it lies below the current folder, and its line."""
    if source is None or not source.file:
        return None
    path = os.path.relpath(source.file)
    inside = not path.startswith(os.pardir)
    return (path if inside else source.file).replace(os.sep, "/"), source.line


def changed_steps(outcome: Outcome, changes: tuple[Change, ...]) -> str:
    """Which steps of an outcome's trace are actions that have changed, if any are."""
    if outcome.trace is None:
        return ""
    changed = {c.name: c.how for c in changes if c.kind == "action"}
    found: dict[str, list[str]] = {}
    for number, step in enumerate(outcome.trace.steps):
        if step.action in changed:
            found.setdefault(step.action or "", []).append(str(number))
    said = [
        f"step{'s' if len(steps) > 1 else ''} {', '.join(steps)} "
        f"{'are' if len(steps) > 1 else 'is'} {action}, which was {changed[action]}"
        for action, steps in found.items()
    ]
    return "; ".join(said)


def difference_text(difference: Difference) -> str:
    """``StrongIsr: proved (k=1) → violated by a trace of 9 states``."""
    before, after = difference.before or "not in the lock", difference.after or "not in the lock"
    if before == after:
        return f"{difference.name}: {before}"
    return f"{difference.name}: {before} → {after}"


def advice(difference: Difference) -> str:
    """How to accept a difference that nobody accepted."""
    return f"--accept {difference.case.protocol}:{difference.name}"
