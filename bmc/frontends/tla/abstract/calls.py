"""The shapes of names, of calls and of what a bound variable ranges over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.context import (
    Context,
    Known,
    Place,
    root,
    seen,
)
from bmc.frontends.tla.abstract.domain import NOTHING, Shape
from bmc.frontends.tla.abstract.evaluator import Evaluator, UnderWay
from bmc.frontends.tla.abstract.memory import ALWAYS
from bmc.frontends.tla.abstract.numbers import moved, tuple_parts
from bmc.frontends.tla.abstract.widening import widen
from bmc.frontends.tla.errors import TlaError, TlaUnsupported
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.translate.arguments import unevaluated
from bmc.frontends.tla.translate.free import may_prime_parameters, speaks_of_step
from bmc.frontends.tla.translate.lazy import BuiltinClosure, ByName, Closure, concrete

PATIENCE = 8
"""Rounds in which the values of a recursive operator grow as they do; afterwards they jump."""

DEEPEST = 40
"""Calls of one recursive operator inside of another before its arguments are widened."""


class Calls(Evaluator):
    """Evaluates variables, names, calls and bounds."""

    def _settled(self, node: c.Expression, context: Context) -> Known | None:
        """Return a constant expression's value, if there is one that can be listed."""
        if isinstance(node, c.VariableRef | c.LocalRef | c.Prime) or level(node) > Level.CONSTANT:
            return None
        free = self.free.of(node)
        env: dict[c.Binding, Any] = {}
        for binding in free:
            held = context.environment.get(binding)
            if isinstance(held, Known) and held.constant is not None:
                env[binding] = held.constant
            elif isinstance(held, BuiltinClosure):
                env[binding] = held
            else:
                return None
        if not free and node in self._constant:
            found = self._constant[node]
        else:
            found = self.constants.settled(node, env)
            if not free:
                self._constant[node] = found
        if found is None or not concrete(found):
            return None
        return Known(d.shape_of(found), constant=found)

    def _variable(self, node: c.VariableRef, context: Context) -> Known:
        if context.primed or self.initial:
            shape = context.next.get(node.name)
            if shape is None:
                shape = self.state.get(node.name, NOTHING)
            place: tuple[Any, ...] = ("next", node.name)
        else:
            shape, place = self.state.get(node.name, NOTHING), ("variable", node.name)
        return Known(seen(shape, place, context), place)

    def _hidden(self, node: c.HiddenRef | c.MiddleRef, context: Context) -> Known:
        elsewhere = c.elsewhere(node, context.primed)
        if elsewhere is not None:
            return self.known(elsewhere, context)
        place: tuple[Any, ...] = ("next", node.name)
        return Known(seen(context.next.get(node.name, NOTHING), place, context), place)

    def _local(self, node: c.LocalRef, context: Context) -> Known:
        if node.binding in self._functions:
            return Known(self._functions[node.binding])
        held = context.environment.get(node.binding)
        if isinstance(held, ByName):
            return self.known(held.body, context.within(held.environment))
        if not isinstance(held, Known):
            raise TlaError(node.span, f"{node.binding.name} has no value here")
        if held.place is None or held.constant is not None:
            return held
        if held.offset:
            base = self._at(held.place, context)
            return held if base is None else replace(held, shape=moved(base, held.offset))
        return replace(held, shape=seen(held.shape, held.place, context))

    def _at(self, place: tuple[Any, ...], context: Context) -> Shape | None:
        return context.fact(place)

    def argument(self, node: c.Expression, context: Context, of_step: bool = False) -> Any:
        """Return what a parameter means that this argument is given for.

        Where the operator is `of_step`, its body may prime the parameter.
        """
        held = unevaluated(node, context.environment, self.free, self.initial, of_step)
        return self.known(node, context) if held is None else held

    def _call(self, node: c.Call, context: Context) -> Known:
        try:
            return self._found(node, context)
        except TlaError as error:
            error.tell_at(node.span, node.definition.name)
            raise

    def _found(self, node: c.Call, context: Context) -> Known:
        """Return what is known of a call, whose errors are told in the module they are of."""
        definition = node.definition
        inner = dict(context.environment)
        arguments = []
        for parameter, argument in zip(definition.parameters, node.arguments, strict=True):
            of_step = may_prime_parameters(definition.body)
            inner[parameter] = self.argument(argument, context, of_step)
            arguments.append(inner[parameter])
        if not definition.is_recursive:
            return self.known(definition.body, context.within(inner))
        if not speaks_of_step(definition.body):
            # Calls inside of each other are told apart by what is known of their arguments.
            arguments = [self._asked(one, context) for one in arguments]
            inner.update(zip(definition.parameters, arguments, strict=True))
        return self._recursive_call(definition, inner, arguments, context)

    def _asked(self, held: Any, context: Context) -> Any:
        """Return what a recursion is asked about: one object wherever the same is known of it."""
        if isinstance(held, ByName):
            try:
                held = self.known(held.body, context.within(held.environment))
            except TlaError:
                return held  # It may be one that is not used.
        return self.memory.same(held) if isinstance(held, Known) else held

    def _recursive_call(
        self,
        definition: c.Definition,
        inner: dict[c.Binding, Any],
        arguments: list[Any],
        context: Context,
    ) -> Known:
        shapes = tuple(a.shape if isinstance(a, Known) else NOTHING for a in arguments)
        shared = self._shared(definition, inner, arguments)
        stack = self._active.setdefault(definition, [])
        for under_way in stack:
            if under_way.answers(shapes, shared):
                self.memory.lowest = min(self.memory.lowest, under_way.frame)
                return under_way.asked()
        if len(stack) > DEEPEST:
            self.memory.lowest = 0
            shapes = tuple(
                widen(old, d.join(old, new), ())
                for old, new in zip(stack[-1].arguments, shapes, strict=True)
            )
            shared = (None,) * len(shapes)
            for under_way in stack:
                if under_way.answers(shapes, shared):
                    return under_way.asked()
        if len(stack) > 2 * DEEPEST:
            raise TlaUnsupported(
                definition.span, f"the recursion of {definition.name} does not end", ""
            )
        if len(stack) > DEEPEST:
            for parameter, argument, shape in zip(
                definition.parameters, arguments, shapes, strict=True
            ):
                if isinstance(argument, Known):
                    inner[parameter] = Known(shape)
        frame = 1 + sum(len(one) for one in self._active.values())
        this = UnderWay(frame, shapes, shared)
        stack.append(this)
        try:
            for rounds in range(DEEPEST):
                found = self.known(definition.body, context.within(inner)).shape
                grown = d.join(this.guess, found)
                if grown == this.guess or not this.is_asked:
                    return Known(found)
                this.guess = widen(this.guess, grown, self.steps) if rounds > PATIENCE else grown
            raise TlaUnsupported(definition.span, f"the values of {definition.name} do not end", "")
        finally:
            stack.pop()
            if self.memory.lowest >= frame or frame == 1:
                self.memory.lowest = ALWAYS  # It asked for its own values only, which are final.

    def _shared(
        self, definition: c.Definition, inner: dict[c.Binding, Any], arguments: list[Any]
    ) -> tuple[Place | None, ...]:
        """Return where each argument stands that a condition on something else may speak of.

        `IF T = {} THEN to ELSE …` says of a set that is given for both what it is, and so it does
        of a variable that the body reads, or of what is bound around a definition in a LET. A place
        at an argument that varies is passed over: each call of `Chain(next[i])` would have one of
        its own.
        """
        places = [one.place if isinstance(one, Known) else None for one in arguments]
        stems = {root(one) for one in places if one is not None and one[0] == "bound"}
        around = stems and self._roots_read(definition, inner)

        def is_shared(place: Place | None) -> bool:
            if place is None or places.count(place) > 1:
                return place is not None
            if any(step[0] == "at" for step in place[2:] if isinstance(step, tuple)):
                return False
            return place[0] != "bound" or root(place) in around

        return tuple(place if is_shared(place) else None for place in places)

    def _roots_read(self, definition: c.Definition, inner: Mapping[c.Binding, Any]) -> set[Place]:
        """Return the roots of what an operator's body reads otherwise than by its parameters."""
        found: set[Place] = set()
        given = {p for p in definition.parameters if isinstance(inner[p], Known)}
        waiting = [(self.free.of(definition.body) - given, inner)]
        while waiting:
            bindings, environment = waiting.pop()
            for binding in bindings:
                held = environment.get(binding)
                if isinstance(held, Known) and held.place is not None:
                    found.add(root(held.place))
                elif isinstance(held, ByName | Closure):
                    waiting.append((self.free.of(held.body), held.environment))
        return found

    def applied(
        self, operator: Any, arguments: list[Any], context: Context, node: c.Expression
    ) -> Known:
        """Return what is known of an operator argument's result."""
        if isinstance(operator, BuiltinClosure):
            shapes = [a if isinstance(a, Known) else Known(NOTHING) for a in arguments]
            return self.operation(operator.node.operator, shapes, node, context)
        if not isinstance(operator, Closure):
            raise TlaError(node.span, "this is no operator")
        inner = dict(operator.environment)
        inner.update(zip(operator.parameters, arguments, strict=True))
        return self.known(operator.body, context.within(inner))

    def bound(self, bounds: tuple[c.Bound, ...], context: Context) -> Context | None:
        """Return the context inside of a binder; None where a set is empty."""
        inner = dict(context.environment)
        for one in bounds:
            if one.domain is None:
                raise TlaUnsupported(
                    one.variables[0].span, "a bound variable without a set", "write x \\in S"
                )
            element = self.elements(self.shape(one.domain, context))
            if element.empty:
                return None
            if one.is_tuple:
                parts = tuple_parts(element, len(one.variables))
                if parts is None:
                    return None
                for binding, part in zip(one.variables, parts, strict=True):
                    inner[binding] = self.fresh(binding, part)
            else:
                inner[one.variables[0]] = self.fresh(one.variables[0], element)
        return context.within(inner)

    def fresh(self, binding: c.Binding, shape: Shape) -> Known:
        """Return a value of a shape with a place of its own."""
        return Known(shape, ("bound", binding.name, next(self._fresh)))

    def _chosen(self, bound: c.Bound, context: Context) -> Shape:
        held = [context.environment[b] for b in bound.variables]
        shapes = [seen(h.shape, h.place, context) for h in held]
        return d.tuple_of(shapes) if bound.is_tuple else shapes[0]
