"""Expressions of states and steps, translated to terms."""

from __future__ import annotations

from dataclasses import replace

from bmc.frontends.tla import core as c
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.forms import NoFit, NoLayout
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.refusals import refusal
from bmc.frontends.tla.translate.binders import Binders
from bmc.frontends.tla.translate.calls import Calls
from bmc.frontends.tla.translate.formulas import decided
from bmc.frontends.tla.translate.function_literals import FunctionLiterals
from bmc.frontends.tla.translate.kinds import Untranslatable, of_sets
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    Closure,
    Formula,
    FunctionSpace,
    Lazy,
    RecordSpace,
    TupleSpace,
)
from bmc.frontends.tla.translate.operands import TESTS
from bmc.frontends.tla.translate.operations import Operations
from bmc.frontends.tla.translate.translator import Context
from bmc.lang.errors import LanguageError

_AT_ONCE = (
    c.VariableRef
    | c.LocalRef
    | c.ConstantRef
    | c.BooleanLiteral
    | c.IntegerLiteral
    | c.StringLiteral
    | c.ModelValueLiteral
)
"""What is translated faster than it is looked up."""

_READ_BESIDES = (
    c.Apply
    | c.Field
    | c.Except
    | c.Choose
    | c.Call
    | c.CallParameter
    | c.LocalRef
    | c.Let
    | c.If
    | c.Case
    | c.Prime
)
"""Truths that are made of what their translation need not read, or come to such a truth.

So are those that an operator makes which is no test of values: a fold, or the head of a sequence.
"""


class Expressions(Calls, Binders, FunctionLiterals, Operations):
    """Translates Core's expressions."""

    def formula_of(self, node: c.Expression, context: Context) -> Formula:
        """Return the translation of a formula."""
        key = self.memory.key(node, "formula", self.place(context))
        kept = self.memory.find(key)
        if kept is None:
            found = self._formula_of(node, context)
            self.memory.keep(key, found)
            return found
        formula: Formula = kept[0]
        return formula

    def _formula_of(self, node: c.Expression, context: Context) -> Formula:
        match node:
            case c.Builtin():
                match node.operator:
                    case O.AND:
                        return self._connected(node.arguments, context, False)
                    case O.OR:
                        return self._connected(node.arguments, context, True)
                    case O.IMPLIES:
                        premise, conclusion = node.arguments
                        return self.implied(
                            self.formula_of(premise, context),
                            lambda: self.formula_of(conclusion, context),
                        )
                    case O.NOT:
                        return self.negated(self.formula_of(node.arguments[0], context))
        try:
            found = self.formula(self.value_of(node, context))
            made = isinstance(node, c.Builtin) and node.operator not in TESTS
            if made or isinstance(node, _READ_BESIDES):
                return self.read_first((self.reads(node, context),), found)
            return found
        except Untranslatable as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None

    def _connected(self, parts: tuple[c.Expression, ...], context: Context, zero: bool) -> Formula:
        found: list[Formula] = []
        for part in parts:
            one = self.formula_of(part, context)
            found.append(one)
            if one is zero:
                break
        return self.any_of(found) if zero else self.all_of(found)

    def value_of(self, node: c.Expression, context: Context) -> Lazy:
        """Return the translation of an expression."""
        if isinstance(node, _AT_ONCE):
            return self._translated(node, context)
        key = self.memory.key(node, "value", self.place(context))
        kept = self.memory.find(key)
        if kept is None:
            kept = (self._translated(node, context),)
            self.memory.keep(key, kept[0])
        return kept[0]

    def _translated(self, node: c.Expression, context: Context) -> Lazy:
        settled = self._settled(node, context)
        if settled is not None:
            return settled
        try:
            return self._value_of(node, context)
        except (Untranslatable, NoLayout) as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None
        except NoFit as problem:
            raise TlaUnsupported(
                node.span, f"the sorts of this expression do not fit: {problem}", ""
            ) from None
        except LanguageError as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None

    def _value_of(self, node: c.Expression, context: Context) -> Lazy:
        match node:
            case c.VariableRef():
                return self._variable(node, context)
            case c.HiddenRef() | c.MiddleRef():
                return self._hidden(node, context)
            case c.LocalRef():
                return self._local(node, context)
            case c.ConstantRef():
                return self.constants.constant_named(node.name)
            case c.Call():
                return self._call(node, context)
            case c.CallParameter():
                operator = context.environment[node.binding]
                if isinstance(operator, Closure):
                    return self.value_of(
                        operator.body, self.called_parameter(node, operator, context)
                    )
                # What is built in reads its arguments, so none of them is left for later.
                arguments = [self.value_of(a, context) for a in node.arguments]
                return self.operated(operator, arguments, context, node.span)
            case c.Builtin():
                return self._builtin(node, context)
            case c.Let():
                return self.value_of(node.body, context)
            case c.If():
                condition = self.formula_of(node.condition, context)
                truth = decided(condition)
                if truth is not None:
                    # The other branch is never taken, and a recursion in it might not end.
                    taken = self.value_of(node.then if truth else node.otherwise, context)
                    return self.where(condition if truth else self.negated(condition), taken)
                return self.conditional(
                    condition,
                    self.value_of(node.then, context),
                    self.value_of(node.otherwise, context),
                )
            case c.Case():
                return self._case(node, context)
            case c.Prime():
                return self.value_of(node.operand, replace(context, primed=True))
            case c.Unchanged():
                return self.value(self.left_as_it_is(node.operand, context))
            case c.BoxAction():
                taken = self.formula_of(node.action, context)
                return self.value(self.any_of((taken, self.left_as_it_is(node.subscript, context))))
            case c.AngleAction():
                taken = self.formula_of(node.action, context)
                differs = self.negated(self.left_as_it_is(node.subscript, context))
                return self.value(self.all_of((taken, differs)))
            case c.Enabled():
                if self.enabled_by is None:
                    raise TlaUnsupported(node.span, "ENABLED is not supported here", "")
                if (why := refusal(node, context.primed)) is not None:
                    raise why
                hidden = {one.name for one in node.hidden}
                kept = {n: one for n, one in context.updates.items() if n not in hidden}
                return self.value(self.enabled_by(node.action, replace(context, updates=kept)))
            case c.Quantifier():
                return self.value(self._quantifier(node, node.bounds, context))
            case c.Choose():
                return self._choose(node, context)
            case c.SetEnumeration():
                return self.listed([self.value_of(e, context) for e in node.elements])
            case c.SetFilter():
                members = self.domain(node.bound, context)
                return self.filtered(
                    members,
                    lambda x: self.formula_of(node.predicate, self.binding(node.bound, x, context)),
                    node.bound.variables[0].name,
                )
            case c.SetMap():
                return self._set_map(node, context)
            case c.FunctionLiteral():
                return self._function(node, context)
            case c.FunctionSet():
                of = [self.value_of(one, context) for one in (node.domain, node.codomain)]
                return of_sets(FunctionSpace(*of), of)
            case c.RecordLiteral():
                return self.record({n: self.value_of(e, context) for n, e in node.fields})
            case c.RecordSet():
                fields = {n: self.value_of(e, context) for n, e in node.fields}
                return of_sets(RecordSpace(fields), fields.values())
            case c.TupleLiteral():
                return self.tuple_of([self.value_of(e, context) for e in node.elements])
            case c.Product():
                factors = tuple(self.value_of(f, context) for f in node.factors)
                return of_sets(TupleSpace(factors), factors)
            case c.Apply():
                keys = [self.value_of(a, context) for a in node.arguments]
                key = keys[0] if len(keys) == 1 else self.tuple_of(keys)
                return self.applied_within(self.value_of(node.function, context), key)
            case c.Field():
                return self.applied_within(self.value_of(node.record, context), node.name)
            case c.Except():
                return self._except(node, context)
            case c.RecursiveFunction():
                return self._recursive_function(node, context)
        if (why := refusal(node, context.primed)) is not None:
            raise why
        found = self._literal(node)
        assert found is not None, type(node)
        return found

    def left_as_it_is(self, node: c.Expression, context: Context) -> Formula:
        """Return that a step leaves an expression as it is, whose values TLC finds as a whole."""
        primed = replace(context, primed=True)
        read = self.reads(node, context), self.reads(node, primed)
        return self.read_first(
            read, self.equal(self.value_of(node, primed), self.value_of(node, context))
        )

    def _case(self, node: c.Case, context: Context) -> Lazy:
        found: Lazy = UNDEFINED
        for guard, value in reversed(self.arms(node, context)):
            taken = self.value_of(value, context)
            found = taken if guard is True else self.conditional(guard, taken, found)
        return found
