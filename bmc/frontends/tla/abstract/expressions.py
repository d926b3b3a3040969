"""The shapes of expressions: what values each can have, given the shapes of the variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.amounts import count, finite
from bmc.frontends.tla.abstract.calls import DEEPEST, Calls
from bmc.frontends.tla.abstract.context import (
    Context,
    Known,
)
from bmc.frontends.tla.abstract.domain import NOTHING, Shape
from bmc.frontends.tla.abstract.evaluator import ANYTHING
from bmc.frontends.tla.abstract.formulas import Formulas
from bmc.frontends.tla.abstract.functions import Functions
from bmc.frontends.tla.abstract.memory import ALWAYS
from bmc.frontends.tla.abstract.numbers import as_sequences
from bmc.frontends.tla.abstract.operations import Operations
from bmc.frontends.tla.abstract.widening import widen
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.refusals import refusal
from bmc.frontends.tla.translate.free import may_prime_parameters
from bmc.frontends.tla.translate.lazy import ByName, Closure

FORMULAS = frozenset(
    {
        O.NOT,
        O.AND,
        O.OR,
        O.IMPLIES,
        O.EQUIVALENT,
        O.EQUAL,
        O.NOT_EQUAL,
        O.IN,
        O.NOT_IN,
        O.SUBSET_EQUAL,
        O.LESS,
        O.LESS_EQUAL,
        O.GREATER,
        O.GREATER_EQUAL,
    }
)
HIGHER = frozenset({O.SELECT_SEQ, O.SORT_SEQ, O.FOLD_SET, O.FOLD_SEQ})


class Expressions(Calls, Formulas, Functions, Operations):
    """Evaluates expressions to what is known of their values."""

    def known(self, node: c.Expression, context: Context) -> Known:
        """Return what is known of an expression's value."""
        memory, functions = self.memory, self._functions
        key = memory.key(node, None, context, functions, self.initial)
        kept = memory.find(key)
        if kept is not None:
            found: Known = kept[0]
            return found
        waiting, memory.lowest = memory.lowest, ALWAYS
        found = self._known(node, context)
        memory.keep(key, found, context, functions)
        memory.lowest = min(memory.lowest, waiting)
        return found

    def _known(self, node: c.Expression, context: Context) -> Known:
        settled = self._settled(node, context)
        if settled is not None:
            return settled
        match node:
            case c.VariableRef():
                return self._variable(node, context)
            case c.HiddenRef() | c.MiddleRef():
                return self._hidden(node, context)
            case c.LocalRef():
                return self._local(node, context)
            case c.Call():
                return self._call(node, context)
            case c.CallParameter():
                operator = context.environment.get(node.binding)
                of_step = isinstance(operator, Closure) and may_prime_parameters(operator.body)
                arguments = [self.argument(a, context, of_step) for a in node.arguments]
                return self.applied(operator, arguments, context, node)
            case c.Builtin():
                return self._builtin(node, context)
            case c.Let():
                return self.known(node.body, context)
            case c.If():
                return self._branches(
                    [
                        (node.then, self.holds(node.condition, context, True)),
                        (node.otherwise, self.holds(node.condition, context, False)),
                    ]
                )
            case c.Case():
                return self._case(node, context)
            case c.Prime():
                return self.known(node.operand, context.of_next(True))
            case c.Quantifier() | c.Enabled() | c.Unchanged() | c.BoxAction() | c.AngleAction():
                return self._formula(node, context)
            case c.Choose():
                inner = self.bound((node.bound,), context)
                held = None if inner is None else self.holds(node.body, inner, True)
                if held is None:
                    return ANYTHING
                return Known(self._chosen(node.bound, held))
            case c.SetEnumeration():
                return Known(d.set_of(d.join_all(self.shape(e, context) for e in node.elements)))
            case c.SetFilter():
                inner = self.bound((node.bound,), context)
                held = None if inner is None else self.holds(node.predicate, inner, True)
                return Known(d.set_of(NOTHING if held is None else self._chosen(node.bound, held)))
            case c.SetMap():
                inner = self.bound(node.bounds, context)
                return Known(
                    d.set_of(NOTHING if inner is None else self.shape(node.element, inner))
                )
            case c.FunctionLiteral():
                return self._function(node, context)
            case c.RecursiveFunction():
                return self._recursive_function(node, context)
            case c.FunctionSet():
                keys = self.known(node.domain, context)
                image = self.elements(self.shape(node.codomain, context))
                functions = self._functions_of(keys, image)
                return Known(d.set_of(functions))
            case c.RecordLiteral():
                return Known(d.record_of({n: self.shape(e, context) for n, e in node.fields}))
            case c.RecordSet():
                fields = {n: self.elements(self.shape(e, context)) for n, e in node.fields}
                return Known(d.set_of(d.record_of(fields)))
            case c.TupleLiteral():
                return Known(d.tuple_of(self.shape(e, context) for e in node.elements))
            case c.Product():
                parts = [self.elements(self.shape(f, context)) for f in node.factors]
                return Known(d.set_of(d.tuple_of(parts)))
            case c.Apply():
                return self._apply(node, context)
            case c.Field():
                return self.selected(
                    self.known(node.record, context), Known(NOTHING, constant=node.name), context
                )
            case c.Except():
                return self._except(node, context)
        why = refusal(node, context.primed)
        assert why is not None, type(node)
        raise why

    def shape(self, node: c.Expression, context: Context) -> Shape:
        """Return the shape of an expression's values."""
        return self.known(node, context).shape

    def elements(self, shape: Shape) -> Shape:
        """Return the shape of the members of the sets in a shape."""
        return shape.elements if shape.elements is not None else NOTHING

    def _builtin(self, node: c.Builtin, context: Context) -> Known:
        if node.operator in FORMULAS:
            return self._formula(node, context)
        if node.operator in HIGHER:
            return self._higher(node, context)
        arguments = [self.known(a, context) for a in node.arguments]
        return self.operation(node.operator, arguments, node, context)

    def _higher(self, node: c.Builtin, context: Context) -> Known:
        arguments = [self._read(self.argument(a, context), context) for a in node.arguments]
        match node.operator:
            case O.SELECT_SEQ | O.SORT_SEQ:
                s = as_sequences(arguments[0].shape)
                if s is None:
                    return Known(NOTHING)
                shortest = 0 if node.operator is O.SELECT_SEQ else s.shortest
                return Known(d.sequence_of(s.element, shortest, s.longest))
            case O.FOLD_SET:
                op, base, image, _, members = arguments
                element = self.elements(members.shape)
                each = Known(NOTHING)
                if not element.empty:
                    each = self.applied(image, [Known(element)], context, node)
                # The members are counted, of which several may have one image.
                return self._folded(op, base.shape, each.shape, count(element), context, node)
            case O.FOLD_SEQ:
                op, base, sequence = arguments
                s = as_sequences(sequence.shape)
                each = Known(NOTHING if s is None else s.element)
                longest = 0 if s is None else s.longest
                return self._folded(op, base.shape, each.shape, longest, context, node, True)
        raise TlaUnsupported(node.span, f"{node.operator.value} is not supported", "")

    def _read(self, argument: Any, context: Context) -> Any:
        if isinstance(argument, ByName):
            return self.known(argument.body, context.within(argument.environment))
        return argument

    def _folded(
        self,
        op: Any,
        base: Shape,
        element: Shape,
        most: int,
        context: Context,
        node: c.Expression,
        left: bool = False,
    ) -> Known:
        found = base
        rounds = 0
        while not element.empty and rounds < most:
            pair = [Known(element), Known(found)]
            grown = d.join(
                found, self.applied(op, pair[::-1] if left else pair, context, node).shape
            )
            if grown == found:
                break
            rounds += 1
            found = widen(found, grown, self.steps) if rounds > 2 * DEEPEST else grown
        return Known(found)


def names_of(shapes: Mapping[str, Shape]) -> list[str]:
    """Return the variables whose shape is not finite."""
    return [name for name, shape in shapes.items() if not finite(shape)]
