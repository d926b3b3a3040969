"""What evaluations of shapes have found, so that none is made twice in what is the same context.

An operator's body is read at every call, a definition of a LET at every mention, a condition once
for either answer: without a memory the work doubles with every level of nesting.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from bmc.frontends.tla import core as c
from bmc.frontends.tla.abstract.context import Context, Known, Place, root
from bmc.frontends.tla.abstract.domain import Shape
from bmc.frontends.tla.translate.free import Free, OfStep, Variables
from bmc.frontends.tla.translate.lazy import ByName, Closure

Key: TypeAlias = tuple[Any, ...]

ALWAYS = 1 << 30
"""The number of a frame that no recursion has."""


class Memory:
    """Keeps results by what an expression reads: of the bindings, the facts and the assignments.

    Objects are told apart by identity. Each result is kept together with the context that it was
    found in, so that no other object can take their place.
    """

    def __init__(self, free: Free) -> None:
        self.free = free
        self.variables = Variables()
        self.of_step = OfStep()
        self.lowest = ALWAYS
        """The outermost recursive call whose unfinished values the present one has asked for."""
        self._results: dict[Key, tuple[Any, Context, Mapping[c.Binding, Shape]]] = {}
        self._same: dict[Key, Known] = {}
        self._reads: dict[c.Expression, tuple[tuple[str, ...], tuple[c.Binding, ...], bool]] = {}

    def forget(self) -> None:
        """Forget all results: the shapes of the variables are others."""
        self._results.clear()
        self._same.clear()

    def same(self, known: Known) -> Known:
        """Return the first of those of which the same is known: what it is in was found there."""
        constant = known.constant
        key = (known.shape, known.place, type(constant), constant, known.offset)
        return self._same.setdefault(key, known)

    def find(self, key: Key) -> tuple[Any] | None:
        """Return what is kept under a key, in a tuple of its own; None where nothing is."""
        found = self._results.get(key)
        return None if found is None else found[:1]

    def keep(
        self, key: Key, result: Any, context: Context, functions: Mapping[c.Binding, Shape]
    ) -> None:
        """Keep a result, unless it depends on a recursion that is not finished."""
        if self.lowest == ALWAYS:
            self._results[key] = (result, context, dict(functions))

    def key(
        self,
        node: c.Expression,
        asked: Any,
        context: Context,
        functions: Mapping[c.Binding, Shape],
        initial: bool,
    ) -> Key:
        """Return what the answer to a question about an expression depends on."""
        variables, bindings, of_step = self._read(node)
        found: list[Any] = [node, asked, context.primed]
        self._of_variables(variables, of_step or context.primed or initial, context, found)
        self._of_bindings(bindings, context.environment, context, functions, found)
        return tuple(found)

    def _read(self, node: c.Expression) -> tuple[tuple[str, ...], tuple[c.Binding, ...], bool]:
        known = self._reads.get(node)
        if known is None:
            known = self._reads[node] = (
                tuple(sorted(self.variables.of(node))),
                tuple(sorted(self.free.of(node), key=id)),
                bool(self.of_step.of(node)),
            )
        return known

    def _of_variables(
        self, names: tuple[str, ...], of_step: bool, context: Context, found: list[Any]
    ) -> None:
        facts = context.facts
        for name in names:
            found.append(id(facts.get(("variable", name))))
            if of_step:
                found.append(id(facts.get(("next", name))))
                found.append(id(context.next.get(name)))

    def _of_bindings(
        self,
        bindings: tuple[c.Binding, ...],
        environment: Mapping[c.Binding, Any],
        context: Context,
        functions: Mapping[c.Binding, Shape],
        found: list[Any],
    ) -> None:
        for binding in bindings:
            held = environment.get(binding)
            found.append(id(held))
            if functions:
                found.append(id(functions.get(binding)))
            if isinstance(held, Known):
                if held.place is not None:
                    self._of_place(held.place, context, found)
            elif isinstance(held, ByName | Closure):
                variables, inner, _ = self._read(held.body)
                self._of_variables(variables, True, context, found)
                self._of_bindings(inner, held.environment, context, functions, found)

    def _of_place(self, place: Place, context: Context, found: list[Any]) -> None:
        found.append(id(context.facts.get(root(place))))
