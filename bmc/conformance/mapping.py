"""Mappings: which event of a log is which action, and what of the state it shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from bmc.conformance.checks import Check
from bmc.conformance.errors import LogError
from bmc.conformance.events import Event, field_at
from bmc.conformance.operands import AbsentField, Field, Operand
from bmc.conformance.values import Meanings, WrittenForms, same
from bmc.lang.errors import suggest
from bmc.lang.model import Action
from bmc.lang.sorts import OptionSort
from bmc.layout.domain import Domains

MOST_STEPS = 1_000
"""Steps that one event may stand for at most."""


@dataclass(frozen=True)
class MappedAction:
    """An action that an event can be, and what the event says of its arguments."""

    action: Action
    arguments: tuple[Check, ...]


@dataclass(frozen=True)
class EventRule:
    """What events of one kind mean.

    An event is ``least`` to ``most`` steps (operands: a number, or a field of the event), each of
    one of ``actions``. ``before`` holds in the state before them, ``after`` in the state after.
    ``sends`` and ``receives`` are the identities of messages, by which events are ordered.
    """

    place: str
    name: str
    when: Mapping[str, Any]
    actions: tuple[MappedAction, ...]
    least: Operand
    most: Operand
    before: tuple[Check, ...]
    after: tuple[Check, ...]
    sends: Operand | None = None
    receives: Operand | None = None

    def fits(self, event: Event) -> bool:
        """Whether the rule is about an event."""
        return event.name == self.name and all(
            same(field_at(event.fields, name.split(".")), wanted)
            for name, wanted in self.when.items()
        )

    def steps(self, event: Event) -> tuple[int, int]:
        """Return how many steps an event is, at least and at most.

        Raises AbsentField, and LogError where the event's own number is none.
        """
        found = []
        for operand in (self.least, self.most):
            number = operand.of(event.fields)
            if type(number) is not int or not 0 <= number <= MOST_STEPS:
                raise LogError(f"{operand} is {number!r:.60}, not a number of steps up to 1000")
            found.append(number)
        return found[0], found[1]

    def checks(self) -> Iterable[Check]:
        """Return everything that the rule compares."""
        for mapped in self.actions:
            yield from mapped.arguments
        yield from self.before
        yield from self.after


@dataclass(frozen=True)
class Order:
    """How events are ordered where the lines of a log are not.

    Events of one ``source`` are, by ``counter`` (None: by the file). An event comes after those
    whose ``clock`` is more than ``skew`` earlier.
    """

    source: Field
    counter: Field | None
    clock: Field | None
    skew: float


@dataclass(frozen=True)
class ReadOff:
    """A parameter that the log tells: the number of members, or the greatest integer."""

    members: str | None
    greatest: str | None
    plus: int

    def value(self, meanings: Meanings) -> int:
        """Return it, once the whole log was seen; ``plus`` where the log shows none."""
        if self.members is not None:
            return len(meanings.members(self.members)) + self.plus
        assert self.greatest is not None
        return meanings.greatest.get(self.greatest, 0) + self.plus


@dataclass(frozen=True)
class LogMapping:
    """A mapping file that fits a protocol."""

    file: Path
    name_field: str
    ignored: frozenset[str]
    parameters: Mapping[str, int | ReadOff]
    none: tuple[Any, ...]
    members: Mapping[str, tuple[Any, ...]]
    names: Mapping[str, Mapping[str, str]]
    silent: tuple[Action, ...]
    silent_steps: int
    rules: tuple[EventRule, ...]
    order: Order | None = None
    absent: Mapping[OptionSort, Any] = field(default_factory=dict)
    """What the protocol's own text calls the none of an option."""
    written: WrittenForms | None = None
    """How that text writes values, where it is not Python."""

    @cached_property
    def _by_name(self) -> dict[str, list[EventRule]]:
        found: dict[str, list[EventRule]] = {}
        for rule in self.rules:
            found.setdefault(rule.name, []).append(rule)
        return found

    def meanings(self, domains: Domains | None = None) -> Meanings:
        """Return what reads the values of a log, which has seen none yet."""
        return Meanings(self.none, self.members, self.names, self.absent, self.written, domains)

    def rule(self, event: Event) -> EventRule | None:
        """Return the first rule about an event, or None for one that is to be ignored.

        Raises LogError for an event that the mapping does not know.
        """
        for rule in self._by_name.get(event.name, ()):
            if rule.fits(event):
                return rule
        if event.name in self.ignored:
            return None
        known = {rule.name for rule in self.rules} | self.ignored
        detail = (
            "no [[event]] of its name fits its fields"
            if event.name in known
            else (suggest(event.name, known))
        )
        raise LogError(
            f"{self.file} does not map the event {event.name!r:.60}: {detail} (map it, or name it "
            "in log.ignore)"
        )

    def note(self, event: Event, meanings: Meanings) -> None:
        """Let ``meanings`` see all that is mapped of an event. Raises like reading it."""
        rule = self.rule(event)
        if rule is not None:
            rule.steps(event)
            for check in rule.checks():
                check.note(event.fields, meanings)


def absent(rule: EventRule, error: AbsentField) -> str:
    """Return what is said of an event that lacks a field of its mapping."""
    return (
        f"the event {rule.name!r} has no field {error.name!r}, which {rule.place} reads (write "
        f"${error.name}? if it may be absent)"
    )
