"""Which literals were ever seen together: the rows of a table, one for each distinct sight.

A row is the truth of all literals over one choice of bound variables, in one state, for one choice
of the variables' values; literals have no parameters in them, so rows of several sizes stand in
one table. A set of literals that no row has together is a lemma of the explored states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bmc.analysis.inference.separators import Smallest, greedily
from bmc.analysis.inference.vocabulary import Words
from bmc.analysis.inference.weights import accidents
from bmc.analysis.mining.literals import Literal
from bmc.analysis.mining.vocabulary import Variables
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing, Rows
from bmc.lang.errors import BmcError
from bmc.lang.model import Model
from bmc.lang.resized import Resizing
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.circuit import Circuit, Node
from bmc.system.transition import TransitionSystem

_BINDINGS = 300
_BLOCK = 1 << 22
"""How many truth values are looked at in one go."""
_NEAREST = 1500
_LOOKED_AT = 8
"""Choices of the variables' values that separators are looked for at, of one state."""
_SHIFTS = np.arange(8, dtype=np.uint8)[:, None]
_ODD = np.uint64(0x9E3779B97F4A7C15)

Bits = NDArray[np.uint64]

Known = dict[tuple[object, ...], tuple[Node, Node]]
"""What literals came to in one system, so that no other table reads them again."""


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

    def truths(self, states: Rows) -> NDArray[np.bool_]:
        """Return which columns hold, by state and binding: shape (states, bindings, columns)."""
        found: NDArray[np.bool_] = self._formulas.evaluate(states)[self._places].T
        return found

    def never(self, columns: Sequence[int], circuit: Circuit) -> list[Node]:
        """Return by binding that columns do not hold together."""
        nodes = self._formulas.nodes
        return [
            circuit.not_(circuit.all(nodes[place] for place in places))
            for places in self._places[list(columns)].T.tolist()
        ]

    def _block(self, states: Rows) -> Bits:
        values = self._formulas.evaluate(states).view(np.uint8)
        nothing = np.zeros((64 * self.width - len(self._places), len(states)), np.uint8)
        found = []
        for places in self._places.T:
            eights = np.concatenate([values[places], nothing]).reshape(-1, 8, len(states))
            bits = np.bitwise_or.reduce(eights << _SHIFTS, axis=1)
            found.append(np.ascontiguousarray(bits.T).view(np.uint64))
        return distinct(np.concatenate(found))


def distinct(rows: Bits) -> Bits:
    """Return each row once.

    Rows are told apart by 64 bits of each. Of two that these confuse one is missing, which is as if
    it had not been seen.
    """
    if len(rows) < 2:
        return rows
    mixed = np.zeros(len(rows), np.uint64)
    for word in range(rows.shape[1]):
        mixed = (mixed ^ (mixed >> np.uint64(29)) ^ rows[:, word]) * _ODD
    _, first = np.unique(mixed, return_index=True)
    kept: Bits = rows[np.sort(first)]
    return kept


class LiteralRows:
    """The rows of one choice of bound variables; column ``2 i`` says that literal ``i`` holds,
    column ``2 i + 1`` that its negation does, neither that it has no value."""

    def __init__(
        self,
        words: Words,
        bound: Variables,
        systems: Sequence[tuple[TransitionSystem, Packing]],
        known: Sequence[Known] | None = None,
    ) -> None:
        self.bound = bound
        listed = words.literals(bound)
        kept_before = known if known is not None else [{} for _ in systems]
        read = [
            _read(system, bound, listed, before, words.model)
            for (system, _), before in zip(systems, kept_before, strict=True)
        ]
        kept = _worth_keeping(listed, read)
        self.literals = tuple(listed[a] for a in kept)
        self.sights = [
            Sight(system, packing, bound, [[pairs[a] for a in kept] for pairs in nodes])
            for (system, packing), nodes in zip(systems, read, strict=True)
        ]
        self.accidents = tuple(accidents(x.formula) for x in self.literals)
        told = zip(self.literals, self.accidents, strict=True)
        prices = [1 + x.weight / 4 + 3 * against for x, against in told]
        self.prices = np.repeat(np.array(prices, np.float64), 2)
        """How much is to be said against each column in a lemma."""
        self.rows: Bits = np.zeros((0, self.sights[0].width), np.uint64)

    def literal(self, column: int) -> Literal:
        """Return what a column says."""
        one = self.literals[column // 2]
        return one.negated if column % 2 else one

    def add(self, world: int, states: Rows) -> None:
        """Enter what is seen in states of one of the systems."""
        self.rows = np.concatenate([self.rows, self.sights[world].rows(states)])

    def settle(self) -> None:
        """Keep each row once, which is too slow to be done whenever a few are entered."""
        self.rows = distinct(self.rows)

    def separators(
        self, state: Rows, most: int, enough: int, budget: int
    ) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Yield sets of up to ``most`` columns that are seen together in a state and in no row.

        ``state`` is one of the first system. Those of fewest columns come first, for each choice
        of the variables' values ``enough`` at most. With each go all columns of that sight.
        """
        left = _LOOKED_AT
        for row in self.sights[0].rows(state):
            facts = np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little"))
            found = self._excluding(row, facts, most, enough, budget)
            left -= bool(found)
            for columns in found:
                yield tuple(facts.tolist()), columns
            if not left:
                return

    def _excluding(
        self, row: Bits, facts: NDArray[np.intp], most: int, enough: int, budget: int
    ) -> list[tuple[int, ...]]:
        lacking = np.bitwise_count(row & ~self.rows).sum(axis=1)
        if len(lacking) and not lacking.min():
            return []
        price = self.prices[facts]
        near = np.argsort(lacking, kind="stable")[:_NEAREST]
        while True:
            truth = _truth(self.rows[near], facts)
            sets = [*Smallest(truth, most, enough, budget).run(), *greedily(truth, price)]
            found = list(dict.fromkeys(tuple(int(facts[i]) for i in one) for one in sets))
            wrong = [meeting(self.rows, columns) for columns in found]
            more = np.array([x for x in wrong if x is not None], np.intp)
            if not len(more):
                return found
            near = np.unique(np.concatenate([near, more]))


def _truth(rows: Bits, facts: NDArray[np.intp]) -> NDArray[np.bool_]:
    bits = np.unpackbits(np.ascontiguousarray(rows).view(np.uint8), axis=1, bitorder="little")
    return bits[:, facts].astype(np.bool_)


def meeting(rows: Bits, columns: Sequence[int]) -> int | None:
    """Return the place of a row that has all columns, None if there is none."""
    met = np.ones(len(rows), np.bool_)
    for column in columns:
        word, bit = divmod(column, 64)
        met &= (rows[:, word] >> np.uint64(bit)) & np.uint64(1) == 1
    place = int(met.argmax()) if len(met) else 0
    return place if len(met) and met[place] else None


Pairs = list[list[tuple[Node, Node]]]


def bindings(system: TransitionSystem, bound: Iterable[Term]) -> list[tuple[Value, ...]]:
    """Return values of the bound variables: all, unless there are too many."""
    every = list(product(*(system.domains.values(v.sort) for v in bound)))
    return every[:: -(-len(every) // _BINDINGS)] if every else []


def _read(
    system: TransitionSystem,
    bound: Variables,
    listed: Sequence[Literal],
    known: Known,
    spoken: Model,
) -> Pairs:
    """Return by binding and literal where it has a value and holds, and where it does not hold.

    They are about the model ``spoken``, and the system may be of its text at another size.
    """
    here_said = _as_it_is if system.model is spoken else Resizing(system.model.variables).term
    called = [here_said(variable) for variable in bound]
    used = [
        [i for i, v in enumerate(bound) if any(v in t.free for t in (x.formula, *x.guards))]
        for x in listed
    ]
    every = bindings(system, called)
    found: Pairs = [[] for _ in every]
    for literal, places in zip(listed, used, strict=True):
        here: dict[tuple[Value, ...], tuple[Node, Node]] = {}
        for values, nodes in zip(every, found, strict=True):
            some = tuple([values[i] for i in places])
            if some not in here:
                chosen = {called[i]: values[i] for i in places}
                key = literal.formula.uid, literal.guards, tuple(chosen.items())
                if key not in known:
                    known[key] = _nodes(system, literal, chosen, here_said)
                here[some] = known[key]
            nodes.append(here[some])
    return found


def _as_it_is(term: Term) -> Term:
    return term


def _nodes(
    system: TransitionSystem,
    literal: Literal,
    chosen: dict[Term, Value],
    said: Callable[[Term], Term],
) -> tuple[Node, Node]:
    circuit = system.circuit
    environment = {v: system.shapes.constant(v.sort, x) for v, x in chosen.items()}
    there = circuit.true
    try:
        for guard in literal.guards:
            read = system.expander.expand(said(guard), environment)
            there = circuit.and_(there, read.defined, read.shape)
        read = system.expander.expand(said(literal.formula), environment)
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
