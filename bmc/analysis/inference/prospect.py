"""Explored states of several sizes, and the tables of what is seen in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from bmc.analysis.inference.table import Known, LiteralRows
from bmc.analysis.inference.vocabulary import Words
from bmc.analysis.mining.candidates import Candidate, never
from bmc.analysis.mining.vocabulary import Variables
from bmc.engines.conjuncts import Conjunct, conjunct
from bmc.engines.packed.packing import Rows
from bmc.engines.samples import Explored
from bmc.engines.task import Deadline
from bmc.lang.errors import BmcError
from bmc.lang.resized import Resizing
from bmc.system.transition import Instance, TransitionSystem

_SAMPLE = 6_000
"""States of the first world that go into the tables before any refutes a candidate."""
_FURTHER = 2_500
"""The same of each of the others."""
_ALWAYS = 2
"""A table of so many bound variables is never a large one."""
_LARGE = 400_000
"""Sights of all worlds from which on a table is made only where nothing else tells states apart."""
_SIGHTS = 120_000
"""Sights of one world that a table is made of at most, before equal ones are merged."""


@dataclass(frozen=True)
class Cube:
    """Columns of a table that no row has together, among all (``facts``) that one sight has."""

    table: LiteralRows
    facts: tuple[int, ...]
    columns: tuple[int, ...]

    @property
    def cost(self) -> tuple[int, float]:
        """What to sort by to have the simplest first."""
        return len(self.columns), float(self.table.prices[list(self.columns)].sum())


class Prospect:
    """What is known of the reachable states, and the words to speak of them.

    The first of the ``worlds`` is the one that lemmas are looked for at; the others keep them
    from leaning on its size.
    """

    def __init__(self, words: Words, worlds: Sequence[Explored], most: int) -> None:
        self.words = words
        self.worlds = worlds
        self.system: TransitionSystem = worlds[0].system
        self._tables: dict[Variables, LiteralRows] = {}
        self._known: list[Known] = [{} for _ in worlds]
        self._resized = [Resizing(world.system.model.variables) for world in worlds]
        signatures = [bound for bound in words.signatures(most) if self._differ(bound)]
        self._layers = [
            (late, [b for b in signatures if len(b) == count and self._is_large(b) == late])
            for late in (False, True)
            for count in range(most + 1)
        ]

    def _is_large(self, bound: Variables) -> bool:
        """Whether a table takes long to make."""
        rows = 0
        for number, world in enumerate(self.worlds):
            most = _FURTHER if number else _SAMPLE
            rows += self._choices(world, bound) * min(most, len(world))
        return len(bound) > _ALWAYS and rows > _LARGE

    def _choices(self, world: Explored, bound: Variables) -> int:
        return max(1, prod(len(world.system.domains.values(v.sort)) for v in bound))

    def _differ(self, bound: Variables) -> bool:
        """Whether there are values enough for all bound variables to differ, of each sort."""
        sorts = [variable.sort for variable in bound]
        domains = self.system.domains
        return all(sorts.count(sort) <= len(domains.values(sort)) for sort in set(sorts))

    def pack(self, numbers: Sequence[int]) -> Rows:
        """Return a state of the first world, the numbers of its leaves, as a row."""
        packed: Rows = self.worlds[0].packing.pack([numbers])
        return packed

    def layers(self) -> Iterator[tuple[bool, Iterator[LiteralRows]]]:
        """Yield the tables of no bound variable, of one, of two, and so on; and then, with True,
        those that take long to make in the same order. A table is made when it is come to."""
        for late, bounds in self._layers:
            yield late, self._made(bounds)

    def tables(self, most: int) -> Iterator[LiteralRows]:
        """Yield the tables of up to ``most`` bound variables but those that take long to make."""
        for late, bounds in self._layers:
            if not late:
                yield from self._made([bound for bound in bounds if len(bound) <= most])

    def further(self, most: int) -> Iterator[LiteralRows]:
        """Yield the tables that :meth:`tables` does not: of more variables, and those that take
        long to make. A table is made when it is come to."""
        for late, bounds in self._layers:
            yield from self._made([bound for bound in bounds if late or len(bound) > most])

    def _made(self, bounds: Sequence[Variables]) -> Iterator[LiteralRows]:
        for bound in bounds:
            if bound not in self._tables:
                self._tables[bound] = self._table(bound)
            if self._tables[bound].literals:
                yield self._tables[bound]

    def _table(self, bound: Variables) -> LiteralRows:
        systems = [(world.system, world.packing) for world in self.worlds]
        table = LiteralRows(self.words, bound, systems, self._known)
        for number, world in enumerate(self.worlds if table.literals else ()):
            most = min(_FURTHER if number else _SAMPLE, _SIGHTS // self._choices(world, bound))
            table.add(number, world.sample(max(1, most)))
        table.settle()
        return table

    def separating(
        self, table: LiteralRows, state: Rows, most: int, enough: int, budget: int
    ) -> list[Cube]:
        """Return cubes that a state fits and nothing that the table has seen."""
        return [
            Cube(table, facts, columns)
            for facts, columns in table.separators(state, most, enough, budget)
        ]

    def denied(self, cube: Cube) -> Candidate:
        """Return that the columns of a cube are never seen together."""
        literals = [cube.table.literal(column) for column in cube.columns]
        return never(literals, cube.table.bound, self.words.variables)

    def apart(self, cube: Cube, numbers: Sequence[int]) -> Cube | None:
        """Return a cube with one more column, so that less of a state of the first world fits it.

        None if all of the sight that the columns are of is seen in that state.
        """
        (truth,) = cube.table.sights[0].truths(self.pack(numbers))
        fitting = truth[truth[:, cube.columns].all(axis=1)]
        if not len(fitting):
            return None
        left = [column for column in cube.facts if not fitting[:, column].all()]
        if not left:
            return None
        rest = fitting[:, left].sum(axis=0).tolist()
        price = cube.table.prices[left].tolist()
        best = min(range(len(left)), key=lambda i: ((rest[i] + 1) * price[i], left[i]))
        return replace(cube, columns=(*cube.columns, left[best]))

    def valid(
        self, candidates: Sequence[Candidate], limit: Deadline
    ) -> list[tuple[Candidate, Conjunct]]:
        """Return those that hold in every explored state; states that refute others are entered
        in the tables, so that nothing like them is proposed again.

        Raises OutOfTime once the limit has passed.
        """
        found: list[tuple[Candidate, Conjunct]] = []
        for one in candidates:
            limit.check()
            try:
                found.append((one, conjunct(self.system, one.stated("candidate"))))
            except BmcError:
                continue
        circuit = self.system.circuit
        for number, world in enumerate(self.worlds):
            if not found:
                break
            nodes = []
            circuit = world.system.circuit
            for one, c in found:
                limit.check()
                instances = c.goals if number == 0 else self._elsewhere(number, one)
                nodes.append(circuit.all(i.holds for i in instances))
            failing = world.failing(nodes)
            refuting = [rows for rows in failing if len(rows)]
            if refuting:
                # All in one go: to read a table's literals takes long, however few the states.
                self._refine(number, np.concatenate(refuting))
            kept = zip(found, failing, nodes, strict=True)
            found = [
                pair for pair, rows, node in kept if not len(rows) and node is not circuit.true
            ]
        return found

    def _elsewhere(self, number: int, one: Candidate) -> tuple[Instance, ...]:
        """Return what a candidate says in another world, which may be of the text at other sizes.

        Where nothing can be said of it there, it says nothing.
        """
        system, stated = self.worlds[number].system, one.stated("candidate")
        if system.model is not self.words.model:
            try:
                stated = self._resized[number].property(stated)
            except BmcError:
                return ()
        return system.representatives(stated)

    def _refine(self, world: int, rows: Rows) -> None:
        for table in self._tables.values():
            if table.literals:
                table.add(world, rows)
