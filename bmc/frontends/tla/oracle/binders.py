"""Quantifiers, CHOOSE, set constructors: what binds variables to sets."""

# A loop puts its members into the frame itself (`for frame[slot] in …`): it is the innermost one.
# ruff: noqa: B020

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

from .. import core as c
from ..errors import Span
from ..lazy_sets import LARGEST_SET, LazySet, Selection, is_finite
from ..values import in_order
from .code import MISSING, Code, Env, Frame, Run
from .compiler import Compiler
from .errors import EvaluationError, EvaluationLimit, NothingToChoose, at
from .lazy_functions import LazyFunction
from .loops import Loop, every, is_listable, loops, own_slots, unread
from .mentions import reads_nothing_around

Test = Callable[[Frame], bool]


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
    return compiler.make(_reading(run, found[1:], wanted), parts, own_slots(found))


def _reading(search: Test, behind: list[Loop], wanted: bool) -> Test:
    """Return the search that has read the sets `behind` the first one even where that is empty."""
    sets = unread(behind)
    if not sets:
        return search

    def read(frame: Frame) -> bool:
        if search(frame) is wanted:
            return wanted
        for members in sets:
            members(frame)
        return not wanted

    return read


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

    run = every(found, add)

    def images(frame: Frame) -> frozenset[Any]:
        frame[box] = set()
        run(frame)
        return frozenset(frame[box])

    return compiler.make(images, parts, own_slots(found))
