"""What the functions made of terms call as they run: the checks of values, and their updates.

Each raises BoundTooSmall where the interpreter does, with the term it was made for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from bmc.lang.errors import BoundTooSmall, LanguageError, NothingThere
from bmc.lang.sorts import KeyedSetSort, MapSort, Sort
from bmc.lang.terms import Term
from bmc.layout.domain import Domains, Value, outside
from bmc.readings.value import ConcreteState


def _after(state: ConcreteState | None, name: str) -> Value:
    if state is None:
        raise LanguageError(f"{name}' has no value here: only a step invariant reads it")
    return state[name]


def _ranged(value: int, low: int, high: int, sort: Sort, term: Term) -> int:
    if low <= value <= high:
        return value
    raise BoundTooSmall(f"{term!r} is {value!r}, which is outside {sort}")


def _fits(domains: Domains, sort: Sort, value: Value, term: Term) -> Value:
    if not domains.contains(sort, value):
        raise BoundTooSmall(outside(term, value, sort))
    return value


def _positive(divisor: int, term: Term) -> int:
    if divisor > 0:
        return divisor
    raise NothingThere(f"{term!r} divides by {divisor}: a divisor is positive")


def _chosen(found: list[Value], term: Term) -> Value:
    if not found:
        raise NothingThere(f"{term!r} chooses from nothing")
    return found[0]


def _extreme_of(found: list[Value], position: int, default: Callable[[], Value]) -> Value:
    return found[position] if found else default()


def _at(sequence: Value, index: int, term: Term) -> Value:
    if not 0 <= index < len(sequence):
        raise NothingThere(f"{term!r} reads position {index} of {len(sequence)} elements")
    return sequence[index]


def _tail(sequence: Value, term: Term) -> Value:
    if not sequence:
        raise NothingThere(f"{term!r} is the tail of an empty sequence")
    return sequence[1:]


def _take(sequence: Value, length: int, term: Term) -> Value:
    if not 0 <= length <= len(sequence):
        raise NothingThere(f"{term!r} takes {length} of {len(sequence)} elements")
    return sequence[:length]


def _roomy(collection: Value, capacity: int, term: Term) -> Value:
    if len(collection) > capacity:
        raise BoundTooSmall(f"{term!r} is {collection!r}, which is outside {term.sort}")
    return collection


def _keyed(collection: Value, element: Value, index: int, sort: KeyedSetSort) -> Value:
    for other in collection:
        if other[index] == element[index] and other != element:
            raise BoundTooSmall(
                f"{sort.element} {element[index]!r} is inserted twice with different contents: "
                f"{sort.key} is not a key"
            )
    return collection | {element}


def _looked_up(collection: Value, key: Value, index: int) -> Value:
    return next((element for element in collection if element[index] == key), None)


def _there(value: Value, term: Term) -> Value:
    if value is None:
        raise NothingThere(f"{term.args[0]!r} is none where its value is read")
    return value


def _with(whole: Value, index: int, part: Value) -> Value:
    return (*whole[:index], part, *whole[index + 1 :])


def _content(value: Value, wanted: str, term: Term) -> Value:
    tag, content = value
    if tag != wanted:
        raise NothingThere(f"{term.args[0]!r} is a {tag} where a {wanted} is read")
    return content


def _selected(collection: Value, index: int, term: Term) -> Value:
    if 0 <= index < len(collection):
        return collection[index]
    _no_key(term)


def _stored(collection: Value, index: int, part: Value, term: Term) -> Value:
    if not 0 <= index < len(collection):
        _no_key(term)
    changed = list(collection)
    changed[index] = part
    return tuple(changed)


def _no_key(term: Term) -> NoReturn:
    sort = term.args[0].sort
    assert isinstance(sort, MapSort)
    raise BoundTooSmall(f"{term!r} indexes with a value that is outside {sort.key}")


HELPERS: dict[str, Any] = {
    "_after": _after,
    "_ranged": _ranged,
    "_fits": _fits,
    "_positive": _positive,
    "_chosen": _chosen,
    "_extreme": _extreme_of,
    "_at": _at,
    "_tail": _tail,
    "_take": _take,
    "_keyed": _keyed,
    "_roomy": _roomy,
    "_lookup": _looked_up,
    "_the": _there,
    "_with": _with,
    "_payload": _content,
    "_select": _selected,
    "_store": _stored,
}
"""What a text names, under the names it uses."""
