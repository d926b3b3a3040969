"""Expressions as they are written to Core: every name resolved, every substitution carried out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from . import core as c
from . import tree as t
from .errors import TlaNameError
from .hiding import HidingResolver
from .names import (
    Entity,
    InstanceName,
    LocalName,
    OperatorName,
    Scope,
    defined_twice,
)
from .operators import Operator

_ACTION_SIGNS = {"ENABLED", "UNCHANGED", "[]", "<>", "~>", "'", "-+->", "\\cdot", "()"}


class Elaborator(HidingResolver):
    """Turns expressions in scopes into Core."""

    def expression(self, found: t.Expression, scope: Scope) -> c.Expression:
        """Return the Core of an expression. Raises TlaNameError."""
        span = found.span
        match found:
            case t.Number(value=number):
                return c.IntegerLiteral(span, number)
            case t.Text(value=text):
                return c.StringLiteral(span, text)
            case t.Truth(value=truth):
                return c.BooleanLiteral(span, truth)
            case t.At():
                at = scope.find("@")
                if not isinstance(at, LocalName):
                    raise TlaNameError(span, "@ stands in the new value of an EXCEPT only")
                return c.LocalRef(span, at.binding)
            case t.Operation():
                return self._operation(found, scope)
            case t.PieceOf():
                return self.piece(found, scope)
            case t.Junction(sign=sign, items=items):
                operator = Operator.AND if sign == "/\\" else Operator.OR
                return c.Builtin(span, operator, self.all(items, scope))
            case t.ProductOf(factors=factors):
                return c.Product(span, self.all(factors, scope))
            case t.IfElse():
                return c.If(
                    span,
                    self.expression(found.condition, scope),
                    self.expression(found.then, scope),
                    self.expression(found.otherwise, scope),
                )
            case t.CaseOf(arms=arms, other=other):
                kept = [
                    c.CaseArm(self.expression(guard, scope), self.expression(value, scope))
                    for guard, value in arms
                ]
                last = None if other is None else self.expression(other, scope)
                return c.Case(span, tuple(kept), last)
            case t.LetIn():
                return self._let(found, scope)
            case t.Quantified(kind=kind, ranges=ranges, body=body):
                bounds, inside = self.bounds(ranges, scope)
                return c.Quantifier(span, kind, bounds, self.expression(body, inside))
            case t.Chosen(range=one, body=body):
                bounds, inside = self.bounds((one,), scope)
                return c.Choose(span, bounds[0], self.expression(body, inside))
            case t.SetOf(elements=elements):
                return c.SetEnumeration(span, self.all(elements, scope))
            case t.SetWhere(range=one, predicate=predicate):
                bounds, inside = self.bounds((one,), scope)
                return c.SetFilter(span, bounds[0], self.expression(predicate, inside))
            case t.SetFrom(element=element, ranges=ranges):
                bounds, inside = self.bounds(ranges, scope)
                return c.SetMap(span, self.expression(element, inside), bounds)
            case t.FunctionOf(ranges=ranges, body=body):
                bounds, inside = self.bounds(ranges, scope)
                return c.FunctionLiteral(span, bounds, self.expression(body, inside))
            case t.FunctionsFrom(domain=domain, codomain=codomain):
                return c.FunctionSet(
                    span, self.expression(domain, scope), self.expression(codomain, scope)
                )
            case t.RecordOf(fields=fields):
                return c.RecordLiteral(span, self._fields(fields, scope))
            case t.RecordsOf(fields=fields):
                return c.RecordSet(span, self._fields(fields, scope))
            case t.TupleOf(elements=elements):
                return c.TupleLiteral(span, self.all(elements, scope))
            case t.Applied(function=function, arguments=arguments):
                applied = self.expression(function, scope)
                return c.Apply(span, applied, self.all(arguments, scope))
            case t.FieldOf(record=record, name=name):
                return c.Field(span, self.expression(record, scope), name)
            case t.ExceptOf():
                return self._except(found, scope)
            case t.ActionOf(angle=angle, action=action, subscript=subscript):
                kind_of = c.AngleAction if angle else c.BoxAction
                return kind_of(
                    span, self.expression(action, scope), self.expression(subscript, scope)
                )
            case t.FairnessOf(kind=fair, subscript=subscript, action=action):
                over, step = self.expression(subscript, scope), self.expression(action, scope)
                taken = t.ActionOf(span, True, action, subscript)
                guard = self.enabled(span, scope, lambda inside: self.expression(taken, inside))
                return c.Fairness(span, fair, over, step, guard)
            case t.Refused(what=what, hint=hint):
                return c.Unsupported(span, what, hint)
            case t.SignArgument() | t.LambdaOf():
                raise TlaNameError(span, "an operator stands here where a value is wanted")
            case _:
                assert_never(found)

    def all(self, found: Sequence[t.Expression], scope: Scope) -> tuple[c.Expression, ...]:
        """Return the Core of several expressions."""
        return tuple(self.expression(one, scope) for one in found)

    def bounds(self, ranges: Sequence[t.Range], scope: Scope) -> tuple[tuple[c.Bound, ...], Scope]:
        """Return the bounds, and the scope in which their variables are known."""
        names: dict[str, Entity] = {}
        found: list[c.Bound] = []
        for one in ranges:
            variables = tuple(c.Binding(name.span, name.text) for name in one.names)
            for variable in variables:
                if variable.name in names:
                    raise defined_twice(variable.name, variable.span, variable.span)
                scope.require_new(variable.name, variable.span)
                names[variable.name] = LocalName(variable)
            domain = None if one.domain is None else self.expression(one.domain, scope)
            found.append(c.Bound(variables, one.is_tuple, domain))
        return tuple(found), scope.with_names(names)

    def _fields(
        self, fields: Sequence[tuple[str, t.Expression]], scope: Scope
    ) -> tuple[tuple[str, c.Expression], ...]:
        return tuple((name, self.expression(value, scope)) for name, value in fields)

    def _except(self, found: t.ExceptOf, scope: Scope) -> c.Expression:
        updates = []
        for change in found.changes:
            path: list[c.PathStep] = []
            for step in change.path:
                if isinstance(step, str):
                    path.append(c.FieldStep(step))
                else:
                    path.append(c.IndexStep(self.all(step, scope)))
            at = c.Binding(change.span, "@")
            value = self.expression(change.value, scope.with_names({"@": LocalName(at)}))
            updates.append(c.Update(tuple(path), at, value))
        function = self.expression(found.function, scope)
        return c.Except(found.span, function, tuple(updates))

    # Names and signs.

    def _operation(self, found: t.Operation, scope: Scope) -> c.Expression:
        if not found.path and found.name in _ACTION_SIGNS and scope.find(found.name) is None:
            return self._of_action(found, scope)
        return self.call(found, scope)

    def _of_action(self, found: t.Operation, scope: Scope) -> c.Expression:
        span = found.span
        if found.name == "ENABLED":
            (asked,) = found.arguments
            hiding = self.enabled(span, scope, lambda inside: self.expression(asked, inside))
            return c.Enabled(span, self.expression(asked, scope)) if hiding is None else hiding
        if found.name == "\\cdot":
            one, other = found.arguments
            return self.composed(
                span,
                scope,
                lambda inside: self.expression(one, inside),
                lambda inside: self.expression(other, inside),
            )
        first, *rest = self.all(found.arguments, scope)
        match found.name:
            case "()":
                return first
            case "UNCHANGED":
                return c.Unchanged(span, first)
            case "[]":
                return c.Always(span, first)
            case "<>":
                return c.Eventually(span, first)
            case "'":
                return c.Prime(span, first)
            case "~>":
                return c.LeadsTo(span, first, rest[0])
            case _:
                return c.Unsupported(span, found.name, "write the formula without it")

    # Definitions.

    def elaborate_body(self, operator: OperatorName, definition: c.Definition) -> None:
        """Give a definition its body."""
        unit, scope = operator.unit, operator.scope
        if isinstance(unit, t.OperatorOf):
            own = definition.parameters[len(definition.parameters) - len(unit.parameters) :]
            inside = self.with_bindings(scope, own)
            definition.define(self.expression(unit.body, inside))
            return
        itself = LocalName(c.Binding(unit.name.span, unit.name.text))
        bounds, inside = self.bounds(unit.ranges, scope.with_names({unit.name.text: itself}))
        body = self.expression(unit.body, inside)
        if itself.used:
            whole: c.Expression = c.RecursiveFunction(unit.span, itself.binding, bounds, body)
        else:
            whole = c.FunctionLiteral(unit.span, bounds, body)
        definition.define(whole)

    def _let(self, found: t.LetIn, scope: Scope) -> c.Expression:
        home: list[c.Definition] = []
        names: dict[str, Entity] = {}
        declared = {
            parameter.name
            for unit in found.units
            if isinstance(unit, t.Recursive)
            for parameter in unit.declared
        }
        inside = Scope(scope.namespace, scope.context.within_let(home), {**scope.locals})
        operators: list[OperatorName] = []
        for unit in found.units:
            # What is declared RECURSIVE is known before its definition, all else after it.
            inside = inside.with_names(names)
            if isinstance(unit, t.OperatorOf | t.FunctionNamed | t.InstanceOf) and unit.name:
                name = unit.name
                if name.text in names:
                    raise defined_twice(name.text, name.span, name.span)
                scope.require_new(name.text, name.span)
            if isinstance(unit, t.OperatorOf | t.FunctionNamed):
                operator = OperatorName(unit, inside, unit.name.text in declared, is_in_let=True)
                operators.append(operator)
                names[unit.name.text] = operator
            elif isinstance(unit, t.InstanceOf) and unit.name is not None:
                names[unit.name.text] = InstanceName(unit, inside)
            elif isinstance(unit, t.InstanceOf):
                names.update(self.exported(InstanceName(unit, inside)))
        inside = inside.with_names(names)
        for operator in operators:
            operator.scope = inside
        for operator in operators:
            self.definition(operator)
        body = self.expression(found.body, inside)
        return c.Let(found.span, tuple(home), body)
