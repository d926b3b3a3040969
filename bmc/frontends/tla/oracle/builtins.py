"""Built-in operators that give values: arithmetic, sets, sequences, and those of TLC's module."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from itertools import permutations
from typing import TYPE_CHECKING, Any

from .. import core as c
from ..errors import Span, TlaUnsupported
from ..lazy_sets import (
    ANYTHING,
    INTEGERS,
    LARGEST_SET,
    NATURALS,
    REALS,
    STRINGS,
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
from ..values import BOOLEANS, function, graph_of, interval, members_of, ordered, show
from . import binders, calls, predicates
from .code import Code, Entry, Env, Frame, Operation, Run, Slot, constant
from .errors import EvaluationLimit, OutsideDomain, WrongKind, at
from .lazy_functions import LazyFunction

if TYPE_CHECKING:
    from .compiler import Compiler

LONGEST_SEQUENCE = 1_000_000
LARGEST_INTEGER = 1 << 4096

_SETS = {
    Operator.BOOLEAN: BOOLEANS,
    Operator.STRING: STRINGS,
    Operator.NAT: NATURALS,
    Operator.INT: INTEGERS,
    Operator.REAL: REALS,
    Operator.ANY: ANYTHING,
}


def value(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    """Compile a built-in operator at its arguments."""
    operator = node.operator
    if operator in predicates.TESTS:
        from .compiler import truth_value

        return truth_value(compiler, predicates.test(compiler, node, env))
    if operator in _SETS:
        found = _SETS[operator]
        return constant(found, lazy=isinstance(found, LazySet))
    if operator in _WITH_OPERATORS:
        return _WITH_OPERATORS[operator](compiler, node, env)
    if operator is Operator.UNION and isinstance(node.arguments[0], c.SetEnumeration | c.SetMap):
        found_union = _union_of_lazy(compiler, node.arguments[0], env)
        if found_union is not None:
            return found_union
    if operator in _ON_LAZY:
        parts = [compiler.value(argument, env) for argument in node.arguments]
        lazy = operator in _LAZY_RESULT or (
            operator in _LAZY_IF_ARGUMENT and any(part.lazy for part in parts)
        )
    else:
        parts = [compiler.strict(argument, env) for argument in node.arguments]
        lazy = False
    return compiler.make(_run(operator, [part.run for part in parts], node.span), parts, lazy=lazy)


def _run(operator: Operator, runs: list[Run], span: Span) -> Run:
    if operator in _ARITHMETIC:
        return _arithmetic(_ARITHMETIC[operator], operator.value, runs, span)
    operation = _OPERATIONS[operator]
    if operator in _ON_VALUES:
        return _direct(operation, runs, span)
    if len(runs) == 1:
        (only,) = runs
        return lambda frame: at(span, operation, span, only(frame))
    if operator in _SET_ALGEBRA:
        return _set_algebra(_SET_ALGEBRA[operator], operation, runs, span)
    return lambda frame: at(span, operation, span, *[run(frame) for run in runs])


def _direct(operation: Callable[..., Any], runs: list[Run], span: Span) -> Run:
    """Return the closure of an operation that sees no lazy set, and names its own errors."""
    match runs:
        case [only]:
            return lambda frame: operation(span, only(frame))
        case [first, second]:
            return lambda frame: operation(span, first(frame), second(frame))
        case _:
            return lambda frame: operation(span, *[run(frame) for run in runs])


def _arithmetic(operation: Callable[..., Any], sign: str, runs: list[Run], span: Span) -> Run:
    if len(runs) == 1:
        (only,) = runs

        def negate(frame: Frame) -> Any:
            a = only(frame)
            if type(a) is int:
                return -a
            raise WrongKind(span, f"-{show(a)} needs an integer")

        return negate
    left, right = runs

    def compute(frame: Frame) -> Any:
        a, b = left(frame), right(frame)
        if type(a) is int and type(b) is int:
            return operation(a, b, span)
        raise WrongKind(span, f"{show(a)} {sign} {show(b)} needs integers")

    if sign == "+":

        def add(frame: Frame) -> Any:
            a, b = left(frame), right(frame)
            if type(a) is int and type(b) is int:
                return a + b
            raise WrongKind(span, f"{show(a)} + {show(b)} needs integers")

        return add
    return compute


def _times(a: int, b: int, span: Span) -> int:
    result = a * b
    if -LARGEST_INTEGER < result < LARGEST_INTEGER:
        return result
    raise EvaluationLimit(span, "a product of more than 4,096 bits")


def _power(a: int, b: int, span: Span) -> int:
    if b < 0 or (a == 0 and b == 0):
        raise OutsideDomain(span, f"{a}^{b} is not defined")
    if a not in (-1, 0, 1) and b * (abs(a).bit_length() - 1) >= 4096:
        raise EvaluationLimit(span, "a power of more than 4,096 bits")
    if a in (-1, 0, 1):
        return 1 if b == 0 or (a == -1 and b % 2 == 0) else a
    return int(a**b)


def _divide(a: int, b: int, span: Span) -> int:
    if b == 0:
        raise OutsideDomain(span, f"{a} is divided by 0")
    return a // b


def _modulo(a: int, b: int, span: Span) -> int:
    if b <= 0:
        raise OutsideDomain(span, f"{a} % {b} needs a positive divisor")
    return a % b


_ARITHMETIC: dict[Operator, Callable[..., Any]] = {
    Operator.PLUS: lambda a, b, _span: a + b,
    Operator.MINUS: lambda a, b, _span: a - b,
    Operator.NEGATE: lambda a, _span: -a,
    Operator.TIMES: _times,
    Operator.DIVIDE: _divide,
    Operator.MODULO: _modulo,
    Operator.POWER: _power,
}


def _interval(span: Span, low: Any, high: Any) -> frozenset[int]:
    if type(low) is not int or type(high) is not int:
        raise WrongKind(span, f"{show(low)}..{show(high)} needs integers")
    if high - low >= LARGEST_SET:
        raise EvaluationLimit(span, f"{low}..{high} has more than {LARGEST_SET:,} members")
    return interval(low, high) if low <= high else frozenset()


# Sets. The closures take the short way where both operands are written out.


def _set_algebra(
    short: Callable[[Any, Any], Any], long: Callable[..., Any], runs: list[Run], span: Span
) -> Run:
    left, right = runs

    def compute(frame: Frame) -> Any:
        a, b = left(frame), right(frame)
        if type(a) is frozenset and type(b) is frozenset:
            return short(a, b)
        return at(span, long, span, a, b)

    return compute


def _cup(span: Span, a: Any, b: Any) -> Any:
    if is_finite(a) and is_finite(b):
        return members(a) | members(b)
    return Union((a, b))


def _cap(span: Span, a: Any, b: Any) -> Any:
    if is_finite(a):
        return frozenset(member for member in members(a) if member in b)
    if is_finite(b):
        return frozenset(member for member in members(b) if member in a)
    return Selection(a, lambda member: member in b)


def _minus(span: Span, a: Any, b: Any) -> Any:
    is_finite(b)
    if is_finite(a):
        return frozenset(member for member in members(a) if member not in b)
    return Selection(a, lambda member: member not in b)


_SET_ALGEBRA: dict[Operator, Callable[[Any, Any], Any]] = {
    Operator.CUP: lambda a, b: a | b,
    Operator.CAP: lambda a, b: a & b,
    Operator.SET_MINUS: lambda a, b: a - b,
}


def _union(span: Span, sets: Any) -> Any:
    found: frozenset[Any] = frozenset().union(*(members(each) for each in members(sets)))
    if len(found) > LARGEST_SET:
        raise EvaluationLimit(span, f"a set of more than {LARGEST_SET:,} members")
    return found


def _union_of_lazy(compiler: Compiler, node: c.SetEnumeration | c.SetMap, env: Env) -> Code | None:
    """Compile `UNION {[1..n -> S] : n \\in T}` without listing what is joined; None if no need."""
    if isinstance(node, c.SetEnumeration):
        parts = [compiler.value(element, env) for element in node.elements]
        if not any(part.lazy for part in parts):
            return None
        runs = [part.run for part in parts]
        return compiler.make(
            lambda frame: Union(tuple([run(frame) for run in runs])), parts, lazy=True
        )
    found, inner = binders.loops(compiler, node.bounds, env)
    element = compiler.value(node.element, inner)
    if not element.lazy:
        return None
    box, produce = compiler.slot(), element.run
    run: Run = lambda frame: frame[box].append(produce(frame))  # noqa: E731
    for loop in reversed(found):
        run = binders.every(loop, run)
    collect = run

    def union(frame: Frame) -> Union:
        frame[box] = []
        collect(frame)
        return Union(tuple(frame[box]))

    parts = [*(loop.members for loop in found), element]
    return compiler.make(union, parts, binders.own_slots(found), lazy=True)


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
    if isinstance(found, LazyFunction):
        return found.domain
    if isinstance(found, tuple):
        return members_of(found)
    raise WrongKind(span, f"{show(found)} is no function, it has no DOMAIN")


# Sequences.


def _sequence(span: Span, found: Any, name: str) -> tuple[Any, ...]:
    if type(found) is not tuple:
        raise WrongKind(span, f"{name} of {show(found)}, which is no sequence")
    return found


def _length(span: Span, found: Any) -> int:
    return len(found) if isinstance(found, str) else len(_sequence(span, found, "Len"))


def _concatenate(span: Span, a: Any, b: Any) -> Any:
    if isinstance(a, str) and isinstance(b, str):
        joined: Any = a + b
    else:
        joined = _sequence(span, a, "\\o") + _sequence(span, b, "\\o")
    if len(joined) > LONGEST_SEQUENCE:
        raise EvaluationLimit(span, f"a sequence of more than {LONGEST_SEQUENCE:,} elements")
    return joined


def _append(span: Span, found: Any, item: Any) -> Any:
    return (*_sequence(span, found, "Append"), item)


def _head(span: Span, found: Any) -> Any:
    if not _sequence(span, found, "Head"):
        raise OutsideDomain(span, "Head of the empty sequence")
    return found[0]


def _tail(span: Span, found: Any) -> Any:
    if not _sequence(span, found, "Tail"):
        raise OutsideDomain(span, "Tail of the empty sequence")
    return found[1:]


def _sub_seq(span: Span, found: Any, first: Any, last: Any) -> Any:
    if type(first) is not int or type(last) is not int:
        raise WrongKind(span, "SubSeq needs integers")
    whole = found if isinstance(found, str) else _sequence(span, found, "SubSeq")
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


_OPERATIONS: dict[Operator, Callable[..., Any]] = {
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
_ON_LAZY = {
    Operator.CUP,
    Operator.CAP,
    Operator.SET_MINUS,
    Operator.UNION,
    Operator.POWER_SET,
    Operator.SEQ,
    Operator.CARDINALITY,
    Operator.DOMAIN,
    Operator.PERMUTATIONS,
}
_ON_VALUES = {
    Operator.INTERVAL,
    Operator.LEN,
    Operator.CONCATENATE,
    Operator.APPEND,
    Operator.HEAD,
    Operator.TAIL,
    Operator.SUB_SEQ,
    Operator.MERGE,
    Operator.SINGLETON,
    Operator.TO_STRING,
    Operator.TLC_EVAL,
    Operator.PRINT,
}
_LAZY_RESULT = {Operator.POWER_SET, Operator.SEQ}
_LAZY_IF_ARGUMENT = {Operator.CUP, Operator.CAP, Operator.SET_MINUS, Operator.DOMAIN}


# Operators with an operator among their arguments.


def operation(
    compiler: Compiler, argument: c.Expression, arity: int, env: Env, node: c.Expression
) -> tuple[list[int], Code]:
    """Compile an operator argument: the slots of its arguments, and its value at them."""
    (entry,) = calls.entries([argument], env)
    if not isinstance(entry, Operation):
        raise TlaUnsupported(argument.span, "an operator is expected here")
    slots = [compiler.slot() for _ in range(arity)]
    bound: list[Entry] = [Slot(slot) for slot in slots]
    code = calls.apply(compiler, entry, bound, env, node, compiler.values)
    return slots, compiler.force(code, argument.span)


def _select_seq(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    from .compiler import truth

    sequence = compiler.strict(node.arguments[0], env)
    (slot,), applied = operation(compiler, node.arguments[1], 1, env, node)
    test = truth(compiler, applied, node.arguments[1].span)
    find, accept, span = sequence.run, test.run, node.span

    def select(frame: Frame) -> Any:
        kept = []
        for item in _sequence(span, find(frame), "SelectSeq"):
            frame[slot] = item
            if accept(frame):
                kept.append(item)
        return tuple(kept)

    return compiler.make(select, [sequence, test], [slot])


def _sort_seq(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    from .compiler import truth

    sequence = compiler.strict(node.arguments[0], env)
    (left, right), applied = operation(compiler, node.arguments[1], 2, env, node)
    test = truth(compiler, applied, node.arguments[1].span)
    find, before, span = sequence.run, test.run, node.span

    def sort(frame: Frame) -> Any:
        def less(a: Any, b: Any) -> bool:
            frame[left], frame[right] = a, b
            return bool(before(frame))

        def compare(a: Any, b: Any) -> int:
            return -1 if less(a, b) else int(less(b, a))

        return tuple(sorted(_sequence(span, find(frame), "SortSeq"), key=cmp_to_key(compare)))

    return compiler.make(sort, [sequence, test], [left, right])


def _fold_set(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    operator, base_node, mapping, choice, set_node = node.arguments
    (item, rest), combined = operation(compiler, operator, 2, env, node)
    (argument,), mapped = operation(compiler, mapping, 1, env, node)
    (left,), chosen = operation(compiler, choice, 1, env, node)
    base, found = compiler.strict(base_node, env), compiler.strict(set_node, env)
    combine, image, choose = combined.run, mapped.run, chosen.run
    start, find, span = base.run, found.run, node.span

    def fold(frame: Frame) -> Any:
        remaining = at(span, members, find(frame))
        order = []
        while remaining:
            frame[left] = remaining
            member = choose(frame)
            order.append(member)
            remaining = remaining - {member}
        result = start(frame)
        for member in reversed(order):
            frame[argument] = member
            frame[item], frame[rest] = image(frame), result
            result = combine(frame)
        return result

    parts = [combined, mapped, chosen, base, found]
    return compiler.make(fold, parts, [item, rest, argument, left])


def _fold_seq(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    operator, base_node, sequence_node = node.arguments
    (before, item), combined = operation(compiler, operator, 2, env, node)
    base, found = compiler.strict(base_node, env), compiler.strict(sequence_node, env)
    combine, start, find, span = combined.run, base.run, found.run, node.span

    def fold(frame: Frame) -> Any:
        result = start(frame)
        for member in _sequence(span, find(frame), "FoldLeft"):
            frame[before], frame[item] = result, member
            result = combine(frame)
        return result

    return compiler.make(fold, [combined, base, found], [before, item])


_WITH_OPERATORS: dict[Operator, Callable[..., Code]] = {
    Operator.SELECT_SEQ: _select_seq,
    Operator.SORT_SEQ: _sort_seq,
    Operator.FOLD_SET: _fold_set,
    Operator.FOLD_SEQ: _fold_seq,
}
