"""Built-in operators with an operator among their arguments: SelectSeq, SortSeq, folds."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from .. import core as c
from ..errors import TlaUnsupported
from ..lazy_sets import members
from ..values import show
from . import calls
from .code import Code, Entry, Env, Frame, Operation, Slot
from .compiler import Compiler, truth
from .errors import NothingToChoose, at
from .operations import sequence


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


def select_seq(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    """Compile `SelectSeq(s, test)`."""
    given = compiler.strict(node.arguments[0], env)
    (slot,), applied = operation(compiler, node.arguments[1], 1, env, node)
    test = truth(compiler, applied, node.arguments[1].span)
    find, accept, span = given.run, test.run, node.span

    def select(frame: Frame) -> Any:
        kept = []
        for item in sequence(span, find(frame), "SelectSeq"):
            frame[slot] = item
            if accept(frame):
                kept.append(item)
        return tuple(kept)

    return compiler.make(select, [given, test], [slot])


def sort_seq(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    """Compile `SortSeq(s, less)`."""
    given = compiler.strict(node.arguments[0], env)
    (left, right), applied = operation(compiler, node.arguments[1], 2, env, node)
    test = truth(compiler, applied, node.arguments[1].span)
    find, before, span = given.run, test.run, node.span

    def sort(frame: Frame) -> Any:
        def less(a: Any, b: Any) -> bool:
            frame[left], frame[right] = a, b
            return bool(before(frame))

        # Python's own sorting asks in another order, which matters where `less` is none.
        placed: list[Any] = []
        for item in sequence(span, find(frame), "SortSeq"):
            larger = takewhile(lambda other: less(item, other), reversed(placed))  # noqa: B023
            placed.insert(len(placed) - sum(1 for _ in larger), item)
        return tuple(placed)

    return compiler.make(sort, [given, test], [left, right])


def fold_set(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    """Compile `MapThenFoldSet(op, base, f, choose, S)`."""
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
            if member not in remaining:
                raise NothingToChoose(span, f"{show(member)} is chosen, which is no member")
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


def fold_seq(compiler: Compiler, node: c.Builtin, env: Env) -> Code:
    """Compile `FoldLeft(op, base, s)`."""
    operator, base_node, sequence_node = node.arguments
    (before, item), combined = operation(compiler, operator, 2, env, node)
    base, found = compiler.strict(base_node, env), compiler.strict(sequence_node, env)
    combine, start, find, span = combined.run, base.run, found.run, node.span

    def fold(frame: Frame) -> Any:
        result = start(frame)
        for member in sequence(span, find(frame), "FoldLeft"):
            frame[before], frame[item] = result, member
            result = combine(frame)
        return result

    return compiler.make(fold, [combined, base, found], [before, item])
