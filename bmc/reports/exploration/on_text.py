"""A search on the text of a specification: counts, and a violation as TLC prints it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bmc.evidence.verdict import Verdict
from bmc.evidence.wording import count
from bmc.reports.exploration.explorations import write_levels
from bmc.reports.page import Page

ENGINE = "text"
ONE_READER = "its evaluator alone has read the text: no model was made, nothing checked it again"
_STYLES = {"violated": "bold red", "clean": "bold green", "unknown": "bold yellow"}


@dataclass(frozen=True)
class TextState:
    """A state of a path, its values as TLC prints them, and the action that led there."""

    action: str | None
    arguments: Mapping[str, str]
    values: Mapping[str, str]


@dataclass(frozen=True)
class TextClaim:
    """A claim, within how many steps it was judged (None: not at all), and a remark to that."""

    name: str
    steps: int | None
    remark: str = ""


@dataclass(frozen=True)
class TextExploration:
    """What a search on a text found.

    ``stopped`` says why not all states were seen, ``as_asked`` that it was to stop there. ``path``
    leads to where ``violated``, the name of a claim, is false; without one to where the text has
    no value. ``notes`` say what was not looked at, ``merges`` that not all states were.
    """

    name: str
    distinct: int
    generated: int
    levels: tuple[int, ...]
    claims: tuple[TextClaim, ...]
    stopped: str | None = None
    as_asked: bool = True
    violated: str | None = None
    path: tuple[TextState, ...] = ()
    notes: tuple[str, ...] = ()
    merges: bool = False


def write_text_exploration(page: Page, found: TextExploration, seconds: float) -> None:
    """Write counts and levels, a line a claim, and the path to a violation."""
    whole = ("complete", "green")
    if found.stopped is not None:
        whole = (f"incomplete: {found.stopped}", "yellow")
    page.line((found.name, "bold"), "  on its text, without a model")
    page.blank()
    page.line(
        (count(found.distinct, "distinct state"), "bold"),
        f" in {count(len(found.levels), 'level')}, {found.generated:,} generated, ",
        whole,
        f"  {seconds:.1f} s",
    )
    write_levels(page, found.levels)
    page.blank()
    width = max((len(claim.name) for claim in found.claims), default=0)
    for claim in found.claims:
        verdict, detail = _judged(found, claim)
        shown = (verdict.ljust(len("violated")), _STYLES[verdict])
        page.line(f"  {claim.name.ljust(width)}  ", shown, f"  {detail}")
    page.line(f"  ({ONE_READER})" if found.claims else "  there is no claim to judge")
    page.blank()
    for note in found.notes:
        page.line(f"  {note}")
    if found.notes:
        page.blank()
    if found.path:
        broken = found.violated
        title = f"{broken} is violated:" if broken else "The path to where the text has no value:"
        page.line((title, "bold"))
        for number, state in enumerate(found.path, 1):
            _write_state(page, number, state)


def _judged(found: TextExploration, claim: TextClaim) -> tuple[str, str]:
    """Return what is said of a claim: a word, and how far it goes."""
    if found.violated == claim.name:
        return "violated", f"by a trace of {count(len(found.path), 'state')}"
    if found.stopped is None:
        seen = "state that was kept" if found.merges else "reachable state"
        return "clean", f"in every {seen}{claim.remark}"
    if claim.steps is None:
        return "unknown", found.stopped
    among = " in states that were kept" if found.merges else ""
    within = f"no violation{among} within {count(claim.steps, 'step')}{claim.remark}"
    return "clean" if found.as_asked else "unknown", within


def _write_state(page: Page, number: int, state: TextState) -> None:
    shown = ", ".join(state.arguments.values())
    taken = state.action or "Initial predicate"
    page.line(f"State {number}: <{taken}({shown})>" if shown else f"State {number}: <{taken}>")
    bullet = "/\\ " if len(state.values) > 1 else ""
    for name, value in state.values.items():
        page.line(f"{bullet}{name} = {value}")
    page.blank()


def text_exploration_json(found: TextExploration, seconds: float) -> dict[str, Any]:
    """Return a search as JSON data in the form of an exploration.

    A value in a trace is a text, as TLC prints it. What holds is *unknown* there, with its reason,
    since nothing but one reader of the text says so.
    """
    return {
        "protocol": found.name,
        "parameters": {},
        "distinct_states": found.distinct,
        "generated_states": found.generated,
        "depth": len(found.levels),
        "levels": list(found.levels),
        "representatives": None,
        "complete": found.stopped is None,
        "stopped_because": found.stopped,
        "results": [_result(found, claim, seconds) for claim in found.claims],
        "facts": list(found.notes),
    }


def _result(found: TextExploration, claim: TextClaim, seconds: float) -> dict[str, Any]:
    broken = found.violated == claim.name
    path = [
        {"action": one.action, "arguments": dict(one.arguments), "state": dict(one.values)}
        for one in found.path
    ]
    return {
        "property": claim.name,
        "kind": "claim of a text",
        "verdict": (Verdict.VIOLATED if broken else Verdict.UNKNOWN).value,
        "engine": ENGINE,
        "k": None,
        "depth": None if broken else claim.steps,
        "seconds": round(seconds, 3),
        "trace": path if broken else None,
        "certificate": None,
        "reason": None if broken else f"{_judged(found, claim)[1]}; {ONE_READER}",
    }
