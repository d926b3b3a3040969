"""Built-in operators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.errors import Span, TlaError, TlaUnsupported
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.arithmetic import (
    functions_between,
    quotient,
    raised,
    remainder,
    scaled,
)
from bmc.frontends.tla.translate.asked import surely_read
from bmc.frontends.tla.translate.constant_folds import chosen_order
from bmc.frontends.tla.translate.constant_sets import NotConstant, Undetermined, only_element
from bmc.frontends.tla.translate.kinds import (
    NotSymmetric,
    Untranslatable,
    equation,
    is_set,
    is_truth,
    of_sets,
)
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    BuiltinClosure,
    Closure,
    Conditional,
    Formula,
    FunctionSpace,
    FunctionValue,
    Infinite,
    Lazy,
    PowerSet,
    RecordSpace,
    SequenceSpace,
    TupleSpace,
    concrete,
    endless,
)
from bmc.frontends.tla.translate.operands import TESTS
from bmc.frontends.tla.translate.reading import Reading
from bmc.frontends.tla.translate.translator import Context
from bmc.lang import build
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import BOOL
from bmc.lang.terms import Term

MOST_MEMBERS = 64
"""The most members of a set that a fold is unrolled over."""


class Operations(Reading):
    """Translates built-in operators and folds."""

    def operated(self, operator: Any, arguments: list[Any], context: Context, span: Span) -> Lazy:
        """Return what an operator argument makes of its arguments.

        What it reads is read with its value: of an element that a fold adds nobody asks for it.
        """
        if isinstance(operator, BuiltinClosure):
            return self.operation(operator.node.operator, arguments, span)
        if not isinstance(operator, Closure):
            raise TlaError(span, "this is no operator")
        inner = {**operator.environment, **dict(zip(operator.parameters, arguments, strict=True))}
        there = replace(context, environment=inner)
        return self.value_read(operator.body, there)

    def _builtin(self, node: c.Builtin, context: Context) -> Lazy:
        if node.operator in (O.AND, O.OR, O.IMPLIES, O.NOT):
            return self.value(self.formula_of(node, context))
        match node.operator:
            case O.SELECT_SEQ:
                sequence, operator = node.arguments
                test = self.argument(operator, context)
                return self.selected(
                    self.value_of(sequence, context),
                    lambda x: self.formula(self.operated(test, [x], context, node.span)),
                )
            case O.SORT_SEQ:
                sequence, operator = node.arguments
                order = self.argument(operator, context)
                return self.sorted_by(
                    self.value_of(sequence, context),
                    lambda x, y: self.formula(self.operated(order, [x, y], context, node.span)),
                )
            case O.FOLD_SET:
                return self._fold_set(node, context)
            case O.FOLD_SEQ:
                return self._fold_sequence(node, context)
            case O.UNION:
                only = only_element(node.arguments[0])
                found = None if only is None else self.value_of(only, context)
                if found is not None and is_set(found):
                    return found
        found = self._in_filter(node, context)
        if found is None:
            arguments = [self.value_of(a, context) for a in node.arguments]
            found = self.operation(node.operator, arguments, node.span)
        if node.operator in TESTS:
            return self.value(
                self.read_first(self.of_arguments(node, context), self.formula(found))
            )
        return found

    def _in_filter(self, node: c.Builtin, context: Context) -> Lazy | None:
        """Return whether a set that TLC does not list has a member; None of other operations."""
        filtered = self.asked_filter(node, context)
        if filtered is None:
            return None
        members = self.domain(filtered.bound, context)
        element = node.arguments[0]
        value = self.value_of(element, context)
        inside = self.member(value, members)
        if inside is not False:
            bound = self.binding(filtered.bound, value, context)
            inside = self.all_of((inside, self.formula_of(filtered.predicate, bound)))
        return self.value(inside if node.operator is O.IN else self.negated(inside))

    def _fold_set(self, node: c.Builtin, context: Context) -> Lazy:
        op, image, choose = (self.argument(node.arguments[at], context) for at in (0, 2, 3))
        found = self.value_of(node.arguments[1], context)
        possible = self.possible(self.value_of(node.arguments[4], context), node.span)
        order = chosen_order(self.constants, choose, [one for _, one in possible], node.span)
        presence = {one: present for present, one in possible}
        if isinstance(found, tuple) and not found and _is_itself(image) and _puts_first(op):
            # One formula an element says where it stands; step by step there would be one for each
            # way to get there.
            return self.selected(tuple(order), lambda element: presence[element])
        for element in reversed(order):
            present = presence[element]
            mapped = self.operated(image, [element], context, node.span)
            found = self.conditional(
                present, self._folded(op, [mapped, found], context, node.span), found
            )
        return found

    def _folded(self, op: Any, given: list[Lazy], context: Context, span: Span) -> Lazy:
        """Return a fold's next value, which has none where one that it is made of has none."""
        found = self.operated(op, given, context, span)
        read = surely_read([found]) if isinstance(found, Term) else set()
        unread = (one for one in given if not isinstance(one, Term) or one not in read)
        return self.where(self.all_of(map(self.of_value, unread)), found)

    def _fold_sequence(self, node: c.Builtin, context: Context) -> Lazy:
        op = self.argument(node.arguments[0], context)
        found = self.value_of(node.arguments[1], context)
        sequence = self.sequence(self.value_of(node.arguments[2], context))
        for i in range(1, sequence.longest + 1):
            inside = self.at_most(i, sequence.length)
            if inside is False:
                break
            folded = self._folded(op, [found, sequence.at(i)], context, node.span)
            found = self.conditional(inside, folded, found)
        return found

    def possible(self, members: Lazy, span: Span) -> list[tuple[Formula, Lazy]]:
        """Return the members that a set can have, each with when it has it."""
        if isinstance(members, frozenset):
            return [(True, one) for one in v.ordered(members)]
        if endless(members):
            raise TlaUnsupported(
                span,
                "a fold over a set without end has no value",
                "fold over the members up to a number: {x \\in 0..9 : …}",
            )
        sort = self.layout.sort(self.members(members), "x")
        for scalarset in symmetric_parts(sort):
            raise NotSymmetric(scalarset)
        # To list them first would refuse millions without a place.
        if self.layout.domains.number(sort) > MOST_MEMBERS:
            raise TlaUnsupported(
                span, "a fold over a set with too many possible members is not supported", ""
            )
        found: list[tuple[Formula, Lazy]] = []
        for one in self.layout.domains.values(sort):
            element = self.layout.decode(one, sort)
            present = self.member(element, members)
            if present is not False:
                found.append((present, element))
        return found

    def _is_string(self, value: Lazy) -> bool:
        """Tell whether what varies can be a string, and nothing that is a sequence otherwise."""
        if not isinstance(value, Term | Conditional):
            return False
        kinds = self.shape(value)
        others = kinds.sequences or kinds.functions or kinds.records
        return not others and any(isinstance(atom, str) for atom in kinds.atoms)

    def _is_finite(self, members: Lazy) -> Formula:
        """Return ``IsFiniteSet(members)``; `[{} -> Nat]` and a part of Nat may be finite."""
        if isinstance(members, Infinite | SequenceSpace):
            return False
        if endless(members):
            raise Untranslatable("IsFiniteSet of a set that is made of one without end")
        return True

    def _size(self, value: Lazy) -> Lazy:
        """Return ``Cardinality(value)``; of products and the like by their parts'."""
        match value:
            case TupleSpace(factors=factors):
                sizes = [self._size(one) for one in factors]
            case RecordSpace(fields=fields):
                sizes = [self._size(one) for one in fields.values()]
            case PowerSet(base=base):
                return self.tabulated_arithmetic(2, self._size(base), raised)
            case FunctionSpace(domain=domain, codomain=codomain):
                return self.tabulated_arithmetic(
                    self._size(codomain), self._size(domain), functions_between
                )
            case _:
                return self.cardinality(value)
        found, *others = sizes
        for one in others:
            found = self.tabulated_arithmetic(found, one, scaled)
        return found

    def operation(self, operator: O, arguments: list[Lazy], span: Span) -> Lazy:
        """Return the value of a built-in operator."""
        if arguments and all(concrete(a) for a in arguments):
            try:
                return self.constants.operation(operator, arguments, span)
            except Undetermined:
                return UNDEFINED
            except NotConstant:
                pass
        test = self._test(operator, arguments)
        if test is not None:
            return self.value(test)
        match operator:
            case O.PLUS:
                return self.plus(arguments[0], arguments[1])
            case O.MINUS:
                return self.plus(arguments[0], arguments[1], sign=-1)
            case O.NEGATE:
                return self.plus(0, arguments[0], sign=-1)
            case O.TIMES:
                return self.tabulated_arithmetic(arguments[0], arguments[1], scaled)
            case O.DIVIDE:
                return self.tabulated_arithmetic(arguments[0], arguments[1], quotient)
            case O.MODULO:
                return self.tabulated_arithmetic(arguments[0], arguments[1], remainder)
            case O.POWER:
                return self.tabulated_arithmetic(arguments[0], arguments[1], raised)
            case O.INTERVAL:
                low, high = (self.number(a) for a in arguments)
                return self.interval(low, high)
            case O.CUP:
                return self.union(*arguments)
            case O.CAP:
                return self.intersection(*arguments)
            case O.SET_MINUS:
                return self.difference(*arguments)
            case O.UNION:
                return self.flattened(arguments[0])
            case O.POWER_SET:
                return of_sets(PowerSet(arguments[0]), arguments)
            case O.DOMAIN:
                domain = self.domain_of(self.function(arguments[0]))
                return UNDEFINED if domain is None else domain
            case O.NAT:
                return Infinite("Nat")
            case O.INT | O.REAL:
                return Infinite("Int")
            case O.ANY:
                return Infinite("Any")
            case O.STRING:
                return Infinite("STRING")
            case O.BOOLEAN:
                return v.BOOLEANS
            case O.SEQ:
                return of_sets(SequenceSpace(arguments[0]), arguments)
            case O.LEN | O.CONCATENATE | O.SUB_SEQ if self._is_string(arguments[0]):
                raise Untranslatable(f"{operator.value} of a string that varies")
            case O.LEN:
                return self.length(arguments[0])
            case O.CONCATENATE:
                return self.concatenated(*arguments)
            case O.APPEND:
                return self.appended(*arguments)
            case O.HEAD:
                return self.head(arguments[0])
            case O.TAIL:
                return self.tail(arguments[0])
            case O.SUB_SEQ:
                return self.sub_sequence(*arguments)
            case O.CARDINALITY:
                return self._size(arguments[0])
            case O.PRINT:
                return arguments[1]
            case O.PRINT_T:
                return v.TRUE
            case O.TLC_EVAL:
                return arguments[0]
            case O.ASSERT:
                condition = self.formula(arguments[0])
                return build.ite(self.term(condition), build.TRUE, self.undefined(BOOL))
            case O.SINGLETON:
                key, image = arguments
                if isinstance(key, str):
                    return self.record({key: image})
                if concrete(key) and not self.touches_scalarset(key):
                    return self.tabled({key: image})
                return FunctionValue(self.listed([key]), lambda k: image, "k")
            case O.MERGE:
                return self.merged(*arguments)
        raise TlaUnsupported(span, f"{operator.value} is not supported here", "")

    def _test(self, operator: O, arguments: list[Lazy]) -> Formula | None:
        match operator:
            case O.EQUAL:
                return self._equation(*arguments)
            case O.EQUIVALENT:
                # Unlike `=` it has no value of what is no truth, though both sides be the same.
                truths = [self.formula(one) for one in arguments]
                found = self._equation(*map(self.value, truths))
                return self.all_of((self.settled(True, *map(self.term, truths)), found))
            case O.NOT_EQUAL:
                return self.negated(self._equation(*arguments))
            case O.IN:
                return self.member(*arguments)
            case O.NOT_IN:
                return self.negated(self.member(*arguments))
            case O.SUBSET_EQUAL:
                return self.subset(*arguments)
            case O.LESS:
                return self.at_most(arguments[0], arguments[1], strict=True)
            case O.LESS_EQUAL:
                return self.at_most(*arguments)
            case O.GREATER:
                return self.at_most(arguments[1], arguments[0], strict=True)
            case O.GREATER_EQUAL:
                return self.at_most(arguments[1], arguments[0])
            case O.IS_FINITE_SET:
                return self._is_finite(arguments[0])
            case O.AND:
                return self.all_of(self.formula(a) for a in arguments)
            case O.OR:
                return self.any_of(self.formula(a) for a in arguments)
            case O.NOT:
                return self.negated(self.formula(arguments[0]))
        return None

    def _equation(self, left: Lazy, right: Lazy) -> Formula:
        if is_truth(left) and is_truth(right):
            a, b = self.formula(left), self.formula(right)
            if isinstance(a, bool):
                return b if a else self.negated(b)
            if isinstance(b, bool):
                return a if b else self.negated(a)
            return equation(self.term(a), self.term(b))
        return self.equal(left, right)


def _fields(domain: frozenset[Any]) -> bool:
    return bool(domain) and all(isinstance(k, str) for k in domain)


def _is_itself(operator: Any) -> bool:
    """Return whether this is ``LAMBDA x : x``."""
    match operator:
        case Closure(parameters=(one,), body=c.LocalRef(binding=named)):
            return named is one
    return False


def _puts_first(operator: Any) -> bool:
    """Return whether this is ``LAMBDA x, s : <<x>> \\o s``."""
    match operator:
        case Closure(
            parameters=(one, rest),
            body=c.Builtin(
                operator=O.CONCATENATE,
                arguments=(
                    c.TupleLiteral(elements=(c.LocalRef(binding=first),)),
                    c.LocalRef(binding=last),
                ),
            ),
        ):
            return first is one and last is rest
    return False
