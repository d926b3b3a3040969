"""The sentences that every report on a lock has in common."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from bmc.lang.model import Source
from bmc.reports.regression.view import LineDifference, LockView, PartChange, PropertyView
from bmc.reports.traces.text import count

_MOST_NAMES = 4
_SHORT = {"holds now": "suddenly holds", "gone": "not stated any more"}

_OF_WITNESSES = ("reached", "unreached")


def short(stated: PropertyView) -> str:
    """How a property stands, in a word or two."""
    return _SHORT.get(stated.standing, stated.standing)


def parameters_text(parameters: Mapping[str, int] | None) -> str:
    """``replicas=3 log_size=2``, or that it is about all of them."""
    if parameters is None:
        return "at all parameter values"
    return " ".join(f"{name}={value}" for name, value in parameters.items())


def expected_text(stated: PropertyView) -> str:
    """What the lock expects: ``proved``, or ``violated by a trace of 9 states``."""
    word = "never reached" if stated.expected == "unreached" else stated.expected
    if stated.expected_length is not None:
        by = "trace" if stated.expected_loop is None else "lasso"
        return f"{word} by a {by} of {count(stated.expected_length, 'state')}"
    if stated.expected_states is not None:
        return f"{word} in all {stated.expected_states:,} states"
    if stated.expected_depth is not None:
        return f"{word} (clean to depth {stated.expected_depth})"
    return word


def sentence(stated: PropertyView) -> str:
    """What the lock expects of a property and what is so now."""
    was = "" if stated.new else f"was {expected_text(stated)}, "
    length = count(len(stated.trace or ()), "state")
    match stated.standing:
        case "violated":
            by = "trace" if stated.temporal is None else "lasso"
            return f"{was}is violated by a {by} of {length}"
        case "holds now" if (stated.verdict in _OF_WITNESSES) != (stated.expected in _OF_WITNESSES):
            return f"{was}is {_found(stated)} now"
        case "holds now" if stated.expected == "reached":
            return f"{was}is never reached any more: proofs may be about nothing"
        case "holds now":
            return f"{was}holds now: either it was mended, or the model lost what broke it"
        case "longer trace":
            return f"{was}needs a trace of {length} now"
        case "not re-checked":
            return f"{was}not re-checked: the model is unchanged"
        case "decided now":
            return f"{was}is {_found(stated)} now"
        case "unknown" if stated.expected_depth is not None:
            clean = "not at all" if stated.depth is None else f"only to depth {stated.depth}"
            return f"{was}is clean {clean} now"
        case "unknown":
            return f"{was}is unknown now"
        case "gone":
            return f"{was}is not stated any more"
        case "unusable":
            return f"{was}cannot be judged"
        case "new":
            return "is not in the lock yet" + ("" if _decided(stated) else ", and not decided")
    return f"{was}as it is now ({stated.standing})"


def _found(stated: PropertyView) -> str:
    return "never reached" if stated.verdict == "unreached" else stated.verdict


def _decided(stated: PropertyView) -> bool:
    return stated.verdict not in ("", "unknown")


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


def changed_steps(stated: PropertyView, changes: tuple[PartChange, ...]) -> str:
    """Which steps of a property's trace are actions that have changed, if any are."""
    if stated.trace is None:
        return ""
    changed = {c.name: c.how for c in changes if c.kind == "action"}
    found: dict[str, list[str]] = {}
    for number, step in enumerate(stated.trace.steps):
        if step.action in changed:
            found.setdefault(step.action or "", []).append(str(number))
    said = [
        f"step{'s' if len(steps) > 1 else ''} {', '.join(steps)} "
        f"{'are' if len(steps) > 1 else 'is'} {action}, which was {changed[action]}"
        for action, steps in found.items()
    ]
    return "; ".join(said)


def unchecked_text(view: LockView) -> str:
    """``; 15 of them are not re-checked, their models are unchanged``, if there are any."""
    said = f"; {view.unchecked} of them not re-checked, as their models are unchanged"
    return said if view.unchecked else ""


def unlocked_text(view: LockView) -> str:
    """The protocols that the lock does not hold, and properties of those that it does."""
    said = list(view.unlocked)
    for model in view.models:
        names = model.unlocked
        shown = ", ".join(names) if len(names) <= _MOST_NAMES else count(len(names), "property")
        said += [f"{model.protocol} ({shown})"] if names else []
    return ", ".join(said)


def unjudged_texts(view: LockView) -> Iterator[tuple[str, str]]:
    """What no lock holds, since nothing decides it, and why; once for all parameters."""
    found = ((f"{m.protocol}: {name}", why) for m in view.models for name, why in m.unjudged)
    yield from dict.fromkeys(found)


def difference_text(difference: LineDifference) -> str:
    """``StrongIsr: proved (k=1) → violated by a trace of 9 states``."""
    before, after = difference.before or "not in the lock", difference.after or "not in the lock"
    if before == after:
        return f"{difference.name}: {before}"
    return f"{difference.name}: {before} → {after}"


def advice(difference: LineDifference) -> str:
    """How to accept a difference that nobody accepted."""
    return f"--accept {difference.protocol}:{difference.name}"
