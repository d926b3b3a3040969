"""What kind of value a lazy value or a sort is, and what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.forms import is_tuple
from bmc.frontends.tla.layout import Layout
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    Comprehension,
    Conditional,
    Described,
    FunctionSpace,
    FunctionValue,
    Infinite,
    Lazy,
    PowerSet,
    RecordSpace,
    RecordValue,
    SequenceSpace,
    SequenceValue,
    TupleSpace,
    TupleValue,
    Undefined,
    concrete,
    may_be_endless,
)
from bmc.lang.sorts import (
    BoolSort,
    BoundedSetSort,
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
from bmc.lang.terms import Term, field, literal, term_of


class NotSymmetric(Exception):
    """The text tells the members of a set of model values apart: it cannot be a scalarset."""

    def __init__(self, scalarset: Scalarset) -> None:
        super().__init__(scalarset.name)
        self.scalarset = scalarset


class Untranslatable(Exception):
    """A value whose sort or range cannot be told; whoever knows the place reports it."""


def named(name: str, body: Callable[[Term], Any]) -> Callable[[Term], Any]:
    """Return a binder's body whose variable has the text's name."""

    def bound(x: Term) -> Any:
        return body(x)

    bound.binds = name  # type: ignore[attr-defined]
    return bound


def equation(left: Term, right: Term) -> Term:
    """Return the equation of two terms."""
    return term_of(left == right)


def negation(formula: Term) -> Term:
    """Return the negation of a term."""
    return term_of(~formula)


def same(left: Any, right: Any) -> bool:
    """Tell whether two TLA+ values are equal."""
    return type(left) is type(right) and bool(left == right)


def integer(value: Lazy) -> Term:
    """Return an integer as a term."""
    return value if isinstance(value, Term) else literal(value)


def is_integer(value: Lazy) -> bool:
    """Tell whether a value is an integer, by its looks."""
    if isinstance(value, Term):
        return isinstance(value.sort, IntSort)
    return isinstance(value, int)


def is_truth(value: Lazy) -> bool:
    """Tell whether a value is a truth value, by its looks."""
    if isinstance(value, Term):
        return isinstance(value.sort, BoolSort)
    return isinstance(value, v.Boolean)


def is_set(value: Lazy) -> bool:
    """Tell whether a value is a set, by its looks."""
    if isinstance(value, Term):
        return isinstance(value.sort, SetSort | KeyedSetSort | BoundedSetSort)
    spaces = PowerSet | FunctionSpace | RecordSpace | TupleSpace | SequenceSpace
    return isinstance(value, frozenset | Comprehension | spaces | Infinite | Described)


def of_sets(made: Lazy, parts: Iterable[Lazy]) -> Lazy:
    """Return what sets span, or run over; it has no value where one of them surely is no set."""
    return made if all(map(may_be_set, parts)) else UNDEFINED


def may_be_set(value: Lazy) -> bool:
    """Tell whether a value is a set in some state, as far as its looks say it."""
    if isinstance(value, Term):
        return is_set(value) or isinstance(value.sort, OptionSort | VariantSort)
    return isinstance(value, Conditional) or is_set(value)


def is_sequence(value: Lazy) -> bool:
    """Tell whether a value is a tuple or a sequence, by its looks."""
    if isinstance(value, Term):
        return isinstance(value.sort, SequenceSort) or (
            isinstance(value.sort, RecordSort) and is_tuple(value.sort)
        )
    if isinstance(value, v.Function):
        return False
    return isinstance(value, tuple | TupleValue | SequenceValue)


def is_function(value: Lazy) -> bool:
    """Tell whether a value is a function, a tuple or a sequence, by its looks."""
    if isinstance(value, Term):
        return isinstance(value.sort, MapSort | SequenceSort | RecordSort)
    return isinstance(value, tuple | TupleValue | SequenceValue | FunctionValue | RecordValue)


def fields_of(value: Lazy) -> dict[str, Lazy] | None:
    """Return the fields of a record, or the parts of a tuple by "1", "2", …"""
    match value:
        case RecordValue():
            return dict(value.fields)
        case TupleValue():
            return {str(i): p for i, p in enumerate(value.parts, 1)}
        case v.Function():
            graph = v.graph_of(value)
            return graph if all(isinstance(k, str) for k in graph) else None
        case tuple():
            return {str(i): p for i, p in enumerate(value, 1)}
        case Term() if isinstance(value.sort, RecordSort):
            return {n: field(value, at) for n, at in names_of(value.sort).items()}
    return None


def parts_of(value: Lazy) -> dict[Any, Lazy] | None:
    """Return the values by the arguments of a record or a tuple; None where it is neither."""
    match value:
        case Term() if isinstance(value.sort, RecordSort):
            whole = is_tuple(value.sort)
            names = names_of(value.sort).items()
            return {int(n) if whole else n: field(value, at) for n, at in names}
        case v.Function():
            return v.graph_of(value)
    return graph_of(value)


def names_of(sort: RecordSort) -> dict[str, str]:
    """Return the names of a record's fields in the text, a tuple's being "1", "2", …"""
    if is_tuple(sort):
        return {str(i): n for i, (n, _) in enumerate(sort.fields, 1)}
    return {n: n for n, _ in sort.fields}


def graph_of(value: Lazy) -> dict[Any, Lazy] | None:
    """Return the arguments and values of a function whose domain is constant and listed."""
    match value:
        case RecordValue():
            return dict(value.fields)
        case TupleValue():
            return dict(enumerate(value.parts, 1))
        case tuple():
            return v.graph_of(value)
    return None


def element_of(collection: Term) -> Sort:
    """Return the sort of a set's members."""
    sort = collection.sort
    assert isinstance(sort, SetSort | KeyedSetSort | BoundedSetSort)
    return sort.element


def capacity(sort: Sort, layout: Layout) -> int:
    """Return the most members that a set, or elements that a sequence, of a sort has."""
    match sort:
        case SequenceSort() | BoundedSetSort():
            return sort.capacity.at({})
        case SetSort():
            return len(layout.domains.values(sort.element))
        case KeyedSetSort():
            return len(layout.domains.values(sort.key_sort))
    raise Untranslatable(f"{sort} has no size")


def unending(value: Lazy) -> Untranslatable:
    """Return the error that the members of a set are asked for that has no end."""
    while isinstance(value, Conditional):
        value = value.then if may_be_endless(value.then) else value.otherwise
    return Untranslatable(f"{describe(value)} has no end, so nothing can run over its members")


def describe(value: Lazy) -> str:
    """Return words for a value that a message can show."""
    if concrete(value):
        return v.show(value)
    if isinstance(value, Term):
        return f"{value!r} (a {value.sort})"
    match value:
        case Infinite():
            return value.name
        case Described():
            return "this set"
        case PowerSet():
            return "a set of subsets"
        case FunctionSpace():
            return "a set of functions"
        case RecordSpace():
            return "a set of records"
        case TupleSpace():
            return "a set of tuples"
        case SequenceSpace():
            return "a set of sequences"
        case Comprehension():
            return "a set"
        case RecordValue():
            return "a record"
        case TupleValue() | SequenceValue():
            return "a sequence"
        case FunctionValue():
            return "a function"
        case Conditional():
            return "what is of one kind or of another"
        case Undefined():
            return "what has no value"
        case _:
            return "an operator"
