"""What a term means on concrete states, as docs/language.md says and nothing else.

It was written from that page before any reading of bmc was looked at, and imports the language
alone: where it and an engine differ, one of them or the page is wrong. Values are plain Python:
a member of a scalarset is its number, a record a tuple, a variant ``(case, payload)``, a map a
tuple of ``(key, value)`` pairs, a set a frozenset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import floor
from typing import Any, assert_never

from bmc.lang import Sort, Term
from bmc.lang.bounds import Bound
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
    VariantSort,
)

Value = Any
Environment = Mapping[Term, Value]
State = Mapping[str, Value]


class NoValue(Exception):
    """A term has no value here: an option is none, an index or a number is out of range, …"""


class Reference:
    """The meaning of sorts and terms at parameter values."""

    def __init__(self, parameters: Mapping[str, int]) -> None:
        self.parameters = dict(parameters)
        self._listed: dict[Sort, list[Value]] = {}

    def values(self, sort: Sort) -> list[Value]:
        """All values of a sort, the least first."""
        if sort not in self._listed:
            self._listed[sort] = list(self._list(sort))
        return self._listed[sort]

    def _list(self, sort: Sort) -> Iterator[Value]:
        match sort:
            case BoolSort():
                yield from (False, True)
            case EnumSort(_, names):
                yield from names
            case IntSort():
                low, high = self._range(sort)
                yield from range(low, high + 1)
            case Scalarset(_, size):
                yield from range(size.at(self.parameters))
            case OptionSort(inner):
                yield None
                yield from self.values(inner)
            case RecordSort(_, fields):
                yield from product(*(self.values(part) for _, part in fields))
            case VariantSort(_, cases):
                for tag, part in cases:
                    yield from ((tag, value) for value in self.values(part))
            case MapSort(key, value):
                keys = self.values(key)
                for chosen in product(self.values(value), repeat=len(keys)):
                    yield tuple(zip(keys, chosen, strict=True))
            case SetSort(element):
                members = self.values(element)
                for row in product((False, True), repeat=len(members)):
                    yield frozenset(m for m, held in zip(members, row, strict=True) if held)
            case BoundedSetSort(element, capacity):
                yield from self._subsets(element, capacity.at(self.parameters))
            case KeyedSetSort():
                for chosen in self._subsets(sort.element, len(self.values(sort.key_sort))):
                    if len({self._key(sort, one) for one in chosen}) == len(chosen):
                        yield chosen
            case SequenceSort(element, capacity):
                for length in range(capacity.at(self.parameters) + 1):
                    yield from product(self.values(element), repeat=length)
            case _:
                assert_never(sort)

    def _subsets(self, element: Sort, most: int) -> Iterator[frozenset[Value]]:
        for size in range(most + 1):
            yield from map(frozenset, combinations(self.values(element), size))

    def _range(self, sort: IntSort) -> tuple[int, int]:
        low, high = sort.range()
        return low.at(self.parameters), high.at(self.parameters)

    def _key(self, sort: KeyedSetSort, record: Value) -> Value:
        names = [name for name, _ in sort.element.fields]
        return record[names.index(sort.key)]

    def value(
        self, term: Term, before: State, after: State | None = None, env: Environment | None = None
    ) -> Value:
        """Return the value of a term; raise :class:`NoValue` where it has none."""
        return _Reader(self, before, after or {}).of(term, env or {})

    def fits(self, sort: Sort, value: set[Value] | frozenset[Value]) -> frozenset[Value]:
        """Return a set as a value of its sort; NoValue where it is too full or a key is taken."""
        match sort:
            case BoundedSetSort(_, capacity) if len(value) > capacity.at(self.parameters):
                raise NoValue("a full set")
            case KeyedSetSort() if len({self._key(sort, r) for r in value}) < len(value):
                raise NoValue("a taken key")
        return frozenset(value)


class _Reader:
    def __init__(self, world: Reference, before: State, after: State) -> None:
        self.world = world
        self.before = before
        self.after = after

    def of(self, term: Term, env: Environment) -> Value:
        rule = _LAZY.get(term.op)
        if rule is not None:
            return rule(self, term, env)
        return _STRICT[term.op](self, term, *(self.of(part, env) for part in term.args))

    def each(self, term: Term, env: Environment) -> Iterator[tuple[Value, Environment]]:
        """What a binder runs over, with its variable bound to it; a set's members only."""
        variable = term.args[0]
        collection = (
            term.args[1]
            if term.op in ("forall", "exists", "union_of") and len(term.args) == 3
            else None
        )
        if collection is None:
            domain: Sequence[Value] | frozenset[Value] = self.world.values(variable.sort)
        else:
            domain = self.of(collection, env)
        for value in domain:
            yield value, {**env, variable: value}

    def instances(self, term: Term, env: Environment, body: Term) -> list[tuple[Value, Value]]:
        """Every instance is read, whatever those before it say."""
        return [(value, self.of(body, inner)) for value, inner in self.each(term, env)]


Rule = Callable[..., Value]
_LAZY: dict[str, Rule] = {}
_STRICT: dict[str, Rule] = {}


def _lazy(name: str) -> Callable[[Rule], Rule]:
    return lambda rule: _LAZY.setdefault(name, rule)


def _strict(name: str) -> Callable[[Rule], Rule]:
    return lambda rule: _STRICT.setdefault(name, rule)


def _no_value(why: str) -> Value:
    raise NoValue(why)


# Connectives and conditionals: from left to right, as far as needed.


@_lazy("and")
def _and(r: _Reader, term: Term, env: Environment) -> Value:
    return all(r.of(part, env) for part in term.args)


@_lazy("or")
def _or(r: _Reader, term: Term, env: Environment) -> Value:
    return any(r.of(part, env) for part in term.args)


@_lazy("implies")
def _implies(r: _Reader, term: Term, env: Environment) -> Value:
    return not r.of(term.args[0], env) or r.of(term.args[1], env)


@_lazy("ite")
def _ite(r: _Reader, term: Term, env: Environment) -> Value:
    return r.of(term.args[1] if r.of(term.args[0], env) else term.args[2], env)


# Variables and binders.


@_lazy("variable")
def _variable(r: _Reader, term: Term, env: Environment) -> Value:
    name, primed = term.data  # type: ignore[misc]
    return (r.after if primed else r.before)[name]


@_lazy("bound_variable")
def _bound_variable(r: _Reader, term: Term, env: Environment) -> Value:
    return env[term]


@_lazy("forall")
def _forall(r: _Reader, term: Term, env: Environment) -> Value:
    return all(held for _, held in r.instances(term, env, term.args[-1]))


@_lazy("exists")
def _exists(r: _Reader, term: Term, env: Environment) -> Value:
    return any(held for _, held in r.instances(term, env, term.args[-1]))


@_lazy("lambda")
def _lambda(r: _Reader, term: Term, env: Environment) -> Value:
    return tuple(r.instances(term, env, term.args[1]))


@_lazy("filter")
def _filter(r: _Reader, term: Term, env: Environment) -> Value:
    return frozenset(value for value, held in r.instances(term, env, term.args[1]) if held)


@_lazy("choose")
def _choose(r: _Reader, term: Term, env: Environment) -> Value:
    found = [value for value, held in r.instances(term, env, term.args[1]) if held]
    return found[0] if found else _no_value("a choice from nothing")


@_lazy("last")
def _last(r: _Reader, term: Term, env: Environment) -> Value:
    found = [value for value, held in r.instances(term, env, term.args[1]) if held]
    return found[-1] if found else r.of(term.args[2], env)


@_lazy("first")
def _first(r: _Reader, term: Term, env: Environment) -> Value:
    found = [value for value, held in r.instances(term, env, term.args[1]) if held]
    return found[0] if found else r.of(term.args[2], env)


@_lazy("union_of")
def _union_of(r: _Reader, term: Term, env: Environment) -> Value:
    parts = [part for _, part in r.instances(term, env, term.args[-1])]
    return r.world.fits(term.sort, frozenset().union(*parts))


# Scalars.

_STRICT |= {
    "bool": lambda r, t: t.data,
    "int": lambda r, t: t.data,
    "enum": lambda r, t: t.data,
    "bound": lambda r, t: t.data.at(r.world.parameters) if isinstance(t.data, Bound) else None,
    "not": lambda r, t, a: not a,
    "eq": lambda r, t, a, b: a == b,
    "le": lambda r, t, a, b: a <= b,
    "lt": lambda r, t, a, b: a < b,
    "add": lambda r, t, a, b: a + b,
    "sub": lambda r, t, a, b: a - b,
    "mul": lambda r, t, a, b: a * b,
    "div": lambda r, t, a, b: _whole(a, b),
    "mod": lambda r, t, a, b: a - b * _whole(a, b),
}


def _whole(dividend: int, divisor: int) -> int:
    return floor(Fraction(dividend, divisor)) if divisor > 0 else _no_value("a divisor below 1")


@_strict("narrow")
def _narrow(r: _Reader, term: Term, number: int) -> Value:
    return number if number in r.world.values(term.sort) else _no_value("a number out of range")


# Options, records, variants, maps.

_STRICT |= {
    "none": lambda r, t: None,
    "some": lambda r, t, a: a,
    "is_none": lambda r, t, a: a is None,
    "the": lambda r, t, a: _no_value("the value of none") if a is None else a,
    "record": lambda r, t, *parts: parts,
    "inject": lambda r, t, a: (t.data, a),
    "is_case": lambda r, t, a: a[0] == t.data,
    "payload": lambda r, t, a: a[1] if a[0] == t.data else _no_value("another case"),
    "select": lambda r, t, m, k: dict(m)[k],
    "store": lambda r, t, m, k, v: tuple((key, v if key == k else old) for key, old in m),
}


def _place(term: Term) -> int:
    sort = term.args[0].sort
    assert isinstance(sort, RecordSort)
    return [name for name, _ in sort.fields].index(term.data)  # type: ignore[arg-type]


@_strict("field")
def _field(r: _Reader, term: Term, record: tuple[Value, ...]) -> Value:
    return record[_place(term)]


@_strict("with_field")
def _with_field(r: _Reader, term: Term, record: tuple[Value, ...], value: Value) -> Value:
    place = _place(term)
    return (*record[:place], value, *record[place + 1 :])


# Sets and sequences.

_STRICT |= {
    "empty": lambda r, t: () if isinstance(t.sort, SequenceSort) else frozenset(),
    "full": lambda r, t: frozenset(r.world.values(t.sort.element)),
    "insert": lambda r, t, s, e: r.world.fits(t.sort, s | {e}),
    "remove": lambda r, t, s, e: s - {e},
    "union": lambda r, t, a, b: r.world.fits(t.sort, a | b),
    "intersection": lambda r, t, a, b: a & b,
    "difference": lambda r, t, a, b: a - b,
    "subset": lambda r, t, a, b: a <= b,
    "member": lambda r, t, e, s: e in s,
    "size": lambda r, t, s: len(s),
    "at": lambda r, t, q, i: q[i] if 0 <= i < len(q) else _no_value("an index out of range"),
    "tail": lambda r, t, q: q[1:] if q else _no_value("the tail of nothing"),
    "take": lambda r, t, q, n: q[:n] if 0 <= n <= len(q) else _no_value("too few to take"),
}


@_strict("append")
def _append(r: _Reader, term: Term, queue: tuple[Value, ...], element: Value) -> Value:
    assert isinstance(term.sort, SequenceSort)
    room = len(queue) < term.sort.capacity.at(r.world.parameters)
    return (*queue, element) if room else _no_value("a full sequence")


@_strict("lookup")
def _lookup(r: _Reader, term: Term, records: frozenset[Value], key: Value) -> Value:
    sort = term.args[0].sort
    assert isinstance(sort, KeyedSetSort)
    return next((one for one in records if r.world._key(sort, one) == key), None)
