"""Layout: the sort that holds the values of a shape, and values carried over in both directions.

| shape | sort |
|---|---|
| integers | an interval, one identity for all |
| atoms | an enumeration, or the scalarset whose members they are |
| one lone atom or integer beside one other kind | an option; its none stands for that value |
| several kinds, records of several field sets | a variant, a case for each |
| functions of one domain | a map; of varying domain a map to optional images |
| tuples of one length | a record with the fields item1, item2, … |
| sets | a bit an element; with a key, or slots, where there are too many elements |
| functions of varying domain with too many possible arguments | a map from numbers, see tables.py |
| variables that are sets of records, too many of them possible | a bit for each that was met |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.domain import Atom, Shape
from bmc.frontends.tla.encoding import Encoding, Table
from bmc.frontends.tla.forms import IMAGE, IMAGE_OF, ITEM, TUPLE, count, integer_sort, listable
from bmc.lang.bounds import Bound
from bmc.lang.sorts import (
    BOOL,
    BoundedSetSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalar,
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
)

Made = TypeVar("Made", bound=Sort)

FEW = 16
"""The most possible elements of a set of records that needs no key."""

MOST_ELEMENTS = 2048
"""The most values of a sort that a set has a bit for each of."""

MOST_ARGUMENTS = 256
"""The most possible arguments that a function of varying domain has a place for each of, and keys a
set of records."""

SLOTS = 8
"""Elements that a set has room for whose possible elements are too many for a bit each."""


@dataclass
class Hints:
    """What samples of states suggest: keys of sets of records, the most elements of a set, the
    arguments of variables that are functions of varying domain, the members of those that are sets.

    They choose among layouts only; what they suggest is proven with everything else.
    """

    keys: dict[tuple[str, ...], str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    arguments: dict[str, frozenset[Any]] = field(default_factory=dict)
    members: dict[str, frozenset[Any]] = field(default_factory=dict)


class Layout(Encoding):
    """Chooses sorts, and remembers what their values stand for."""

    def __init__(
        self, symmetric: Mapping[str, frozenset[v.ModelValue]], hints: Hints | None = None
    ) -> None:
        super().__init__()
        self.hints = hints or Hints()
        self._owner: dict[v.ModelValue, Scalarset] = {}
        for name, members in symmetric.items():
            listed = tuple(v.ordered(members))
            sort = Scalarset(name, len(listed))
            self.scalarsets[sort] = listed
            for one in listed:
                self._owner[one] = sort
        self._enum_of: dict[frozenset[Atom], EnumSort] = {}
        self.wide = False
        """Whether a set would be smaller with a key, or has as many slots as somebody guessed."""
        self.varying: set[str] = set()
        """Functions of varying domain with more possible arguments than there is a place for."""
        self.slotted: set[str] = set()
        """Variables that are sets, with more possible members than there is a bit for each."""
        self._named: dict[tuple[type, str], Sort] = {}
        self._members: Shape | None = None

    def owner(self, atom: object) -> Scalarset | None:
        """Return the scalarset that a model value is a member of."""
        return self._owner.get(atom) if isinstance(atom, v.ModelValue) else None

    def of_variable(self, shape: Shape, name: str) -> Sort:
        """Return the sort of a variable of this name."""
        self._members = shape.elements
        return self.sort(shape, name)

    def sort(self, shape: Shape, name: str) -> Sort:
        """Return a sort that holds every value of the shape; ``name`` names what is new."""
        kinds = list(self._kinds(shape, name))
        if not kinds:
            return BOOL
        if len(kinds) == 1:
            return kinds[0][1]
        if len(kinds) == 2:
            for lone, other in (kinds, kinds[::-1]):
                value = _lone(lone[0])
                if value is None or isinstance(other[1], OptionSort):
                    continue
                if isinstance(value, int) and isinstance(other[1], IntSort):
                    continue
                option = OptionSort(other[1])
                if self.none.setdefault(option, value) == value:
                    return option
        cases = tuple(_tagged(kinds))
        return self._distinct(lambda called: VariantSort(called, cases), name)

    def _kinds(self, shape: Shape, name: str) -> Iterable[tuple[Shape, Sort]]:
        if shape.truths:
            yield Shape(truths=shape.truths), BOOL
        if shape.integers is not None:
            low, high = shape.integers.low, shape.integers.high
            yield Shape(integers=shape.integers), integer_sort(low, high)
        groups: dict[Scalarset | None, set[Atom]] = {}
        for atom in shape.atoms:
            groups.setdefault(self.owner(atom), set()).add(atom)
        for owner, atoms in sorted(groups.items(), key=lambda g: g[0].name if g[0] else ""):
            part = Shape(atoms=frozenset(atoms))
            yield part, owner if owner is not None else self.enum(part.atoms, name)
        for names, parts in shape.records:
            fields = tuple((n, self.sort(p, n)) for n, p in zip(names, parts, strict=True))
            record = self._distinct(_record_of(fields), "_".join(names))
            yield Shape(records=((names, parts),)), record
        if shape.functions is not None:
            yield Shape(functions=shape.functions), self._map(shape.functions, name)
        if shape.sequences is not None:
            yield Shape(sequences=shape.sequences), self._sequence(shape.sequences, name)
        if shape.elements is not None:
            yield Shape(elements=shape.elements), self._set(shape.elements, name)

    def enum(self, atoms: frozenset[Atom], name: str) -> EnumSort:
        """Return the enumeration of these atoms; always the same one for the same atoms."""
        known = self._enum_of.get(atoms)
        if known is None:
            listed = tuple(v.ordered(atoms))
            texts = [a if isinstance(a, str) else a.name for a in listed]
            if len(set(texts)) != len(texts):
                texts = [f'"{a}"' if isinstance(a, str) else a.name for a in listed]
            known = self._distinct(lambda called: EnumSort(called, tuple(texts)), name)
            self._enum_of[atoms] = known
            self.enums[known] = listed
        return known

    def _distinct(self, make: Callable[[str], Made], name: str) -> Made:
        """Return the sort that is made under a name; sorts of one name are equal."""
        called = wanted = _identifier(name)
        number = 1
        while True:
            found = make(called)
            known = self._named.setdefault((type(found), called), found)
            if known == found:
                return found
            number += 1
            called = f"{wanted}_{number}"

    def known_enum(self, atoms: frozenset[Atom]) -> EnumSort | None:
        """Return the enumeration of just these atoms where there is one already."""
        return self._enum_of.get(atoms)

    def _map(self, functions: d.Functions, name: str) -> Sort:
        domain = functions.domain
        if domain is not None:
            key = self.sort(d.join_all(d.shape_of(k) for k in domain), f"{name}_key")
            if len(self.domains.values(key)) == len(domain):
                return MapSort(key, self.sort(functions.values, name))
        key = self.sort(functions.keys, f"{name}_key")
        if count(key) > MOST_ARGUMENTS:
            self.varying.add(name)
            listed = self.hints.arguments.get(name)
            key = self._table(functions.keys, listed, f"{name}_key") if listed else key
        fields = ((IMAGE, self.sort(functions.values, name)),)
        return MapSort(key, OptionSort(self._distinct(_record_of(fields), f"{name}{IMAGE_OF}")))

    def _table(self, known: Shape, listed: frozenset[Any], name: str) -> IntSort:
        """Return the numbers of the arguments that samples have met."""
        row = self.sort(d.join_all((known, *map(d.shape_of, listed))), name)
        rows = tuple(v.ordered(listed))
        ends = Bound(0), Bound(len(rows) - 1)
        table = self._distinct(lambda called: IntSort(called, *ends), f"{name}_number")
        self.tables[table] = Table(row, rows, {one: at for at, one in enumerate(rows)})
        return table

    def _sequence(self, sequences: d.Sequences, name: str) -> Sort:
        if sequences.parts:
            parts = enumerate(sequences.parts, 1)
            fields = tuple((f"{ITEM}{i}", self.sort(p, f"{name}_{i}")) for i, p in parts)
            return self._distinct(_record_of(fields), f"{TUPLE}{name}")
        return SequenceSort(self.sort(sequences.element, name), Bound(max(1, sequences.longest)))

    def _set(self, element: Shape, name: str) -> Sort:
        sort = self.sort(element, f"{name}_element")
        if isinstance(sort, RecordSort):
            wide = count(sort) > FEW
            key = self.hints.keys.get(tuple(sorted(n for n, _ in sort.fields)))
            if wide and key is not None and self._has_a_place_for_each(sort.field(key)):
                return KeyedSetSort(sort, key)
            self.wide = self.wide or wide
        if listable(sort) and count(sort) <= MOST_ELEMENTS:
            return SetSort(sort)
        self.wide = True
        owners = map(self.owner, d.possible_atoms(element))
        alike = any(owner is not None and len(self.scalarsets[owner]) > 1 for owner in owners)
        if element is self._members and element.records and not alike:
            self.slotted.add(name)
            if listed := self.hints.members.get(name):
                return SetSort(self._table(element, listed, f"{name}_element"))
        return BoundedSetSort(sort, Bound(self.hints.sizes.get(name, SLOTS)))

    @staticmethod
    def _has_a_place_for_each(key: Sort) -> bool:
        return isinstance(key, Scalar) and count(key) <= MOST_ARGUMENTS


def _record_of(fields: tuple[tuple[str, Sort], ...]) -> Callable[[str], RecordSort]:
    return lambda name: RecordSort(name, fields)


def _lone(shape: Shape) -> Atom | int | None:
    if len(shape.atoms) == 1:
        return next(iter(shape.atoms))
    if shape.integers is not None and shape.integers.low == shape.integers.high:
        return shape.integers.low
    return None


def _tagged(kinds: list[tuple[Shape, Sort]]) -> Iterable[tuple[str, Sort]]:
    taken: set[str] = set()
    for shape, sort in kinds:
        if shape.records:
            tag = "_".join(shape.records[0][0])
        elif shape.truths:
            tag = "truth"
        elif shape.integers is not None:
            tag = "number"
        elif shape.atoms:
            tag = sort.name
        elif shape.functions is not None:
            tag = "function"
        elif shape.sequences is not None:
            tag = "sequence"
        else:
            tag = "set"
        while tag in taken:
            tag += "_"
        taken.add(tag)
        yield tag, sort


def _identifier(name: str) -> str:
    return "".join(ch if ch.isalnum() or ch == "_" else "_" for ch in name)
