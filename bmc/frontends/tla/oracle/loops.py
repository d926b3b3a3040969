"""What runs over the members of sets: bounds, their members in order, loops within each other."""

# A loop puts its members into the frame itself (`for frame[slot] in …`): it is the innermost one.
# ruff: noqa: B020

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .. import core as c
from ..errors import Span
from ..lazy_sets import LazySet, is_finite, iterate
from ..operators import Operator
from ..values import ordered, show
from .code import MISSING, Code, Entry, Env, Frame, Run, Slot, constant
from .compiler import Compiler
from .errors import InfiniteSet, WrongKind, at

SMALL = 4_096  # members of a constant lazy set that are listed once for all


@dataclass(frozen=True, slots=True)
class Loop:
    """A bound, compiled: `members` gives a set's members in order, `take` puts one into slots."""

    slots: tuple[int, ...]
    members: Code
    take: Callable[[Frame, Any], None] | None  # of a tuple; a single member goes to the one slot


def loops(
    compiler: Compiler, bounds: Iterable[c.Bound], env: Env, in_order: bool = True
) -> tuple[list[Loop], Env]:
    """Compile the domains of a binder and bind its variables to new slots."""
    found: list[Loop] = []
    names: dict[c.Binding, Entry] = {}
    for bound in bounds:
        slots = tuple(compiler.slot() for _ in bound.variables)
        names.update(zip(bound.variables, map(Slot, slots), strict=True))
        span = bound.variables[0].span if bound.variables else None
        if bound.domain is None:
            assert span is not None
            listed = Code(_unbounded(span))
        else:
            listed = domain(compiler, bound.domain, env, in_order)
            span = bound.domain.span
        take = _taker(slots, span) if bound.is_tuple else None
        found.append(Loop(slots, listed, take))
    return found, env.bind(names)


def _unbounded(span: Span) -> Run:
    def refuse(_frame: Frame) -> Any:
        raise InfiniteSet(
            span, "a bound variable without a set ranges over all values", "Bound it."
        )

    return refuse


def _taker(slots: tuple[int, ...], span: Span) -> Callable[[Frame, Any], None]:
    width = len(slots)

    def take(frame: Frame, member: Any) -> None:
        if type(member) is not tuple or len(member) != width:
            raise WrongKind(span, f"{show(member)} is no tuple of {width}")
        for slot, item in zip(slots, member, strict=True):
            frame[slot] = item

    return take


def domain(compiler: Compiler, node: c.Expression, env: Env, in_order: bool = True) -> Code:
    """Compile a set to an iterable over its members, in TLC's order if `in_order`."""
    span, stop = node.span, compiler.stop
    if isinstance(node, c.Builtin) and node.operator is Operator.INTERVAL:
        low, high = (compiler.value(argument, env) for argument in node.arguments)
        first, last = low.run, high.run

        def numbers(frame: Frame) -> Any:
            a, b = first(frame), last(frame)
            if type(a) is int and type(b) is int:
                return range(a, b + 1)
            raise WrongKind(span, f"{show(a)}..{show(b)} needs integers")

        return compiler.make(numbers, [low, high])
    code = compiler.value(node, env)
    if code.known is not MISSING:
        known = code.known
        if type(known) is frozenset:
            return constant(ordered(known))
        if is_listable(code):
            return constant(tuple(known))
    run = code.run

    def watched(lazy: Any) -> Iterator[Any]:
        for member in lazy:
            if stop:
                raise compiler.expired(span)
            yield member

    def listed(frame: Frame) -> Any:
        found = run(frame)
        if type(found) is frozenset:
            return ordered(found) if in_order else found
        if not at(span, is_finite, found):
            raise InfiniteSet(
                span,
                f"the members of {show(found)} cannot be listed",
                "Replace it by a finite set in the configuration.",
            )
        return watched(at(span, iterate, found))

    return Code(listed, code.needs)


def own_slots(found: Iterable[Loop]) -> list[int]:
    """Return the slots that these loops bind."""
    return [slot for loop in found for slot in loop.slots]


def unread(behind: Iterable[Loop]) -> list[Run]:
    """Return the sets that may lack a value."""
    return [loop.members.run for loop in behind if loop.members.known is MISSING]


def every(found: list[Loop], body: Run) -> Run:
    """Return the loops that run `body` for all members, with the members in their slots.

    As TLC does, they read all of their sets, also where one before is empty.
    """
    for position in reversed(range(len(found))):
        body = _every(found[position], body, unread(found[position + 1 :]))
    return body


def _every(loop: Loop, body: Run, behind: list[Run]) -> Run:
    listed, take = loop.members.run, loop.take
    if behind:
        return _every_or_none(loop, body, behind)
    if take is not None:

        def every_tuple(frame: Frame) -> None:
            for member in listed(frame):
                take(frame, member)
                body(frame)

        return every_tuple
    (slot,) = loop.slots

    def every_member(frame: Frame) -> None:
        for frame[slot] in listed(frame):
            body(frame)

    return every_member


def _every_or_none(loop: Loop, body: Run, behind: list[Run]) -> Run:
    listed, take, slot = loop.members.run, loop.take, loop.slots[0]

    def every_member(frame: Frame) -> None:
        is_empty = True
        for member in listed(frame):
            is_empty = False
            if take is None:
                frame[slot] = member
            else:
                take(frame, member)
            body(frame)
        if is_empty:
            for members in behind:
                members(frame)

    return every_member


def is_listable(code: Code) -> bool:
    """Tell whether a set is constant and small enough to be listed once for all."""
    known = code.known
    return isinstance(known, LazySet) and known.is_finite and known.at_most <= SMALL
