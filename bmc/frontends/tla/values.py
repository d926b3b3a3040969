"""The values of TLA+: what they are, when they are equal, their order, how they are printed.

| TLA+ | here |
|---|---|
| TRUE, FALSE | `TRUE`, `FALSE`, which equal no number |
| integers, strings | `int`, `str` |
| model values | `ModelValue`, one object a name |
| finite sets | `frozenset` |
| functions of domain 1..n: tuples, sequences, `<<>>` | `tuple` |
| other functions, records | `Function` |

A function of domain 1..n is always a `tuple`, and domains are interned; so Python's `==` and
`hash` of values are TLA+'s `=`. TLC is stricter: `1 = "a"`, which TLA+ leaves open, is an error
there. Here values of different kinds differ, as if no two kinds had a value in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from bmc.lang.show import quoted


class Boolean:
    """TRUE or FALSE. Python's own are numbers, and `{True} == {1}` there."""

    __slots__ = ("truth",)

    def __init__(self, truth: bool) -> None:
        self.truth = truth

    def __bool__(self) -> bool:
        return self.truth

    def __repr__(self) -> str:
        return "TRUE" if self.truth else "FALSE"

    def __reduce__(self) -> tuple[Any, ...]:
        return boolean, (self.truth,)


TRUE = Boolean(True)
FALSE = Boolean(False)
BOOLEANS = frozenset((TRUE, FALSE))


def boolean(truth: bool) -> Boolean:
    """Return TRUE or FALSE."""
    return TRUE if truth else FALSE


class ModelValue:
    """A value that equals itself alone; `model_value(name)` is the one of that name."""

    __slots__ = ("key", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.key = natural_key(name)

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return model_value, (self.name,)


_model_values: dict[str, ModelValue] = {}


def model_value(name: str) -> ModelValue:
    """Return the model value called `name`, always the same object."""
    known = _model_values.get(name)
    if known is None:
        known = _model_values.setdefault(name, ModelValue(name))
    return known


def natural_key(name: str) -> tuple[tuple[str, int], ...]:
    """Return a key that sorts `r2` before `r10`."""
    return tuple((text, int(digits or -1)) for text, digits in re.findall(r"(\D*)(\d{0,18})", name))


class Domain:
    """The domain of functions: its members in order and where each one's value stands.

    Interned by `domain_of`, so equal domains are one object.
    """

    __slots__ = ("keys", "members", "positions")

    def __init__(self, members: frozenset[Any]) -> None:
        self.members = members
        self.keys = ordered(members)
        self.positions = {key: at for at, key in enumerate(self.keys, 1)}

    def __reduce__(self) -> tuple[Any, ...]:
        return domain_of, (self.members,)


class Function(tuple[Any, ...]):
    """A function whose domain is not 1..n: its `Domain`, then the values in the domain's order.

    Being a tuple it is compared and hashed by the interpreter's own loops; searches spend most of
    their time there. Made by `function` and `record`; never made of a domain 1..n.
    """

    __slots__ = ()

    @property
    def domain(self) -> Domain:
        domain: Domain = self[0]
        return domain

    def items(self) -> Iterable[tuple[Value, Value]]:
        """Return pairs of an argument and its value, in the arguments' order."""
        return zip(self.domain.keys, self[1:], strict=True)

    def __repr__(self) -> str:
        return show(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Function, (tuple(self),)


Value: TypeAlias = "Boolean | int | str | ModelValue | frozenset[Any] | tuple[Any, ...]"

_domains: dict[frozenset[Any], Domain] = {}


def domain_of(members: frozenset[Any]) -> Domain:
    """Return the interned domain of these members, which are not 1..n."""
    known = _domains.get(members)
    if known is None:
        known = _domains.setdefault(members, Domain(members))
    return known


def is_interval_from_one(members: frozenset[Any]) -> bool:
    """Tell whether `members` is 1..n; the empty set is 1..0."""
    size = len(members)
    return size == 0 or (size in members and all(at in members for at in range(1, size)))


def function(graph: Mapping[Any, Any]) -> tuple[Any, ...]:
    """Return the function with these arguments and values."""
    members = frozenset(graph)
    if is_interval_from_one(members):
        return tuple(graph[at] for at in range(1, len(members) + 1))
    domain = domain_of(members)
    return Function((domain, *(graph[key] for key in domain.keys)))


def record(**fields: Any) -> Function:
    """Return the record with these fields."""
    made = function(fields)
    assert isinstance(made, Function), "a record has a field"
    return made


def graph_of(value: tuple[Any, ...]) -> dict[Any, Any]:
    """Return the arguments of a function and their values, in the arguments' order."""
    if isinstance(value, Function):
        return dict(value.items())
    return dict(enumerate(value, 1))


def members_of(value: tuple[Any, ...]) -> frozenset[Any]:
    """Return the domain of a function as a set."""
    return value.domain.members if isinstance(value, Function) else interval(1, len(value))


@lru_cache(maxsize=4096)
def interval(low: int, high: int) -> frozenset[int]:
    """Return low..high."""
    return frozenset(range(low, high + 1))


# Order.

_MODEL, _BOOLEAN, _INTEGER, _STRING, _SET, _FUNCTION = range(6)


def order_key(value: Value) -> tuple[Any, ...]:
    """Return a key that sorts values of all kinds.

    Within a kind it is TLC's order: sets and functions by size, then member by member; functions by
    their domains first. TLC has strings, model values and the names of fields in the order in which
    it met them; here they are in alphabetical order, numbers within names by size.
    """
    match value:
        case ModelValue():
            return _MODEL, value.key, value.name
        case Boolean():
            return _BOOLEAN, value.truth
        case int():
            return _INTEGER, value
        case str():
            return _STRING, value
        case frozenset():
            return _small_set_key(value) if len(value) <= _SMALL else _set_key(value)
        case Function():
            domain = tuple(order_key(key) for key in value.domain.keys)
            return _FUNCTION, len(domain), domain, tuple(order_key(item) for item in value[1:])
        case tuple():
            domain = _sequence_domain_key(len(value))
            return _FUNCTION, len(value), domain, tuple(order_key(item) for item in value)
    raise TypeError(f"not a value of TLA+: {value!r}")


def _set_key(members: frozenset[Any]) -> tuple[Any, ...]:
    keys = sorted(order_key(member) for member in members)
    return _SET, len(keys), tuple(keys)


_SMALL = 16
_small_set_key = lru_cache(maxsize=1 << 12)(_set_key)
"""Sets of small sets have few members that no other of them has."""


@lru_cache(maxsize=1024)
def _sequence_domain_key(length: int) -> tuple[Any, ...]:
    return tuple((_INTEGER, at) for at in range(1, length + 1))


_ordered: dict[frozenset[Any], tuple[Any, ...]] = {}
_REMEMBERED = 100_000


def ordered(members: frozenset[Any]) -> tuple[Any, ...]:
    """Return the members in order (see `order_key`); the last sets asked for are remembered."""
    known = _ordered.get(members)
    if known is None:
        if len(_ordered) >= _REMEMBERED:
            _ordered.clear()
        known = _ordered[members] = tuple(in_order(members))
    return known


def listed_in_order(members: list[Any]) -> frozenset[Any]:
    """Return the set of members that stand in order already, which it is remembered to have."""
    found = frozenset(members)
    if len(found) == len(members) and found not in _ordered and len(_ordered) < _REMEMBERED:
        _ordered[found] = tuple(members)
    return found


def in_order(members: Iterable[Any]) -> list[Any]:
    """Return values sorted (see `order_key`)."""
    found = list(members)
    if len(found) > 1:
        if all(type(member) is int for member in found) or all(
            type(member) is str for member in found
        ):
            found.sort()
        else:
            found.sort(key=order_key)
    return found


# Printing.


def show(value: object) -> str:
    """Return `value` as TLC prints it: `[a |-> 1]`, `(r1 :> 0 @@ r2 :> 1)`, `<<1, "x">>`."""
    match value:
        case str():
            return quoted(value)
        case frozenset():
            return "{" + ", ".join(map(show, ordered(value))) + "}"
        case Function():
            keys = value.domain.keys
            if all(isinstance(key, str) and is_field(key) for key in keys):
                fields = (f"{key} |-> {show(item)}" for key, item in value.items())
                return "[" + ", ".join(fields) + "]"
            return "(" + " @@ ".join(f"{show(k)} :> {show(v)}" for k, v in value.items()) + ")"
        case tuple():
            return "<<" + ", ".join(map(show, value)) + ">>"
    return str(value)


def selected(name: str) -> str:
    """Return what stands behind a record, or a function of strings, whose value is asked there."""
    return f".{name}" if is_field(name) else f"[{quoted(name)}]"


def is_field(name: str) -> bool:
    """Tell whether TLA+ takes a string for the name of a field."""
    return re.fullmatch(r"\w*[A-Za-z]\w*", name, re.ASCII) is not None
