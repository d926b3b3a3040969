"""Functions that are written as `[x \\in S |-> e]`, tables of them, and recursive ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from .. import core as c
from ..errors import Span
from ..lazy_sets import AnySet, Tuples, is_finite
from ..values import Function, domain_of, function, is_interval_from_one
from .code import MISSING, Code, Env, Frame, Run, Slot
from .compiler import DEEPEST_RECURSION, Compiler
from .errors import EvaluationError, EvaluationLimit, at
from .lazy_functions import LazyFunction, PartialFunction
from .loops import Loop, is_listable, loops, own_slots


@dataclass(frozen=True, slots=True)
class _OneByOne:
    """Makes functions whose values are found when they are asked for.

    ``own`` are the slots that the body is evaluated in; they are as before afterwards, since it may
    ask for another value of the same function.
    """

    compiler: Compiler
    found: list[Loop]
    body: Run
    own: slice
    span: Span

    def recursive(self, frame: Frame, domain: AnySet, itself: int) -> LazyFunction:
        """Return the function on a domain; the slot ``itself`` stands for it in its body."""
        kept = frame[:]
        made = kept[itself] = LazyFunction(domain, partial(self._apply, kept))
        return made

    def partial(self, frame: Frame, domain: AnySet) -> PartialFunction:
        """Return the function on a domain, at some member of which it has no value."""
        return PartialFunction(domain, partial(self._apply, frame[:]))

    def _apply(self, kept: Frame, argument: Any) -> Any:
        compiler = self.compiler
        if compiler.stop:
            raise compiler.expired(self.span)
        if compiler.depth >= DEEPEST_RECURSION:
            raise EvaluationLimit(
                self.span,
                f"more than {DEEPEST_RECURSION:,} applications within each other",
                "Does the recursion end?",
            )
        saved = kept[self.own]
        _put(kept, self.found, argument if len(self.found) > 1 else (argument,))
        compiler.depth += 1
        try:
            return self.body(kept)
        finally:
            compiler.depth -= 1
            kept[self.own] = saved


def literal(compiler: Compiler, node: c.FunctionLiteral, env: Env) -> Code:
    """Compile a function to its table, or to a lazy one that has no value at some argument.

    It is lazy as well where its domain cannot be listed. The values are found on application, as
    TLC does, so that a function may be applied where it has one.
    """
    domains = [compiler.value(bound.domain, env) for bound in node.bounds if bound.domain]
    if any(code.lazy and not is_listable(code) for code in domains):
        return lazy(compiler, node.bounds, node.body, env, node.span, None)
    low = len(compiler.frame)
    found, inner = loops(compiler, node.bounds, env, in_order=False)
    body = compiler.strict(node.body, inner)
    parts = [*(loop.members for loop in found), body]
    own = slice(low, len(compiler.frame))
    one_by_one = _OneByOne(compiler, found, body.run, own, node.span)
    if len(found) == 1:
        run = _one_bound(found[0], body, one_by_one)
        return compiler.make(run, parts, own_slots(found), lazy=True)
    listed = [loop.members.run for loop in found]
    produce = body.run

    def tabulate(frame: Frame) -> Any:
        sets = [frozenset(run(frame)) for run in listed]
        graph = {}
        try:
            for key in product(*sets):
                _put(frame, found, key)
                graph[key] = produce(frame)
        except EvaluationLimit:
            raise
        except EvaluationError:
            return one_by_one.partial(frame, Tuples(tuple(sets)))
        return function(graph)

    return compiler.make(tabulate, parts, own_slots(found), lazy=True)


def _one_bound(loop: Loop, body: Code, one_by_one: _OneByOne) -> Run:
    listed, produce, take, slot = loop.members.run, body.run, loop.take, loop.slots[0]

    def values(frame: Frame, keys: Iterable[Any]) -> list[Any]:
        items = []
        for key in keys:
            if take is None:
                frame[slot] = key
            else:
                take(frame, key)
            items.append(produce(frame))
        return items

    def table(frame: Frame, members: frozenset[Any]) -> Any:
        try:
            if is_interval_from_one(members):
                return tuple(values(frame, range(1, len(members) + 1)))
            domain = domain_of(members)
            return Function((domain, *values(frame, domain.keys)))
        except EvaluationLimit:
            raise
        except EvaluationError:
            return one_by_one.partial(frame, members)

    if loop.members.known is not MISSING:
        known = frozenset(loop.members.known)
        return lambda frame: table(frame, known)
    return lambda frame: table(frame, frozenset(listed(frame)))


def _put(frame: Frame, found: list[Loop], key: tuple[Any, ...]) -> None:
    for loop, member in zip(found, key, strict=True):
        if loop.take is None:
            frame[loop.slots[0]] = member
        else:
            loop.take(frame, member)


def lazy(
    compiler: Compiler,
    bounds: tuple[c.Bound, ...],
    body_node: c.Expression,
    env: Env,
    span: Span,
    itself: c.Binding | None,
) -> Code:
    """Compile a function that is recursive, or whose domain may be infinite."""
    low = len(compiler.frame)
    domains = [compiler.value(bound.domain, env) for bound in bounds if bound.domain is not None]
    found, inner = loops(compiler, bounds, env)
    own = own_slots(found)
    me = compiler.slot()
    if itself is not None:
        inner = inner.bind({itself: Slot(me, lazy=True)})
    body = compiler.strict(body_node, inner)
    runs = [code.run for code in domains]
    one_by_one = _OneByOne(compiler, found, body.run, slice(low, len(compiler.frame)), span)

    def make(frame: Frame) -> LazyFunction:
        sets = tuple(run(frame) for run in runs)
        for one in sets:
            at(span, is_finite, one)
        domain = sets[0] if len(sets) == 1 else Tuples(sets)
        return one_by_one.recursive(frame, domain, me)

    return compiler.make(make, [*domains, body], [*own, me], lazy=True)
