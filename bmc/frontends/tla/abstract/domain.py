"""Shapes: what is known of all the values that an expression can have.

A shape is a union of an interval of integers, a set of atoms (strings and model values), truth
values, records by their fields, functions, sets and sequences. It over-approximates: a value that
is possible is always in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache, reduce
from typing import Any, ClassVar, TypeAlias
from weakref import WeakValueDictionary

from bmc.frontends.tla import values as v
from bmc.frontends.tla.values import ModelValue, Value

FAR = 1 << 40
"""Stands for infinity: an interval that ends here has no end."""

Atom = str | ModelValue

Records: TypeAlias = "tuple[tuple[tuple[str, ...], tuple[Shape, ...]], ...]"


@dataclass(frozen=True)
class Interval:
    """``low .. high`` inclusive; an end at :data:`FAR` (or its negative) is none."""

    low: int
    high: int

    @property
    def finite(self) -> bool:
        """Whether both ends are numbers."""
        return self.low > -FAR and self.high < FAR


def interval(low: int, high: int) -> Interval | None:
    """Return the interval, cut off at infinity; None where it is empty."""
    if low > high:
        return None
    return Interval(max(low, -FAR), min(high, FAR))


@dataclass(frozen=True)
class Functions:
    """Functions from ``keys`` to ``values``; ``domain`` is theirs where all have the same one."""

    keys: Shape
    values: Shape
    domain: frozenset[Value] | None


@dataclass(frozen=True)
class Sequences:
    """Sequences of ``shortest`` to ``longest`` elements; ``parts`` where the length is fixed.

    Where it is not, ``first`` has what their first elements are, as far as more is known of each
    than of all.
    """

    element: Shape
    shortest: int
    longest: int
    parts: tuple[Shape, ...] | None
    first: tuple[Shape, ...] = ()

    def at(self, number: Value | None) -> Shape:
        """Return the shape of the element of this number, of any where it is None."""
        known = self.first if self.parts is None else self.parts
        if isinstance(number, int) and 1 <= number <= len(known):
            return known[number - 1]
        return self.element


@dataclass(frozen=True, eq=False, init=False)
class Shape:
    """A union of values of every kind; each part may be absent.

    Equal shapes are one object, so that they are compared and looked up at no cost, however deep.
    """

    truths: frozenset[bool]
    integers: Interval | None
    atoms: frozenset[Atom]
    records: Records
    functions: Functions | None
    elements: Shape | None
    sequences: Sequences | None

    __made: ClassVar[WeakValueDictionary[tuple[Any, ...], Shape]] = WeakValueDictionary()

    def __new__(
        cls,
        truths: frozenset[bool] = frozenset(),
        integers: Interval | None = None,
        atoms: frozenset[Atom] = frozenset(),
        records: Records = (),
        functions: Functions | None = None,
        elements: Shape | None = None,
        sequences: Sequences | None = None,
    ) -> Shape:
        """Return the one shape of these parts."""
        given = truths, integers, atoms, records, functions, elements, sequences
        found = cls.__made.get(given)
        if found is None:
            found = super().__new__(cls)
            for name, part in zip(_PARTS, given, strict=True):
                object.__setattr__(found, name, part)
            cls.__made[given] = found
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Say how a copy of it is found: by its parts."""
        return Shape, tuple(getattr(self, name) for name in _PARTS)

    def fields(self) -> Mapping[tuple[str, ...], Mapping[str, Shape]]:
        """Return the shapes of the records' fields, by the records' field names."""
        return {names: dict(zip(names, parts, strict=True)) for names, parts in self.records}

    @property
    def empty(self) -> bool:
        """Whether no value has this shape."""
        return self is NOTHING


_PARTS = tuple(one.name for one in fields(Shape))

NOTHING = Shape()
BOOLEANS = Shape(truths=frozenset((False, True)))
NATURALS = Shape(integers=Interval(0, FAR))
INTEGERS = Shape(integers=Interval(-FAR, FAR))


def truths(*values: bool) -> Shape:
    """Return the shape of these truth values."""
    return Shape(truths=frozenset(values))


def integers(low: int, high: int) -> Shape:
    """Return the shape of an interval."""
    return Shape(integers=interval(low, high))


def set_of(element: Shape) -> Shape:
    """Return the shape of sets of such elements."""
    return Shape(elements=element)


def record_of(fields: Mapping[str, Shape]) -> Shape:
    """Return the shape of records; NOTHING where a field has no value."""
    names = tuple(sorted(fields))
    if any(fields[n].empty for n in names):
        return NOTHING
    return Shape(records=((names, tuple(fields[n] for n in names)),))


def function_of(keys: Shape, values: Shape, domain: frozenset[Value] | None) -> Shape:
    """Return the shape of functions."""
    return Shape(functions=Functions(keys, values, domain))


def tuple_of(parts: Iterable[Shape]) -> Shape:
    """Return the shape of tuples; NOTHING where a part has no value."""
    listed = tuple(parts)
    if any(p.empty for p in listed):
        return NOTHING
    element = join_all(listed)
    return Shape(sequences=Sequences(element, len(listed), len(listed), listed))


def sequence_of(element: Shape, shortest: int, longest: int) -> Shape:
    """Return the shape of sequences."""
    if longest == 0 or element.empty:
        return Shape(sequences=Sequences(NOTHING, 0, 0, ()))
    return Shape(sequences=Sequences(element, shortest, min(longest, FAR), None))


def shape_of(value: Value) -> Shape:
    """Return the shape that has this value alone, as far as shapes can say it."""
    match value:
        case v.Boolean():
            return truths(value.truth)
        case int():
            return integers(value, value)
        case str() | ModelValue():
            return Shape(atoms=frozenset((value,)))
        case frozenset() | tuple():
            return _shape_of_structure(value)
    raise TypeError(f"{value!r} is no value of TLA+")


@lru_cache(maxsize=1 << 14)
def _shape_of_structure(value: frozenset[Any] | tuple[Any, ...]) -> Shape:
    """Return the shape of a set, function, record or tuple: states have most of them in common."""
    if isinstance(value, frozenset):
        return set_of(shape_of_all(value))
    if not isinstance(value, v.Function):
        return tuple_of(shape_of(one) for one in value)
    keys = value.domain.members
    if all(isinstance(k, str) for k in keys):
        return record_of({str(k): shape_of(one) for k, one in value.items()})
    return function_of(_shape_of_keys(keys), shape_of_all(value[1:]), keys)


@lru_cache(maxsize=4096)
def _shape_of_keys(members: frozenset[Any]) -> Shape:
    return shape_of_all(members)


def shape_of_all(values: Iterable[Value]) -> Shape:
    """Return the shape that has all of these values; equal ones are looked at once."""
    distinct = list(dict.fromkeys(values))
    numbers = [one for one in distinct if type(one) is int]
    shape = integers(min(numbers), max(numbers)) if numbers else NOTHING
    return join_all([shape, *(shape_of(one) for one in distinct if type(one) is not int)])


def join_all(shapes: Iterable[Shape]) -> Shape:
    """Return the union of the shapes."""
    return reduce(join, shapes, NOTHING)


def join(left: Shape, right: Shape) -> Shape:
    """Return a shape that has the values of both."""
    if left is right or right is NOTHING:
        return left
    return right if left is NOTHING else _join(left, right)


@lru_cache(maxsize=1 << 16)
def _join(left: Shape, right: Shape) -> Shape:
    left, right = _alike(left, right)
    found = Shape(
        left.truths | right.truths,
        _hull(left.integers, right.integers),
        left.atoms | right.atoms,
        _records(left, right),
        _functions(left.functions, right.functions),
        _either(left.elements, right.elements),
        _sequences(left.sequences, right.sequences),
    )
    return records_as_functions(found, found.functions)


def records_as_functions(shape: Shape, functions: Functions | None) -> Shape:
    """Return the shape with each record as a function that ``functions`` may have all names of.

    A value would have two forms otherwise, and a state would be counted as two.
    """
    if functions is None or functions.domain is not None:
        return shape
    kept, found = [], shape.functions
    for names, parts in shape.records:
        if functions.keys.atoms.issuperset(names):
            one = Functions(Shape(atoms=frozenset(names)), join_all(parts), frozenset(names))
            found = replace(_functions(found, one) or one, domain=None)
        else:
            kept.append((names, parts))
    return replace(shape, records=tuple(kept), functions=found)


def _alike(left: Shape, right: Shape) -> tuple[Shape, Shape]:
    """Tuples are functions from 1..n: where one side has functions from integers, both do.

    The empty tuple is the empty function, whatever the other functions are of.
    """
    for one, other in ((left, right), (right, left)):
        s, f = one.sequences, other.functions
        if s is not None and f is not None and (f.keys.integers is not None or not s.longest):
            return as_functions(left), as_functions(right)
    return left, right


def as_functions(shape: Shape) -> Shape:
    """Return the shape with its sequences as functions from 1..n."""
    s = shape.sequences
    if s is None:
        return shape
    domain = frozenset(range(1, s.longest + 1)) if s.shortest == s.longest else None
    found = Functions(integers(1, s.longest), s.element, domain)
    return replace(shape, functions=_functions(shape.functions, found), sequences=None)


def _either(left: Shape | None, right: Shape | None) -> Shape | None:
    if left is None or right is None:
        return left if right is None else right
    return join(left, right)


def _hull(left: Interval | None, right: Interval | None) -> Interval | None:
    if left is None or right is None:
        return left if right is None else right
    return Interval(min(left.low, right.low), max(left.high, right.high))


def _records(left: Shape, right: Shape) -> tuple[tuple[tuple[str, ...], tuple[Shape, ...]], ...]:
    found = dict(left.records)
    for names, parts in right.records:
        known = found.get(names)
        if known is None:
            found[names] = parts
        else:
            found[names] = tuple(join(a, b) for a, b in zip(known, parts, strict=True))
    return tuple(sorted(found.items(), key=lambda pair: pair[0]))


def _functions(left: Functions | None, right: Functions | None) -> Functions | None:
    if left is None or right is None:
        return left if right is None else right
    domain = left.domain if left.domain == right.domain else None
    return Functions(join(left.keys, right.keys), join(left.values, right.values), domain)


def _sequences(left: Sequences | None, right: Sequences | None) -> Sequences | None:
    if left is None or right is None:
        return left if right is None else right
    parts = None
    if left.parts is not None and right.parts is not None and left.longest == right.longest:
        parts = tuple(join(a, b) for a, b in zip(left.parts, right.parts, strict=True))
    return Sequences(
        join(left.element, right.element),
        min(left.shortest, right.shortest),
        max(left.longest, right.longest),
        parts,
        _first(left, right) if parts is None else (),
    )


def _first(left: Sequences, right: Sequences) -> tuple[Shape, ...]:
    """Return what the first elements of either are, as far as both know it of their own."""
    known = [one.first if one.parts is None else one.parts for one in (left, right)]
    found: list[Shape] = []
    for at in range(max(map(len, known))):
        held = NOTHING
        for one, parts in zip((left, right), known, strict=True):
            if at < len(parts):
                held = join(held, parts[at])
            elif at < one.longest:
                return tuple(found)
        found.append(held)
    return tuple(found)


def meet(left: Shape, right: Shape) -> Shape:
    """Return a shape that has at least the values that are in both, and none outside ``left``."""
    return left if left is right else _meet(left, right)


@lru_cache(maxsize=1 << 16)
def _meet(left: Shape, right: Shape) -> Shape:
    left = records_as_functions(left, right.functions)
    right = records_as_functions(right, left.functions)
    low = (
        interval(
            max(left.integers.low, right.integers.low), min(left.integers.high, right.integers.high)
        )
        if left.integers is not None and right.integers is not None
        else None
    )
    known = right.fields()
    records = []
    for names, parts in left.records:
        if names in known:
            both = tuple(meet(p, known[names][n]) for n, p in zip(names, parts, strict=True))
            if not any(p.empty for p in both):
                records.append((names, both))
    functions = None
    if left.functions is not None and (right.functions is not None or right.sequences is not None):
        f = as_functions(right).functions
        assert f is not None
        functions = Functions(
            meet(left.functions.keys, f.keys),
            meet(left.functions.values, f.values),
            left.functions.domain or f.domain,
        )
    elements = None
    if left.elements is not None and right.elements is not None:
        elements = meet(left.elements, right.elements)
    sequences = None
    if left.sequences is not None and right.sequences is not None:
        sequences = _meet_sequences(left.sequences, right.sequences)
    elif left.sequences is not None and right.functions is not None:
        sequences = left.sequences
    return Shape(
        left.truths & right.truths,
        low,
        left.atoms & right.atoms,
        tuple(records),
        functions,
        elements,
        sequences,
    )


def _meet_sequences(left: Sequences, right: Sequences) -> Sequences | None:
    shortest = max(left.shortest, right.shortest)
    longest = min(left.longest, right.longest)
    if shortest > longest:
        return None
    parts = left.parts if left.parts is not None else right.parts
    if left.parts is not None and right.parts is not None:
        parts = tuple(meet(a, b) for a, b in zip(left.parts, right.parts, strict=True))
    if parts is not None and any(p.empty for p in parts):
        return None
    element = meet(left.element, right.element) if parts is None else join_all(parts)
    if element.empty:
        return Sequences(NOTHING, 0, 0, ()) if shortest == 0 else None
    first = () if parts else tuple(meet(p, element) for p in left.first[:longest])
    return Sequences(element, shortest, longest, parts, first)


def possible_atoms(shape: Shape) -> frozenset[Atom]:
    """Return the atoms that occur anywhere in the shape."""
    inner = [p for _, parts in shape.records for p in parts]
    if shape.functions is not None:
        inner += [shape.functions.keys, shape.functions.values]
    if shape.elements is not None:
        inner.append(shape.elements)
    if shape.sequences is not None:
        inner.append(shape.sequences.element)
    return shape.atoms.union(*(possible_atoms(p) for p in inner))
