"""The share of one process: the states whose hashes are its own, and what it does in a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.formulas import Formulas, OpenClaims
from bmc.engines.packed.hashing import hashes_of
from bmc.engines.packed.packing import Rows
from bmc.engines.packed.quotient import Quotient
from bmc.engines.packed.successors import BeyondBounds, BlockSteps, Expansion
from bmc.engines.packed.table import StateTable, TableFull
from bmc.engines.parted.exchange import Exchange

if TYPE_CHECKING:
    from bmc.engines.native.expansion import NativeExpansion


@dataclass(frozen=True)
class Means:
    """How states are expanded and judged: compiled once, and inherited by every process.

    ``constraint`` and ``counted`` are None where every state satisfies them.
    """

    expansion: Expansion | NativeExpansion
    at_once: int
    rules: int
    constraint: Formulas | None
    counted: Formulas | None
    quotient: Quotient | None
    of_states: OpenClaims
    of_steps: OpenClaims


@dataclass(frozen=True)
class PartTurn:
    """What a process is to do: the ``sent`` rows by sender wait for it, and the properties that are
    ``decided`` need not be looked at."""

    number: int
    sent: Sequence[int]
    decided: frozenset[str]


@dataclass
class PartReport:
    """What a process did in a turn.

    ``sent`` are the rows by receiver, ``more`` says that it has more to do in this level.
    ``counted`` are states that are new, ``fired`` the steps by rule. ``states`` has decided
    properties with the number of a state, ``steps`` with that of a state and the row after it.
    ``beyond`` is the number of a state that leaves the bounds, ``full`` says that memory is.
    """

    sent: list[int]
    fired: NDArray[np.int64]
    found: int = 0
    counted: int = 0
    more: bool = False
    states: list[tuple[str, int]] = field(default_factory=list)
    steps: list[tuple[str, int, Rows]] = field(default_factory=list)
    beyond: int | None = None
    full: str | None = None


@dataclass(frozen=True)
class Whole:
    """The states of a search that is about to be parted, with the ends of its levels."""

    table: StateTable
    ends: Sequence[int]


class SearchPart:
    """States that are kept by process ``own`` of ``parts``, numbered from 0.

    State ``i`` of part ``p`` has the number ``i * parts + p`` in the search.
    """

    def __init__(
        self, means: Means, whole: Whole, own: int, exchange: Exchange, parts: int, room: int
    ) -> None:
        self._means, self._own, self._parts, self._exchange = means, own, parts, exchange
        rows = whole.table.rows(0, len(whole.table))
        owners = owners_of(rows, parts)
        numbers = np.empty(len(rows), np.uint32)
        for part in range(parts):
            places = np.flatnonzero(owners == part)
            numbers[places] = np.arange(len(places), dtype=np.uint32) * parts + part
        kept = np.flatnonzero(owners == own)
        self.table = StateTable.of(rows[kept], numbers[whole.table.parents(0, len(rows))[kept]])
        self.table.limit(room)
        if not isinstance(means.expansion, Expansion):
            self.table.use_machine_code()
        self.ends = [int(end) for end in np.searchsorted(kept, whole.ends)]
        self._at = self._end = len(self.table)
        self._sizes: list[NDArray[np.int64]] = []
        self._level_sizes: NDArray[np.int64] | None = None
        self._waiting: dict[int, tuple[Rows, NDArray[np.uint32]]] = {}
        self._first = 0
        self._decided: frozenset[str] = frozenset()

    def begin(self, first: bool) -> None:
        """Begin a level, whose states are those of the last one; the ``first`` after parting."""
        self._first = sum(self.ends[-2:-1]) if first else self._end
        self._at, self._end = self._first, len(self.table)
        self._level_sizes = np.concatenate(self._sizes) if self._sizes else None
        self._sizes.clear()

    def end(self) -> None:
        """Note that the level is complete."""
        self.ends.append(len(self.table))

    def take(self, turn: PartTurn) -> PartReport:
        """Do one turn."""
        report = PartReport([0] * self._parts, np.zeros(self._means.rules, np.int64))
        if turn.decided != self._decided:
            self._decided = turn.decided
            for claims in (self._means.of_states, self._means.of_steps):
                claims.forget(turn.decided)
        try:
            for sender, count in enumerate(turn.sent):
                if count:
                    received = self._exchange.received(sender, self._own, turn.number - 1, count)
                    self._enter(report, *received)
            if self._waiting:
                self._send_what_waits(report, turn.number)
            elif self._at < self._end:
                self._expand(report, turn.number)
        except TableFull as reason:
            report.full = str(reason)
        report.more = self._at < self._end or bool(self._waiting)
        report.found = len(self.table)
        return report

    def _send_what_waits(self, report: PartReport, turn: int) -> None:
        waiting, self._waiting = self._waiting, {}
        for part, (rows, parents) in waiting.items():
            self._send(report, turn, part, rows, parents, np.arange(len(rows)))

    def _expand(self, report: PartReport, turn: int) -> None:
        means, start = self._means, self._at
        stop = self._at = min(start + means.at_once, self._end)
        block = self.table.rows(start, stop)
        steps = means.expansion.steps(block)
        if isinstance(steps, BeyondBounds):
            report.beyond = self._numbered(start + steps.lane)
            return
        if means.constraint is not None:
            (inside,) = means.constraint.evaluate(steps.rows)
            steps = steps.where(inside)
        report.fired += self._weighed(block, steps, start, stop)
        if means.of_steps:
            for stated, row in means.of_steps.decided(block[steps.lanes], steps.rows):
                origin = self._numbered(start + int(steps.lanes[row]))
                report.steps.append((stated.name, origin, steps.rows[row].copy()))
        rows = steps.rows
        if means.quotient is not None:
            rows = means.quotient.representatives(rows)
        parents = (steps.lanes + np.uint32(start)) * np.uint32(self._parts) + np.uint32(self._own)
        hashes = hashes_of(rows)
        owners = hashes % np.uint64(self._parts)
        for part in range(self._parts):
            chosen = np.flatnonzero(owners == part)
            if part == self._own:
                self._enter(report, rows, parents, hashes, chosen)
            else:
                self._send(report, turn, part, rows, parents, chosen)

    def _weighed(self, block: Rows, steps: BlockSteps, start: int, stop: int) -> NDArray[np.int64]:
        quotient = self._means.quotient
        if quotient is None:
            return steps.fired
        if self._level_sizes is None:
            return steps.weighed(quotient.orbits(block))
        return steps.weighed(self._level_sizes[start - self._first : stop - self._first])

    def _enter(
        self,
        report: PartReport,
        rows: Rows,
        parents: NDArray[np.uint32],
        hashes: NDArray[np.uint64] | None = None,
        chosen: NDArray[np.int64] | None = None,
    ) -> None:
        """Keep what is new among these rows, or the chosen ones of them."""
        means, first = self._means, len(self.table)
        if (first + len(rows)) * self._parts > 1 << 32:
            raise TableFull("more than 2**32 states: choose smaller parameters")
        self.table.add(rows, parents, hashes, chosen)
        entered = self.table.rows(first, len(self.table))
        inside = np.ones(len(entered), np.bool_)
        if means.counted is not None:
            (inside,) = means.counted.evaluate(entered)
        if means.quotient is None:
            report.counted += int(inside.sum())
        else:
            sizes = means.quotient.orbits(entered)
            report.counted += int(sizes[inside].sum())
            self._sizes.append(sizes)
        for stated, row in means.of_states.decided(entered):
            report.states.append((stated.name, self._numbered(first + row)))

    def _send(
        self,
        report: PartReport,
        turn: int,
        part: int,
        rows: Rows,
        parents: NDArray[np.uint32],
        chosen: NDArray[np.int64],
    ) -> None:
        """Write the chosen rows for another process; what finds no room waits."""
        to_rows, to_parents = self._exchange.room(self._own, part, turn)
        now, later = chosen[: len(to_rows)], chosen[len(to_rows) :]
        np.take(rows, now, axis=0, out=to_rows[: len(now)], mode="clip")
        np.take(parents, now, out=to_parents[: len(now)], mode="clip")
        report.sent[part] = len(now)
        if len(later):
            self._waiting[part] = rows[later], parents[later]

    def _numbered(self, place: int) -> int:
        return place * self._parts + self._own


def owners_of(rows: Rows, parts: int) -> NDArray[np.uint64]:
    """Return by row the process that keeps it."""
    # The last bits: the first ones say where in its table a state is.
    owners: NDArray[np.uint64] = hashes_of(rows) % np.uint64(parts)
    return owners
