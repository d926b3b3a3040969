"""The order of a sort's values (docs/language.md, "least value"), and bounded sets in that order.

Literals of found clauses name the elements of a bounded set by their place in it.
"""

from __future__ import annotations

from collections.abc import Iterable

from bmc.evidence.independent.formula import Formula
from bmc.evidence.independent.universe import NotRead, Universe
from bmc.evidence.independent.values import (
    Bits,
    Fields,
    Keyed,
    Loose,
    Number,
    Perhaps,
    Row,
    Table,
    Tagged,
    Truth,
    Value,
)
from bmc.lang.sorts import BoundedSetSort


class Order:
    """Comparisons of symbolic values."""

    def __init__(self, universe: Universe) -> None:
        self.universe = universe
        self.f = universe.formulas

    def less(self, left: Value, right: Value) -> Formula:
        """Return the condition that one value comes before another of the same sort.

        Raises NotRead for sets of bounded sets.
        """
        f = self.f
        match left, right:
            case Truth(a), Truth(b):
                return f.both(f.negation(a), b)
            case Number(a), Number(b):
                return f.less(a, b)
            case Perhaps(a, x), Perhaps(b, y):
                return self._optional(a, x, b, y)
            case (Fields(xs), Fields(ys)) | (Table(xs), Table(ys)):
                pairs = zip(xs, ys, strict=True)
                return self._first((self.less(x, y), self.universe.same(x, y)) for x, y in pairs)
            case Bits(xs), Bits(ys):
                rows = zip(xs, ys, strict=True)
                return self._first((f.both(f.negation(a), b), f.same(a, b)) for a, b in rows)
            case Keyed(xs), Keyed(ys):
                return self._first(
                    (
                        self._optional(a, x, b, y),
                        self.universe.same(Perhaps(a, x), Perhaps(b, y)),
                    )
                    for (a, x), (b, y) in zip(xs, ys, strict=True)
                )
            case Tagged(a, xs), Tagged(b, ys):
                payloads = enumerate(zip(xs, ys, strict=True))
                below = f.any(
                    f.both(f.same(a, f.number(i)), self.less(x, y)) for i, (x, y) in payloads
                )
                return f.any((f.less(a, b), f.both(f.same(a, b), below)))
            case Row(a, xs), Row(b, ys):
                slots = enumerate(zip(xs, ys, strict=False))
                below = self._first(
                    (
                        f.both(f.less(f.number(i), a), self.less(x, y)),
                        f.implies(f.less(f.number(i), a), self.universe.same(x, y)),
                    )
                    for i, (x, y) in slots
                )
                return f.any((f.less(a, b), f.both(f.same(a, b), below)))
        raise NotRead(f"the independent judge has no order of {type(left).__name__} values")

    def _optional(self, a: Formula, x: Value, b: Formula, y: Value) -> Formula:
        f = self.f
        return f.any((f.both(f.negation(a), b), f.both(a, b, self.less(x, y))))

    def _first(self, pairs: Iterable[tuple[Formula, Formula]]) -> Formula:
        """What the first difference decides, given where one is less and where both are equal."""
        f = self.f
        found = f.false
        for less, same in reversed(list(pairs)):
            found = f.any((less, f.both(same, found)))
        return found

    def row(self, sort: BoundedSetSort, value: Loose) -> Row:
        """Return a bounded set's elements in their order."""
        f, universe = self.f, self.universe
        real = universe.distinct(value)
        elements = [one for _, one in value.elements]
        places = [
            f.count(
                f.both(there, self.less(other, one))
                for there, other in zip(real, elements, strict=True)
                if other is not one
            )
            for one in elements
        ]
        slots: list[Value] = []
        for number in range(sort.capacity.at(universe.parameters)):
            held = universe.void(sort.element)
            for there, one, place in zip(real, elements, places, strict=True):
                here = f.both(there, f.same(place, f.number(number)))
                held = universe.choose(here, one, held)
            slots.append(held)
        return Row(f.count(real), tuple(slots))
