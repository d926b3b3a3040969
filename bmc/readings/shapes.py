"""Shapes: structured values whose scalars are circuit nodes.

A shape mirrors the layout of its sort (:mod:`bmc.layout.layouts`), with a node for each scalar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from operator import getitem, is_
from typing import Any, assert_never

from bmc.lang.errors import LanguageError
from bmc.lang.sorts import (
    BOOL,
    AnySet,
    BitSet,
    MapSort,
    OptionSort,
    RecordSort,
    Sort,
    VariantSort,
)
from bmc.layout.domain import Domains, Value
from bmc.layout.layouts import (
    Bit,
    Cases,
    Layout,
    Layouts,
    Maybe,
    Number,
    Row,
    Scalars,
    Slots,
    Table,
    blank,
    row_of,
)
from bmc.readings.circuit import Circuit, Node

Shape = Any
"""A :class:`Node`, or nested tuples of shapes."""

Place = tuple[int, ...]
"""Where a part stands in a shape: a position at each level."""

Member = tuple[Node, Shape]
"""A possible element of a set: whether it is in, and its shape."""

Parts = tuple[tuple[int, ...], ...]
"""The scalars of several parts of a constant shape."""

_LATEST = 256
"""Shapes of which it is remembered where they can stand among the values of their sort."""

Fresh = Callable[[bool, int, int], Node]
"""Makes a scalar variable from (is it Bool, least value, greatest value)."""


class Shapes:
    """Builds, compares and merges shapes in one circuit at one choice of parameters."""

    def __init__(self, circuit: Circuit, domains: Domains) -> None:
        self.circuit = circuit
        self.domains = domains
        self.layouts = Layouts(domains)
        # By the sort's identity: a sort is hashed field by field. The sort is held beside, so
        # that its identity stays its own.
        self._constants: dict[int, tuple[Sort, tuple[Shape, ...]]] = {}
        self._positions: dict[int, tuple[Sort, dict[tuple[int, ...], int]]] = {}
        self._defaults: dict[int, tuple[Sort, Shape]] = {}
        # By the identity of the sort, and the leaves of the shape.
        self._hit: dict[tuple[int, tuple[int, ...]], tuple[Sort, list[tuple[int, Node]]]] = {}
        # By the identities of the sort and of the set, which are held beside as well.
        self._members: dict[tuple[int, int], tuple[Sort, Shape, dict[int, Member]]] = {}
        self._matching: dict[tuple[int, tuple[Place, ...]], dict[Parts, list[int]]] = {}

    def constants(self, sort: Sort) -> tuple[Shape, ...]:
        """Return the shapes of all values of a listable sort, in canonical order."""
        known = self._constants.get(id(sort))
        if known is None:
            listed = tuple(self.constant(sort, v) for v in self.domains.values(sort))
            known = self._constants[id(sort)] = sort, listed
        return known[1]

    def position(self, sort: Sort, shape: Shape) -> int | None:
        """Return where a constant shape stands in :meth:`constants`.

        None when the shape is no constant, or a constant outside of the sort. It is looked up:
        comparing with every value makes nested binders over a wide set quadratic in its values.
        """
        numbers = self.numbers(shape)
        if numbers is None:
            return None
        known = self._positions.get(id(sort))
        if known is None:
            listed = enumerate(self.constants(sort))
            table = {self._scalars(s): i for i, s in listed}
            known = self._positions[id(sort)] = sort, table
        return known[1].get(numbers)

    def numbers(self, shape: Shape) -> tuple[int, ...] | None:
        """Return the scalars of a constant shape; None when it is no constant."""
        if any(leaf.op not in ("const", "num") for leaf in self.leaves(shape)):
            return None
        return self._scalars(shape)

    def _scalars(self, constant: Shape) -> tuple[int, ...]:
        return tuple(int(leaf.data) for leaf in self.leaves(constant))

    def matching(self, sort: Sort, wanted: Mapping[Place, tuple[int, ...]]) -> Sequence[int]:
        """Return the positions in :meth:`constants` whose parts have the wanted scalars.

        They are in order, and found in an index of the values by their parts at these places.
        """
        places = tuple(sorted(wanted))
        listed = self.constants(sort)
        index = self._matching.get((id(sort), places))
        if index is None:
            index = self._matching[id(sort), places] = {}
            for i, shape in enumerate(listed):
                parts = tuple(self._scalars(reduce(getitem, place, shape)) for place in places)
                index.setdefault(parts, []).append(i)
        return index.get(tuple(wanted[place] for place in places), ())

    def hits(self, sort: Sort, shape: Shape) -> list[tuple[int, Node]]:
        """Return where in :meth:`constants` a shape can stand, and when it stands there.

        Positions are in order, without those where it can never be.
        """
        position = self.position(sort, shape)
        if position is not None:
            return [(position, self.circuit.true)]
        # Rules that differ in what a message is an answer to mostly send the same one.
        key = id(sort), tuple(leaf.uid for leaf in self.leaves(shape))
        known = self._hit.get(key)
        if known is None:
            found = [hit for hit in self._hits(sort, shape) if hit[1] is not self.circuit.false]
            if len(self._hit) >= _LATEST:
                del self._hit[next(iter(self._hit))]
            known = self._hit[key] = sort, found
        return known[1]

    def _hits(self, sort: Sort, shape: Shape) -> list[tuple[int, Node]]:
        c = self.circuit
        match self.layouts.of(sort):
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
                return self._hits_of_cases([part for _, part in sort.cases], shape)
            case Maybe():
                assert isinstance(sort, OptionSort)
                present, held = shape
                absent = c.and_(c.not_(present), self.equal(held, self.default(sort.inner)))
                inner = self.hits(sort.inner, held)
                return [(0, absent), *((1 + i, c.and_(present, hit)) for i, hit in inner)]
            case _:
                return [(i, self.equal(shape, k)) for i, k in enumerate(self.constants(sort))]

    def _hits_of_parts(self, sorts: Sequence[Sort], shape: Shape) -> list[tuple[int, Node]]:
        """The values are the product of the parts' values, the last changing fastest."""
        c, found = self.circuit, [(0, self.circuit.true)]
        for part, held in zip(sorts, shape, strict=True):
            count, inner = len(self.domains.values(part)), self.hits(part, held)
            both = [(i * count + j, c.and_(a, b)) for i, a in found for j, b in inner]
            found = [hit for hit in both if hit[1] is not c.false]
        return found

    def _hits_of_cases(self, sorts: Sequence[Sort], shape: Shape) -> list[tuple[int, Node]]:
        """The values are those of each case in turn; the contents of the others are default."""
        c, (tag, contents) = self.circuit, shape
        blank = [self.equal(one, self.default(s)) for s, one in zip(sorts, contents, strict=True)]
        found, first = [], 0
        for case, (part, held) in enumerate(zip(sorts, contents, strict=True)):
            others = c.and_(c.eq(tag, c.number(case)), *blank[:case], *blank[case + 1 :])
            if others is not c.false:
                found += [(first + i, c.and_(others, hit)) for i, hit in self.hits(part, held)]
            first += len(self.domains.values(part))
        return found

    def leaves(self, shape: Shape) -> Iterator[Node]:
        """The scalars of a shape, in a fixed order."""
        if isinstance(shape, Node):
            yield shape
        else:
            for part in shape:
                yield from self.leaves(part)

    def constant(self, sort: Sort, value: Value) -> Shape:
        """A concrete value as a shape."""
        return self._constant(self.layouts.encode(sort, value))

    def _constant(self, scalars: Scalars) -> Shape:
        if isinstance(scalars, tuple):
            return tuple(self._constant(part) for part in scalars)
        c = self.circuit
        return c.constant(scalars) if isinstance(scalars, bool) else c.number(scalars)

    def default(self, sort: Sort) -> Shape:
        """The shape that fills what is absent."""
        known = self._defaults.get(id(sort))
        if known is None:
            shape = self._constant(self.layouts.blank(sort))
            known = self._defaults[id(sort)] = sort, shape
        return known[1]

    def fresh(self, sort: Sort, make: Fresh) -> Shape:
        """A shape of fresh variables; :meth:`well_formed` says which of its values exist."""
        return self._fresh(self.layouts.of(sort), make)

    def _fresh(self, layout: Layout, make: Fresh) -> Shape:
        match layout:
            case Bit():
                return make(True, 0, 1)
            case Number():
                # An empty range has no value to choose: what fills its place is not well formed.
                ranges = layout.low < layout.high
                return (
                    make(False, layout.low, layout.high)
                    if ranges
                    else self.circuit.number(layout.low)
                )
            case Row():
                return tuple(self._fresh(part, make) for part in layout.parts)
            case Cases():
                tag = make(False, 0, len(layout.tags) - 1)
                return tag, tuple(self._fresh(part, make) for part in layout.parts)
            case Maybe():
                return make(True, 0, 1), self._fresh(layout.part, make)
            case Table(known=None):
                return tuple(self._fresh(layout.part, make) for _ in layout.keys)
            case Table():
                return tuple(self._keyed(layout, key, make) for key in layout.keys)
            case Slots():
                room = layout.capacity
                length = make(False, 0, room) if room >= 0 else self.circuit.number(0)
                return length, tuple(self._fresh(layout.part, make) for _ in range(room))
            case _:
                assert_never(layout)

    def _keyed(self, layout: Table, key: Value, make: Fresh) -> Shape:
        # The slot says what the key is, so the key needs no variables of its own.
        present = make(True, 0, 1)
        index = layout.index
        known = self.ite(present, self.constant(index, key), self.default(index))
        row = row_of(layout)
        return present, tuple(
            known if i == layout.known else self._fresh(part, make)
            for i, part in enumerate(row.parts)
        )

    def well_formed(self, sort: Sort, shape: Shape) -> Node:
        """That a shape is the canonical shape of some value of the sort."""
        return self._well_formed(self.layouts.of(sort), shape)

    def _well_formed(self, layout: Layout, shape: Shape) -> Node:
        c = self.circuit
        match layout:
            case Bit():
                return c.true
            case Number():
                low, high = c.number(layout.low), c.number(layout.high)
                return c.and_(c.le(low, shape), c.le(shape, high))
            case Row():
                parts = zip(layout.parts, shape, strict=True)
                return c.all(self._well_formed(part, s) for part, s in parts)
            case Cases():
                tag, contents = shape
                cases = enumerate(zip(layout.parts, contents, strict=True))
                return c.all(
                    self._present(part, c.eq(tag, c.number(i)), s) for i, (part, s) in cases
                )
            case Maybe():
                return self._present(layout.part, shape[0], shape[1])
            case Table(part=Bit()):
                return c.true
            case Table(known=None):
                return c.all(self._well_formed(layout.part, s) for s in shape)
            case Table():
                pairs = zip(layout.keys, shape, strict=True)
                return c.all(self._under_key(layout, key, slot) for key, slot in pairs)
            case Slots():
                return self._slots_well_formed(layout, shape)
            case _:
                assert_never(layout)

    def _under_key(self, layout: Table, key: Value, slot: Shape) -> Node:
        present, row = slot
        held = self._well_formed(layout.part, slot)
        own = self.equal(row[layout.known], self.constant(layout.index, key))
        return self.circuit.and_(held, self.circuit.implies(present, own))

    def _slots_well_formed(self, layout: Slots, shape: Shape) -> Node:
        c = self.circuit
        length, slots = shape
        held = [
            c.constant(layout.capacity >= 0),
            *(
                self._present(layout.part, c.lt(c.number(i), length), slot)
                for i, slot in enumerate(slots)
            ),
        ]
        if layout.canonical:
            for i in range(1, len(slots)):
                ordered = self.less(slots[i - 1], slots[i])
                held.append(c.implies(c.lt(c.number(i), length), ordered))
        return c.all(held)

    def _present(self, layout: Layout, present: Node, shape: Shape) -> Node:
        c = self.circuit
        return c.and_(
            c.implies(present, self._well_formed(layout, shape)),
            c.or_(present, self.equal(shape, self._constant(blank(layout)))),
        )

    def members(self, sort: AnySet, shape: Shape) -> Mapping[int, Member]:
        """Return the possible elements of a set by their places in it: (is it in, its shape).

        A shape is the element's only where the element is in. What can never be in is left out.
        """
        name = id(sort), id(shape)
        known = self._members.get(name)
        if known is None:
            false = self.circuit.false
            numbered = enumerate(self._elements(sort, shape))
            possible = {i: pair for i, pair in numbered if pair[0] is not false}
            known = self._members[name] = sort, shape, possible
        return known[2]

    def _elements(self, sort: AnySet, shape: Shape) -> Iterator[Member]:
        match self.layouts.of(sort):
            case Table(part=Bit()) as table:
                yield from zip(shape, self.constants(table.index), strict=True)
            case Table(known=int(index)) as table:
                # The place says the key, so that conditions on the key of a member fold away.
                for key, (present, row) in zip(self.constants(table.index), shape, strict=True):
                    yield present, replaced(row, index, key)
            case Slots():
                length, slots = shape
                for i, slot in enumerate(slots):
                    yield self.circuit.lt(self.circuit.number(i), length), slot
            case other:
                raise LanguageError(f"no set is held as {other}: bmc.layout lists the layouts")

    def equal(self, left: Shape, right: Shape) -> Node:
        """Equality of two shapes of one sort."""
        c = self.circuit
        if left is right:
            return c.true
        if isinstance(left, Node):
            return (c.iff if is_bool(left) else c.eq)(left, right)
        parts = []
        for a, b in zip(left, right, strict=True):
            part = self.equal(a, b)
            if part is c.false:
                return part
            parts.append(part)
        return c.all(parts)

    def less(self, left: Shape, right: Shape) -> Node:
        """The canonical (lexicographic) order of two shapes of one sort."""
        c = self.circuit
        result = c.false
        pairs = list(zip(self.leaves(left), self.leaves(right), strict=True))
        for a, b in reversed(pairs):
            below = c.and_(c.not_(a), b) if is_bool(a) else c.lt(a, b)
            result = c.or_(below, c.and_(self.equal(a, b), result))
        return result

    def ite(self, condition: Node, then: Shape, otherwise: Shape) -> Shape:
        """A conditional, scalar by scalar."""
        if condition.op == "const":
            return then if condition.data else otherwise
        if then is otherwise:
            return then
        if isinstance(then, Node):
            c = self.circuit
            return (c.choose if is_bool(then) else c.ite)(condition, then, otherwise)
        pairs = zip(then, otherwise, strict=True)
        merged = tuple(a if a is b else self.ite(condition, a, b) for a, b in pairs)
        # What does not change stays the same object: who compares need not look inside.
        return otherwise if all(map(is_, merged, otherwise)) else merged


def replaced(row: Shape, index: int, part: Shape) -> Shape:
    """Return a row with another part at a position."""
    return (*row[:index], part, *row[index + 1 :])


def is_bool(node: Node) -> bool:
    """Whether a node is a truth value rather than an integer."""
    return node.op not in ("num", "ivar", "ite", "add", "sub")
