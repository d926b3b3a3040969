"""Functions that are written as `[x \\in S |-> e]`, tables of them, and recursive ones."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from .. import core as c
from ..errors import Span
from ..lazy_sets import Tuples, is_finite
from ..values import Function, domain_of, function, is_interval_from_one
from .binders import Loop, is_listable, loops, own_slots
from .code import MISSING, Code, Env, Frame, Run, Slot
from .compiler import DEEPEST_RECURSION, Compiler
from .errors import EvaluationLimit, at
from .lazy_functions import LazyFunction


def literal(compiler: Compiler, node: c.FunctionLiteral, env: Env) -> Code:
    """Compile a function to its table; to a lazy function where its domain cannot be listed."""
    domains = [compiler.value(bound.domain, env) for bound in node.bounds if bound.domain]
    if any(code.lazy and not is_listable(code) for code in domains):
        return lazy(compiler, node.bounds, node.body, env, node.span, None)
    found, inner = loops(compiler, node.bounds, env, in_order=False)
    body = compiler.strict(node.body, inner)
    parts = [*(loop.members for loop in found), body]
    if len(found) == 1:
        return compiler.make(_one_bound(found[0], body), parts, own_slots(found))
    listed = [loop.members.run for loop in found]
    produce = body.run

    def tabulate(frame: Frame) -> Any:
        graph = {}
        for key in product(*(run(frame) for run in listed)):
            _put(frame, found, key)
            graph[key] = produce(frame)
        return function(graph)

    return compiler.make(tabulate, parts, own_slots(found))


def _one_bound(loop: Loop, body: Code) -> Run:
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

    if loop.members.known is not MISSING:
        members = frozenset(loop.members.known)
        if is_interval_from_one(members):
            numbers = range(1, len(members) + 1)
            return lambda frame: tuple(values(frame, numbers))
        known = domain_of(members)
        return lambda frame: Function((known, *values(frame, known.keys)))

    def tabulate(frame: Frame) -> Any:
        members = frozenset(listed(frame))
        if is_interval_from_one(members):
            return tuple(values(frame, range(1, len(members) + 1)))
        domain = domain_of(members)
        return Function((domain, *values(frame, domain.keys)))

    return tabulate


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
    high = len(compiler.frame)
    runs, produce, stop = [code.run for code in domains], body.run, compiler.stop

    def make(frame: Frame) -> LazyFunction:
        kept = frame[:]

        def apply(argument: Any) -> Any:
            if stop:
                raise compiler.expired(span)
            if compiler.depth >= DEEPEST_RECURSION:
                raise EvaluationLimit(
                    span,
                    f"more than {DEEPEST_RECURSION:,} applications within each other",
                    "Does the recursion end?",
                )
            saved = kept[low:high]
            kept[me] = made
            _put(kept, found, argument if len(found) > 1 else (argument,))
            compiler.depth += 1
            try:
                return produce(kept)
            finally:
                compiler.depth -= 1
                kept[low:high] = saved

        sets = tuple(run(frame) for run in runs)
        for one in sets:
            at(span, is_finite, one)
        made = LazyFunction(sets[0] if len(sets) == 1 else Tuples(sets), apply)
        return made

    return compiler.make(make, [*domains, body], [*own, me], lazy=True)
