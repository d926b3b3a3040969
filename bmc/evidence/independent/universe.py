"""Sorts at given parameters: their values listed, their membership, and unknown values of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import prod

from bmc.evidence.independent.formula import Formula, Formulas
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
    Values,
    want,
)
from bmc.lang.errors import BmcError
from bmc.lang.sorts import (
    AnySet,
    BitSet,
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
    Sort,
    VariantSort,
    unknown_sort,
)


class NotRead(BmcError):
    """The independent judge has no reading for something, so it does not decide."""


_MOST_LISTED = 4096
"""Values of one sort that are listed, as elements of a set or keys of a map."""
_MOST_NUMBERED = 1_000_000
"""Numbers of one sort that are listed, and places in a container."""


def _require_few(sort: Sort, number: int, most: int = _MOST_LISTED) -> None:
    if number > most:
        raise NotRead(f"the values of {sort} are too many to list")


class Universe(Values):
    """The values of sorts at one choice of parameters."""

    def __init__(self, formulas: Formulas, parameters: Mapping[str, int]) -> None:
        super().__init__(formulas)
        self.parameters = dict(parameters)
        self._listed: dict[Sort, tuple[Value, ...]] = {}

    def ends(self, sort: IntSort | EnumSort | Scalarset) -> tuple[int, int]:
        """Return the least and the greatest number that stands for a value of a scalar sort."""
        match sort:
            case IntSort():
                low, high = sort.range()
                return low.at(self.parameters), high.at(self.parameters)
            case EnumSort():
                return 0, len(sort.values) - 1
            case Scalarset():
                return 0, sort.size.at(self.parameters) - 1

    def listed(self, sort: Sort) -> tuple[Value, ...]:
        """Return all values of a sort that can be listed, in their order.

        FALSE comes before TRUE, none before a value, and records, and sets as rows of FALSE and
        TRUE, are ordered by their first difference.
        """
        found = self._listed.get(sort)
        if found is None:
            found = self._listed[sort] = tuple(self._list(sort))
        return found

    def _list(self, sort: Sort) -> list[Value]:
        f = self.formulas
        match sort:
            case BoolSort():
                return [Truth(f.false), Truth(f.true)]
            case IntSort() | EnumSort() | Scalarset():
                low, high = self.ends(sort)
                _require_few(sort, high - low, _MOST_NUMBERED)
                return [Number(f.number(n)) for n in range(low, high + 1)]
            case OptionSort(inner):
                values = self.listed(inner)
                nothing = Perhaps(f.false, self.void(inner))
                return [nothing, *(Perhaps(f.true, value) for value in values)]
            case RecordSort():
                parts = [self.listed(part) for _, part in sort.fields]
                _require_few(sort, prod(map(len, parts)))
                return [Fields(p) for p in product(*parts)]
            case VariantSort(_, cases):
                return [
                    Tagged(f.number(i), self._one_payload(sort, i, value))
                    for i, (_, part) in enumerate(cases)
                    for value in self.listed(part)
                ]
            case _ if isinstance(sort, BitSet):
                members = len(self.listed(sort.element))
                _require_few(sort, 1 << members)
                return [Bits(row) for row in product((f.false, f.true), repeat=members)]
            case MapSort(key, value):
                images, keys = self.listed(value), self.listed(key)
                _require_few(sort, len(images) ** len(keys))
                return [Table(row) for row in product(images, repeat=len(keys))]
            case SequenceSort(element):
                held = self.listed(element)
                longest = sort.capacity.at(self.parameters) if held else 0
                _require_few(sort, longest)
                _require_few(sort, sum(len(held) ** length for length in range(longest + 1)))
                return [
                    Row(f.number(length), slots)
                    for length in range(longest + 1)
                    for slots in product(held, repeat=length)
                ]
            case KeyedSetSort() | BoundedSetSort():
                raise NotRead(f"the values of {sort} are too many to list")
            case _:
                unknown_sort(sort)

    def inhabited(self, sort: Sort) -> bool:
        """Return whether a sort has a value at all."""
        match sort:
            case IntSort() | EnumSort() | Scalarset():
                low, high = self.ends(sort)
                return low <= high
            case RecordSort():
                return all(self.inhabited(part) for _, part in sort.fields)
            case VariantSort():
                return any(self.inhabited(part) for _, part in sort.cases)
            case MapSort(key, value):
                return not self.listed(key) or self.inhabited(value)
            case SequenceSort() | BoundedSetSort():
                return sort.capacity.at(self.parameters) >= 0
            case BoolSort() | OptionSort():
                return True
            case _ if isinstance(sort, AnySet):
                return True
            case _:
                unknown_sort(sort)

    def void(self, sort: Sort) -> Value:
        """Return something of the sort's structure, for where no value is."""
        f = self.formulas
        match sort:
            case BoolSort():
                return Truth(f.false)
            case IntSort() | EnumSort() | Scalarset():
                return Number(f.number(self.ends(sort)[0]))
            case OptionSort(inner):
                return Perhaps(f.false, self.void(inner))
            case RecordSort():
                return Fields(tuple(self.void(part) for _, part in sort.fields))
            case VariantSort():
                return Tagged(f.number(0), tuple(self.void(part) for _, part in sort.cases))
            case MapSort(key, value):
                return Table(tuple(self.void(value) for _ in self.listed(key)))
            case _ if isinstance(sort, AnySet | SequenceSort):
                return self.empty(sort)
            case _:
                unknown_sort(sort)

    def empty(self, sort: Sort) -> Value:
        """Return the empty set or sequence."""
        f = self.formulas
        match sort:
            case _ if isinstance(sort, BitSet):
                return Bits(tuple(f.false for _ in self.listed(sort.element)))
            case KeyedSetSort():
                keys = self.listed(sort.key_sort)
                void = (self._record(sort, key, lambda part, _: self.void(part)) for key in keys)
                return Keyed(tuple((f.false, record) for record in void))
            case BoundedSetSort():
                return Loose(())
            case SequenceSort():
                return Row(f.number(0), ())
            case _ if not isinstance(sort, AnySet):
                raise NotRead(f"a {sort} is never empty")
            case _:
                unknown_sort(sort)

    def _record(
        self, sort: KeyedSetSort, key: Value, others: Callable[[Sort, str], Value]
    ) -> Value:
        """Return a keyed set's record of a key, its other fields given by sort and name."""
        fields = sort.element.fields
        return Fields(tuple(key if n == sort.key else others(part, n) for n, part in fields))

    def unknown(self, sort: Sort, name: str, facts: list[Formula]) -> Value:
        """Return any value of a sort; what else has to hold for it to be one goes to ``facts``."""
        f = self.formulas
        if not self.inhabited(sort):
            facts.append(f.false)
            return self.void(sort)
        match sort:
            case BoolSort():
                return Truth(f.boolean(name))
            case IntSort() | EnumSort() | Scalarset():
                low, high = self.ends(sort)
                return Number(f.number(low) if low == high else f.integer(name, low, high))
            case OptionSort(inner):
                if not self.inhabited(inner):
                    return Perhaps(f.false, self.void(inner))
                present = f.boolean(f"{name}?")
                return Perhaps(present, self._where(present, inner, f"{name}!", facts))
            case RecordSort():
                return Fields(
                    tuple(self.unknown(s, f"{name}.{field}", facts) for field, s in sort.fields)
                )
            case VariantSort():
                return self._unknown_case(sort, name, facts)
            case MapSort(key, value):
                keys = self.listed(key)
                return Table(
                    tuple(self.unknown(value, f"{name}[{self.shown(key, k)}]", facts) for k in keys)
                )
            case _ if isinstance(sort, BitSet):
                values = self.listed(sort.element)
                names = (f"{name}[{self.shown(sort.element, one)}]" for one in values)
                return Bits(tuple(map(f.boolean, names)))
            case KeyedSetSort():
                return self._unknown_keyed(sort, name, facts)
            case SequenceSort(element):
                most = self._room(sort)
                length = f.integer(f"{name}#", 0, most) if most else f.number(0)
                slots = [
                    self._where(f.less(f.number(i), length), element, f"{name}[{i}]", facts)
                    for i in range(most)
                ]
                return Row(length, tuple(slots))
            case BoundedSetSort():
                return self._unknown_loose(sort, name, facts)
            case _:
                unknown_sort(sort)

    def _room(self, sort: SequenceSort | BoundedSetSort) -> int:
        most = sort.capacity.at(self.parameters) if self.inhabited(sort.element) else 0
        _require_few(sort, most, _MOST_NUMBERED)
        return most

    def _where(self, condition: Formula, sort: Sort, name: str, facts: list[Formula]) -> Value:
        """Return any value of a sort, of which something has to hold under a condition only."""
        inner: list[Formula] = []
        value = self.unknown(sort, name, inner)
        facts.extend(self.formulas.implies(condition, fact) for fact in inner)
        return value

    def _one_payload(self, sort: VariantSort, case: int, value: Value) -> tuple[Value, ...]:
        parts = enumerate(part for _, part in sort.cases)
        return tuple(value if i == case else self.void(part) for i, part in parts)

    def _unknown_case(self, sort: VariantSort, name: str, facts: list[Formula]) -> Value:
        f = self.formulas
        most = len(sort.cases) - 1
        tag = f.integer(f"{name}?", 0, most) if most else f.number(0)
        payloads = [
            self._where(f.same(tag, f.number(i)), part, f"{name}!{case}", facts)
            for i, (case, part) in enumerate(sort.cases)
        ]
        return Tagged(tag, tuple(payloads))

    def _unknown_keyed(self, sort: KeyedSetSort, name: str, facts: list[Formula]) -> Value:
        f = self.formulas
        possible = self.inhabited(sort.element)
        entries = []
        for key in self.listed(sort.key_sort):
            place = f"{name}[{self.shown(sort.key_sort, key)}]"
            there = f.boolean(f"{place}?") if possible else f.false

            def field(part: Sort, called: str, there: Formula = there, place: str = place) -> Value:
                return self._where(there, part, f"{place}.{called}", facts)

            entries.append((there, self._record(sort, key, field)))
        return Keyed(tuple(entries))

    def _unknown_loose(self, sort: BoundedSetSort, name: str, facts: list[Formula]) -> Value:
        """Return any bounded set: its elements differ, and stand at the front."""
        f = self.formulas
        most = self._room(sort)
        elements: list[tuple[Formula, Value]] = []
        for i in range(most):
            there = f.boolean(f"{name}[{i}]?")
            one = self._where(there, sort.element, f"{name}[{i}]", facts)
            facts.append(f.negation(f.both(there, self.holds(Loose(tuple(elements)), one))))
            if elements:
                facts.append(f.implies(there, elements[-1][0]))
            elements.append((there, one))
        return Loose(tuple(elements))

    def inside(self, sort: Sort, value: Value) -> Formula:
        """Return the condition that a value is one of the sort."""
        f = self.formulas
        match sort:
            case BoolSort():
                return f.true
            case _ if isinstance(sort, BitSet):
                return f.true
            case IntSort() | EnumSort() | Scalarset():
                low, high = self.ends(sort)
                return f.within(low, want(Number, value).amount, high)
            case OptionSort(inner):
                present, part = want(Perhaps, value)
                return f.implies(present, self.inside(inner, part))
            case RecordSort():
                fields = zip(sort.fields, want(Fields, value).parts, strict=True)
                return f.all(self.inside(part, value) for (_, part), value in fields)
            case VariantSort():
                tag, payloads = want(Tagged, value)
                chosen = (
                    f.implies(f.same(tag, f.number(i)), self.inside(part, value))
                    for i, ((_, part), value) in enumerate(zip(sort.cases, payloads, strict=True))
                )
                return f.all((f.within(0, tag, len(sort.cases) - 1), *chosen))
            case MapSort():
                return f.all(self.inside(sort.value, one) for one in want(Table, value).entries)
            case KeyedSetSort():
                entries = want(Keyed, value).entries
                return f.all(f.implies(a, self.inside(sort.element, x)) for a, x in entries)
            case BoundedSetSort():
                loose = want(Loose, value)
                most = f.number(sort.capacity.at(self.parameters))
                fits = f.at_most(f.count(self.distinct(loose)), most)
                each = (f.implies(a, self.inside(sort.element, x)) for a, x in loose.elements)
                return f.all((fits, *each))
            case SequenceSort():
                length, slots = want(Row, value)
                each = (
                    f.implies(f.less(f.number(i), length), self.inside(sort.element, slot))
                    for i, slot in enumerate(slots)
                )
                return f.all((f.within(0, length, sort.capacity.at(self.parameters)), *each))
            case _:
                unknown_sort(sort)

    def shown(self, sort: Sort, value: Value) -> str:
        """Return a listed value as a reader calls it."""
        match sort:
            case Scalarset():
                return f"{sort.name}{want(Number, value).amount.low + 1}"
            case EnumSort():
                return sort.values[want(Number, value).amount.low]
            case IntSort():
                return str(want(Number, value).amount.low)
            case BoolSort():
                return str(want(Truth, value).holds is self.formulas.true)
            case OptionSort(inner):
                present, part = want(Perhaps, value)
                return self.shown(inner, part) if present is self.formulas.true else "none"
            case RecordSort():
                pairs = zip(sort.fields, want(Fields, value).parts, strict=True)
                return f"({', '.join(f'{n}={self.shown(s, v)}' for (n, s), v in pairs)})"
            case VariantSort(_, cases):
                tag, payloads = want(Tagged, value)
                name, held_sort = cases[tag.low]
                return f"{name}({self.shown(held_sort, payloads[tag.low])})"
            case _ if isinstance(sort, BitSet):
                values = zip(self.listed(sort.element), want(Bits, value).members, strict=True)
                held = [self.shown(sort.element, v) for v, m in values if m is self.formulas.true]
                return f"{{{', '.join(sorted(held))}}}"
            case MapSort(key, held_sort):
                keys = (self.shown(key, k) for k in self.listed(key))
                images = (self.shown(held_sort, entry) for entry in want(Table, value).entries)
                return f"[{', '.join(map(' |-> '.join, zip(keys, images, strict=True)))}]"
            case SequenceSort(element):
                slots = want(Row, value).slots
                return f"<<{', '.join(self.shown(element, slot) for slot in slots)}>>"
            case KeyedSetSort() | BoundedSetSort():
                raise NotRead(f"the values of {sort} are too many to list")
            case _:
                unknown_sort(sort)
