"""What an expression is before it meets a sort: values that are not made yet.

An expression of TLA+ has no sort. A record literal becomes a term only where a variable, a set's
element or the other side of an equation says which sort it has; a set is a comprehension whose
binders stay binders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.node import node
from bmc.lang.sorts import Sort
from bmc.lang.terms import Term

Lazy: TypeAlias = Any
"""A TLA+ value, a term, or one of the classes below."""

Formula: TypeAlias = "Term | bool"
"""A formula: a term of Bool, or a truth value that is known already."""


@node
class PowerSet:
    """``SUBSET base``."""

    base: Lazy


@node
class FunctionSpace:
    """``[domain -> codomain]``."""

    domain: Lazy
    codomain: Lazy


@node
class RecordSpace:
    """``[field : set, …]``."""

    fields: Mapping[str, Lazy]


@node
class TupleSpace:
    """``S \\X T``."""

    factors: tuple[Lazy, ...]


@node
class SequenceSpace:
    """``Seq(base)``."""

    base: Lazy


@node
class Infinite:
    """``Nat``, ``Int``, ``STRING``: good for membership only."""

    name: str


@node
class Described:
    """A set without end that is made of others, such as ``Nat \\ {0}``: for membership only."""

    test: Callable[[Lazy], Formula]


Unlisted = (
    PowerSet | FunctionSpace | RecordSpace | TupleSpace | SequenceSpace | Infinite | Described
)
"""Sets of which TLC asks a filter's predicate for what is looked for only, not for each member."""


@node
class RecordValue:
    """A record whose fields are not all constants.

    ``native`` is the term that is its value where the term's sort is the one that is wanted.
    """

    fields: Mapping[str, Lazy]
    native: Term | None = None


@node
class TupleValue:
    """A tuple or a sequence of fixed length whose parts are not all constants."""

    parts: tuple[Lazy, ...]
    native: Term | None = None


@node
class SequenceValue:
    """The sequence of ``length`` elements whose element at ``i``, from 1, is ``at(i)``.

    ``native`` makes it by the language's own operator where its sort is the one that is wanted.
    """

    length: Lazy
    at: Callable[[Lazy], Lazy]
    longest: int
    native: Callable[[Sort], Term | None] | None = None


@node
class FunctionValue:
    """``[x \\in domain |-> value(x)]``."""

    domain: Lazy
    value: Callable[[Lazy], Lazy]
    name: str = "x"
    native: Term | None = None


COPIES = RecordValue | TupleValue | FunctionValue
"""What a changed copy is, whose sort may have no room for what is new in it."""


@node
class Conditional:
    """``IF condition THEN then ELSE otherwise`` between values of different sorts."""

    condition: Term
    then: Lazy
    otherwise: Lazy


@node
class Part:
    """``{element(b) : b \\in domains, guard(b)}``.

    ``body`` takes the bound variables and returns guard and element. ``whole`` is the sort or the
    set that the part is, where it is just that.
    """

    domains: tuple[tuple[str, Sort | Term], ...]
    body: Callable[[list[Term]], tuple[Formula, Lazy]]
    whole: Sort | Term | None = None


@node
class Comprehension:
    """A union of parts; ``from_one`` where it is 1..n for some n."""

    parts: tuple[Part, ...]
    from_one: bool = False


class Undefined:
    """The value of an expression that has none, such as a field of a number."""


UNDEFINED = Undefined()


@node
class Closure:
    """An operator as an argument of an operator, with what it saw where it was written."""

    parameters: tuple[c.Binding, ...]
    body: c.Expression
    environment: Mapping[c.Binding, Any]


@node
class BuiltinClosure:
    """A built-in operator as an argument."""

    node: c.BuiltinRef


@node
class ByName:
    """An argument that is read where it is used: it has primes, which depend on the place."""

    body: c.Expression
    environment: Mapping[c.Binding, Any]


def endless(value: Lazy) -> bool:
    """Tell whether a set is good for membership only."""
    return isinstance(value, _ENDLESS) or any(map(endless, _sets_of(value)))


def may_be_endless(value: Lazy) -> bool:
    """Tell whether a set is good for membership only in some state."""
    ways = (value.then, value.otherwise) if isinstance(value, Conditional) else _sets_of(value)
    return isinstance(value, _ENDLESS) or any(map(may_be_endless, ways))


_ENDLESS = Infinite | SequenceSpace | Described


def _sets_of(value: Lazy) -> tuple[Lazy, ...]:
    """Return the sets without whose end a set that is not listed has none."""
    match value:
        case PowerSet():
            return (value.base,)
        case FunctionSpace():
            return (value.domain, value.codomain)
        case RecordSpace():
            return tuple(value.fields.values())
        case TupleSpace():
            return value.factors
    return ()


def concrete(value: Lazy) -> bool:
    """Tell whether a value is one of TLA+'s."""
    return isinstance(value, v.Boolean | int | str | v.ModelValue | frozenset | tuple)


def constant(value: Lazy) -> bool:
    """Tell whether a value is one of TLA+'s, or a set of them that is not listed."""
    match value:
        case PowerSet() | SequenceSpace():
            return constant(value.base)
        case FunctionSpace():
            return constant(value.domain) and constant(value.codomain)
        case RecordSpace():
            return all(constant(s) for s in value.fields.values())
        case TupleSpace():
            return all(constant(s) for s in value.factors)
        case Infinite():
            return True
    return concrete(value)
