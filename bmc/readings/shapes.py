"""Shapes: structured values whose scalars are circuit nodes.

A shape mirrors its sort: a node for a scalar; ``(present, inner)`` for an option; a tuple of
shapes for a record or a map; a tuple of Bool nodes for a set; ``(present, record)`` slots for a
keyed set; ``(length, slots)`` for a sequence or a bounded set; ``(tag, payloads)`` for a
variant. What is absent holds the sort's default value, so equal values have equal shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bmc.lang.sorts import (
    BoolSort,
    BoundedSetSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.layout.domain import Domains, Value, key_of
from bmc.readings.circuit import Circuit, Node

Shape = Any
"""A :class:`Node`, or nested tuples of shapes."""

Fresh = Callable[[bool, int, int], Node]
"""Makes a scalar variable from (is it Bool, least value, greatest value)."""


class Shapes:
    """Builds, compares and merges shapes in one circuit at one choice of parameters."""

    def __init__(self, circuit: Circuit, domains: Domains) -> None:
        self.circuit = circuit
        self.domains = domains

    def leaves(self, shape: Shape) -> Iterator[Node]:
        """The scalars of a shape, in a fixed order."""
        if isinstance(shape, Node):
            yield shape
        else:
            for part in shape:
                yield from self.leaves(part)

    def constant(self, sort: Sort, value: Value) -> Shape:
        """A concrete value as a shape."""
        match sort:
            case BoolSort():
                return self.circuit.constant(value)
            case IntSort() | Scalarset():
                return self.circuit.number(value)
            case EnumSort():
                return self.circuit.number(sort.values.index(value))
            case OptionSort():
                held = self.domains.default(sort.inner) if value is None else value
                present = self.circuit.constant(value is not None)
                return present, self.constant(sort.inner, held)
            case RecordSort():
                parts = zip(sort.fields, value, strict=True)
                return tuple(self.constant(part, v) for (_, part), v in parts)
            case VariantSort():
                tag, content = value
                return (
                    self.circuit.number([t for t, _ in sort.cases].index(tag)),
                    tuple(
                        self.constant(part, content if t == tag else self.domains.default(part))
                        for t, part in sort.cases
                    ),
                )
            case MapSort():
                return tuple(self.constant(sort.value, v) for v in value)
            case SetSort():
                listed = self.domains.values(sort.element)
                return tuple(self.circuit.constant(v in value) for v in listed)
            case KeyedSetSort():
                held = {key_of(sort, v): v for v in value}
                absent = self.domains.default(sort.element)
                return tuple(
                    (
                        self.circuit.constant(k in held),
                        self.constant(sort.element, held.get(k, absent)),
                    )
                    for k in self.domains.values(sort.key_sort)
                )
            case SequenceSort() | BoundedSetSort():
                return self._slots(sort, value)
            case _:
                unknown_sort(sort)

    def _slots(self, sort: SequenceSort | BoundedSetSort, value: Value) -> Shape:
        filled = [self.constant(sort.element, v) for v in value]
        if isinstance(sort, BoundedSetSort):
            filled.sort(key=self._order)
        capacity = sort.capacity.at(self.domains.parameters)
        blank = self.constant(sort.element, self.domains.default(sort.element))
        slots = (*filled, *[blank] * (capacity - len(filled)))
        return self.circuit.number(len(filled)), slots

    def _order(self, shape: Shape) -> tuple[int, ...]:
        return tuple(leaf.data for leaf in self.leaves(shape))

    def default(self, sort: Sort) -> Shape:
        """The shape that fills what is absent."""
        return self.constant(sort, self.domains.default(sort))

    def fresh(self, sort: Sort, make: Fresh) -> Shape:
        """A shape of fresh variables; :meth:`well_formed` says which of its values exist."""
        match sort:
            case BoolSort():
                return make(True, 0, 1)
            case IntSort() | Scalarset() | EnumSort():
                low, high = self.domains.range(sort)
                # An empty range has no value to choose: what fills its place is not well formed.
                return make(False, low, high) if low < high else self.circuit.number(low)
            case OptionSort():
                return make(True, 0, 1), self.fresh(sort.inner, make)
            case RecordSort():
                return tuple(self.fresh(part, make) for _, part in sort.fields)
            case VariantSort():
                tag = make(False, 0, len(sort.cases) - 1)
                return tag, tuple(self.fresh(part, make) for _, part in sort.cases)
            case MapSort():
                return tuple(self.fresh(sort.value, make) for _ in self.domains.values(sort.key))
            case SetSort():
                return tuple(make(True, 0, 1) for _ in self.domains.values(sort.element))
            case KeyedSetSort():
                return tuple(
                    self._keyed(sort, key, make) for key in self.domains.values(sort.key_sort)
                )
            case SequenceSort() | BoundedSetSort():
                capacity = sort.capacity.at(self.domains.parameters)
                length = make(False, 0, capacity) if capacity >= 0 else self.circuit.number(0)
                return length, tuple(self.fresh(sort.element, make) for _ in range(capacity))
            case _:
                unknown_sort(sort)

    def _keyed(self, sort: KeyedSetSort, key: Value, make: Fresh) -> Shape:
        # The slot says what the key is, so the key needs no variables of its own.
        present = make(True, 0, 1)
        key_shape = self.ite(
            present, self.constant(sort.key_sort, key), self.default(sort.key_sort)
        )
        return present, tuple(
            key_shape if name == sort.key else self.fresh(part, make)
            for name, part in sort.element.fields
        )

    def well_formed(self, sort: Sort, shape: Shape) -> Node:
        """That a shape is the canonical shape of some value of the sort."""
        c = self.circuit
        match sort:
            case BoolSort():
                return c.true
            case IntSort() | Scalarset() | EnumSort():
                low, high = self.domains.range(sort)
                return c.and_(c.le(c.number(low), shape), c.le(shape, c.number(high)))
            case OptionSort(inner):
                return self._present(inner, shape[0], shape[1])
            case RecordSort():
                parts = zip(sort.fields, shape, strict=True)
                return c.all(self.well_formed(part, s) for (_, part), s in parts)
            case VariantSort():
                tag, contents = shape
                cases = enumerate(zip(sort.cases, contents, strict=True))
                return c.all(
                    self._present(part, c.eq(tag, c.number(i)), s) for i, ((_, part), s) in cases
                )
            case MapSort():
                return c.all(self.well_formed(sort.value, s) for s in shape)
            case SetSort():
                return c.true
            case KeyedSetSort():
                index = [n for n, _ in sort.element.fields].index(sort.key)
                keys = self.domains.values(sort.key_sort)
                return c.all(
                    c.and_(
                        self._present(sort.element, present, element),
                        c.implies(
                            present,
                            self.equal(element[index], self.constant(sort.key_sort, key)),
                        ),
                    )
                    for key, (present, element) in zip(keys, shape, strict=True)
                )
            case SequenceSort() | BoundedSetSort():
                return self._slots_well_formed(sort, shape)
            case _:
                unknown_sort(sort)

    def _slots_well_formed(self, sort: SequenceSort | BoundedSetSort, shape: Shape) -> Node:
        c = self.circuit
        length, slots = shape
        held = [
            c.constant(sort.capacity.at(self.domains.parameters) >= 0),
            *(
                self._present(sort.element, c.lt(c.number(i), length), slot)
                for i, slot in enumerate(slots)
            ),
        ]
        if isinstance(sort, BoundedSetSort):
            for i in range(1, len(slots)):
                ordered = self.less(slots[i - 1], slots[i])
                held.append(c.implies(c.lt(c.number(i), length), ordered))
        return c.all(held)

    def _present(self, sort: Sort, present: Node, shape: Shape) -> Node:
        c = self.circuit
        return c.and_(
            c.implies(present, self.well_formed(sort, shape)),
            c.or_(present, self.equal(shape, self.default(sort))),
        )

    def equal(self, left: Shape, right: Shape) -> Node:
        """Equality of two shapes of one sort."""
        c = self.circuit
        if left is right:
            return c.true
        if isinstance(left, Node):
            return (c.iff if is_bool(left) else c.eq)(left, right)
        return c.all(self.equal(a, b) for a, b in zip(left, right, strict=True))

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
        return tuple(self.ite(condition, a, b) for a, b in pairs)

    def decode(self, sort: Sort, numbers: Iterator[int]) -> Value:
        """The value whose scalars, in the order of :meth:`leaves`, are ``numbers``."""
        match sort:
            case BoolSort():
                return bool(next(numbers))
            case IntSort() | Scalarset():
                return int(next(numbers))
            case EnumSort():
                return sort.values[next(numbers)]
            case OptionSort():
                present, held = bool(next(numbers)), self.decode(sort.inner, numbers)
                return held if present else None
            case RecordSort():
                return tuple(self.decode(part, numbers) for _, part in sort.fields)
            case VariantSort():
                tag = next(numbers)
                contents = [self.decode(part, numbers) for _, part in sort.cases]
                return sort.cases[tag][0], contents[tag]
            case MapSort():
                return tuple(
                    self.decode(sort.value, numbers) for _ in self.domains.values(sort.key)
                )
            case SetSort():
                return frozenset([v for v in self.domains.values(sort.element) if next(numbers)])
            case KeyedSetSort():
                slots = [
                    (next(numbers), self.decode(sort.element, numbers))
                    for _ in self.domains.values(sort.key_sort)
                ]
                return frozenset(element for present, element in slots if present)
            case SequenceSort() | BoundedSetSort():
                length = next(numbers)
                capacity = sort.capacity.at(self.domains.parameters)
                slots = [self.decode(sort.element, numbers) for _ in range(capacity)][:length]
                return tuple(slots) if isinstance(sort, SequenceSort) else frozenset(slots)
            case _:
                unknown_sort(sort)


def is_bool(node: Node) -> bool:
    """Whether a node is a truth value rather than an integer."""
    return node.op not in ("num", "ivar", "ite", "add", "sub")
