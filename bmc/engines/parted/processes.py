"""The processes of a parted search, as the one that leads them sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bmc.engines.pace import Stopped
from bmc.engines.packed.packing import Rows
from bmc.engines.parted.exchange import Exchange
from bmc.engines.parted.part import Means, PartReport, PartTurn, SearchPart, Whole
from bmc.running.child import Channel, Child, Failed, Said
from bmc.running.supervisor import Supervisor


@dataclass(frozen=True)
class _Begin:
    first: bool


@dataclass(frozen=True)
class _End:
    pass


@dataclass(frozen=True)
class _Chosen:
    """Asks for states of a part and for their parents, by their places."""

    places: NDArray[np.int64]


class NotParted(Exception):
    """The system refuses another process, or the memory to share; the states are as they were."""


class PartedProcesses:
    """Several parts of one search: the first is in this process, the others in forked ones.

    Each process takes its share of ``whole``, which is empty then, and may take ``room`` bytes for
    its table. Raises NotParted where not all processes can be forked: then none is left, and
    ``whole`` can be gone on with.
    """

    def __init__(self, means: Means, whole: Whole, parts: int, words: int, room: int) -> None:
        self.parts = parts
        self._supervisor = Supervisor()
        self._children: list[Child] = []
        try:
            exchange = Exchange(parts, words)
            for own in range(1, parts):

                def serve(channel: Channel, own: int = own) -> None:
                    whole.table.close()
                    part = SearchPart(means, whole, own, exchange, parts, room)
                    whole.table.clear()
                    _serve(channel, part)

                child = self._supervisor.start(serve, f"part {own + 1} of the search")
                self._children.append(child)
        except OSError as error:
            self.close()
            raise NotParted(error.strerror or str(error)) from error
        # Not before: without all processes the search goes on with the table as it is.
        whole.table.close()
        self._own = SearchPart(means, whole, 0, exchange, parts, room)
        whole.table.clear()
        self.ends: list[tuple[int, ...]] = list(zip(self._own.ends, *self._told(), strict=True))
        self.found: int = sum(self.ends[-1])
        self._turns = 0
        self._first = True
        self._decided: frozenset[str] = frozenset()

    def close(self) -> None:
        """End the other processes."""
        with self._supervisor:
            self._children.clear()

    def resident(self) -> int:
        """Return the bytes of memory that the other processes hold."""
        return sum(child.resident() for child in self._children)

    def level(self, between: Callable[[], None], done: Callable[[list[PartReport]], None]) -> None:
        """Explore a level; ``between`` is called before each turn, ``done`` with its reports."""
        self._give(_Begin(self._first))
        self._own.begin(self._first)
        self._first = False
        waiting = [[0] * self.parts for _ in range(self.parts)]
        more = True
        while more:
            between()
            self._turns += 1
            turns = [
                PartTurn(self._turns, [sent[part] for sent in waiting], self._decided)
                for part in range(self.parts)
            ]
            for child, turn in zip(self._children, turns[1:], strict=True):
                child.give(turn)
            reports = [self._own.take(turns[0]), *self._told()]
            self.found = sum(report.found for report in reports)
            waiting = [report.sent for report in reports]
            more = any(report.more or any(report.sent) for report in reports)
            done(reports)
        self._give(_End())
        self._own.end()
        self.ends.append(tuple(report.found for report in reports))

    def decide(self, names: Sequence[str]) -> None:
        """Look for these properties no more."""
        self._decided |= frozenset(names)

    def states(self, part: int, places: NDArray[np.int64]) -> tuple[Rows, NDArray[np.uint32]]:
        """Return states of a part, by their places there, and the numbers of their parents."""
        if not part:
            return _chosen(self._own, places)
        child = self._children[part - 1]
        child.give(_Chosen(places))
        found: tuple[Rows, NDArray[np.uint32]] = self._next()[1]
        return found

    def _give(self, content: object) -> None:
        for child in self._children:
            child.give(content)

    def _told(self) -> list[Any]:
        """Return what each of the others says next, in their order."""
        told = dict(self._next() for _ in self._children)
        return [told[child] for child in self._children]

    def _next(self) -> tuple[Child, Any]:
        event = self._supervisor.next()
        match event:
            case (child, Said(content)):
                return child, content
            case (_, Failed(error)):
                raise error
            case _:
                raise Stopped("one of the search's processes has ended, perhaps for lack of memory")


def _serve(channel: Channel, part: SearchPart) -> None:
    channel.send(part.ends)
    while True:
        match channel.receive():
            case PartTurn() as turn:
                channel.send(part.take(turn))
            case _Begin(first):
                part.begin(first)
            case _End():
                part.end()
            case _Chosen(places):
                channel.send(_chosen(part, places))


def _chosen(part: SearchPart, places: NDArray[np.int64]) -> tuple[Rows, NDArray[np.uint32]]:
    count = len(part.table)
    return part.table.rows(0, count)[places], part.table.parents(0, count)[places]


class PartedStates:
    """The states of all parts, as traces are made of them and as they go to disk."""

    def __init__(self, crew: PartedProcesses) -> None:
        self._crew = crew

    @property
    def collapse(self) -> None:
        """Say that states are whole."""

    def __len__(self) -> int:
        return self._crew.found

    def rows(self, start: int, stop: int) -> Rows:
        """Return states by their numbers."""
        return np.concatenate([self._state(number)[0] for number in range(start, stop)])

    def path(self, number: int) -> list[int]:
        """Return the numbers of the states from an initial one to this one, along parents."""
        found = [number]
        while (parent := int(self._state(found[-1])[1][0])) != found[-1]:
            found.append(parent)
        return found[::-1]

    def _state(self, number: int) -> tuple[Rows, NDArray[np.uint32]]:
        place, part = divmod(number, self._crew.parts)
        return self._crew.states(part, np.array([place]))

    @property
    def levels(self) -> int:
        """Return how many levels are complete."""
        return len(self._crew.ends)

    def size(self, level: int) -> int:
        """Return how many states a level has."""
        return int(self._sizes(level).sum())

    def keys(self, level: int, chosen: NDArray[np.int64]) -> Rows:
        """Return states of a level: those of the first part come first, and so on."""
        return self._of_level(level, chosen)[0]

    def parents(self, level: int, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where in the level before the states' parents are."""
        numbers = self._of_level(level, chosen)[1].astype(np.int64)
        places, parts = np.divmod(numbers, self._crew.parts)
        before = max(0, level - 1)
        shifts = np.cumsum(self._sizes(before)) - self._sizes(before) - self._begins(before)
        found: NDArray[np.int64] = places + shifts[parts]
        return found

    def _of_level(self, level: int, chosen: NDArray[np.int64]) -> tuple[Rows, NDArray[np.uint32]]:
        sizes, begins = self._sizes(level), self._begins(level)
        ends = np.cumsum(sizes)
        parts = np.searchsorted(ends, chosen, "right")
        places = chosen - (ends - sizes - begins)[parts]
        rows: Rows | None = None
        parents = np.empty(len(chosen), np.uint32)
        for part in range(self._crew.parts):
            own = np.flatnonzero(parts == part)
            some, origins = self._crew.states(part, places[own])
            rows = np.empty((len(chosen), some.shape[1]), np.uint64) if rows is None else rows
            rows[own], parents[own] = some, origins
        assert rows is not None
        return rows, parents

    def _sizes(self, level: int) -> NDArray[np.int64]:
        return np.array(self._crew.ends[level]) - self._begins(level)

    def _begins(self, level: int) -> NDArray[np.int64]:
        return np.array(self._crew.ends[level - 1] if level else [0] * self._crew.parts)
