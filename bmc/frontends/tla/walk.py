"""The parts of an expression, one level down, in the order of the text."""

from collections.abc import Iterable, Iterator
from typing import assert_never

from . import core as c


def children(expression: c.Expression) -> Iterator[c.Expression]:
    """Yield the expressions that `expression` is made of; not the bodies of what it calls.

    The definitions of a LET are parts of it.
    """
    match expression:
        case (
            c.ConstantRef()
            | c.VariableRef()
            | c.LocalRef()
            | c.OperatorRef()
            | c.BuiltinRef()
            | c.BooleanLiteral()
            | c.IntegerLiteral()
            | c.StringLiteral()
            | c.ModelValueLiteral()
            | c.Unsupported()
        ):
            return
        case c.HiddenRef():
            yield expression.variable.expression
        case c.MiddleRef():
            yield expression.after
        case c.Composition():
            yield from (expression.first, expression.second)
        case c.Call() | c.CallParameter() | c.Builtin():
            yield from expression.arguments
        case c.Lambda():
            yield expression.body
        case c.If():
            yield from (expression.condition, expression.then, expression.otherwise)
        case c.Case():
            for arm in expression.arms:
                yield from (arm.guard, arm.value)
            if expression.other is not None:
                yield expression.other
        case c.Let():
            yield from (definition.body for definition in expression.definitions)
            yield expression.body
        case c.Quantifier() | c.FunctionLiteral() | c.RecursiveFunction():
            yield from _domains(expression.bounds)
            yield expression.body
        case c.Choose():
            yield from _domains([expression.bound])
            yield expression.body
        case c.SetFilter():
            yield from _domains([expression.bound])
            yield expression.predicate
        case c.SetMap():
            yield expression.element
            yield from _domains(expression.bounds)
        case c.SetEnumeration() | c.TupleLiteral():
            yield from expression.elements
        case c.Product():
            yield from expression.factors
        case c.FunctionSet():
            yield from (expression.domain, expression.codomain)
        case c.RecordLiteral() | c.RecordSet():
            yield from (value for _, value in expression.fields)
        case c.Apply():
            yield expression.function
            yield from expression.arguments
        case c.Field():
            yield expression.record
        case c.Except():
            yield expression.function
            for update in expression.updates:
                yield from _steps(update)
                yield update.value
        case c.Prime() | c.Unchanged() | c.Always() | c.Eventually():
            yield expression.operand
        case c.Enabled():
            yield expression.action
        case c.BoxAction() | c.AngleAction():
            yield from (expression.action, expression.subscript)
        case c.Fairness():
            yield from (expression.subscript, expression.action)
            if expression.guard is not None:
                yield expression.guard
        case c.LeadsTo():
            yield from (expression.before, expression.after)
        case _:
            assert_never(expression)


def _domains(bounds: Iterable[c.Bound]) -> Iterator[c.Expression]:
    return (bound.domain for bound in bounds if bound.domain is not None)


def _steps(update: c.Update) -> Iterator[c.Expression]:
    for step in update.path:
        if isinstance(step, c.IndexStep):
            yield from step.arguments
