"""Finite structures: what the quantified reading's symbols mean in a concrete state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from bmc.lang.sorts import (
    BoolSort,
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
from bmc.layout.domain import Domains, key_of
from bmc.readings.quantified.counting import NamedSet
from bmc.readings.quantified.formulas import Expression, LogicSort, Symbol, app, number, truth
from bmc.readings.quantified.reader import Definition
from bmc.readings.quantified.structures import (
    ABSENT,
    Alternatives,
    Fields,
    Optional,
    Structure,
    require_key,
    scalar_sort,
)
from tests.strategies.values import Value

WINDOW = range(-4, 8)
"""Integers that a quantifier is tried at: all that a sort of these tests has, and some beyond."""


def member(sort: Scalarset, value: int) -> Expression:
    """A member of a scalarset as a constant."""
    return app(Symbol(f"#{sort.name}{value}", (), scalar_sort(sort)))


def constant(sort: Sort, value: Value) -> Structure:
    """A value of a listable sort as a structure of constants; NotQuantified of a set."""
    match sort:
        case BoolSort():
            return truth(value)
        case IntSort():
            return number(value)
        case EnumSort():
            return number(sort.values.index(value))
        case Scalarset():
            return member(sort, value)
        case OptionSort(inner):
            if value is None:
                return Optional(truth(False), ABSENT)
            return Optional(truth(True), constant(inner, value))
        case RecordSort():
            pairs = zip(sort.fields, value, strict=True)
            return Fields(tuple(constant(part, v) for (_, part), v in pairs))
    require_key(sort)
    raise AssertionError(sort)


class Finite:
    """An interpretation of symbols over the integers and the members of scalarsets.

    Where a state says nothing (beyond a range, under what is absent) symbols have ``junk``: it must
    not matter.
    """

    def __init__(self, domains: Domains, junk: int) -> None:
        self.domains = domains
        self.junk = junk
        self.tables: dict[Symbol, dict[tuple[Any, ...], Any]] = {}
        self.sizes: dict[str, int] = {}
        self.definitions: dict[Symbol, Definition] = {}
        self.sets: dict[Symbol, NamedSet] = {}
        self.meanings: dict[Symbol, Callable[..., Any]] = {}
        for name, value in domains.parameters.items():
            self.tables[Symbol(f"!parameter.{name}", (), LogicSort("Int"))] = {(): value}

    def scalarsets(self, sorts: Sequence[Scalarset]) -> None:
        """Give these scalarsets their members."""
        for sort in sorts:
            self.sizes[scalar_sort(sort).identity] = sort.size.at(self.domains.parameters)
            for i in range(self.sizes[scalar_sort(sort).identity]):
                self.tables[member(sort, i).data] = {(): i}

    def define(self, definitions: Sequence[Definition]) -> None:
        """Interpret symbols of extreme values by what defines them."""
        for one in definitions:
            self.definitions[one.found.data] = one
            self.definitions[one.value.data] = one

    def counting(self, sets: Iterable[NamedSet]) -> None:
        """Interpret sets that are counted by their members."""
        for one in sets:
            self.sets[one.value.data] = one
            self.meanings[one.words.membership] = lambda element, held: element in held
            self.meanings[one.words.cardinality] = len

    def holding(self, sort: Sort, structure: Structure, value: Value) -> None:
        """Interpret the symbols of a fresh structure so that it is ``value``."""
        match sort:
            case BoolSort() | IntSort() | Scalarset():
                self._set(structure, value)
            case EnumSort():
                self._set(structure, sort.values.index(value))
            case OptionSort(inner):
                self._set(structure.present, value is not None)
                if value is not None:
                    self.holding(inner, structure.content, value)
            case RecordSort():
                for (_, part), s, v in zip(sort.fields, structure.parts, value, strict=True):
                    self.holding(part, s, v)
            case VariantSort():
                tag, content = value
                index = [t for t, _ in sort.cases].index(tag)
                self._set(structure.tag, index)
                self.holding(sort.cases[index][1], structure.contents[index], content)
            case MapSort(key, part):
                for k, v in zip(self.domains.values(key), value, strict=True):
                    self.holding(part, structure(constant(key, k)), v)
            case SetSort(element):
                for e in self.domains.values(element):
                    self._set(structure(constant(element, e)), e in value)
            case KeyedSetSort():
                self._keyed(sort, structure, value)
            case SequenceSort(element, _):
                self._set(structure.length, len(value))
                for i, v in enumerate(value):
                    self.holding(element, structure.element(number(i)), v)
            case _:
                raise AssertionError(sort)

    def _keyed(self, sort: KeyedSetSort, structure: Structure, value: Value) -> None:
        held = {key_of(sort, one): one for one in value}
        for key in self.domains.values(sort.key_sort):
            slot = structure(constant(sort.key_sort, key))
            self._set(slot.present, key in held)
            if key in held:
                fields = zip(sort.element.fields, slot.content.parts, held[key], strict=True)
                for (name, part), s, v in fields:
                    if name != sort.key:
                        self.holding(part, s, v)

    def _set(self, place: Expression, value: Any) -> None:
        assert place.op == "app", place
        args = tuple(self.evaluate(a) for a in place.args)
        self.tables.setdefault(place.data, {})[args] = value

    def values(self, sort: LogicSort) -> Iterator[Any]:
        """What a quantifier over a sort is tried at."""
        match sort.kind:
            case "Int":
                return iter(WINDOW)
            case "Elem":
                return iter(range(self.sizes[sort.identity]))
        return iter((False, True))

    def evaluate(self, node: Expression, env: Mapping[Expression, Any] | None = None) -> Any:
        """The value of an expression."""
        env = env or {}
        match node.op:
            case "true" | "false":
                return node.op == "true"
            case "int":
                return node.data
            case "var":
                return env[node]
            case "forall" | "exists":
                bound, body = node.args
                judge = all if node.op == "forall" else any
                return judge(
                    self.evaluate(body, {**env, bound: v}) for v in self.values(bound.sort)
                )
            case "and":
                return all(self.evaluate(a, env) for a in node.args)
            case "or":
                return any(self.evaluate(a, env) for a in node.args)
            case "ite":
                chosen = node.args[1] if self.evaluate(node.args[0], env) else node.args[2]
                return self.evaluate(chosen, env)
        args = [self.evaluate(a, env) for a in node.args]
        match node.op:
            case "app":
                return self._applied(node.data, tuple(args))
            case "sum":
                offset, factors = node.data
                return offset + sum(f * a for f, a in zip(factors, args, strict=True))
            case "not":
                return not args[0]
            case "eq" | "iff":
                return args[0] == args[1]
            case "le":
                return args[0] <= args[1]
            case "lt":
                return args[0] < args[1]
        raise AssertionError(node)

    def _applied(self, symbol: Symbol, args: tuple[Any, ...]) -> Any:
        one = self.definitions.get(symbol)
        if one is not None:
            env = dict(zip(one.arguments, args, strict=True))
            matching = [v for v in WINDOW if self.evaluate(one.matches, {**env, one.bound: v})]
            if symbol == one.found.data:
                return bool(matching)
            extreme = max if one.op == "last" else min
            return extreme(matching) if matching else self.junk
        if symbol in self.meanings:
            return self.meanings[symbol](*args)
        if symbol in self.sets:
            held = self.sets[symbol]
            env = dict(zip(held.arguments, args, strict=True))
            members = self.values(held.words.element)
            return frozenset(
                m for m in members if self.evaluate(held.matches, {**env, held.bound: m})
            )
        known = self.tables.get(symbol, {})
        if args in known:
            return known[args]
        match symbol.sort.kind:
            case "Bool":
                return self.junk % 2 == 0
            case "Elem":
                return self.junk % self.sizes[symbol.sort.identity]
        return self.junk

    def read(self, sort: Sort, structure: Structure) -> Value:
        """The value that a structure has here."""
        match sort:
            case BoolSort() | IntSort() | Scalarset():
                return self.evaluate(structure)
            case EnumSort():
                return sort.values[self.evaluate(structure)]
            case OptionSort(inner):
                present = self.evaluate(structure.present)
                return self.read(inner, structure.content) if present else None
            case RecordSort():
                pairs = zip(sort.fields, structure.parts, strict=True)
                return tuple(self.read(part, s) for (_, part), s in pairs)
            case VariantSort():
                assert isinstance(structure, Alternatives)
                index = self.evaluate(structure.tag)
                tag, part = sort.cases[index]
                return tag, self.read(part, structure.contents[index])
            case MapSort(key, part):
                keys = self.domains.values(key)
                return tuple(self.read(part, structure(constant(key, k))) for k in keys)
            case SetSort(element):
                return frozenset(
                    e
                    for e in self.domains.values(element)
                    if self.evaluate(structure(constant(element, e)))
                )
            case KeyedSetSort():
                slots = [structure(constant(sort.key_sort, k)) for k in self._keys(sort)]
                present = [s for s in slots if self.evaluate(s.present)]
                return frozenset(self.read(sort.element, s.content) for s in present)
            case SequenceSort(element, _):
                length = self.evaluate(structure.length)
                return tuple(
                    self.read(element, structure.element(number(i))) for i in range(length)
                )
        raise AssertionError(sort)

    def _keys(self, sort: KeyedSetSort) -> Sequence[Value]:
        return self.domains.values(sort.key_sort)
