"""Quantifiers, CHOOSE, set constructors: what binds variables to sets."""

# A loop puts its members into the frame itself (`for frame[slot] in …`): it is the innermost one.
# ruff: noqa: B020

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, assert_never

from .. import core as c
from ..errors import Span
from ..lazy_sets import LARGEST_SET, LazySet, Selection, is_finite, iterate
from ..operators import Operator
from ..values import in_order, ordered, show
from .code import MISSING, Code, Entry, Env, Frame, Run, Slot, constant
from .compiler import Compiler
from .errors import EvaluationError, EvaluationLimit, InfiniteSet, NothingToChoose, WrongKind, at
from .lazy_functions import LazyFunction
from .mentions import reads_nothing_around

Test = Callable[[Frame], bool]

SMALL = 4_096  # members of a constant lazy set that are listed once for all


@dataclass(frozen=True, slots=True)
class Loop:
    """A bound, compiled: `members` gives a set's members in order, `take` puts one into slots."""

    slots: tuple[int, ...]
    members: Code
    take: Callable[[Frame, Any], None] | None  # of a tuple; a single member goes to the one slot


def value(
    compiler: Compiler,
    node: c.Choose | c.SetFilter | c.SetMap,
    env: Env,
) -> Code:
    """Compile a binder whose value is no truth.

    A constant one that reads nothing around it is evaluated once for all machines of a text.
    """
    known = compiler.folded.get(node)
    if known is None:
        known = _value(compiler, node, env)
        found = known.known
        lazy = isinstance(found, LazySet | LazyFunction)
        kept = found is not MISSING and (not lazy or isinstance(found, Selection))
        if kept and reads_nothing_around(node, env):
            compiler.folded[node] = known
    return known


def _value(compiler: Compiler, node: c.Choose | c.SetFilter | c.SetMap, env: Env) -> Code:
    match node:
        case c.Choose():
            return _choose(compiler, node, env)
        case c.SetFilter():
            return _filter(compiler, node, env)
        case c.SetMap():
            return _map(compiler, node, env)
        case _:
            assert_never(node)


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


def quantifier(compiler: Compiler, node: c.Quantifier, env: Env) -> Code:
    """Compile `\\A` or `\\E` to a test that stops at the first witness.

    An instance without a value does no harm where another one decides; TLC, which goes in order,
    may stop at it.
    """
    found, inner = loops(compiler, node.bounds, env, in_order=False)
    body = compiler.test(node.body, inner)
    parts = [*(loop.members for loop in found), body]
    run = body.run
    wanted = node.kind is c.Quantification.EXISTS
    for loop in reversed(found):
        run = _search(compiler, loop, run, node.span, wanted)
    return compiler.make(run, parts, own_slots(found))


def _search(compiler: Compiler, loop: Loop, body: Test, span: Span, wanted: bool) -> Run:
    """Return the test whether `body` is `wanted` for some member; if so it is `wanted`."""
    listed, take, stop = loop.members.run, loop.take, compiler.stop
    patiently = _patiently(loop, body, wanted)
    if take is not None:

        def search(frame: Frame) -> bool:
            try:
                for member in listed(frame):
                    take(frame, member)
                    if body(frame) is wanted:
                        return wanted
            except EvaluationLimit:
                raise
            except EvaluationError:
                return patiently(frame)
            return not wanted

        return search
    (slot,) = loop.slots
    if wanted:

        def exists(frame: Frame) -> bool:
            if stop:
                raise compiler.expired(span)
            try:
                for frame[slot] in listed(frame):
                    if body(frame):
                        return True
            except EvaluationLimit:
                raise
            except EvaluationError:
                return patiently(frame)
            return False

        return exists

    def forall(frame: Frame) -> bool:
        if stop:
            raise compiler.expired(span)
        try:
            for frame[slot] in listed(frame):
                if not body(frame):
                    return False
        except EvaluationLimit:
            raise
        except EvaluationError:
            return patiently(frame)
        return True

    return forall


def _patiently(loop: Loop, body: Test, wanted: bool) -> Callable[[Frame], bool]:
    listed, take, slot = loop.members.run, loop.take, loop.slots[0]

    def search(frame: Frame) -> bool:
        failures = []
        for member in in_order(listed(frame)):
            if take is None:
                frame[slot] = member
            else:
                take(frame, member)
            try:
                if body(frame) is wanted:
                    return wanted
            except EvaluationLimit:
                raise
            except EvaluationError as failure:
                failures.append(failure)
        if failures:
            raise failures[0]
        return not wanted

    return search


def every(loop: Loop, body: Run) -> Run:
    """Return the loop that runs `body` for every member, with the member in its slots."""
    listed, take = loop.members.run, loop.take
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


def _choose(compiler: Compiler, node: c.Choose, env: Env) -> Code:
    (loop,), inner = loops(compiler, [node.bound], env)
    test = compiler.test(node.body, inner)
    listed, accept, span = loop.members.run, test.run, node.span
    take, slot, stop = loop.take, loop.slots[0], compiler.stop

    def choose(frame: Frame) -> Any:
        if stop:
            raise compiler.expired(span)
        for member in listed(frame):
            if take is None:
                frame[slot] = member
            else:
                take(frame, member)
            if accept(frame):
                return member
        raise NothingToChoose(span, "CHOOSE finds no such member")

    return compiler.make(choose, [loop.members, test], loop.slots)


def _filter(compiler: Compiler, node: c.SetFilter, env: Env) -> Code:
    assert node.bound.domain is not None, "a filter has a set"
    (loop,), inner = loops(compiler, [node.bound], env, in_order=False)
    test = compiler.test(node.predicate, inner)
    listed, accept, span = loop.members.run, test.run, node.span
    take, slot = loop.take, loop.slots[0]
    base = compiler.value(node.bound.domain, env)
    if base.lazy and not is_listable(base):
        return _lazy_filter(compiler, node, base, loop, test)

    def select(frame: Frame) -> frozenset[Any]:
        kept = []
        for member in listed(frame):
            if take is None:
                frame[slot] = member
            else:
                take(frame, member)
            if accept(frame):
                kept.append(member)
        return _set(kept, span)

    return compiler.make(select, [loop.members, test], loop.slots)


def _lazy_filter(compiler: Compiler, node: c.SetFilter, base: Code, loop: Loop, test: Code) -> Code:
    run, accept, take, slot = base.run, test.run, loop.take, loop.slots[0]
    stop, span = compiler.stop, node.span
    varies = bool(base.needs | (test.needs - set(loop.slots)))

    def select(frame: Frame) -> Any:
        kept = frame[:]

        def accepts(member: Any) -> bool:
            if stop:
                raise compiler.expired(span)
            if take is None:
                kept[slot] = member
            else:
                take(kept, member)
            return bool(accept(kept))

        found = run(frame)
        if type(found) is frozenset:
            return frozenset(filter(accepts, found))
        chosen = Selection(found, accepts)
        # A constant one is the same object each time, and perhaps nobody asks for all of it.
        return at(span, chosen.members) if varies and at(span, is_finite, found) else chosen

    return compiler.make(select, [base, test], loop.slots, lazy=True)


def _set(found: list[Any], span: Span) -> frozenset[Any]:
    if len(found) > LARGEST_SET:
        raise EvaluationLimit(
            span, f"a set of more than {LARGEST_SET:,} members", "Take smaller constants."
        )
    return frozenset(found)


def _map(compiler: Compiler, node: c.SetMap, env: Env) -> Code:
    found, inner = loops(compiler, node.bounds, env, in_order=False)
    element = compiler.strict(node.element, inner)
    parts = [*(loop.members for loop in found), element]
    produce, span, stop = element.run, node.span, compiler.stop
    if len(found) == 1 and found[0].take is None:
        listed, (slot,) = found[0].members.run, found[0].slots

        def image(frame: Frame) -> frozenset[Any]:
            items = []
            for frame[slot] in listed(frame):
                items.append(produce(frame))
            return _set(items, span)

        return compiler.make(image, parts, own_slots(found))
    box = compiler.slot()

    def add(frame: Frame) -> None:
        items: set[Any] = frame[box]
        items.add(produce(frame))
        if stop or len(items) > LARGEST_SET:
            _set(list(items), span)
            raise compiler.expired(span)

    run: Run = add
    for loop in reversed(found):
        run = every(loop, run)

    def images(frame: Frame) -> frozenset[Any]:
        frame[box] = set()
        run(frame)
        return frozenset(frame[box])

    return compiler.make(images, parts, own_slots(found))


def is_listable(code: Code) -> bool:
    """Tell whether a set is constant and small enough to be listed once for all."""
    known = code.known
    return isinstance(known, LazySet) and known.is_finite and known.at_most <= SMALL
