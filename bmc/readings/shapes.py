"""Shapes: structured values whose scalars are circuit nodes.

A shape mirrors the layout of its sort (:mod:`bmc.layout.layouts`), with a node for each scalar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from operator import is_
from typing import Any, assert_never

from bmc.lang.errors import LanguageError
from bmc.lang.sorts import AnySet, RecordSort, Sort
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

Member = tuple[Node, Shape]
"""A possible element of a set: whether it is in, and its shape."""

Fresh = Callable[[bool, int, int], Node]
"""Makes a scalar variable from (is it Bool, least value, greatest value)."""


_WIDE = 1_000
"""Elements from which on the memory of their pairs matters more than how soon they are read."""


class _Listed(Mapping[int, Member]):
    """The elements of a set all of which are possible, made when they are asked for."""

    def __init__(self, presents: Sequence[Node], elements: Sequence[Shape]) -> None:
        self._presents = presents
        self._elements = elements

    def __getitem__(self, place: int) -> Member:
        if place not in range(len(self._presents)):
            raise KeyError(place)
        return self._presents[place], self._elements[place]

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._presents)))

    def __len__(self) -> int:
        return len(self._presents)


class Shapes:
    """Builds, compares and merges shapes in one circuit at one choice of parameters."""

    def __init__(self, circuit: Circuit, domains: Domains) -> None:
        self.circuit = circuit
        self.domains = domains
        self.layouts = Layouts(domains)
        # By the sort's identity: a sort is hashed field by field. The sort is held beside, so
        # that its identity stays its own.
        self._constants: dict[int, tuple[Sort, tuple[Shape, ...]]] = {}
        self._defaults: dict[int, tuple[Sort, Shape]] = {}
        # By the identities of the sort and of the set, which are held beside as well.
        self._members: dict[tuple[int, int], tuple[Sort, Shape, Mapping[int, Member]]] = {}

    def constants(self, sort: Sort) -> tuple[Shape, ...]:
        """Return the shapes of all values of a listable sort, in canonical order."""
        known = self._constants.get(id(sort))
        if known is None:
            known = self._constants[id(sort)] = sort, tuple(self._all_constants(sort))
        return known[1]

    def _all_constants(self, sort: Sort) -> Iterator[Shape]:
        values = self.domains.values(sort)
        if isinstance(sort, RecordSort) and values:
            # The values are the product of the parts' values, whose shapes are shared.
            return product(*(self.constants(part) for _, part in sort.fields))
        return (self.constant(sort, value) for value in values)

    def numbers(self, shape: Shape) -> tuple[int, ...] | None:
        """Return the scalars of a constant shape; None when it is no constant."""
        if any(leaf.op not in ("const", "num") for leaf in self.leaves(shape)):
            return None
        return self.scalars(shape)

    def scalars(self, constant: Shape) -> tuple[int, ...]:
        """Return the scalars of what is known to be a constant shape."""
        return tuple(int(leaf.data) for leaf in self.leaves(constant))

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
            presents, elements = self._elements(sort, shape)
            possible: Mapping[int, Member]
            if len(presents) > _WIDE and all(present is not false for present in presents):
                possible = _Listed(presents, elements)
            else:
                pairs = enumerate(zip(presents, elements, strict=True))
                possible = {i: pair for i, pair in pairs if pair[0] is not false}
            known = self._members[name] = sort, shape, possible
        return known[2]

    def _elements(self, sort: AnySet, shape: Shape) -> tuple[Sequence[Node], Sequence[Shape]]:
        match self.layouts.of(sort):
            case Table(part=Bit()) as table:
                return shape, self.constants(table.index)
            case Table(known=int(index)) as table:
                # The place says the key, so that conditions on the key of a member fold away.
                keyed = zip(self.constants(table.index), shape, strict=True)
                rows = [replaced(row, index, key) for key, (_, row) in keyed]
                return [present for present, _ in shape], rows
            case Slots():
                length, slots = shape
                below = [self.circuit.lt(self.circuit.number(i), length) for i in range(len(slots))]
                return below, slots
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
