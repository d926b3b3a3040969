"""Symbolic values: what a term of each sort is while it is read.

What an option, a sequence or a set holds where it holds nothing is arbitrary; no rule reads it
there, and two values are the same regardless of it.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple, TypeVar, assert_never

from bmc.evidence.independent.formula import Formula, Formulas


class Truth(NamedTuple):
    """A truth value."""

    holds: Formula


class Number(NamedTuple):
    """An integer, or the position of a value in an enumeration or of a member in a scalarset."""

    amount: Formula


class Perhaps(NamedTuple):
    """An option: whether there is a value, and which."""

    present: Formula
    value: Value


class Fields(NamedTuple):
    """A record, by field."""

    parts: tuple[Value, ...]


class Tagged(NamedTuple):
    """A variant: the position of its case, and a payload for each case."""

    tag: Formula
    payloads: tuple[Value, ...]


class Table(NamedTuple):
    """A map: a value for each key, in the order of the keys."""

    entries: tuple[Value, ...]


class Bits(NamedTuple):
    """A set over a sort that can be listed: whether each value is in it."""

    members: tuple[Formula, ...]


class Keyed(NamedTuple):
    """A keyed set: for each key whether there is a record, and which."""

    entries: tuple[tuple[Formula, Value], ...]


class Loose(NamedTuple):
    """A bounded set: elements, each with the condition under which it is one; in any order."""

    elements: tuple[tuple[Formula, Value], ...]


class Row(NamedTuple):
    """A sequence: its length, and the elements, of which those from the length on are void."""

    length: Formula
    slots: tuple[Value, ...]


Value = Truth | Number | Perhaps | Fields | Tagged | Table | Bits | Keyed | Loose | Row
Collection = Bits | Keyed | Loose

Wanted = TypeVar("Wanted")


def want(kind: type[Wanted], value: object) -> Wanted:
    """Return the value if it is of the kind that its sort says; anything else is a fault here."""
    if not isinstance(value, kind):
        raise TypeError(f"a {kind.__name__} is expected, not a {type(value).__name__}")
    return value


class Values:
    """Equality and choice, which exist for values of every sort."""

    def __init__(self, formulas: Formulas) -> None:
        self.formulas = formulas

    def same(self, left: Value, right: Value) -> Formula:
        """Return the condition under which two values of one sort are equal."""
        f = self.formulas
        if left is right:
            return f.true
        match left, right:
            case (Truth(a), Truth(b)) | (Number(a), Number(b)):
                return f.same(a, b)
            case Perhaps(a, x), Perhaps(b, y):
                return f.both(f.same(a, b), self._if(a, x, y))
            case (Fields(xs), Fields(ys)) | (Table(xs), Table(ys)):
                return f.all(self.same(x, y) for x, y in zip(xs, ys, strict=True))
            case Tagged(a, xs), Tagged(b, ys):
                cases = enumerate(zip(xs, ys, strict=True))
                chosen = (self._if(f.same(a, f.number(i)), x, y) for i, (x, y) in cases)
                return f.all((f.same(a, b), *chosen))
            case Bits(some), Bits(others):
                return f.all(f.same(a, b) for a, b in zip(some, others, strict=True))
            case Keyed(some), Keyed(others):
                keys = zip(some, others, strict=True)
                return f.all(f.both(f.same(a, b), self._if(a, x, y)) for (a, x), (b, y) in keys)
            case Loose(), Loose():
                return f.both(self.included(left, right), self.included(right, left))
            case Row(a, xs), Row(b, ys):
                # Beyond the shorter of both neither has elements, where the lengths are equal.
                slots = enumerate(zip(xs, ys, strict=False))
                read = (self._if(f.less(f.number(i), a), x, y) for i, (x, y) in slots)
                return f.all((f.same(a, b), *read))
        raise TypeError(f"a {type(left).__name__} is compared with a {type(right).__name__}")

    def _if(self, condition: Formula, left: Value, right: Value) -> Formula:
        if condition is self.formulas.false:
            return self.formulas.true
        return self.formulas.implies(condition, self.same(left, right))

    def choose(self, condition: Formula, then: Value, otherwise: Value) -> Value:
        """Return ``then`` where the condition holds, else ``otherwise``."""
        f = self.formulas
        if condition is f.true or then is otherwise:
            return then
        if condition is f.false:
            return otherwise
        match then, otherwise:
            case Truth(a), Truth(b):
                return Truth(f.choose(condition, a, b))
            case Number(a), Number(b):
                return Number(f.choose(condition, a, b))
            case Perhaps(a, x), Perhaps(b, y):
                return Perhaps(f.choose(condition, a, b), self._either(condition, (a, x), (b, y)))
            case Fields(xs), Fields(ys):
                return Fields(self._each(condition, xs, ys))
            case Table(xs), Table(ys):
                return Table(self._each(condition, xs, ys))
            case Tagged(a, xs), Tagged(b, ys):
                return Tagged(f.choose(condition, a, b), self._each(condition, xs, ys))
            case Bits(some), Bits(others):
                pairs = zip(some, others, strict=True)
                return Bits(tuple(f.choose(condition, a, b) for a, b in pairs))
            case Keyed(some), Keyed(others):
                return Keyed(self._guarded(condition, some, others))
            case Loose(some), Loose(others):
                return Loose(self._guarded(condition, some, others))
            case Row(a, xs), Row(b, ys):
                common = self._each(condition, xs[: len(ys)], ys[: len(xs)])
                rest = xs[len(ys) :] or ys[len(xs) :]
                return Row(f.choose(condition, a, b), (*common, *rest))
        raise TypeError(f"a {type(then).__name__} or a {type(otherwise).__name__} is chosen")

    def _each(
        self, condition: Formula, some: tuple[Value, ...], others: tuple[Value, ...]
    ) -> tuple[Value, ...]:
        return tuple(self.choose(condition, x, y) for x, y in zip(some, others, strict=True))

    def _either(
        self, condition: Formula, one: tuple[Formula, Value], other: tuple[Formula, Value]
    ) -> Value:
        """Return the chosen value; where one of them is never there the other will do."""
        if one[0] is self.formulas.false:
            return other[1]
        if other[0] is self.formulas.false:
            return one[1]
        return self.choose(condition, one[1], other[1])

    def _guarded(
        self,
        condition: Formula,
        some: tuple[tuple[Formula, Value], ...],
        others: tuple[tuple[Formula, Value], ...],
    ) -> tuple[tuple[Formula, Value], ...]:
        f = self.formulas
        result: list[tuple[Formula, Value]] = []
        for one, other in zip_longest(some, others):
            one = one or (f.false, other[1])
            other = other or (f.false, one[1])
            present = f.choose(condition, one[0], other[0])
            result.append((present, self._either(condition, one, other)))
        return tuple(result)

    def elements(self, collection: Keyed | Loose) -> tuple[tuple[Formula, Value], ...]:
        """Return what may be in a keyed or bounded set, with the condition that it is."""
        match collection:
            case Keyed(entries):
                return entries
            case Loose(elements):
                return elements
            case _:
                assert_never(collection)

    def holds(self, collection: Keyed | Loose, element: Value) -> Formula:
        """Return the condition that the element is in a keyed or bounded set."""
        f = self.formulas
        return f.any(
            f.both(there, self.same(one, element))
            for there, one in self.elements(collection)
            if there is not f.false
        )

    def included(self, left: Keyed | Loose, right: Keyed | Loose) -> Formula:
        """Return the condition that the one is a subset of the other."""
        f = self.formulas
        return f.all(f.implies(there, self.holds(right, x)) for there, x in self.elements(left))

    def distinct(self, collection: Loose) -> list[Formula]:
        """Return for each element the condition that it is one and none before it equals it."""
        f = self.formulas
        found: list[Formula] = []
        for number, (there, one) in enumerate(collection.elements):
            before = Loose(collection.elements[:number])
            found.append(f.both(there, f.negation(self.holds(before, one))))
        return found
