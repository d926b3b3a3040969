"""Sets of constants: their members, listed as far as they can be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from itertools import combinations, product
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.errors import Span, TlaError
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.lazy import (
    BuiltinClosure,
    Closure,
    FunctionSpace,
    Infinite,
    PowerSet,
    RecordSpace,
    SequenceSpace,
    TupleSpace,
)

MOST = 100_000
"""The most members of a set that are listed."""
Environment = Mapping[c.Binding, Any]


class ConstantSets(ABC):
    """Lists the members of sets and looks values up in them."""

    def plain(self, node: c.Expression, env: Environment) -> Any:
        """Return the value, a set as the list of its members."""
        return self.listed(self.value(node, env))

    def listed(self, found: Any) -> Any:
        """Return a set with all its members; other values as they are."""
        if isinstance(found, v.Boolean | int | str | v.ModelValue | frozenset | tuple):
            return found
        return frozenset(self.members(found))

    def applied(self, operator: Any, arguments: list[Any], span: Span) -> Any:
        """Return what an operator argument makes of its arguments."""
        if isinstance(operator, BuiltinClosure):
            return self.operation(operator.node.operator, arguments, span)
        if not isinstance(operator, Closure):
            raise NotConstant
        inner = dict(operator.environment)
        inner.update(zip(operator.parameters, arguments, strict=True))
        return self.value(operator.body, inner)

    def members(self, found: Any) -> list[Any]:
        """Return the members of a set in order; NotConstant where there are too many."""
        match found:
            case frozenset():
                return list(v.ordered(found))
            case PowerSet():
                base = self.members(found.base)
                if len(base) > 16:
                    raise NotConstant
                return [
                    frozenset(some)
                    for size in range(len(base) + 1)
                    for some in combinations(base, size)
                ]
            case FunctionSpace():
                keys, images = self.members(found.domain), self.members(found.codomain)
                if keys and len(images) ** len(keys) > MOST:
                    raise NotConstant
                some = product(images, repeat=len(keys))
                return v.in_order(v.function(dict(zip(keys, s, strict=True))) for s in some)
            case RecordSpace():
                names = list(found.fields)
                parts = [self.members(s) for s in found.fields.values()]
                limit(parts)
                return v.in_order(
                    v.function(dict(zip(names, s, strict=True))) for s in product(*parts)
                )
            case TupleSpace():
                parts = [self.members(s) for s in found.factors]
                limit(parts)
                return v.in_order(product(*parts))
        raise NotConstant

    def contains(self, found: Any, element: Any) -> bool:
        """Return whether an element is in a set, listed or not."""
        match found:
            case frozenset():
                return element in found
            case PowerSet():
                return isinstance(element, frozenset) and all(
                    self.contains(found.base, e) for e in element
                )
            case FunctionSpace():
                if not isinstance(element, tuple):
                    return False
                domain = self.listed(found.domain)
                return v.members_of(element) == domain and all(
                    self.contains(found.codomain, e) for e in v.graph_of(element).values()
                )
            case RecordSpace():
                if not isinstance(element, tuple):
                    return False
                held = v.graph_of(element)
                return set(held) == set(found.fields) and all(
                    self.contains(s, held[n]) for n, s in found.fields.items()
                )
            case TupleSpace():
                return (
                    isinstance(element, tuple)
                    and not isinstance(element, v.Function)
                    and len(element) == len(found.factors)
                    and all(
                        self.contains(s, e) for s, e in zip(found.factors, element, strict=True)
                    )
                )
            case SequenceSpace():
                return (
                    isinstance(element, tuple)
                    and not isinstance(element, v.Function)
                    and all(self.contains(found.base, e) for e in element)
                )
            case Infinite():
                if found.name == "STRING":
                    return isinstance(element, str)
                if found.name == "Any":
                    return True
                return isinstance(element, int) and (found.name != "Nat" or element >= 0)
        raise NotConstant

    @abstractmethod
    def value(self, node: c.Expression, env: Environment) -> Any:
        """Return the value: one of TLA+'s, or a set that is not listed.

        Raises NotConstant where a state is read, and Undetermined where there is no value.
        """

    @abstractmethod
    def operation(self, operator: O, arguments: list[Any], span: Span) -> Any:
        """Return the value of a built-in operator at constant arguments."""


class NotConstant(Exception):
    """The expression reads a state, or is a set too large to list."""


class Undetermined(TlaError):
    """A constant expression that has no value: `Head(<<>>)`, a function outside its domain."""


def only_element(node: c.Expression) -> c.Expression | None:
    """Return the one element of `{element}`: what its UNION is need not be listed."""
    if isinstance(node, c.SetEnumeration) and len(node.elements) == 1:
        return node.elements[0]
    return None


def limit(parts: Iterable[list[Any]]) -> None:
    """Raise NotConstant when a product has more members than are listed."""
    count = 1
    for part in parts:
        count *= len(part)
    if count > MOST:
        raise NotConstant
