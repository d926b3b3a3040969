"""In which orders the events of a log can have happened.

Without more said, in that of the log's lines. A mapping's ``[order]`` takes the lines of each
source in their own order instead, by the file or by a counter, and orders events of different
sources by their clocks, as far as these differ by more than ``skew``, and by messages: what an
event receives was sent before. How far the log is read is then a *cut*: a position in each source.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf, isfinite
from pathlib import Path
from typing import Any

from bmc.conformance.demands import Demand
from bmc.conformance.errors import LogError
from bmc.conformance.events import Event, Written
from bmc.conformance.mapping import LogMapping, Order
from bmc.conformance.operands import AbsentField, Field

Exact = int | Fraction

Cut = tuple[int, ...]
"""How many events of each source have happened."""


class Schedule(ABC):
    """Which events can come next."""

    start: Cut

    @abstractmethod
    def following(self, cut: Cut) -> Sequence[tuple[Demand, Cut]]:
        """Return the events that can be the next ones after a cut, each with the cut after it."""

    @abstractmethod
    def again(self, lines: Iterator[int]) -> Iterator[Demand]:
        """Return the events of these lines, which are those of a way from the start to the end."""


class InLine(Schedule):
    """Events in the order of the lines; one is held at a time. ``events`` begins from the first."""

    start = (0,)

    def __init__(self, events: Callable[[], Iterator[Demand]]) -> None:
        self._events = events
        self._coming = events()
        self._read = 0
        self._next: Demand | None = None

    def following(self, cut: Cut) -> Sequence[tuple[Demand, Cut]]:
        """Return the next line's event; ``cut`` never goes back."""
        while self._read <= cut[0]:
            self._next = next(self._coming, None)
            self._read += 1
        return () if self._next is None else ((self._next, (cut[0] + 1,)),)

    def again(self, lines: Iterator[int]) -> Iterator[Demand]:
        """Return the log's events, read once more."""
        return self._events()


@dataclass(frozen=True)
class _Placed:
    """An event at its place in its source, with what orders it beside that.

    No event whose clock is before ``since`` comes later.
    """

    demand: Demand
    clock: Exact
    since: Exact
    received: tuple[str, ...]


class Partial(Schedule):
    """Events of several sources, of which the mapping says how they are ordered.

    All events are held. Raises LogError, with ``log`` and the line, for one that lacks what it is
    ordered by, for two of one source with the same counter, and where they have no order at all,
    whatever they say.
    """

    def __init__(
        self, log: Path, demands: Iterator[Demand], mapping: LogMapping, order: Order
    ) -> None:
        self._log = log
        skew = _exact(order.skew)
        self._by_line: dict[int, Demand] = {}
        sources: dict[str, list[tuple[Any, _Placed]]] = {}
        for number, demand in enumerate(demands):
            event = demand.event
            source = _text(self._read(order.source, event))
            place = number if order.counter is None else self._number(order.counter, event)
            clock = 0 if order.clock is None else self._number(order.clock, event)
            received = self._messages(mapping, event, sent=False)
            placed = _Placed(demand, clock, clock - skew, received)
            sources.setdefault(source, []).append((place, placed))
            self._by_line[event.line] = demand
        self._events: list[list[_Placed]] = []
        self._senders: dict[str, list[tuple[int, int]]] = {}
        for position, (source, events) in enumerate(sources.items()):
            events.sort(key=lambda one: one[0])
            for (place, before), (other, placed) in pairwise(events):
                if place == other:
                    line, earlier = placed.demand.event.line, before.demand.event.line
                    raise LogError(
                        f"{log}, line {line}: the counter of {source} is {other}, as in line "
                        f"{earlier}: the events of one source are counted"
                    )
            self._events.append([placed for _, placed in events])
            for index, (_, placed) in enumerate(events):
                for message in self._messages(mapping, placed.demand.event, sent=True):
                    self._senders.setdefault(message, []).append((position, index))
        self._earliest = [_least_from(events) for events in self._events]
        self.start = cut = (0,) * len(self._events)
        while coming := self.following(cut):
            # What can be next stays so until it is: all of them come, in whatever order.
            cut = tuple(max(parts) for parts in zip(*(after for _, after in coming), strict=True))

    def following(self, cut: Cut) -> Sequence[tuple[Demand, Cut]]:
        """Return the first events of the sources that nothing holds back."""
        earliest = min(
            (least[n] for least, n in zip(self._earliest, cut, strict=True)), default=0.0
        )
        found = []
        for source, index in enumerate(cut):
            if index == len(self._events[source]):
                continue
            placed = self._events[source][index]
            if placed.since <= earliest and self._received(placed, cut):
                after = (*cut[:source], index + 1, *cut[source + 1 :])
                found.append((placed.demand, after))
        if not found and any(n < len(e) for n, e in zip(cut, self._events, strict=True)):
            lines = [
                e[n].demand.event.line for n, e in zip(cut, self._events, strict=True) if e[n:]
            ]
            raise LogError(
                f"{self._log}, line {min(lines)}: no event can be the next one: counters, clocks "
                "and messages contradict each other"
            )
        return found

    def _received(self, placed: _Placed, cut: Cut) -> bool:
        """Whether some event that sent it has happened, of each message that somebody sends."""
        return all(
            any(index < cut[source] for source, index in self._senders.get(message, ()))
            for message in placed.received
            if message in self._senders
        )

    def _messages(self, mapping: LogMapping, event: Event, sent: bool) -> tuple[str, ...]:
        rule = mapping.rule(event)
        operand = None if rule is None else rule.sends if sent else rule.receives
        if operand is None:
            return ()
        try:
            found = operand.of(event.fields)
        except AbsentField as error:
            if error.optional:
                return ()
            raise LogError(
                f"{self._log}, line {event.line}: it has no field {error.name!r}"
            ) from None
        # Events without a message have null there in a log whose events all have the same fields.
        several = found if isinstance(found, list) else [found]
        return tuple(_text(one) for one in several if one is not None)

    def _read(self, field: Field, event: Event) -> Any:
        try:
            return field.of(event.fields)
        except AbsentField as error:
            raise LogError(
                f"{self._log}, line {event.line}: the event {event.name!r} has no field "
                f"{error.name!r}, which the mapping's [order] reads"
            ) from None

    def _number(self, field: Field, event: Event) -> Exact:
        value = self._read(field, event)
        if type(value) not in (int, float, Written) or abs(value) == inf:
            raise LogError(
                f"{self._log}, line {event.line}: {field} is {value!r:.60}, which orders nothing"
            )
        return _exact(value)

    def again(self, lines: Iterator[int]) -> Iterator[Demand]:
        """Return the events in the order that was found."""
        return (self._by_line[line] for line in lines)


def _least_from(events: Sequence[_Placed]) -> list[Exact | float]:
    """The least clock of the events from each position on; none is later than any."""
    found: list[Exact | float] = [inf]
    for placed in reversed(events):
        found.append(min(found[-1], placed.clock))
    return found[::-1]


def _text(value: Any) -> str:
    """Return what two values have in common where JSON has them for one: 1 and 1.0 are a number."""
    match value:
        case float() if isfinite(value):
            exact = _exact(value)
            # Python writes no number of more than some thousand digits, unless in hexadecimals.
            return (
                str(exact)
                if exact.denominator == 1
                else f"{exact.numerator:x}/{exact.denominator:x}"
            )
        case list():
            return f"[{', '.join(map(_text, value))}]"
        case dict():
            parts = (f"{json.dumps(name)}: {_text(value[name])}" for name in sorted(value))
            return f"{{{', '.join(parts)}}}"
    return json.dumps(value)


def _exact(value: float) -> Exact:
    """A number as it is written: 0.8 is 0.1 later than 0.7, and a float's is a little more."""
    if isinstance(value, int):
        return value
    return Fraction(value.text if isinstance(value, Written) else repr(value))
