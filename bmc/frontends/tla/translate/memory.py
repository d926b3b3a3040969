"""What expressions were translated to, so that none is translated twice in what is the same place.

An operator's body is translated at every call and a definition of a LET at every mention; where
definitions mention each other, the work without a memory doubles with every level.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from bmc.frontends.tla import core as c
from bmc.frontends.tla.translate.free import Free, OfStep, Variables
from bmc.frontends.tla.translate.lazy import (
    ByName,
    Closure,
    Conditional,
    Lazy,
    RecordValue,
    TupleValue,
    concrete,
)
from bmc.lang.build import binder_depth
from bmc.lang.terms import Term

Key: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """What a translation depends on besides the expression: names, next values, and the mode."""

    environment: Mapping[c.Binding, Any]
    updates: Mapping[str, Lazy]
    primed: bool
    initial: bool
    relation: bool
    unrolling: int


@dataclass(frozen=True, slots=True)
class _Read:
    """What an expression reads: bindings, variables, and whether it says something of a step."""

    bindings: tuple[c.Binding, ...]
    variables: frozenset[str]
    of_step: bool


_NOTHING: frozenset[str] = frozenset()


class Memory:
    """Keeps translations by all that they depend on.

    Values are told apart by numbers: equal terms, constants, records, tuples and conditionals
    share one, as do arguments that are read where they are used, if they are the same expression
    over the same values. Whatever is made by a function of Python's has a number of its own.
    """

    def __init__(self, free: Free) -> None:
        self.free = free
        self.variables = Variables()
        self.of_step = OfStep()
        self._results: dict[Key, Any] = {}
        self._reads: dict[c.Expression, _Read] = {}
        self._numbers: dict[Key, int] = {}
        self._known: dict[int, tuple[int, frozenset[str], Any]] = {}
        """By identity: number, the variables read where it is used, and the value, kept alive."""

    def find(self, key: Key) -> tuple[Any] | None:
        """Return what is kept under a key, in a tuple of its own; None where nothing is."""
        found: tuple[Any] | None = self._results.get(key)
        return found

    def keep(self, key: Key, result: Any) -> None:
        """Keep a translation."""
        self._results[key] = (result,)

    def key(self, node: c.Expression, asked: str, place: Place) -> Key:
        """Return what the translation of an expression depends on, asked for as a kind of thing.

        The nesting of binders is part of it: bound variables are named by it.
        """
        read = self._read(node)
        numbers: list[int] = []
        variables = read.variables if place.primed or place.initial or read.of_step else _NOTHING
        for binding in read.bindings:
            number, later = self._number(place.environment.get(binding))
            numbers.append(number)
            if later:
                # It is read here, whose mode and next values it has.
                variables = variables | later
        after: Key = ()
        if variables and place.updates:
            after = tuple(
                (name, self._number(place.updates[name])[0])
                for name in sorted(variables)
                if name in place.updates
            )
        return (
            node,
            asked,
            place.primed,
            place.initial,
            place.relation,
            place.unrolling,
            binder_depth(),
            tuple(numbers),
            after,
        )

    def _read(self, node: c.Expression) -> _Read:
        known = self._reads.get(node)
        if known is None:
            known = self._reads[node] = _Read(
                tuple(sorted(self.free.of(node), key=id)),
                self.variables.of(node),
                bool(self.of_step.of(node)),
            )
        return known

    def _number(self, value: Any) -> tuple[int, frozenset[str]]:
        known = self._known.get(id(value))
        if known is None:
            key, later = self._identity(value)
            number = self._numbers.setdefault(key, len(self._numbers))
            known = self._known[id(value)] = (number, later, value)
        return known[0], known[1]

    def _identity(self, value: Any) -> tuple[Key, frozenset[str]]:
        match value:
            case Term():
                return ("term", value.uid), _NOTHING
            case RecordValue():
                parts = tuple((n, self._number(p)[0]) for n, p in value.fields.items())
                return ("record", parts), _NOTHING
            case TupleValue():
                return ("tuple", tuple(self._number(p)[0] for p in value.parts)), _NOTHING
            case Conditional():
                ways = self._number(value.then)[0], self._number(value.otherwise)[0]
                return ("conditional", value.condition.uid, ways), _NOTHING
            case ByName() | Closure():
                return self._of_body(value)
            case _ if concrete(value):
                return ("value", type(value), value), _NOTHING
        return ("itself", id(value)), _NOTHING

    def _of_body(self, value: ByName | Closure) -> tuple[Key, frozenset[str]]:
        read = self._read(value.body)
        later = read.variables
        numbers = []
        for binding in read.bindings:
            number, inner = self._number(value.environment.get(binding))
            numbers.append(number)
            later |= inner
        parameters = value.parameters if isinstance(value, Closure) else None
        return ("later", value.body, parameters, tuple(numbers)), later
