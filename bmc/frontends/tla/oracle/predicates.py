"""Built-in operators that give truth: connectives, comparisons, membership."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from .. import core as c
from ..errors import Span, TlaUnsupported
from ..lazy_sets import LazySet, Subsets, contains, is_finite, iterate, known_finite
from ..operators import Operator
from ..values import show
from .code import MISSING, Code, Env, Frame, constant
from .compiler import Compiler
from .errors import AssertionFailed, WrongKind, at
from .loops import loops

_ORDER = {
    Operator.LESS,
    Operator.LESS_EQUAL,
    Operator.GREATER,
    Operator.GREATER_EQUAL,
}
TESTS = {
    Operator.NOT,
    Operator.AND,
    Operator.OR,
    Operator.IMPLIES,
    Operator.EQUIVALENT,
    Operator.EQUAL,
    Operator.NOT_EQUAL,
    Operator.IN,
    Operator.NOT_IN,
    Operator.SUBSET_EQUAL,
    Operator.IS_FINITE_SET,
    Operator.ASSERT,
    Operator.PRINT_T,
    *_ORDER,
}


def test(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    """Compile one of `TESTS` to its truth."""
    arguments = node.arguments
    match node.operator:
        case Operator.AND | Operator.OR:
            return _junction(compiler, node, env, node.operator is Operator.AND)
        case Operator.NOT:
            operand = compiler.test(arguments[0], env)
            run = operand.run
            return compiler.make(lambda frame: not run(frame), [operand])
        case Operator.IMPLIES:
            return _implies(compiler, node, env)
        case Operator.EQUIVALENT:
            a, b = (compiler.test(argument, env) for argument in arguments)
            left, right = a.run, b.run
            return compiler.make(lambda frame: left(frame) == right(frame), [a, b])
        case Operator.EQUAL | Operator.NOT_EQUAL:
            return _equal(compiler, node, env, node.operator is Operator.EQUAL)
        case Operator.IN | Operator.NOT_IN:
            return _member(compiler, node, env, node.operator is Operator.IN)
        case Operator.SUBSET_EQUAL:
            return _subset(compiler, node, env)
        case Operator.IS_FINITE_SET:
            found = compiler.value(arguments[0], env)
            run, span = found.run, node.span
            return compiler.make(lambda frame: at(span, known_finite, run(frame)), [found])
        case Operator.ASSERT:
            return _assert(compiler, node, env)
        case Operator.PRINT_T:
            return _told(compiler, constant(True), node.arguments[0], env)
        case _:
            assert node.operator in _ORDER, node.operator
            return _compare(compiler, node, env)


def _junction(compiler: Compiler, node: c.Builtin, env: Env, conjunction: bool) -> Code:
    parts = []
    for argument in node.arguments:
        part = compiler.test(argument, env)
        if part.known is MISSING:
            parts.append(part)
        elif part.known is not conjunction:
            parts.append(part)
            break
    if not parts:
        return constant(conjunction)
    if len(parts) == 1:
        return parts[0]
    runs = [part.run for part in parts]
    if len(runs) == 2:
        a, b = runs
        if conjunction:
            return compiler.make(lambda frame: a(frame) and b(frame), parts)
        return compiler.make(lambda frame: a(frame) or b(frame), parts)
    if conjunction:

        def every(frame: Frame) -> bool:
            for run in runs:  # noqa: SIM110
                if not run(frame):
                    return False
            return True

        return compiler.make(every, parts)

    def some(frame: Frame) -> bool:
        for run in runs:  # noqa: SIM110
            if run(frame):
                return True
        return False

    return compiler.make(some, parts)


def _implies(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    first = compiler.test(node.arguments[0], env)
    if first.known is False:
        return constant(True)
    second = compiler.test(node.arguments[1], env)
    a, b = first.run, second.run
    return compiler.make(lambda frame: b(frame) if a(frame) else True, [first, second])


def _equal(compiler: Compiler, node: c.Builtin, env: Env, wanted: bool) -> Code:
    first, second = (compiler.strict(argument, env) for argument in node.arguments)
    if first.known is not MISSING:
        first, second = second, first
    a, b = first.run, second.run
    if second.known is not MISSING:
        known = second.known
        if wanted:
            return compiler.make(lambda frame: a(frame) == known, [first])
        return compiler.make(lambda frame: a(frame) != known, [first])
    if wanted:
        return compiler.make(lambda frame: a(frame) == b(frame), [first, second])
    return compiler.make(lambda frame: a(frame) != b(frame), [first, second])


def _member(compiler: Compiler, node: c.Builtin, env: Env, wanted: bool) -> Code:
    item_node, set_node = node.arguments
    if (
        isinstance(set_node, c.Builtin)
        and set_node.operator is Operator.INTERVAL
        and (found := _in_interval(compiler, item_node, set_node, env, wanted)) is not None
    ):
        return found
    if isinstance(set_node, c.SetFilter) and set_node.bound.domain is not None:
        base = compiler.value(set_node.bound.domain, env)
        if base.lazy:
            return _in_filter(compiler, item_node, set_node, base, env, wanted)
    container = compiler.value(set_node, env)
    # A lazy set asks a set or function for its members, whether or not it is written out.
    item = compiler.strict(item_node, env)
    ask, find, span = item.run, container.run, node.span
    if type(container.known) is frozenset:
        known = container.known
        if wanted:
            return compiler.make(lambda frame: ask(frame) in known, [item])
        return compiler.make(lambda frame: ask(frame) not in known, [item])

    def member(frame: Frame) -> bool:
        value, found = ask(frame), find(frame)
        if type(found) is frozenset:
            return (value in found) is wanted
        return bool(at(span, contains, found, value)) is wanted

    return compiler.make(member, [item, container])


def _in_filter(
    compiler: Compiler,
    item_node: c.Expression,
    node: c.SetFilter,
    base: Code,
    env: Env,
    wanted: bool,
) -> Code:
    """Ask the predicate for the item only, as TLC does where it does not list the set."""
    item = compiler.strict(item_node, env)
    (loop,), inner = loops(compiler, [node.bound], env, in_order=False)
    test = compiler.test(node.predicate, inner)
    ask, find, accept, span = item.run, base.run, test.run, node.span
    take, slot = loop.take, loop.slots[0]

    def inside(frame: Frame) -> bool:
        value = ask(frame)
        if not at(span, contains, find(frame), value):
            return not wanted
        if take is None:
            frame[slot] = value
        else:
            take(frame, value)
        return bool(accept(frame)) is wanted

    return compiler.make(inside, [item, base, test], loop.slots)


def _in_interval(
    compiler: Compiler, item_node: c.Expression, ends: c.Builtin, env: Env, wanted: bool
) -> Code | None:
    item = compiler.strict(item_node, env)
    low, high = (compiler.value(argument, env) for argument in ends.arguments)
    ask, first, last, span = item.run, low.run, high.run, ends.span

    def inside(frame: Frame) -> bool:
        value, a, b = ask(frame), first(frame), last(frame)
        if type(a) is not int or type(b) is not int:
            raise WrongKind(span, f"{show(a)}..{show(b)} needs integers")
        return (type(value) is int and a <= value <= b) is wanted

    return compiler.make(inside, [item, low, high])


def _subset(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    first, second = (compiler.value(argument, env) for argument in node.arguments)
    a, b, span = first.run, second.run, node.span

    def subset(frame: Frame) -> bool:
        left, right = a(frame), b(frame)
        if type(left) is frozenset and type(right) is frozenset:
            return left <= right
        return bool(at(span, _is_subset, left, right))

    return compiler.make(subset, [first, second])


def _is_subset(left: Any, right: Any) -> bool:
    if isinstance(left, Subsets) and isinstance(right, Subsets):
        return _is_subset(left.base, right.base)
    if left is right and isinstance(left, LazySet):
        return True
    is_finite(right)
    return all(contains(right, member) for member in iterate(left))


def _compare(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    first, second = (compiler.value(argument, env) for argument in node.arguments)
    operator, span = node.operator, node.span
    if operator in (Operator.GREATER, Operator.GREATER_EQUAL):
        left, right = second.run, first.run
    else:
        left, right = first.run, second.run
    if operator in (Operator.LESS, Operator.GREATER):

        def less(frame: Frame) -> bool:
            a, b = left(frame), right(frame)
            if type(a) is int and type(b) is int:
                return a < b
            raise _not_integers(a, b, span)

        return compiler.make(less, [first, second])

    def at_most(frame: Frame) -> bool:
        a, b = left(frame), right(frame)
        if type(a) is int and type(b) is int:
            return a <= b
        raise _not_integers(a, b, span)

    return compiler.make(at_most, [first, second])


def _not_integers(a: Any, b: Any, span: Span) -> WrongKind:
    return WrongKind(span, f"{show(a)} and {show(b)} are not both integers, they have no order")


def _assert(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    condition = compiler.test(node.arguments[0], env)
    message = compiler.value(node.arguments[1], env)
    holds, tell, span = condition.run, message.run, node.span

    def check(frame: Frame) -> bool:
        if holds(frame):
            return True
        raise AssertionFailed(span, f"the assertion fails: {show(tell(frame))}")

    checked = compiler.make(check, [condition, message])
    return _told(compiler, checked, node.arguments[1], env)


def _told(compiler: Compiler, truth: Code, message: c.Expression, env: Env) -> Code:
    """Compile a truth beside what is printed: TLC ends with an error where that has no value."""
    printed = compiler.value(message, env)
    if printed.known is not MISSING:
        return truth
    holds, read = truth.run, printed.run

    def told(frame: Frame) -> bool:
        found: bool = holds(frame)
        # What is not of the state, such as the time, is only told.
        with suppress(TlaUnsupported):
            read(frame)
        return found

    return compiler.make(told, [truth, printed])
