"""Properties as plain data, for files that carry a statement which no protocol's text has.

A term is written as its operator, sort, data and arguments, so that what is read back is the very
term: its digest is the same. Reading runs nothing and believes nothing: every sort is built by its
own class, and every variable has to be one of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bmc.lang.bounds import Bound
from bmc.lang.errors import BmcError, LanguageError
from bmc.lang.model import Source
from bmc.lang.operator_table import OPERATORS
from bmc.lang.properties import Kind, Property
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
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.lang.terms import Term, make
from bmc.lang.well_sorted import require_well_sorted

_DEEPEST = 60
"""How deep a written term may nest: what people and searches state is far flatter."""


class Unreadable(LanguageError):
    """Data that is no written property of this model."""


def write_property(stated: Property) -> dict[str, Any]:
    """Return a property as JSON data."""
    return {
        "name": stated.name,
        "text": stated.text,
        "arguments": [write_term(argument) for argument in stated.arguments],
        "body": write_term(stated.body),
    }


def read_lemma(written: object, variables: Mapping[str, Sort]) -> Property:
    """Return the lemma that data says, over a model's variables.

    Raises Unreadable for data that is none.
    """
    try:
        return _lemma(written, variables)
    except Unreadable:
        raise
    except (BmcError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise Unreadable(f"a carried lemma cannot be read: {error}") from None


def _lemma(written: Any, variables: Mapping[str, Sort]) -> Property:
    name, text = written["name"], written["text"]
    if not isinstance(name, str) or not name.isidentifier() or not isinstance(text, str):
        raise Unreadable(f"a carried lemma cannot be called {name!r}")
    arguments = tuple(read_term(one, variables) for one in written["arguments"])
    body = read_term(written["body"], variables)
    if any(one.op != "bound_variable" for one in arguments):
        raise Unreadable(f"an argument of the carried lemma {name} is no variable")
    if not isinstance(body.sort, BoolSort) or body.free - frozenset(arguments):
        raise Unreadable(f"the carried lemma {name} is no closed formula")
    return Property(name, Kind.LEMMA, arguments, body, text, "inferred", Source("", 0))


def write_term(term: Term) -> list[Any]:
    """Return a term as JSON data: operator, sort, data, arguments."""
    return [term.op, write_sort(term.sort), _data(term.data), *map(write_term, term.args)]


def read_term(written: Any, variables: Mapping[str, Sort], depth: int = 0) -> Term:
    """Return the term that data says; its state variables must be the given ones, unprimed.

    Raises Unreadable, or what the classes of sorts raise.
    """
    if not isinstance(written, list) or len(written) < 3 or depth > _DEEPEST:
        raise Unreadable("a carried lemma holds something that is no term")
    op, sort, data = written[0], read_sort(written[1]), _read_data(written[2])
    if op not in OPERATORS:
        raise Unreadable(f"there is no operator {op!r}")
    if op == "variable":
        if not isinstance(data, tuple) or len(data) != 2 or data[1] is not False:
            raise Unreadable("a carried lemma speaks of one state")
        if variables.get(data[0]) != sort:
            raise Unreadable(f"the model has no variable {data[0]!r} of sort {sort}")
    found = make(op, [read_term(one, variables, depth + 1) for one in written[3:]], sort, data)
    require_well_sorted(found)
    return found


def _data(data: object) -> Any:
    match data:
        case None | bool() | int() | str():
            return data
        case Bound():
            return {"bound": _bound(data)}
        case tuple():
            return [_data(part) for part in data]
    raise LanguageError(f"there is no way to write {data!r}")


def _read_data(written: Any) -> object:
    match written:
        case None | bool() | int() | str():
            return written
        case list():
            return tuple(_read_data(part) for part in written)
        case {"bound": bound}:
            return _read_bound(bound)
    raise Unreadable(f"{written!r} is no data of a term")


def _bound(bound: Bound) -> list[Any]:
    return [bound.constant, [[list(names), factor] for names, factor in bound.coefficients]]


def _read_bound(written: Any) -> Bound:
    constant, coefficients = written
    read = tuple((tuple(map(str, names)), int(factor)) for names, factor in coefficients)
    found = Bound(int(constant), read)
    # Scalarsets are told apart by the texts of their sizes, which say as much of sums alone.
    if found != found + 0:
        raise Unreadable(f"{written!r} is no sum of parameters as it is written")
    return found


def write_sort(sort: Sort) -> Any:
    """Return a sort as JSON data."""
    match sort:
        case BoolSort():
            return "Bool"
        case IntSort(name, low, high):
            ends = [None if end is None else _bound(end) for end in (low, high)]
            return ["int", name, *ends]
        case EnumSort(name, values):
            return ["enum", name, list(values)]
        case Scalarset():
            return ["scalarset", sort.name, _bound(sort.size)]
        case OptionSort(inner):
            return ["option", write_sort(inner)]
        case RecordSort(name, fields):
            return ["record", name, [[n, write_sort(part)] for n, part in fields]]
        case VariantSort(name, cases):
            return ["variant", name, [[n, write_sort(part)] for n, part in cases]]
        case MapSort(key, value):
            return ["map", write_sort(key), write_sort(value)]
        case SetSort(element):
            return ["set", write_sort(element)]
        case KeyedSetSort(element, key):
            return ["keyed", write_sort(element), key]
        case SequenceSort(element, capacity):
            return ["sequence", write_sort(element), _bound(capacity)]
        case BoundedSetSort(element, capacity):
            return ["bounded", write_sort(element), _bound(capacity)]
        case _:
            unknown_sort(sort)


def read_sort(written: Any) -> Sort:
    """Return the sort that data says. Raises Unreadable, or what its class raises."""
    match written:
        case "Bool":
            return BOOL
        case ["int", str(name), low, high]:
            ends = [None if end is None else _read_bound(end) for end in (low, high)]
            return IntSort(name, *ends)
        case ["enum", str(name), [*values]]:
            return EnumSort(name, tuple(map(str, values)))
        case ["scalarset", str(name), size]:
            return Scalarset(name, _read_bound(size))
        case ["option", inner]:
            return OptionSort(read_sort(inner))
        case ["record", str(name), [*fields]]:
            return RecordSort(name, tuple((str(n), read_sort(part)) for n, part in fields))
        case ["variant", str(name), [*cases]]:
            return VariantSort(name, tuple((str(n), read_sort(part)) for n, part in cases))
        case ["map", key, value]:
            return MapSort(read_sort(key), read_sort(value))
        case ["set", element]:
            return SetSort(read_sort(element))
        case ["keyed", element, str(key)]:
            held = read_sort(element)
            if isinstance(held, RecordSort):
                return KeyedSetSort(held, key)
        case ["sequence", element, capacity]:
            return SequenceSort(read_sort(element), _read_bound(capacity))
        case ["bounded", element, capacity]:
            return BoundedSetSort(read_sort(element), _read_bound(capacity))
    raise Unreadable(f"{written!r} is no sort")
