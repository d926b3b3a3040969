"""What a formula reads: an operand without a value leaves it without one, whatever it decides.

Sorts, ranges and logic decide much of what TLA+ asks: ``Head(s) # 77`` where no member of ``s`` can
be 77. TLC evaluates the operands all the same and ends with an error where one has no value. So
whatever a claim, a guard or a condition compares, counts or quantifies over is read besides, and
what a step chooses from or assigns: what ``reads`` returns is TRUE where an expression has a value,
and has no value itself elsewhere.

What is not evaluated is not read: the branch that is not taken, what stands behind the deciding
part of a connective, the other values of a function that is applied.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract.domain import Shape
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.asked import without_repeated
from bmc.frontends.tla.translate.constants import RecursiveValue
from bmc.frontends.tla.translate.formulas import decided
from bmc.frontends.tla.translate.kinds import Untranslatable, is_truth, may_be_set, unending
from bmc.frontends.tla.translate.lazy import (
    ByName,
    Closure,
    Comprehension,
    Conditional,
    Formula,
    Lazy,
    SequenceValue,
    Undefined,
    Unlisted,
    endless,
    may_be_endless,
)
from bmc.frontends.tla.translate.losing import ALONE, mixed, needs_no_value
from bmc.frontends.tla.translate.operands import (
    CONNECTIVES,
    OF_FUNCTIONS,
    OF_NUMBERS,
    OF_SEQUENCES,
    OF_SETS,
    TESTS,
)
from bmc.frontends.tla.translate.translator import Context, Translator
from bmc.frontends.tla.translate.wanted import bounds_of, may_be_no_tuple
from bmc.lang.sorts import BOOL
from bmc.lang.terms import Term


class Reading(Translator):
    """Adds to a formula what it reads."""

    def may_lose(self, node: c.Expression, context: Context) -> bool:
        """Tell whether an expression may be without a value somewhere."""
        if self.losing.of(node):
            return True
        held = context.environment
        return any(
            isinstance(one, ByName | Conditional | Undefined)
            or (isinstance(one, Term) and (mixed(one.sort) or self.is_partial(one)))
            for one in (held.get(name) for name in self.free.of(node))
        ) or not all(
            kind.has(held[name]) for name, kind in self.losing.wanted.of(node) if name in held
        )

    def read_first(self, operands: Iterable[Formula], found: Formula) -> Formula:
        """Return a truth that has a value only where all of what it reads has one."""
        asking = self.all_of(operands)
        if not isinstance(asking, Term) or not isinstance(found, Term):
            return self.all_of((asking, found))
        parts = asking.args if asking.op == "and" else (asking,)
        return self.all_of(without_repeated((*parts, found)))

    def value_read(self, node: c.Expression, context: Context) -> Lazy:
        """Return the value of a body; without one where what the body reads has none.

        Of a function or an operator only what it makes of its arguments is seen where it is
        applied: what else its body reads is asked for here.
        """
        found = self.value_of(node, context)
        if not self.may_lose(node, context):
            return found
        if is_truth(found):
            return self.value(self.formula_of(node, context))
        asking = self.reads(node, context)
        if isinstance(asking, Term) and isinstance(found, Term):
            parts = asking.args if asking.op == "and" else (asking,)
            asking = self.all_of(without_repeated(parts, [found]))
        return self.where(asking, found)

    def reads(self, node: c.Expression, context: Context, applied: bool = False) -> Formula:
        """Return TRUE where an expression has a value; what has none elsewhere.

        A function that is ``applied`` is not asked for its other values: TLC finds none of them.
        """
        if not self.may_lose(node, context) or self._settled(node, context) is not None:
            return True
        key = self.memory.key(node, "applied" if applied else "read", self.place(context))
        kept = self.memory.find(key)
        if kept is None:
            kept = (self._reads(node, context, applied),)
            self.memory.keep(key, kept[0])
        return kept[0]

    def _reads(self, node: c.Expression, context: Context, applied: bool) -> Formula:
        match node:
            case c.LocalRef():
                held = context.environment.get(node.binding)
                if isinstance(held, ByName):
                    inner = replace(context, environment=held.environment)
                    return self.reads(held.body, inner, applied)
                return self.of_value(held)
            case c.HiddenRef() | c.MiddleRef():
                elsewhere = c.elsewhere(node, context.primed)
                if elsewhere is not None:
                    return self.reads(elsewhere, context, applied)
                return True  # Its action has read it before.
            case c.Let():
                return self.reads(node.body, context, applied)
            case c.Call() if not node.definition.is_recursive:
                inner = self.called(node, context)
                return self.reads(node.definition.body, inner, applied)
            case c.CallParameter() if isinstance(
                operator := context.environment[node.binding], Closure
            ):
                inner = self.called_parameter(node, operator, context)
                return self.reads(operator.body, inner, applied)
            case c.If():
                condition = self.formula_of(node.condition, context)
                truth = decided(condition)
                if truth is not None:
                    # A recursion in the other branch might not end.
                    taken = node.then if truth else node.otherwise
                    return self.all_of(
                        (self.settled(True, condition), self.reads(taken, context, applied))
                    )
                return self._either(
                    condition,
                    lambda: self.reads(node.then, context, applied),
                    lambda: self.reads(node.otherwise, context, applied),
                )
            case c.Case():
                return self._of_case(node, context, applied)
            case c.Prime():
                return self.reads(node.operand, replace(context, primed=True), applied)
            case c.FunctionLiteral():
                domains = self.of_bounds(node.bounds, context)
                if applied:
                    return domains
                return self.all_of((domains, self._of_each(node, node.body, context)))
            case c.RecursiveFunction():
                domains = self.of_bounds(node.bounds, context)
                return domains if applied else self.all_of((domains, self.recurring(node, context)))
            case c.SetMap():
                domains = self.of_bounds(node.bounds, context)
                return self.all_of((domains, self._of_each(node, node.element, context)))
            case c.SetFilter():
                domains = self.of_bounds((node.bound,), context)
                if endless(self.domain(node.bound, context)):
                    return domains
                each = self._of_each(node, node.predicate, context, self._truth_read)
                return self.all_of((domains, each))
        if isinstance(node, ALONE):
            return True
        parts = self._operands(node, context)
        if isinstance(node, c.Except):
            # Its own value is none where the sort of the function has no room for what is new.
            return self.all_of(parts)
        return self.all_of((*parts, self.of_value(self.value_of(node, context))))

    @abstractmethod
    def is_unrolled(self, body: c.Expression, members: Lazy) -> bool:
        """Tell whether a recursion may end only at each of a set's members by itself."""

    @abstractmethod
    def recurring(self, node: c.RecursiveFunction, context: Context) -> Formula:
        """Return that a recursive function has a value for each of its arguments."""

    @abstractmethod
    def called(self, node: c.Call, context: Context) -> Context:
        """Return where the body of what is called is read."""

    @abstractmethod
    def called_parameter(
        self, node: c.CallParameter, operator: Closure, context: Context
    ) -> Context:
        """Return where the body of an operator is read that a parameter stands for."""

    @abstractmethod
    def _settled(self, node: c.Expression, context: Context) -> Lazy | None: ...

    def _operands(self, node: c.Expression, context: Context) -> list[Formula]:
        match node:
            case c.Builtin() if node.operator in CONNECTIVES or node.operator in TESTS:
                return []
            case c.Builtin(operator=O.SELECT_SEQ | O.SORT_SEQ | O.FOLD_SET | O.FOLD_SEQ):
                operators = c.OperatorRef | c.BuiltinRef | c.Lambda
                given = [one for one in node.arguments if not isinstance(one, operators)]
                read = [self.reads(one, context) for one in given]
                if node.operator is O.FOLD_SEQ:
                    read.append(self._is_sequence(self.value_of(given[-1], context)))
                return read + self._functions_read(node, context)
            case c.Builtin():
                return self.of_arguments(node, context)
            case c.Call():
                # A union that was recognised asks nothing of its sets.
                joined = self.joining.joined(node.definition) or ()
                return [self._of_set(node.arguments[at], context) for at in joined]
            case c.CallParameter():
                return [self.reads(one, context) for one in node.arguments]
            case c.SetEnumeration() | c.TupleLiteral():
                return [self.reads(one, context) for one in node.elements]
            case c.RecordLiteral():
                return [self.reads(one, context) for _, one in node.fields]
            case c.Product():
                return [self._of_set(one, context) for one in node.factors]
            case c.RecordSet():
                return [self._of_set(one, context) for _, one in node.fields]
            case c.FunctionSet():
                return [self._of_set(one, context) for one in (node.domain, node.codomain)]
            case c.Apply():
                read = [self.reads(one, context) for one in node.arguments]
                return [self.reads(node.function, context, applied=True), *read]
            case c.Field():
                return [self.reads(node.record, context)]
            case c.Choose():
                return [self.of_bounds((node.bound,), context)]
            case c.Except():
                changed = self.value_of(node.function, context)
                read = [self.reads(node.function, context), self._is_function(changed, copied=True)]
                return read + self._of_updates(node, context)
        return []

    def asked_filter(self, node: c.Builtin, context: Context) -> c.SetFilter | None:
        """Return the filter of an unlisted set of which `node` asks for one member, if it does."""
        if node.operator not in (O.IN, O.NOT_IN):
            return None
        filtered = node.arguments[1]
        if not isinstance(filtered, c.SetFilter):
            return None
        return filtered if isinstance(self.domain(filtered.bound, context), Unlisted) else None

    def of_arguments(self, node: c.Builtin, context: Context) -> list[Formula]:
        """Return that each operand of a built-in operator has a value, and one of its kind."""
        asked = self.asked_filter(node, context)
        if asked is not None:
            return [self.reads(node.arguments[0], context), self.of_bounds((asked.bound,), context)]
        read = [
            self.reads(one, context, needs_no_value(node.operator, one)) for one in node.arguments
        ]
        if node.operator is O.UNION:
            read.append(self._of_sets(node.arguments[0], context))
        if node.operator in OF_SETS:
            read += [self._is_set(self.value_of(one, context)) for one in node.arguments]
        if node.operator in OF_NUMBERS:
            numbers = [self.number(self.value_of(one, context)) for one in node.arguments]
            read.append(self.settled(True, *numbers))
        if node.operator in (O.IN, O.NOT_IN):
            read.append(self._of_set(node.arguments[1], context))
        return read + self._functions_read(node, context)

    def _functions_read(self, node: c.Builtin, context: Context) -> list[Formula]:
        """Return that operands which have to be functions, or sequences, are some."""
        kinds = ((OF_FUNCTIONS, self._is_function), (OF_SEQUENCES, self._is_sequence))
        return [
            is_one(self.value_of(one, context))
            for many, is_one in kinds
            for one in node.arguments[: many.get(node.operator, 0)]
            if self.may_lose(one, context) or self.losing.may_be_other(node)
        ]

    def _is_function(self, value: Lazy, copied: bool = False) -> Formula:
        """Return that a value is a function; one that is ``copied``, of arguments with an end."""
        match value:
            case Conditional():
                is_one = partial(self._is_function, copied=copied)
                ways = (partial(is_one, one) for one in (value.then, value.otherwise))
                return self._either(value.condition, *ways)
            case Term():
                return self.of_value(self.function(value))
            case RecursiveValue():
                return self.undefined(BOOL) if copied else True
        return self.undefined(BOOL) if self.domain_of(value) is None else self.of_value(value)

    def _is_sequence(self, value: Lazy) -> Formula:
        if isinstance(value, str):
            return True
        length = self.sequence(value).length
        return self.all_of((self._is_function(value), self.settled(True, length)))

    def _of_set(self, node: c.Expression, context: Context) -> Formula:
        try:
            is_one = self._is_set(self.value_of(node, context))
        except Untranslatable as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None
        return self.all_of((self.reads(node, context), is_one))

    def _of_sets(self, node: c.Expression, context: Context) -> Formula:
        """Return that each member of a set is one."""
        if isinstance(node, c.SetEnumeration):
            return self.all_of([self._of_set(one, context) for one in node.elements])
        members = self.value_of(node, context)
        if not self.may_lose(node, context) or isinstance(members, Unlisted):
            return True
        return self.forall(members, "s", self._is_set)

    def _is_set(self, value: Lazy) -> Formula:
        if not may_be_set(value) or not isinstance(value, Term | Conditional | Comprehension):
            return True if may_be_set(value) else self.undefined(BOOL)
        parts = self.comprehension(value).parts
        terms = [one for part in parts for _, one in part.domains if isinstance(one, Term)]
        return self.settled(True, *terms)

    def _of_updates(self, node: c.Except, context: Context) -> list[Formula]:
        """Return that where a function is changed has a value, and what it is changed to.

        Outside the function's domain TLC leaves it as it is and finds no new value.
        """
        found: list[Formula] = []
        changed = self.value_of(node.function, context)
        for update in node.updates:
            path = self.path(update, context)
            for step in update.path:
                if isinstance(step, c.IndexStep):
                    found += [self.reads(one, context) for one in step.arguments]
            inside: list[Formula] = []
            held = changed
            for key in path:
                if inside:
                    is_one = partial(self._is_function, held, copied=True)
                    found.append(self.implied(self.all_of(inside), is_one))
                domain = self.domain_of(self.function(held))
                inside.append(False if domain is None else self.member(key, domain))
                held = self.applied(held, key)
            old = replace(context, environment={**context.environment, update.at: held})
            if self.may_lose(update.value, old):
                found.append(
                    self.implied(self.all_of(inside), partial(self.reads, update.value, old))
                )
            changed = self.changed_at(changed, update, path, context)
        return found

    @abstractmethod
    def path(self, update: c.Update, context: Context) -> list[Lazy]:
        """Return where a function is changed: an argument of it, one of its value, and so on."""

    @abstractmethod
    def changed_at(
        self, function: Lazy, update: c.Update, path: list[Lazy], context: Context
    ) -> Lazy:
        """Return a function with one of the changes that EXCEPT makes."""

    def of_bounds(
        self, bounds: Sequence[c.Bound], context: Context, listed: bool = False
    ) -> Formula:
        """Return that the sets which variables run over have values, and are sets.

        Where a tuple of variables is bound, each member is a tuple of that length, unless a set
        before is empty. Those behind the first that are ``listed`` have an end.
        """
        read: list[Formula] = []
        for at, bound in enumerate(bounds):
            if bound.domain is not None:
                read.append(self._of_set(bound.domain, context))
                if listed and at:
                    read.append(self._of_listed(self.domain(bound, context)))
                if may_be_no_tuple(bound):
                    some = self.all_of(self._has_member(one, context) for one in bounds[:at])
                    read.append(self.implied(some, partial(self._of_tuples, bound, context)))
        return self.all_of(read)

    def _of_listed(self, members: Lazy) -> Formula:
        """Return that a set has an end; raises Untranslatable where the state decides it."""
        if may_be_endless(members) and not endless(members):
            raise unending(members)
        return self.undefined(BOOL) if endless(members) else True

    def _has_member(self, bound: c.Bound, context: Context) -> Formula:
        members = self.domain(bound, context)
        return endless(members) or self.exists(members, bound.variables[0].name, lambda _: True)

    def _of_tuples(self, bound: c.Bound, context: Context) -> Formula:
        """Return that each member of a set is a tuple of as many elements as are bound."""
        members, length = self.domain(bound, context), len(bound.variables)
        shape = self.members(members)
        known = shape.sequences
        alike = known is None or known.shortest == known.longest == length
        if endless(members) or (alike and shape is Shape(sequences=known)):
            return True
        places = v.interval(1, length)

        def is_one(member: Lazy) -> Formula:
            domain = self.domain_of(self.function(member))
            if domain is None:
                return self.undefined(BOOL)
            found = self.where(self.equal_sets(domain, places), v.TRUE)
            return self.all_of((self._is_function(member), self.settled(True, found)))

        return self.forall(members, bound.variables[0].name, is_one)

    def _truth_read(self, node: c.Expression, context: Context) -> Formula:
        truth = self.term(self.formula_of(node, context))
        return self.all_of((self.reads(node, context), self.settled(True, truth)))

    def _of_each(
        self,
        node: c.Expression,
        body: c.Expression,
        context: Context,
        read: Callable[[c.Expression, Context], Formula] | None = None,
    ) -> Formula:
        """Return that a body has a value for each member of what a node's variables run over."""
        bounds = bounds_of(node)
        parts = [body, *(bound.domain for bound in bounds if bound.domain is not None)]
        if not (self.losing.may_be_other(node) or any(self.may_lose(p, context) for p in parts)):
            return True

        def each(at: int, inner: Context) -> Formula:
            if at == len(bounds):
                return (read or self.reads)(body, inner)
            bound = bounds[at]
            members = self.domain(bound, context)

            def of_one(x: Lazy) -> Formula:
                return each(at + 1, self.binding(bound, x, inner))

            if self.is_unrolled(body, members):
                return self.all_of(of_one(x) for x in v.ordered(members))
            return self.forall(members, bound.variables[0].name, of_one)

        return each(0, context)

    def _either(
        self, condition: Formula, then: Callable[[], Formula], otherwise: Callable[[], Formula]
    ) -> Formula:
        if isinstance(condition, bool):
            return then() if condition else otherwise()
        a, b = then(), otherwise()
        if a is True and b is True:
            return self.settled(True, condition)
        return self.all_of(
            (self.implied(condition, lambda: a), self.implied(self.negated(condition), lambda: b))
        )

    def arms(self, node: c.Case, context: Context) -> list[tuple[Formula, c.Expression]]:
        """Return the arms of a CASE that may be taken, in their order, each with its condition.

        Behind one that is taken wherever it is asked for there is none: a recursion in it might
        not end.
        """
        found: list[tuple[Formula, c.Expression]] = []
        for arm in node.arms:
            guard = self.formula_of(arm.guard, context)
            if guard is not False:
                found.append((guard, arm.value))
            if decided(guard):
                return found
        return found if node.other is None else [*found, (True, node.other)]

    def _of_case(self, node: c.Case, context: Context, applied: bool) -> Formula:
        last: Formula = self.undefined(BOOL)
        for guard, value in reversed(self.arms(node, context)):
            last = self._either(
                guard,
                partial(self.reads, value, context, applied),
                partial(self.all_of, (last,)),
            )
        return last

    def of_value(self, value: Any) -> Formula:
        """Return that what was made of an expression has a value."""
        match value:
            case Term() | Undefined():
                return self.settled(True, value)
            case SequenceValue():
                return self.settled(True, value.length)
            case Comprehension():
                return self._is_set(value)
            case Conditional():
                ways = (partial(self.of_value, one) for one in (value.then, value.otherwise))
                return self._either(value.condition, *ways)
        return True
