"""Names, calls and what an argument means."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.errors import TlaError, TlaUnsupported
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.translate.arguments import unevaluated
from bmc.frontends.tla.translate.free import may_prime_parameters
from bmc.frontends.tla.translate.lazy import (
    BuiltinClosure,
    ByName,
    Closure,
    Lazy,
    constant,
)
from bmc.frontends.tla.translate.translator import Context
from bmc.frontends.tla.translate.unrolling import Unrolling
from bmc.lang.state import state_variable


class Calls(Unrolling):
    """Translates variables, parameters and calls."""

    def _settled(self, node: c.Expression, context: Context) -> Lazy | None:
        """Return a constant expression's value; None of all others."""
        if isinstance(node, c.VariableRef | c.LocalRef | c.Prime) or level(node) > Level.CONSTANT:
            return None
        free = self.free.of(node)
        env: dict[c.Binding, Any] = {}
        for binding in free:
            held = context.environment.get(binding)
            if held is None or not (constant(held) or isinstance(held, BuiltinClosure)):
                return None
            env[binding] = held
        if not free and node in self._constant:
            return self._constant[node]
        found = self.constants.settled(node, env)
        if not free:
            self._constant[node] = found
        return found

    def _literal(self, node: c.Expression) -> Lazy | None:
        match node:
            case c.BooleanLiteral():
                return v.boolean(node.value)
            case c.IntegerLiteral() | c.StringLiteral():
                return node.value
            case c.ModelValueLiteral():
                return v.model_value(node.name)
        return None

    def _variable(self, node: c.VariableRef, context: Context) -> Lazy:
        name = node.name
        if self.initial or (context.primed and not self.relation):
            if name in context.updates:
                return context.updates[name]
            if self.initial:
                raise TlaError(node.span, f"{name} is read before it has a value")
            raise _read_early(node)
        return state_variable(name, self.sorts[name], context.primed)

    def _hidden(self, node: c.HiddenRef | c.MiddleRef, context: Context) -> Lazy:
        elsewhere = c.elsewhere(node, context.primed)
        if elsewhere is not None:
            return self.value_of(elsewhere, context)
        if node.name not in context.updates:
            raise _read_early(node)
        return context.updates[node.name]

    def _local(self, node: c.LocalRef, context: Context) -> Lazy:
        held = context.environment.get(node.binding)
        if isinstance(held, ByName):
            return self.value_of(held.body, replace(context, environment=held.environment))
        if held is None:
            raise TlaError(node.span, f"{node.binding.name} has no value here")
        return held

    def argument(self, node: c.Expression, context: Context, of_step: bool = False) -> Any:
        """Return what a parameter means that this argument is given for.

        Where the operator is `of_step`, its body may prime the parameter: `Is(v) == v' = 0`.
        """
        held = unevaluated(node, context.environment, self.free, self.initial, of_step)
        if held is None and self.may_lose(node, context) and self._settled(node, context) is None:
            return ByName(node, context.environment)
        return self.value_of(node, context) if held is None else held

    def _read_argument(self, node: c.Expression, context: Context, of_step: bool) -> Any:
        """Return what a recursion's parameter means: a value, so that each call reads it once."""
        held = unevaluated(node, context.environment, self.free, self.initial, of_step)
        if held is not None:
            return held
        return self.where(self.reads(node, context), self.value_of(node, context))

    def called(self, node: c.Call, context: Context) -> Context:
        """Return where the body of what is called is read."""
        definition = node.definition
        if not definition.parameters:
            return context
        of_step = may_prime_parameters(definition.body)
        argument = self._read_argument if definition.is_recursive else self.argument
        given = [argument(a, context, of_step) for a in node.arguments]
        named = dict(zip(definition.parameters, given, strict=True))
        return replace(context, environment={**context.environment, **named})

    def called_parameter(
        self, node: c.CallParameter, operator: Closure, context: Context
    ) -> Context:
        """Return where the body of an operator is read that a parameter stands for."""
        of_step = may_prime_parameters(operator.body)
        given = [self.argument(one, context, of_step) for one in node.arguments]
        named = dict(zip(operator.parameters, given, strict=True))
        return replace(context, environment={**operator.environment, **named})

    def _call(self, node: c.Call, context: Context) -> Lazy:
        try:
            return self._made(node, context)
        except TlaError as error:
            error.tell_at(node.span, node.definition.name)
            raise

    def _made(self, node: c.Call, context: Context) -> Lazy:
        """Return the value of a call, whose errors are told in the module they are of."""
        definition = node.definition
        inside = self.called(node, context)
        if not definition.is_recursive:
            return self.value_of(definition.body, inside)
        joined = self.joining.joined(definition)
        if joined is not None:
            taken, kept = (self.value_of(node.arguments[at], context) for at in joined)
            return self.union(kept, taken)
        return self.unrolled(node, inside)


def _read_early(node: c.VariableRef | c.HiddenRef | c.MiddleRef) -> TlaUnsupported:
    message = f"{node.name}' is read before it is assigned"
    return TlaUnsupported(node.span, message, "put the conjunct that assigns it first")
