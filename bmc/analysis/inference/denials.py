"""What denies a state: few literals that it shows and that were never seen together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log2

import numpy as np
from numpy.typing import NDArray

from bmc.analysis.inference.prospect import Prospect
from bmc.analysis.inference.sightings import Columns, Sightings
from bmc.analysis.inference.table import Bits, LiteralRows, bindings, meeting
from bmc.analysis.mining.candidates import Candidate, never
from bmc.engines.conjuncts import Conjunct
from bmc.engines.packed.packing import Rows
from bmc.engines.task import Deadline
from bmc.lang.terms import Term
from bmc.layout.renaming import representatives
from bmc.system.transition import Instance

_ARGUMENTS = 3
_SIGHTS = 6
"""Sights of one table that larger sets are looked for in."""
_PAIRS = 400
_LOOKED_AT = 80

Sight = NDArray[np.bool_]
"""What a table shows of one state: shape (bindings, columns)."""


@dataclass(frozen=True, order=True)
class Denial:
    """Columns of a table, by its number, and how much is to be said against them."""

    demerit: float
    table: int
    columns: Columns

    def is_met(self, seen: Sequence[Sight]) -> bool:
        """Whether a state, by what each table shows of it, has all the columns."""
        return bool(seen[self.table][:, list(self.columns)].all(axis=1).any())

    def is_entered(self, rows: Sequence[Bits]) -> bool:
        """Whether one of some rows, given by table, has all the columns."""
        return meeting(rows[self.table], self.columns) is not None


class Denials:
    """The tables of up to three bound variables, and what was never seen in them; larger ones where
    these do not suffice."""

    def __init__(self, prospect: Prospect, deadline: Deadline, seed: int) -> None:
        self._prospect, self._deadline, self._seed = prospect, deadline, seed
        self._sightings: list[Sightings] = []
        self._goals: list[list[list[int]]] = []
        self._entered: list[tuple[int, Rows]] = []
        self._met = 0
        for table in prospect.tables(_ARGUMENTS):
            self._take(table)
        self._further = prospect.further(_ARGUMENTS)

    def _take(self, table: LiteralRows) -> bool:
        """Look at one more table, and return whether it has read all choices of values."""
        self._deadline.check()
        worlds = range(len(table.sights))
        goals = [_orbits(self._prospect, world, table.bound) for world in worlds]
        known = [places for places in goals if places is not None]
        if len(known) < len(goals):
            return False
        self._sightings.append(Sightings(table, self._seed))
        self._goals.append(known)
        return True

    def widen(self, world: int, states: Rows, every: Sequence[list[Sight]]) -> bool:
        """Look at one more table of those that are larger, and return whether there was one.

        What it shows of some states is added to what the others show of each (``every``).
        """
        if not any(self._take(table) for table in self._further):
            return False
        new = self._sightings[-1]
        for number, entered in self._entered:
            new.enter(new.table.sights[number].rows(entered))
        for seen, truth in zip(every, new.table.sights[world].truths(states), strict=True):
            seen.append(truth)
        return True

    def seen(self, world: int, states: Rows) -> list[list[Sight]]:
        """Return by state what each table shows of it."""
        read = [one.table.sights[world].truths(states) for one in self._sightings]
        return [[truths[number] for truths in read] for number in range(len(states))]

    def enter(self, world: int, states: Rows) -> list[Bits]:
        """Enter states as seen, and return by table the rows of what is seen in them."""
        self._entered.append((world, states))
        entered = [one.table.sights[world].rows(states) for one in self._sightings]
        for one, rows in zip(self._sightings, entered, strict=True):
            one.enter(rows)
        return entered

    def meet(self, seen: Sequence[Sight]) -> None:
        """Remember a state that is to be denied, beside which denials are judged from now on."""
        self._met += 1
        for one, truth in zip(self._sightings, seen, strict=True):
            one.deny(one.packed(truth), self._met)

    def of(self, seen: Sequence[Sight], most: int, first: int = 0) -> list[Denial]:
        """Return what denies a state in up to ``most`` literals, the best first: of few literals,
        and denying many of the states that were met. Tables before the ``first`` are passed over.

        Of two literals all that do are looked at, of more some that greed finds.
        """
        made = dict.fromkeys(self._made(seen, most, first))
        plain = sorted(Denial(self._price(*one), *one) for one in made)
        return sorted(
            Denial(one.demerit - log2(1 + self._denied(one)), one.table, one.columns)
            for one in plain[:_LOOKED_AT]
        )

    def conjunct(self, denial: Denial, name: str, world: int) -> Conjunct:
        """Return what a denial says at one size."""
        table = self._sightings[denial.table].table
        circuit = self._prospect.worlds[world].system.circuit
        nodes = table.sights[world].never(denial.columns, circuit)
        instances = tuple(Instance(name, (place,), node) for place, node in enumerate(nodes))
        goals = tuple(instances[place] for place in self._goals[denial.table][world])
        return Conjunct(name, None, instances, goals)

    def candidate(self, denial: Denial) -> Candidate:
        """Return what a denial says in words."""
        table = self._sightings[denial.table].table
        literals = [table.literal(column) for column in denial.columns]
        return never(literals, table.bound, self._prospect.words.variables)

    def _made(self, seen: Sequence[Sight], most: int, first: int) -> Iterator[tuple[int, Columns]]:
        for number in range(first, len(seen)):
            self._deadline.check()
            one, truth = self._sightings[number], seen[number]
            unseen = one.unseen(one.packed(truth))
            if most == 2:
                pairs = islice(one.pairs(truth[unseen]), _PAIRS)
                yield from ((number, columns) for columns in pairs)
            for place in unseen[:_SIGHTS] if most > 2 else ():
                for columns in one.apart(np.flatnonzero(truth[place]), most):
                    yield number, columns

    def _denied(self, denial: Denial) -> int:
        return self._sightings[denial.table].denied(denial.columns)

    def _price(self, number: int, columns: Columns) -> float:
        table = self._sightings[number].table
        against = sum(table.accidents[column // 2] for column in columns)
        return len(columns) + 2 * against + float(table.prices[list(columns)].sum()) / 10


def _orbits(prospect: Prospect, world: int, bound: Sequence[Term]) -> list[int] | None:
    """Return the places of one choice of values an orbit; None where a table has not read all."""
    system = prospect.worlds[world].system
    places = {values: place for place, values in enumerate(bindings(system, bound))}
    found = [places.get(values) for values in representatives(system.domains, bound)]
    known = [place for place in found if place is not None]
    return known if len(known) == len(found) else None
