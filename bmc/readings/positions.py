"""Where a shape can stand among the values of its sort."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import getitem

from bmc.lang.sorts import (
    BOOL,
    BitSet,
    MapSort,
    OptionSort,
    RecordSort,
    Sort,
    VariantSort,
)
from bmc.layout.layouts import Bit, Cases, Maybe, Number, Row, Table
from bmc.readings.circuit import Node
from bmc.readings.shapes import Shape, Shapes

Place = tuple[int, ...]
"""Where a part stands in a shape: a position at each level."""

Parts = tuple[tuple[int, ...], ...]
"""The scalars of several parts of a constant shape."""

_LATEST = 256
"""Shapes of which it is remembered where they can stand among the values of their sort."""


class Positions:
    """Finds shapes among the constants of their sort, without comparing them with each."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._circuit = shapes.circuit
        # By the sort's identity; the sort is held beside, so that its identity stays its own.
        self._positions: dict[int, tuple[Sort, dict[tuple[int, ...], int]]] = {}
        self._counted: dict[int, tuple[Sort, list[tuple[Sort, int]]]] = {}
        # By the identity of the sort, and the leaves of the shape.
        self._hit: dict[tuple[int, tuple[int, ...]], tuple[Sort, list[tuple[int, Node]]]] = {}
        self._matching: dict[tuple[int, tuple[Place, ...]], dict[Parts, array[int]]] = {}

    def position(self, sort: Sort, shape: Shape) -> int | None:
        """Return where a constant shape stands in :meth:`Shapes.constants`.

        None when the shape is no constant, or a constant outside of the sort. It is looked up:
        comparing with every value makes nested binders over a wide set quadratic in its values.
        """
        if isinstance(sort, RecordSort):
            return self._position_of_parts(sort, shape)
        numbers = self._shapes.numbers(shape)
        if numbers is None:
            return None
        known = self._positions.get(id(sort))
        if known is None:
            listed = enumerate(self._shapes.constants(sort))
            table = {self._shapes.scalars(s): i for i, s in listed}
            known = self._positions[id(sort)] = sort, table
        return known[1].get(numbers)

    def _position_of_parts(self, sort: RecordSort, shape: Shape) -> int | None:
        """The values are the product of the parts' values: a table of all says no more."""
        counted = self._counted.get(id(sort))
        if counted is None:
            parts = [(part, self._shapes.domains.number(part)) for _, part in sort.fields]
            counted = self._counted[id(sort)] = sort, parts
        position = 0
        for (part, count), held in zip(counted[1], shape, strict=True):
            own = self.position(part, held)
            if own is None:
                return None
            position = position * count + own
        return position

    def matching(self, sort: Sort, wanted: Mapping[Place, tuple[int, ...]]) -> Sequence[int]:
        """Return the positions in :meth:`Shapes.constants` whose parts have the wanted scalars.

        They are in order, and found in an index of the values by their parts at these places.
        """
        places = tuple(sorted(wanted))
        listed = self._shapes.constants(sort)
        index = self._matching.get((id(sort), places))
        if index is None:
            index = self._matching[id(sort), places] = {}
            for i, shape in enumerate(listed):
                parts = tuple(
                    self._shapes.scalars(reduce(getitem, place, shape)) for place in places
                )
                index.setdefault(parts, array("I")).append(i)
        return index.get(tuple(wanted[place] for place in places), ())

    def hits(self, sort: Sort, shape: Shape) -> list[tuple[int, Node]]:
        """Return where in :meth:`Shapes.constants` a shape can stand, and when it stands there.

        Positions are in order, without those where it can never be.
        """
        position = self.position(sort, shape)
        if position is not None:
            return [(position, self._circuit.true)]
        # Rules that differ in what a message is an answer to mostly send the same one.
        key = id(sort), tuple(leaf.uid for leaf in self._shapes.leaves(shape))
        known = self._hit.get(key)
        if known is None:
            found = [hit for hit in self._hits(sort, shape) if hit[1] is not self._circuit.false]
            if len(self._hit) >= _LATEST:
                del self._hit[next(iter(self._hit))]
            known = self._hit[key] = sort, found
        return known[1]

    def inside(self, sort: Sort, shape: Shape) -> Node:
        """Return when a shape stands at any of its :meth:`hits`, in fewer gates than these take."""
        c = self._circuit
        match self._shapes.layouts.of(sort):
            case Number(_, _, low, high):
                assert isinstance(shape, Node)
                return c.and_(c.le(c.number(low), shape), c.le(shape, c.number(high)))
            case Row():
                assert isinstance(sort, RecordSort)
                parts = zip((part for _, part in sort.fields), shape, strict=True)
                return c.all(self.inside(part, held) for part, held in parts)
            case Cases():
                assert isinstance(sort, VariantSort)
                parts = zip((part for _, part in sort.cases), shape[1], strict=True)
                within = [self.inside(part, held) for part, held in parts]
                return c.any(map(c.and_, self._cases(sort, shape), within))
            case _:
                return c.any(hit for _, hit in self.hits(sort, shape))

    def _hits(self, sort: Sort, shape: Shape) -> list[tuple[int, Node]]:
        c = self._circuit
        match self._shapes.layouts.of(sort):
            case Bit():
                assert isinstance(shape, Node)
                return [(0, c.not_(shape)), (1, shape)]
            case Number(_, _, low, high):
                possible = range(max(low, shape.low), min(high, shape.high) + 1)
                return [(n - low, c.eq(shape, c.number(n))) for n in possible]
            case Row():
                assert isinstance(sort, RecordSort)
                return self._hits_of_parts([part for _, part in sort.fields], shape)
            case Table(_, _, keys) if isinstance(sort, MapSort | BitSet):
                part = sort.value if isinstance(sort, MapSort) else BOOL
                return self._hits_of_parts([part] * len(keys), shape)
            case Cases():
                assert isinstance(sort, VariantSort)
                return self._hits_of_cases(sort, shape)
            case Maybe():
                assert isinstance(sort, OptionSort)
                present, held = shape
                absent = c.and_(
                    c.not_(present), self._shapes.equal(held, self._shapes.default(sort.inner))
                )
                inner = self.hits(sort.inner, held)
                return [(0, absent), *((1 + i, c.and_(present, hit)) for i, hit in inner)]
            case _:
                return [
                    (i, self._shapes.equal(shape, k))
                    for i, k in enumerate(self._shapes.constants(sort))
                ]

    def _hits_of_parts(self, sorts: Sequence[Sort], shape: Shape) -> list[tuple[int, Node]]:
        """The values are the product of the parts' values, the last changing fastest."""
        c, found = self._circuit, [(0, self._circuit.true)]
        for part, held in zip(sorts, shape, strict=True):
            count, inner = len(self._shapes.domains.values(part)), self.hits(part, held)
            both = [(i * count + j, c.and_(a, b)) for i, a in found for j, b in inner]
            found = [hit for hit in both if hit[1] is not c.false]
        return found

    def _hits_of_cases(self, sort: VariantSort, shape: Shape) -> list[tuple[int, Node]]:
        """The values are those of each case in turn."""
        c, found, first = self._circuit, [], 0
        parts = zip((part for _, part in sort.cases), shape[1], strict=True)
        for others, (part, held) in zip(self._cases(sort, shape), parts, strict=True):
            if others is not c.false:
                found += [(first + i, c.and_(others, hit)) for i, hit in self.hits(part, held)]
            first += len(self._shapes.domains.values(part))
        return found

    def _cases(self, sort: VariantSort, shape: Shape) -> list[Node]:
        """Return when a shape is of each case: the contents of the others are default."""
        c, (tag, contents) = self._circuit, shape
        blank = [
            self._shapes.equal(held, self._shapes.default(part))
            for (_, part), held in zip(sort.cases, contents, strict=True)
        ]
        return [
            c.and_(c.eq(tag, c.number(case)), *blank[:case], *blank[case + 1 :])
            for case in range(len(blank))
        ]
