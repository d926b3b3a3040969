"""What built-in operators make of values: sets, sequences, and those of TLC's module.

Each takes the place of the operator in the text, then its operands; a NotASet, NotEnumerable or
SetTooLarge gets its place from the caller.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

from ..errors import Span
from ..lazy_sets import (
    LARGEST_SET,
    LazySet,
    Selection,
    Sequences,
    Subsets,
    Union,
    is_finite,
    members,
    size_of,
)
from ..operators import Operator
from ..values import function, graph_of, interval, members_of, ordered, show
from .errors import EvaluationLimit, OutsideDomain, WrongKind
from .lazy_functions import LazyFunction, PartialFunction

LONGEST_SEQUENCE = 1_000_000


def _interval(span: Span, low: Any, high: Any) -> frozenset[int]:
    if type(low) is not int or type(high) is not int:
        raise WrongKind(span, f"{show(low)}..{show(high)} needs integers")
    if high - low >= LARGEST_SET:
        raise EvaluationLimit(span, f"{low}..{high} has more than {LARGEST_SET:,} members")
    return interval(low, high) if low <= high else frozenset()


def _cup(span: Span, a: Any, b: Any) -> Any:
    if is_finite(a) and is_finite(b):
        return members(a) | members(b)
    return Union((a, b))


def _cap(span: Span, a: Any, b: Any) -> Any:
    endless = not is_finite(b)
    if is_finite(a):
        return frozenset(member for member in members(a) if member in b)
    if not endless:
        return frozenset(member for member in members(b) if member in a)
    return Selection(a, lambda member: member in b)


def _minus(span: Span, a: Any, b: Any) -> Any:
    is_finite(b)
    if is_finite(a):
        return frozenset(member for member in members(a) if member not in b)
    return Selection(a, lambda member: member not in b)


def _union(span: Span, sets: Any) -> Any:
    found: frozenset[Any] = frozenset().union(*(members(each) for each in members(sets)))
    if len(found) > LARGEST_SET:
        raise EvaluationLimit(span, f"a set of more than {LARGEST_SET:,} members")
    return found


def _power_set(span: Span, base: Any) -> LazySet:
    is_finite(base)
    return Subsets(base)


def _sequences(span: Span, element: Any) -> LazySet:
    is_finite(element)
    return Sequences(element)


def _cardinality(span: Span, found: Any) -> int:
    if type(found) is frozenset:
        return len(found)
    if not is_finite(found):
        raise WrongKind(span, f"Cardinality of the infinite set {show(found)}")
    return size_of(found)


def _domain(span: Span, found: Any) -> Any:
    if isinstance(found, PartialFunction):
        found.written_out()
    if isinstance(found, LazyFunction):
        return found.domain
    if isinstance(found, tuple):
        return members_of(found)
    raise WrongKind(span, f"{show(found)} is no function, it has no DOMAIN")


# Sequences.


def sequence(span: Span, found: Any, name: str) -> tuple[Any, ...]:
    if type(found) is not tuple:
        raise WrongKind(span, f"{name} of {show(found)}, which is no sequence")
    return found


def _length(span: Span, found: Any) -> int:
    return len(found) if isinstance(found, str) else len(sequence(span, found, "Len"))


def _concatenate(span: Span, a: Any, b: Any) -> Any:
    if isinstance(a, str) and isinstance(b, str):
        joined: Any = a + b
    else:
        joined = sequence(span, a, "\\o") + sequence(span, b, "\\o")
    if len(joined) > LONGEST_SEQUENCE:
        raise EvaluationLimit(span, f"a sequence of more than {LONGEST_SEQUENCE:,} elements")
    return joined


def _append(span: Span, found: Any, item: Any) -> Any:
    return (*sequence(span, found, "Append"), item)


def _head(span: Span, found: Any) -> Any:
    if not sequence(span, found, "Head"):
        raise OutsideDomain(span, "Head of the empty sequence")
    return found[0]


def _tail(span: Span, found: Any) -> Any:
    if not sequence(span, found, "Tail"):
        raise OutsideDomain(span, "Tail of the empty sequence")
    return found[1:]


def _sub_seq(span: Span, found: Any, first: Any, last: Any) -> Any:
    if type(first) is not int or type(last) is not int:
        raise WrongKind(span, "SubSeq needs integers")
    whole = found if isinstance(found, str) else sequence(span, found, "SubSeq")
    if first > last:
        return whole[:0]
    if first < 1 or last > len(whole):
        raise OutsideDomain(span, f"SubSeq({show(found)}, {first}, {last}) leaves the sequence")
    return whole[first - 1 : last]


# The module TLC.


def _merge(span: Span, a: Any, b: Any) -> Any:
    for each in (a, b):
        if not isinstance(each, tuple):
            raise WrongKind(span, f"{show(each)} @@ … is no function")
    if not a or not b:
        return a or b
    return function({**graph_of(b), **graph_of(a)})


def _singleton(span: Span, key: Any, item: Any) -> Any:
    return function({key: item})


def _permutations(span: Span, found: Any) -> frozenset[Any]:
    keys = ordered(members(found))
    if len(keys) > 8:
        raise EvaluationLimit(span, f"Permutations of {len(keys)} members")
    return frozenset(function(dict(zip(keys, image, strict=True))) for image in permutations(keys))


def _to_string(span: Span, found: Any) -> str:
    return show(found)


OPERATIONS: dict[Operator, Callable[..., Any]] = {
    Operator.INTERVAL: _interval,
    Operator.CUP: _cup,
    Operator.CAP: _cap,
    Operator.SET_MINUS: _minus,
    Operator.UNION: _union,
    Operator.POWER_SET: _power_set,
    Operator.SEQ: _sequences,
    Operator.CARDINALITY: _cardinality,
    Operator.DOMAIN: _domain,
    Operator.LEN: _length,
    Operator.CONCATENATE: _concatenate,
    Operator.APPEND: _append,
    Operator.HEAD: _head,
    Operator.TAIL: _tail,
    Operator.SUB_SEQ: _sub_seq,
    Operator.MERGE: _merge,
    Operator.SINGLETON: _singleton,
    Operator.PERMUTATIONS: _permutations,
    Operator.TO_STRING: _to_string,
    Operator.TLC_EVAL: lambda _span, found: found,
    Operator.PRINT: lambda _span, _out, found: found,
}
