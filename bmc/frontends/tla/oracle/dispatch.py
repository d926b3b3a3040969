"""Which file compiles which expression."""

from __future__ import annotations

from typing import Any, assert_never

from .. import core as c
from ..refusals import refusal
from ..values import boolean, model_value
from . import actions, binders, builtins, calls, function_literals, functions, predicates
from .code import EMPTY, MISSING, Code, Env, Frame, Reader, Slot, constant
from .compiler import Compiler, no_arm, refused, truth, truth_value


class Dispatcher(Compiler):
    """A compiler that hands each expression to the file that compiles it."""

    def value(self, node: c.Expression, env: Env) -> Code:
        """Compile `node` to its value, which may be lazy."""
        self.count(node)
        match node:
            case c.BooleanLiteral():
                return constant(boolean(node.value))
            case c.IntegerLiteral() | c.StringLiteral():
                return constant(node.value)
            case c.ModelValueLiteral():
                return constant(model_value(node.name))
            case c.ConstantRef():
                return self._constant(node)
            case c.VariableRef():
                place = self.places[node.name] + (self.width if env.primed else 0)
                return (
                    actions.next_value(self, place, node) if env.primed else calls.read(Slot(place))
                )
            case c.HiddenRef():
                if env.primed:
                    return actions.next_value(self, self.hidden(node.variable), node)
                return self.value(node.variable.expression, env)
            case c.MiddleRef():
                if env.primed:
                    return self.value(node.after, env)
                return actions.next_value(self, self.hidden(node.middle), node)
            case c.LocalRef() | c.Call() | c.CallParameter() | c.Let():
                return calls.named(self, node, env, self.values)
            case c.Builtin():
                return builtins.value(self, node, env)
            case c.If():
                return self._if(node, env, self.values)
            case c.Case():
                return self._case(node, env, self.values)
            case c.Choose() | c.SetFilter() | c.SetMap():
                return binders.value(self, node, env)
            case c.FunctionLiteral():
                return function_literals.literal(self, node, env)
            case c.RecursiveFunction():
                bounds, body = node.bounds, node.body
                return function_literals.lazy(self, bounds, body, env, node.span, node.itself)
            case (
                c.SetEnumeration()
                | c.FunctionSet()
                | c.RecordLiteral()
                | c.RecordSet()
                | c.TupleLiteral()
                | c.Product()
                | c.Apply()
                | c.Field()
                | c.Except()
            ):
                return functions.value(self, node, env)
            case c.Prime():
                return self.value(node.operand, env.prime())
            case c.Quantifier() | c.Unchanged() | c.Enabled() | c.BoxAction() | c.AngleAction():
                return truth_value(self, self.test(node, env))
            case (
                c.Always()
                | c.Eventually()
                | c.LeadsTo()
                | c.Fairness()
                | c.Composition()
                | c.OperatorRef()
                | c.BuiltinRef()
                | c.Lambda()
                | c.Unsupported()
            ):
                why = refusal(node, env.primed)
                assert why is not None
                return refused(why)
            case _:
                assert_never(node)

    def test(self, node: c.Expression, env: Env) -> Code:
        """Compile a formula to its truth, a Python bool; raise WrongKind where it has none."""
        self.count(node)
        match node:
            case c.BooleanLiteral():
                return constant(node.value)
            case c.LocalRef() | c.Call() | c.CallParameter() | c.Let():
                return calls.named(self, node, env, self.tests)
            case c.Builtin() if node.operator in predicates.TESTS:
                return predicates.test(self, node, env)
            case c.Quantifier():
                return binders.quantifier(self, node, env)
            case c.If():
                return self._if(node, env, self.tests)
            case c.Case():
                return self._case(node, env, self.tests)
            case c.Unchanged() | c.BoxAction() | c.AngleAction() | c.Enabled():
                return actions.test(self, node, env)
            case c.Prime():
                return self.test(node.operand, env.prime())
            case _:
                return truth(self, self.value(node, env), node.span)

    def _constant(self, node: c.ConstantRef) -> Code:
        known = self._constant_codes.get(node.name)
        if known is None:
            known = self.value(self._constants[node.name], EMPTY)
            self._constant_codes[node.name] = known
        return known

    def _if(self, node: c.If, env: Env, read: Reader) -> Code:
        condition = self.test(node.condition, env)
        if condition.known is not MISSING:
            return read(node.then if condition.known else node.otherwise, env)
        then, other = read(node.then, env), read(node.otherwise, env)
        test, yes, no = condition.run, then.run, other.run
        return self.make(
            lambda frame: yes(frame) if test(frame) else no(frame),
            [condition, then, other],
            lazy=then.lazy or other.lazy,
        )

    def _case(self, node: c.Case, env: Env, read: Reader) -> Code:
        guards = [self.test(arm.guard, env) for arm in node.arms]
        values = [read(arm.value, env) for arm in node.arms]
        if node.other is None:
            values.append(refused(no_arm(node.span)))
        else:
            values.append(read(node.other, env))
        arms = [(guard.run, value.run) for guard, value in zip(guards, values, strict=False)]
        otherwise = values[-1].run

        def case(frame: Frame) -> Any:
            for guard, value in arms:
                if guard(frame):
                    return value(frame)
            return otherwise(frame)

        return self.make(case, [*guards, *values], lazy=any(value.lazy for value in values))
