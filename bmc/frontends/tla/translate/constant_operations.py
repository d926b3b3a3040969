"""What built-in operators return of constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.errors import Span
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.constant_folds import taken_in_turn
from bmc.frontends.tla.translate.constant_sets import MOST, ConstantSets, NotConstant
from bmc.frontends.tla.translate.kinds import is_set
from bmc.frontends.tla.translate.lazy import (
    Closure,
    Infinite,
    PowerSet,
    SequenceSpace,
    endless,
)
from bmc.frontends.tla.translate.operands import OF_FUNCTIONS, OF_SETS

_MEMBERSHIP = (O.IN, O.NOT_IN)


def require_kinds(operator: O, arguments: list[Any]) -> None:
    """Raise TypeError where an operand is not of the kind that an operator is for.

    What is counted, joined or looked up in Python may be a string or a set as well as a sequence.
    """
    sets = arguments if operator in OF_SETS else arguments[1:] if operator in _MEMBERSHIP else []
    for one in sets:
        if not is_set(one):
            raise TypeError(f"{v.show(one)} is no set")
    for one in arguments[: OF_FUNCTIONS.get(operator, 0)]:
        if not isinstance(one, tuple):
            raise TypeError(f"{v.show(one)} is no function")


def _integer(value: Any) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{v.show(value)} is no integer")
    return value


def _binary(function: Callable[[int, int], int]) -> Callable[..., Any]:
    return lambda run, a, b: function(_integer(a), _integer(b))


def _order(function: Callable[[int, int], bool]) -> Callable[..., Any]:
    return lambda run, a, b: v.boolean(function(_integer(a), _integer(b)))


def _equal(run: ConstantSets, a: Any, b: Any) -> bool:
    left, right = run.listed(a), run.listed(b)
    return bool(left == right)


def _same_or_listed(found: Any) -> frozenset[Any]:
    if not isinstance(found, frozenset):
        raise NotConstant
    return found


def _cardinality(run: ConstantSets, a: Any) -> int:
    if isinstance(a, PowerSet):
        return 1 << len(run.members(a.base))
    return len(_same_or_listed(run.listed(a)))


def _is_finite(run: ConstantSets, a: Any) -> Any:
    if endless(a) and not isinstance(a, Infinite | SequenceSpace):
        raise NotConstant
    return v.boolean(not endless(a))


def _subsets_of_size(run: ConstantSets, a: Any, b: Any) -> bool:
    return all(run.contains(b, e) for e in run.members(a))


def _length(run: ConstantSets, s: Any) -> int:
    return len(s if isinstance(s, str) else _sequence(s))


def _concatenation(run: ConstantSets, s: Any, t: Any) -> str | tuple[Any, ...]:
    if isinstance(s, str) and isinstance(t, str):
        return s + t
    return (*_sequence(s), *_sequence(t))


def _sub_sequence(run: ConstantSets, s: Any, first: int, last: int) -> str | tuple[Any, ...]:
    whole = s if isinstance(s, str) else _sequence(s)
    if first > last:
        return whole[:0]
    if first < 1 or last > len(whole):
        raise IndexError("outside the sequence")
    return whole[first - 1 : last]


def _fold_set(run: ConstantSets, op: Any, base: Any, f: Any, choose: Any, members: Any) -> Any:
    span = op.body.span if isinstance(op, Closure) else Span("", 1, 1, 1, 1)
    found = base
    for element in reversed(taken_in_turn(run, choose, frozenset(run.members(members)), span)):
        found = run.applied(op, [run.applied(f, [element], span), found], span)
    return found


def _fold_sequence(run: ConstantSets, op: Any, base: Any, s: Any) -> Any:
    span = op.body.span if isinstance(op, Closure) else Span("", 1, 1, 1, 1)
    for element in _sequence(s):
        base = run.applied(op, [base, element], span)
    return base


def _select(run: ConstantSets, s: Any, test: Any) -> tuple[Any, ...]:
    span = test.body.span if isinstance(test, Closure) else Span("", 1, 1, 1, 1)
    return tuple(e for e in _sequence(s) if run.applied(test, [e], span).truth)


def _sort(run: ConstantSets, s: Any, less: Any) -> tuple[Any, ...]:
    span = less.body.span if isinstance(less, Closure) else Span("", 1, 1, 1, 1)
    found: list[Any] = []
    for one in _sequence(s):
        # As TLC puts it in, from the right, which matters where `less` is no order.
        at = len(found)
        while at and _truthy(run.applied(less, [one, found[at - 1]], span)):
            at -= 1
        found.insert(at, one)
    return tuple(found)


def _truthy(value: Any) -> bool:
    if not isinstance(value, v.Boolean):
        raise TypeError(f"{v.show(value)} is no truth value")
    return value.truth


def _power(a: int, b: int) -> int:
    if b < 0 or a == b == 0:
        raise ZeroDivisionError(f"{a}^({b}) is not defined")
    return int(a**b) if b <= 256 else 1 << 256


def _positive(b: int) -> int:
    if b <= 0:
        raise ZeroDivisionError("the divisor is not positive")
    return b


def _assert(run: ConstantSets, condition: Any, message: Any) -> Any:
    if not _truthy(condition):
        raise TypeError(f"the assertion fails: {v.show(message)}")
    return condition


def _interval(low: int, high: int) -> frozenset[int]:
    if high - low > MOST:
        raise NotConstant
    return v.interval(low, high)


def _sequence(s: Any) -> tuple[Any, ...]:
    if not isinstance(s, tuple) or isinstance(s, v.Function):
        raise TypeError(f"{v.show(s)} is no sequence")
    return s


def _nonempty(s: Any) -> tuple[Any, ...]:
    if not _sequence(s):
        raise IndexError("an empty sequence has no tail")
    return _sequence(s)


def _permutations(members: list[Any]) -> frozenset[Any]:
    from itertools import permutations

    if len(members) > 7:
        raise NotConstant
    return frozenset(
        v.function(dict(zip(members, order, strict=True))) for order in permutations(members)
    )


OPERATIONS: dict[O, Callable[..., Any]] = {
    O.NOT: lambda run, a: v.boolean(not _truthy(a)),
    O.EQUIVALENT: lambda run, a, b: v.boolean(_truthy(a) == _truthy(b)),
    O.EQUAL: lambda run, a, b: v.boolean(_equal(run, a, b)),
    O.NOT_EQUAL: lambda run, a, b: v.boolean(not _equal(run, a, b)),
    O.BOOLEAN: lambda run: v.BOOLEANS,
    O.STRING: lambda run: Infinite("STRING"),
    O.IN: lambda run, a, b: v.boolean(run.contains(b, run.listed(a))),
    O.NOT_IN: lambda run, a, b: v.boolean(not run.contains(b, run.listed(a))),
    O.CUP: lambda run, a, b: frozenset(run.members(a)) | frozenset(run.members(b)),
    O.CAP: lambda run, a, b: frozenset(e for e in run.members(a) if run.contains(b, e)),
    O.SET_MINUS: lambda run, a, b: frozenset(e for e in run.members(a) if not run.contains(b, e)),
    O.SUBSET_EQUAL: lambda run, a, b: v.boolean(_subsets_of_size(run, a, b)),
    O.POWER_SET: lambda run, a: PowerSet(a),
    O.UNION: lambda run, a: frozenset().union(*(run.members(e) for e in run.members(a))),
    O.DOMAIN: lambda run, a: v.members_of(a),
    O.NAT: lambda run: Infinite("Nat"),
    O.INT: lambda run: Infinite("Int"),
    O.REAL: lambda run: Infinite("Int"),
    O.ANY: lambda run: Infinite("Any"),
    O.PLUS: _binary(lambda a, b: a + b),
    O.MINUS: _binary(lambda a, b: a - b),
    O.NEGATE: lambda run, a: -_integer(a),
    O.TIMES: _binary(lambda a, b: a * b),
    O.DIVIDE: _binary(lambda a, b: a // b),
    O.MODULO: _binary(lambda a, b: a % _positive(b)),
    O.POWER: _binary(_power),
    O.LESS: _order(lambda a, b: a < b),
    O.LESS_EQUAL: _order(lambda a, b: a <= b),
    O.GREATER: _order(lambda a, b: a > b),
    O.GREATER_EQUAL: _order(lambda a, b: a >= b),
    O.INTERVAL: lambda run, a, b: _interval(_integer(a), _integer(b)),
    O.SEQ: lambda run, a: SequenceSpace(a),
    O.LEN: _length,
    O.CONCATENATE: _concatenation,
    O.APPEND: lambda run, s, e: (*_sequence(s), run.listed(e)),
    O.HEAD: lambda run, s: _sequence(s)[0],
    O.TAIL: lambda run, s: _nonempty(s)[1:],
    O.SUB_SEQ: _sub_sequence,
    O.SELECT_SEQ: _select,
    O.SORT_SEQ: _sort,
    O.IS_FINITE_SET: _is_finite,
    O.CARDINALITY: _cardinality,
    O.PRINT: lambda run, out, value: value,
    O.PRINT_T: lambda run, out: v.TRUE,
    O.ASSERT: _assert,
    O.SINGLETON: lambda run, k, e: v.function({run.listed(k): run.listed(e)}),
    O.MERGE: lambda run, f, g: v.function({**v.graph_of(g), **v.graph_of(f)}),
    O.PERMUTATIONS: lambda run, s: _permutations(run.members(s)),
    O.TLC_EVAL: lambda run, a: a,
    O.FOLD_SET: _fold_set,
    O.FOLD_SEQ: _fold_sequence,
}
