"""Values of sorts as TLA+'s: what decodes those of one sort, made once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract.domain import Atom
from bmc.frontends.tla.forms import NoFit, is_tuple, partial
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
)
from bmc.layout.domain import Domains

Decoder = Callable[[Any], Any]


class Rows(Protocol):
    """What numbers stand for that are no numbers of the text."""

    @property
    def rows(self) -> tuple[Any, ...]:
        """The values, by number."""
        ...


class Known(Protocol):
    """What the values of sorts stand for; see `Encoding`."""

    scalarsets: dict[Scalarset, tuple[v.ModelValue, ...]]
    enums: dict[EnumSort, tuple[Atom, ...]]
    none: dict[OptionSort, Atom | int]
    domains: Domains

    @property
    def tables(self) -> Mapping[IntSort, Rows]:
        """What numbers of a sort stand for."""
        ...

    def decoder(self, sort: Sort) -> Decoder:
        """Return what decodes values of a sort."""
        ...


def decoder(known: Known, sort: Sort) -> Decoder:
    """Return what makes a value of the sort the value of TLA+ that it stands for."""
    match sort:
        case BoolSort():
            return v.boolean
        case IntSort():
            return known.tables[sort].rows.__getitem__ if sort in known.tables else _itself
        case EnumSort():
            return dict(zip(sort.values, known.enums[sort], strict=True)).__getitem__
        case Scalarset():
            return known.scalarsets[sort].__getitem__
        case OptionSort():
            none, inner = known.none[sort], known.decoder(sort.inner)
            return lambda value: none if value is None else inner(value)
        case RecordSort():
            decoders = [known.decoder(part) for _, part in sort.fields]
            if is_tuple(sort):
                return lambda value: tuple([d(one) for d, one in zip(decoders, value, strict=True)])
            return _function([name for name, _ in sort.fields], decoders)
        case VariantSort():
            cases = {tag: known.decoder(part) for tag, part in sort.cases}
            return lambda value: cases[value[0]](value[1])
        case MapSort():
            return _map(known, sort)
        case SetSort() | KeyedSetSort() | BoundedSetSort():
            element = known.decoder(sort.element)
            return lambda value: frozenset(map(element, value))
        case SequenceSort():
            element = known.decoder(sort.element)
            return lambda value: tuple(map(element, value))
    raise NoFit(f"{sort} has no values of TLA+")


def _itself(value: Any) -> Any:
    return value


def _map(known: Known, sort: MapSort) -> Decoder:
    keys = list(map(known.decoder(sort.key), known.domains.values(sort.key)))
    held = partial(sort)
    if held is None:
        return _function(keys, [known.decoder(sort.value)] * len(keys))
    image = known.decoder(held.image)

    def varying(value: Any) -> Any:
        pairs = zip(keys, value, strict=True)
        return v.function({key: image(one[0]) for key, one in pairs if one is not None})

    return varying


def _function(keys: Sequence[Any], decoders: Sequence[Decoder]) -> Decoder:
    """Return what makes a function of the images of these arguments."""
    arguments = frozenset(keys)
    if v.is_interval_from_one(arguments):
        domain = None
        listed: Sequence[Any] = range(1, len(keys) + 1)
    else:
        domain = v.domain_of(arguments)
        listed = domain.keys
    places = {key: place for place, key in enumerate(keys)}
    images = [(decoders[places[key]], places[key]) for key in listed]

    def function(value: Any) -> Any:
        found = [decode(value[place]) for decode, place in images]
        return tuple(found) if domain is None else v.Function((domain, *found))

    return function
