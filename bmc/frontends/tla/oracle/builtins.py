"""Built-in operators that give values: arithmetic, sets, sequences, and those of TLC's module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import core as c
from ..errors import Span
from ..lazy_sets import (
    ANYTHING,
    INTEGERS,
    NATURALS,
    REALS,
    STRINGS,
    LazySet,
    Union,
)
from ..operators import Operator
from ..values import BOOLEANS, show
from . import folds, loops, predicates
from .code import Code, Env, Frame, Run, constant
from .compiler import Compiler, truth_value
from .errors import EvaluationLimit, OutsideDomain, WrongKind, at
from .operations import OPERATIONS

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
    operation = OPERATIONS[operator]
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


_SET_ALGEBRA: dict[Operator, Callable[[Any, Any], Any]] = {
    Operator.CUP: lambda a, b: a | b,
    Operator.CAP: lambda a, b: a & b,
    Operator.SET_MINUS: lambda a, b: a - b,
}


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
    found, inner = loops.loops(compiler, node.bounds, env)
    element = compiler.value(node.element, inner)
    if not element.lazy:
        return None
    box, produce = compiler.slot(), element.run
    run: Run = lambda frame: frame[box].append(produce(frame))  # noqa: E731
    collect = loops.every(found, run)

    def union(frame: Frame) -> Union:
        frame[box] = []
        collect(frame)
        return Union(tuple(frame[box]))

    parts = [*(loop.members for loop in found), element]
    return compiler.make(union, parts, loops.own_slots(found), lazy=True)


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


_WITH_OPERATORS: dict[Operator, Callable[..., Code]] = {
    Operator.SELECT_SEQ: folds.select_seq,
    Operator.SORT_SEQ: folds.sort_seq,
    Operator.FOLD_SET: folds.fold_set,
    Operator.FOLD_SEQ: folds.fold_seq,
}
