"""The tables of mutants: what is kept of them, and why nothing notices those that nothing does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from mutation_reasons import reason

from bmc.evidence.markdown import Markup, code, plain, table

Kept = dict[str, Any]


class Standing(Enum):
    """How a mutant stands at the parameters that were explored; the page says what is what."""

    NOTICED = "noticed"
    ADDED = "added"
    LEMMA = "lemma"
    LESS = "less"
    WITHIN = "within"
    STEPS = "steps"
    STATES = "states"
    OPEN = "open"


_SAID = {
    Standing.NOTICED: "a claim notices",
    Standing.ADDED: "a claim notices that the text does not state",
    Standing.LEMMA: "a lemma notices",
    Standing.LESS: "an action never happens",
    Standing.WITHIN: "executed only as the protocol is",
    Standing.STEPS: "new steps, between states of the protocol, explained",
    Standing.STATES: "new states, explained",
    Standing.OPEN: "open",
}


def tables(kept: Mapping[str, Kept]) -> str:
    """Return the tables in Markdown: all protocols in one, then what nothing notices of each."""
    lines = [_line(name, one) for name, one in kept.items()]
    head = ["protocol", "mutants", *_SAID.values()]
    parts = [table(head, lines)]
    parts += [text for name, one in kept.items() if (text := _of_protocol(name, one))]
    return "\n\n".join(parts) + "\n"


def _faults(name: str, kept: Kept) -> dict[Standing, list[tuple[str, str, int]]]:
    """By standing the faults, by what they are noticed, and the states of the trace."""
    found: dict[Standing, list[tuple[str, str, int]]] = {one: [] for one in Standing}
    for word, by in kept["mutants"].items():
        for claim, faults in by.items():
            for fault, states in faults:
                standing = Standing(word)
                needs = standing in (Standing.STEPS, Standing.STATES)
                if needs and reason(name, fault) is None:
                    standing = Standing.OPEN
                found[standing].append((fault, claim, states))
    return found


def _line(name: str, kept: Kept) -> list[object]:
    found = _faults(name, kept)
    counts = [len(found[one]) for one in _SAID]
    return [code(name), sum(counts), *(number or "" for number in counts)]


def _of_protocol(name: str, kept: Kept) -> str:
    found = _faults(name, kept)
    places = [
        f"({', '.join(f'{key}={value}' for key, value in values.items()) or 'the defaults'}: "
        f"{states:,} states)"
        for values, states in zip(kept["at"], kept["states"], strict=True)
    ]
    at = f"At {', '.join(places)}"
    at += ", each mutant at the first at which its action happens." if kept.get("once") else "."
    if kept.get("beside"):
        at += f" Only faults that {', '.join(map(code, kept['beside']))} has not."
    parts = [f"### Mutants of {name}", at]
    parts.append(f"First noticed by: {_counted(found[Standing.NOTICED]) or 'nothing'}.")
    if found[Standing.ADDED]:
        said = [f"{code(f)} ({by}, {n} states)" for f, by, n in found[Standing.ADDED]]
        parts.append(f"By a claim that the text does not state: {', '.join(said)}.")
    for standing, head in ((Standing.STEPS, "new steps only"), (Standing.STATES, "new states")):
        reasons: dict[str, list[str]] = {}
        for fault, *_ in found[standing]:
            reasons.setdefault(str(reason(name, fault)), []).append(fault)
        lines = [[Markup(_listed(faults)), plain(said)] for said, faults in reasons.items()]
        if lines:
            parts.append(table([f"{head}, and nothing notices", "why"], lines))
    if found[Standing.OPEN]:
        parts.append(f"Not explained: {_listed(fault for fault, *_ in found[Standing.OPEN])}.")
    return "\n\n".join(parts)


def _counted(found: Iterable[tuple[str, str, int]]) -> str:
    by: dict[str, int] = {}
    for _, claim, _ in found:
        by[claim] = by.get(claim, 0) + 1
    return ", ".join(f"{name} {n}" for name, n in sorted(by.items(), key=lambda one: -one[1]))


def _listed(faults: Iterable[str]) -> str:
    return ", ".join(map(str, map(code, faults)))
