"""Values of TLA+ as values of sorts, and back; the shapes of sorts' values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.domain import Atom, Shape
from bmc.frontends.tla.decoding import Decoder, decoder
from bmc.frontends.tla.forms import NoFit, NoLayout, is_tuple, partial
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
    parts,
)
from bmc.layout.domain import Domains


@dataclass(frozen=True, eq=False)
class Table:
    """What numbers stand for: values of a sort that has too many to list, those that were met."""

    row: Sort
    rows: tuple[Any, ...]
    places: Mapping[Any, int]


class Encoding:
    """Knows what the values of sorts stand for: names of enumerations, members, what none is."""

    def __init__(self) -> None:
        self.scalarsets: dict[Scalarset, tuple[v.ModelValue, ...]] = {}
        self.enums: dict[EnumSort, tuple[Atom, ...]] = {}
        self.none: dict[OptionSort, Atom | int] = {}
        self.tables: dict[IntSort, Table] = {}
        self.domains = Domains({})
        self._decoders: dict[Sort, Decoder] = {}

    def encode(self, value: Any, sort: Sort) -> Any:
        """Return a TLA+ value as a value of the sort; NoFit where the sort cannot hold it."""
        match sort:
            case BoolSort():
                if isinstance(value, v.Boolean):
                    return value.truth
            case IntSort() if sort in self.tables:
                place = self.tables[sort].places.get(value)
                if place is not None:
                    return place
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

    def tables_in(self, sort: Sort) -> Iterator[Table]:
        """Yield what numbers in values of a sort stand for: it has fewer values than its shape."""
        if isinstance(sort, IntSort) and sort in self.tables:
            yield self.tables[sort]
        for part in parts(sort):
            yield from self.tables_in(part)

    def tabled(self, sort: Sort) -> bool:
        """Tell whether values of a sort have numbers in them that stand for others."""
        return any(True for _ in self.tables_in(sort))

    def decode(self, value: Any, sort: Sort) -> Any:
        """Return the TLA+ value that a value of the sort stands for."""
        return self.decoder(sort)(value)

    def decoder(self, sort: Sort) -> Decoder:
        """Return what decodes values of the sort, which are many where states are compared."""
        found = self._decoders.get(sort)
        if found is None:
            found = self._decoders[sort] = decoder(self, sort)
        return found

    def shape(self, sort: Sort) -> Shape:
        """Return the shape of a sort's values."""
        match sort:
            case BoolSort():
                return d.BOOLEANS
            case IntSort() if sort in self.tables:
                return self.shape(self.tables[sort].row)
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
