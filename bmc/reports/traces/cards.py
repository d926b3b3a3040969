"""A lifeline's card as data for the page: its logs slot by slot, and what a step changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bmc.reports.traces.diagram import Scene, SceneStep
from bmc.reports.traces.messages import joined
from bmc.reports.traces.participants import CardView, Fact, LogEntry, LogView

Blame = tuple[int, str, int]
"""A column, a log of its and an offset that a false formula speaks of."""

COLOURS = 8
"""How many colours the style sheet has for entries."""

_NUMBER = re.compile(r"-?[0-9]+")
"""What Python reads as a number: a name of an enumeration may be any text, such as ``²``."""


def colours_of(drawn: Scene) -> dict[str, int]:
    """A colour for each value by which entries are coloured, in order of first appearance."""
    found: dict[str, int] = {}
    for step in drawn.steps:
        for card in step.cards:
            for log in card.logs:
                for entry in log.entries:
                    if entry is not None:
                        found.setdefault(entry.colour, len(found) % COLOURS)
    if all(_NUMBER.fullmatch(text) for text in found):
        found = {text: i % COLOURS for i, text in enumerate(sorted(found, key=int))}
    return found


def short_mark(name: str) -> str:
    """What stands beside a log for the name of its watermark: its first letters."""
    return "".join(word[0] for word in name.split()).upper()


def card_data(
    drawn: Scene,
    step: SceneStep,
    number: int,
    colours: Mapping[str, int],
    blame: frozenset[Blame],
) -> dict[str, Any]:
    """A card after a step, with what was there before where it is another now."""
    card = step.cards[number]
    before = None if step.before is None else step.before[number]
    old_facts = {} if before is None else {fact.name: fact for fact in before.facts}
    blamed = {(log, offset) for column, log, offset in blame if column == number}
    return {
        "name": drawn.columns[number].name,
        "actor": step.actor == number,
        "touched": number in step.touched,
        "role": card.role,
        "old_role": None if before is None or before.role == card.role else before.role or "none",
        "down": card.down,
        "facts": [_fact(fact, old_facts.get(fact.name)) for fact in card.facts],
        "logs": [
            _log(
                log,
                _log_before(before, log.name),
                colours,
                {offset for name, offset in blamed if name == log.name},
                log.is_named(card.logs),
            )
            for log in card.logs
        ],
        "inbox": None if card.inbox is None else len(card.inbox),
    }


def _other(old: LogEntry | None, now: LogEntry | None) -> str:
    """What an entry was, as far as it is not what it is."""
    kept = () if now is None else now.fields
    return joined(f for f in (() if old is None else old.fields) if f not in kept)


def _fact(fact: Fact, before: Fact | None) -> dict[str, Any]:
    """A fact; of a set that has changed, what came and went and how many elements stayed."""
    old = None if before is None or before.text == fact.text else before
    found: dict[str, Any] = {"name": fact.name, "text": fact.text, "by_elements": False}
    found["old"] = None if old is None else old.text
    if old is not None and old.elements is not None and fact.elements is not None:
        come, gone = fact.came(old), old.came(fact)
        stayed = len(fact.elements) - len(come)
        found |= {"by_elements": True, "come": come, "gone": gone, "stayed": stayed}
    return found


def _log_before(before: CardView | None, name: str) -> LogView | None:
    if before is None:
        return None
    return next((log for log in before.logs if log.name == name), None)


def _log(
    log: LogView,
    before: LogView | None,
    colours: Mapping[str, int],
    blamed: set[int],
    named: bool,
) -> dict[str, Any]:
    """A log's slots: those it has, those it has lost in this step, those below its watermark."""
    mark = log.high_watermark
    was = before if before is not None else log
    length = max(len(log.entries), len(was.entries), min(mark or 0, log.room))
    slots = []
    for offset in range(length):
        now, old = log.at(offset), was.at(offset)
        change = ""
        if (now and now.value) != (old and old.value):
            change = "new" if old is None else "gone" if now is None else "replaced"
            if now and old and now.identity == old.identity:
                change = "changed"
        shown = now if now is not None else old
        slots.append(
            {
                "place": offset,
                "offset": log.first + offset,
                "fields": [] if shown is None else shown.fields,
                "colour": None if shown is None else colours[shown.colour],
                "change": change,
                "old": _other(old, now) if change in ("replaced", "changed") else "",
                "announced": shown is not None and shown.announced,
                "blamed": offset in blamed,
            }
        )
    old_mark = was.high_watermark
    return {
        "name": log.name,
        "named": named,
        "slots": slots,
        "empty": not slots,
        "end": len(log.entries),
        "mark": mark,
        "mark_name": log.mark,
        "mark_short": short_mark(log.mark),
        "old_mark": None if old_mark == mark else old_mark,
        "changed": before is not None and before != log,
    }
