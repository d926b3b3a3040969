"""Which literals were ever seen together: the rows of a table, one for each distinct sight.

A row is the truth of all literals over one choice of bound variables, in one state, for one choice
of the variables' values; literals have no parameters in them, so rows of several sizes stand in
one table. A set of literals that no row has together is a lemma of the explored states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bmc.analysis.inference.vocabulary import Words
from bmc.analysis.mining.literals import Literal
from bmc.analysis.mining.vocabulary import Variables
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing, Rows
from bmc.lang.errors import BmcError
from bmc.layout.domain import Value
from bmc.readings.circuit import Node
from bmc.system.transition import TransitionSystem

_BINDINGS = 300
_BLOCK = 1 << 22
"""How many truth values are looked at in one go."""
_NEAREST = 1500

Bits = NDArray[np.uint64]


class Sight:
    """The literals over one choice of bound variables, read in one system."""

    def __init__(
        self,
        system: TransitionSystem,
        packing: Packing,
        bound: Variables,
        nodes: Sequence[Sequence[tuple[Node, Node]]],
    ) -> None:
        self.bindings = len(nodes)
        numbers: dict[int, int] = {}
        unique: list[Node] = []
        count = len(nodes[0]) if nodes else 0
        self._places = np.zeros((2 * count, self.bindings), np.intp)
        for b, pairs in enumerate(nodes):
            for a, pair in enumerate(pairs):
                for kind, node in enumerate(pair):
                    place = numbers.setdefault(node.uid, len(unique))
                    if place == len(unique):
                        unique.append(node)
                    self._places[2 * a + kind, b] = place
        self._formulas = Formulas(packing, unique)
        self.width = -(-2 * count // 64)

    def rows(self, states: Rows) -> Bits:
        """Return the distinct rows of some states."""
        step = max(1, _BLOCK // max(1, self._places.size))
        found = [self._block(states[i : i + step]) for i in range(0, len(states), step)]
        return distinct(np.concatenate(found)) if found else np.zeros((0, self.width), np.uint64)

    def _block(self, states: Rows) -> Bits:
        values = self._formulas.evaluate(states)
        seen = values[self._places].transpose(1, 2, 0)
        return distinct(packed(seen.reshape(-1, seen.shape[2]), self.width))


def packed(truth: NDArray[np.bool_], width: int) -> Bits:
    """Return rows of truth values as rows of words, filled up with zeros."""
    padding = width * 64 - truth.shape[1]
    whole = np.pad(truth, ((0, 0), (0, padding)))
    rows = np.ascontiguousarray(np.packbits(whole, axis=1, bitorder="little"))
    return rows.view(np.uint64)


def distinct(rows: Bits) -> Bits:
    """Return each row once."""
    if len(rows) < 2:
        return rows
    order = np.lexsort(rows.T)
    ordered = rows[order]
    first = np.ones(len(rows), np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    kept: Bits = ordered[first]
    return kept


class Table:
    """The rows of one choice of bound variables; column ``2 i`` says that literal ``i`` holds,
    column ``2 i + 1`` that its negation does, neither that it has no value."""

    def __init__(
        self,
        words: Words,
        bound: Variables,
        systems: Sequence[tuple[TransitionSystem, Packing]],
    ) -> None:
        self.bound = bound
        listed = words.literals(bound)
        read = [_read(system, bound, listed) for system, _ in systems]
        kept = _worth_keeping(listed, read)
        self.literals = tuple(listed[a] for a in kept)
        self.sights = [
            Sight(system, packing, bound, [[pairs[a] for a in kept] for pairs in nodes])
            for (system, packing), nodes in zip(systems, read, strict=True)
        ]
        self.rows: Bits = np.zeros((0, self.sights[0].width), np.uint64)

    def add(self, world: int, states: Rows) -> None:
        """Enter what is seen in states of one of the systems."""
        new = self.sights[world].rows(states)
        self.rows = distinct(np.concatenate([self.rows, new]))

    def separators(
        self, state: Rows, most: int, enough: int, budget: int
    ) -> Iterator[tuple[Literal, ...]]:
        """Yield sets of up to ``most`` literals that are seen together in a state and in no row.

        ``state`` is one of the first system. Those of fewest literals come first, for each choice
        of the variables' values ``enough`` at most.
        """
        for row in self.sights[0].rows(state):
            for columns in self._excluding(row, most, enough, budget):
                yield tuple(self._literal(column) for column in columns)

    def _literal(self, column: int) -> Literal:
        one = self.literals[column // 2]
        return one.negated if column % 2 else one

    def _excluding(self, row: Bits, most: int, enough: int, budget: int) -> list[tuple[int, ...]]:
        lacking = np.bitwise_count(row & ~self.rows).sum(axis=1)
        if len(lacking) and not lacking.min():
            return []
        near = np.argsort(lacking, kind="stable")[:_NEAREST]
        facts = np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little"))
        while True:
            search = _Search(self._truth(near, facts), most, enough, budget)
            found = [tuple(int(facts[i]) for i in chosen) for chosen in search.run()]
            wrong = [self._meeting(columns) for columns in found]
            more = np.array([x for x in wrong if x is not None], np.intp)
            if not len(more):
                return found
            near = np.unique(np.concatenate([near, more]))

    def _truth(self, rows: NDArray[np.intp], facts: NDArray[np.intp]) -> NDArray[np.bool_]:
        chosen = np.ascontiguousarray(self.rows[rows]).view(np.uint8)
        bits = np.unpackbits(chosen, axis=1, bitorder="little")
        return bits[:, facts].astype(np.bool_)

    def _meeting(self, columns: Sequence[int]) -> int | None:
        """Return the place of a row that has all these columns, None if there is none."""
        met = np.ones(len(self.rows), np.bool_)
        for column in columns:
            word, bit = divmod(column, 64)
            met &= (self.rows[:, word] >> np.uint64(bit)) & np.uint64(1) == 1
        place = int(met.argmax()) if len(met) else 0
        return place if len(met) and met[place] else None


class _Search:
    """Minimal sets of facts that no row has together, those of fewest facts first.

    Each row lacks a fact of such a set, so one is found by branching on a row that lacks few.
    """

    def __init__(self, truth: NDArray[np.bool_], most: int, enough: int, budget: int) -> None:
        self._every = (1 << len(truth)) - 1
        columns = np.packbits(truth.T, axis=1, bitorder="little")
        self._has = [int.from_bytes(column.tobytes(), "little") for column in columns]
        self._lacks = [np.flatnonzero(~row).tolist() for row in truth]
        self._most = most
        self._enough = enough
        self._budget = budget
        self._left = 0
        self.found: dict[tuple[int, ...], None] = {}

    def run(self) -> list[tuple[int, ...]]:
        """Return what was found within the budget."""
        for size in range(1, self._most + 1):
            self._left = self._budget
            self._extend((), self._every, size)
            if len(self.found) >= self._enough:
                break
        return list(self.found)

    def _extend(self, chosen: tuple[int, ...], alive: int, size: int) -> None:
        if not alive:
            if self._is_minimal(chosen):
                self.found[tuple(sorted(chosen))] = None
            return
        if len(chosen) == size:
            return
        row = (alive & -alive).bit_length() - 1
        for fact in self._lacks[row]:
            self._left -= 1
            if self._left < 0 or len(self.found) >= self._enough:
                return
            self._extend((*chosen, fact), alive & self._has[fact], size)

    def _is_minimal(self, chosen: tuple[int, ...]) -> bool:
        for left_out in chosen:
            alive = self._every
            for fact in chosen:
                if fact != left_out:
                    alive &= self._has[fact]
            if not alive:
                return False
        return True


Pairs = list[list[tuple[Node, Node]]]


def _read(system: TransitionSystem, bound: Variables, listed: Sequence[Literal]) -> Pairs:
    """Return by binding and literal where it has a value and holds, and where it does not hold."""
    every = list(product(*(system.domains.values(v.sort) for v in bound)))
    chosen = every[:: -(-len(every) // _BINDINGS)] if every else []
    return [[_nodes(system, literal, bound, values) for literal in listed] for values in chosen]


def _nodes(
    system: TransitionSystem, literal: Literal, bound: Variables, values: Sequence[Value]
) -> tuple[Node, Node]:
    circuit = system.circuit
    pairs = zip(bound, values, strict=True)
    environment = {v: system.shapes.constant(v.sort, x) for v, x in pairs}
    there = circuit.true
    try:
        for guard in literal.guards:
            read = system.expander.expand(guard, environment)
            there = circuit.and_(there, read.defined, read.shape)
        read = system.expander.expand(literal.formula, environment)
    except BmcError:
        return circuit.false, circuit.false
    if not literal.guards and read.defined is not circuit.true:
        # There is no formula at hand that says when it has a value.
        return circuit.false, circuit.false
    there = circuit.and_(there, read.defined)
    return circuit.and_(there, read.shape), circuit.and_(there, circuit.not_(read.shape))


def _worth_keeping(listed: Sequence[Literal], read: Sequence[Pairs]) -> list[int]:
    """Return the literals that say something, and each of those that say the same once."""
    known: set[tuple[tuple[int, int], ...]] = set()
    kept = []
    for a in range(len(listed)):
        key = tuple((p[a][0].uid, p[a][1].uid) for nodes in read for p in nodes)
        other = tuple((no, yes) for yes, no in key)
        constant = all(p[a][0].op == p[a][1].op == "const" for nodes in read for p in nodes)
        varies = len({key[i] for i in range(len(key))}) > 1
        if (constant and not varies) or key in known or other in known:
            continue
        known.add(key)
        kept.append(a)
    return kept
