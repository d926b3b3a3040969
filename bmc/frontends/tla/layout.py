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
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.domain import Atom, Shape
from bmc.lang.bounds import Bound
from bmc.lang.errors import LanguageError
from bmc.lang.sorts import (
    BOOL,
    BoolSort,
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
from bmc.layout.domain import Domains

Made = TypeVar("Made", bound=Sort)

FEW = 16
"""The most possible elements of a set of records that needs no key."""

MOST_ELEMENTS = 2048
"""The most values of a sort that a set has a bit for each of."""

TUPLE = "Tuple_"
"""How the names of the records begin that tuples are."""

ITEM = "item"
"""How the names of their fields begin."""

IMAGE = "image"
"""The field of the record that an optional image of a partial function is."""

SLOTS = 8
"""Elements that a set has room for whose possible elements are too many for a bit each."""


class NoLayout(LanguageError):
    """No sort holds the values of this shape."""


class NoFit(Exception):
    """A value that a sort cannot hold: where it is compared with one, they differ."""


@dataclass
class Hints:
    """What samples of states suggest: keys of sets of records, the most elements of a set.

    They choose among layouts only; what they suggest is proven with everything else.
    """

    keys: dict[tuple[str, ...], str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)


class Layout:
    """Chooses sorts, and remembers what their values stand for."""

    def __init__(
        self, symmetric: Mapping[str, frozenset[v.ModelValue]], hints: Hints | None = None
    ) -> None:
        self.hints = hints or Hints()
        self.scalarsets: dict[Scalarset, tuple[v.ModelValue, ...]] = {}
        self._owner: dict[v.ModelValue, Scalarset] = {}
        for name, members in symmetric.items():
            listed = tuple(v.ordered(members))
            sort = Scalarset(name, len(listed))
            self.scalarsets[sort] = listed
            for one in listed:
                self._owner[one] = sort
        self.enums: dict[EnumSort, tuple[Atom, ...]] = {}
        self._enum_of: dict[frozenset[Atom], EnumSort] = {}
        self.none: dict[OptionSort, Atom | int] = {}
        self.wide = False
        """Whether a set would be smaller with a key, or has as many slots as somebody guessed."""
        self._named: dict[tuple[type, str], Sort] = {}
        self.domains = Domains({})

    def owner(self, atom: object) -> Scalarset | None:
        """Return the scalarset that a model value is a member of."""
        return self._owner.get(atom) if isinstance(atom, v.ModelValue) else None

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
        fields = ((IMAGE, self.sort(functions.values, name)),)
        return MapSort(key, OptionSort(self._distinct(_record_of(fields), f"{name}_at")))

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
            if wide and key is not None and isinstance(sort.field(key), Scalar):
                return KeyedSetSort(sort, key)
            self.wide = self.wide or wide
        if listable(sort) and count(sort) <= MOST_ELEMENTS:
            return SetSort(sort)
        self.wide = True
        return BoundedSetSort(sort, Bound(self.hints.sizes.get(name, SLOTS)))

    def encode(self, value: Any, sort: Sort) -> Any:
        """Return a TLA+ value as a value of the sort; NoFit where the sort cannot hold it."""
        match sort:
            case BoolSort():
                if isinstance(value, v.Boolean):
                    return value.truth
            case IntSort():
                low, high = self.domains.range(sort)
                if isinstance(value, int) and low <= value <= high:
                    return value
            case EnumSort():
                atoms = self.enums[sort]
                if isinstance(value, str | v.ModelValue) and value in atoms:
                    return sort.values[atoms.index(value)]
            case Scalarset():
                members = self.scalarsets[sort]
                if isinstance(value, v.ModelValue) and value in members:
                    return members.index(value)
            case OptionSort():
                if type(value) is type(self.none[sort]) and value == self.none[sort]:
                    return None
                return self.encode(value, sort.inner)
            case RecordSort():
                graph = v.graph_of(value) if isinstance(value, tuple) else {}
                names = [n for n, _ in sort.fields]
                keys = list(range(1, len(names) + 1)) if is_tuple(sort) else names
                if set(graph) == set(keys):
                    pairs = zip(keys, sort.fields, strict=True)
                    return tuple(self.encode(graph[k], part) for k, (_, part) in pairs)
            case VariantSort():
                for tag, part in sort.cases:
                    try:
                        return tag, self.encode(value, part)
                    except NoFit:
                        continue
            case MapSort():
                if isinstance(value, tuple):
                    return self._encode_map(value, sort)
            case SetSort() | KeyedSetSort() | BoundedSetSort():
                if isinstance(value, frozenset):
                    return frozenset(self.encode(one, sort.element) for one in value)
            case SequenceSort():
                fits = isinstance(value, tuple) and not isinstance(value, v.Function)
                if fits and len(value) <= sort.capacity.at({}):
                    return tuple(self.encode(one, sort.element) for one in value)
        raise NoFit(f"{v.show(value)} is no {sort}")

    def _encode_map(self, value: tuple[Any, ...], sort: MapSort) -> Any:
        graph = {self.encode(k, sort.key): one for k, one in v.graph_of(value).items()}
        keys = self.domains.values(sort.key)
        held = partial(sort)
        if held is not None:
            image = held.image
            return tuple((self.encode(graph[k], image),) if k in graph else None for k in keys)
        if set(graph) != set(keys):
            raise NoFit(f"{v.show(value)} has another domain than {sort}")
        return tuple(self.encode(graph[k], sort.value) for k in keys)

    def decode(self, value: Any, sort: Sort) -> Any:
        """Return the TLA+ value that a value of the sort stands for."""
        match sort:
            case BoolSort():
                return v.boolean(value)
            case IntSort():
                return value
            case EnumSort():
                return self.enums[sort][sort.values.index(value)]
            case Scalarset():
                return self.scalarsets[sort][value]
            case OptionSort():
                return self.none[sort] if value is None else self.decode(value, sort.inner)
            case RecordSort():
                parts = [
                    self.decode(one, part)
                    for (_, part), one in zip(sort.fields, value, strict=True)
                ]
                if is_tuple(sort):
                    return tuple(parts)
                return v.function({n: p for (n, _), p in zip(sort.fields, parts, strict=True)})
            case VariantSort():
                return self.decode(value[1], sort.case(value[0]))
            case MapSort():
                pairs = zip(self.domains.values(sort.key), value, strict=True)
                held = partial(sort)
                if held is not None:
                    image = held.image
                    return v.function(
                        {
                            self.decode(k, sort.key): self.decode(one[0], image)
                            for k, one in pairs
                            if one is not None
                        }
                    )
                return v.function(
                    {self.decode(k, sort.key): self.decode(one, sort.value) for k, one in pairs}
                )
            case SetSort() | KeyedSetSort() | BoundedSetSort():
                return frozenset(self.decode(one, sort.element) for one in value)
            case SequenceSort():
                return tuple(self.decode(one, sort.element) for one in value)
        raise NoFit(f"{sort} has no values of TLA+")

    def shape(self, sort: Sort) -> Shape:
        """Return the shape of a sort's values."""
        match sort:
            case BoolSort():
                return d.BOOLEANS
            case IntSort():
                return d.integers(*self.domains.range(sort)) if sort.bounded else d.INTEGERS
            case EnumSort():
                return Shape(atoms=frozenset(self.enums[sort]))
            case Scalarset():
                return Shape(atoms=frozenset(self.scalarsets[sort]))
            case OptionSort():
                return d.join(self.shape(sort.inner), d.shape_of(self.none[sort]))
            case RecordSort():
                if is_tuple(sort):
                    return d.tuple_of(self.shape(p) for _, p in sort.fields)
                return d.record_of({n: self.shape(p) for n, p in sort.fields})
            case VariantSort():
                return d.join_all(self.shape(p) for _, p in sort.cases)
            case MapSort():
                keys = self.shape(sort.key)
                held = partial(sort)
                if held is not None:
                    return d.function_of(keys, self.shape(held.image), None)
                listed = self.domains.values(sort.key)
                domain = frozenset(self.decode(k, sort.key) for k in listed)
                return d.function_of(keys, self.shape(sort.value), domain)
            case SetSort() | KeyedSetSort() | BoundedSetSort():
                return d.set_of(self.shape(sort.element))
            case SequenceSort():
                return d.sequence_of(self.shape(sort.element), 0, sort.capacity.at({}))
        raise NoLayout(f"{sort} has no shape")


def integer_sort(low: int, high: int) -> IntSort:
    """Return the sort of an interval; all integers of a specification have one identity."""
    if low <= -d.FAR or high >= d.FAR:
        raise NoLayout("an integer here has no bound")
    return IntSort("Int", Bound(low), Bound(high))


def is_tuple(sort: RecordSort) -> bool:
    """Tell whether a record sort holds tuples; records are called after their first field."""
    return sort.name.startswith(TUPLE) and sort.fields[0][0] == f"{ITEM}1"


@dataclass(frozen=True)
class Partial:
    """What the images of a map are that holds functions of varying domain."""

    option: OptionSort
    entry: RecordSort
    image: Sort


def partial(sort: MapSort) -> Partial | None:
    """Return what a map's images are where it holds functions of varying domain, else None."""
    option = sort.value
    if isinstance(option, OptionSort) and isinstance(option.inner, RecordSort):
        (name, image), *others = option.inner.fields
        if name == IMAGE and not others:
            return Partial(option, option.inner, image)
    return None


def listable(sort: Sort) -> bool:
    """Tell whether a set can have a bit for each value of the sort."""
    match sort:
        case OptionSort(inner):
            return listable(inner)
        case RecordSort(_, fields):
            return all(listable(part) for _, part in fields)
        case VariantSort(_, cases):
            return all(listable(part) for _, part in cases)
        case SetSort(element):
            return isinstance(element, BoolSort | IntSort | EnumSort | Scalarset)
        case MapSort(_, value):
            return listable(value)
        case SequenceSort(element, _):
            return listable(element)
        case BoolSort() | IntSort() | EnumSort() | Scalarset():
            return True
    return False


def count(sort: Sort) -> int:
    """Return how many values a listable sort has."""
    match sort:
        case BoolSort():
            return 2
        case IntSort():
            low, high = sort.range()
            return high.at({}) - low.at({}) + 1
        case EnumSort():
            return len(sort.values)
        case Scalarset():
            return sort.size.at({})
        case OptionSort(inner):
            return count(inner) + 1
        case RecordSort(_, fields):
            return d.product_of(count(part) for _, part in fields)
        case VariantSort(_, cases):
            return sum(count(part) for _, part in cases)
        case SetSort(element):
            return d.power(2, count(element))
        case MapSort(key, value):
            return d.power(count(value), count(key))
        case SequenceSort(element, longest):
            each = count(element)
            return min(sum(d.power(each, n) for n in range(longest.at({}) + 1)), d.FAR)
    return d.FAR


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
