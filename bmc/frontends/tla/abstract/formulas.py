"""What is known where a formula holds, and where it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.context import (
    ANY,
    Context,
    Facts,
    Known,
    apart_from,
    field_shape,
    joined_facts,
    new_facts,
    seen,
)
from bmc.frontends.tla.abstract.domain import NOTHING, Shape
from bmc.frontends.tla.abstract.evaluator import Evaluator
from bmc.frontends.tla.abstract.memory import ALWAYS
from bmc.frontends.tla.abstract.numbers import added, moved, only_value
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.free import may_prime_parameters
from bmc.frontends.tla.translate.lazy import ByName, Closure


def _with_facts(context: Context, said: Facts | None) -> Context | None:
    if said is None:
        return None
    return context.saying({**context.facts, **said}) if said else context


class Formulas(Evaluator):
    """Evaluates formulas, and narrows what is known by them."""

    def _formula(self, node: c.Expression, context: Context) -> Known:
        found = set()
        if self.holds(node, context, True) is not None:
            found.add(True)
        if self.holds(node, context, False) is not None:
            found.add(False)
        return Known(d.truths(*found))

    def holds(self, node: c.Expression, context: Context, positive: bool) -> Context | None:
        """Return what is known where a formula holds (or not); None where that cannot be."""
        memory, functions = self.memory, self._functions
        key = memory.key(node, (positive, self._inside > 0), context, functions, self.initial)
        kept = memory.find(key)
        if kept is not None:
            return _with_facts(context, kept[0])
        waiting, memory.lowest = memory.lowest, ALWAYS
        held = self._holds(node, context, positive)
        said = None if held is None else new_facts(held, context)
        memory.keep(key, said, context, functions)
        memory.lowest = min(memory.lowest, waiting)
        return _with_facts(context, said)

    def _holds(self, node: c.Expression, context: Context, positive: bool) -> Context | None:
        settled = self._settled(node, context)
        if settled is not None:
            same = isinstance(settled.constant, v.Boolean) and settled.constant.truth == positive
            return context if same else None
        match node:
            case c.Builtin():
                return self._builtin_holds(node, context, positive)
            case c.Let():
                return self._same_place(self.holds(node.body, context, positive), context)
            case c.Call() if not node.definition.is_recursive:
                inner = dict(context.environment)
                for p, a in zip(node.definition.parameters, node.arguments, strict=True):
                    of_step = may_prime_parameters(node.definition.body)
                    inner[p] = self.argument(a, context, of_step)
                held = self.holds(node.definition.body, context.within(inner), positive)
                return self._same_place(held, context)
            case c.LocalRef():
                by_name = context.environment.get(node.binding)
                if isinstance(by_name, ByName):
                    held = self.holds(by_name.body, context.within(by_name.environment), positive)
                    return self._same_place(held, context)
            case c.CallParameter():
                closure = context.environment.get(node.binding)
                if isinstance(closure, Closure):
                    inner = dict(closure.environment)
                    for p, a in zip(closure.parameters, node.arguments, strict=True):
                        inner[p] = self.argument(a, context, may_prime_parameters(closure.body))
                    held = self.holds(closure.body, context.within(inner), positive)
                    return self._same_place(held, context)
            case c.If():
                taken = []
                for part, way in ((node.then, True), (node.otherwise, False)):
                    inside = self.holds(node.condition, context, way)
                    if inside is not None:
                        taken.append(self.holds(part, inside, positive))
                return self._same_place(joined_facts([t for t in taken if t is not None]), context)
            case c.Quantifier():
                return self._quantifier(node, context, positive)
            case c.Prime():
                held = self.holds(node.operand, context.of_next(True), positive)
                return None if held is None else held.of_next(context.primed)
            case c.Unchanged() | c.BoxAction() | c.AngleAction() | c.Enabled():
                return context
        found = self.known(node, context)
        if positive not in found.shape.truths:
            return None
        return self._narrowed(found, d.truths(positive), context)

    def _same_place(self, inner: Context | None, context: Context) -> Context | None:
        if inner is None:
            return None
        return context.saying(inner.facts)

    def _quantifier(self, node: c.Quantifier, context: Context, positive: bool) -> Context | None:
        exists = (node.kind is c.Quantification.EXISTS) == positive
        inner = self.bound(node.bounds, context)
        if inner is None:
            return None if exists else context
        held = self.holds(node.body, inner, positive)
        if not exists:
            found = self._everywhere(node, inner, held, context)
            return None if found is None else self._each_member(node, inner, held, found)
        if held is None:
            return None
        bound = [inner.environment[b].place for one in node.bounds for b in one.variables]
        return context.saying(apart_from(held.facts, bound))

    def _everywhere(
        self, node: c.Quantifier, inner: Context, held: Context | None, context: Context
    ) -> Context | None:
        """Return what \\A says of functions whose domain the bound variable runs over."""
        domains: dict[Any, frozenset[Any]] = {}
        for bound in node.bounds:
            domain = None
            if bound.domain is not None:
                domain = self.known(bound.domain, context).constant
            if isinstance(domain, frozenset) and not bound.is_tuple:
                domains["at", inner.environment[bound.variables[0]].place, 0] = domain
        found: Context | None = context
        said = held.facts.values() if held is not None else ()
        for place, shape in (one for facts in said for one in facts.items()):
            if found is None or context.fact(place) == shape:
                continue
            general = tuple(
                ANY if step in domains and self._domain_at(place[:at]) == domains[step] else step
                for at, step in enumerate(place)
            )
            if general != place and not any(step in domains for step in general):
                found = found.with_fact(general, shape)
        return found

    def _each_member(
        self, node: c.Quantifier, inner: Context, held: Context | None, context: Context
    ) -> Context | None:
        """Return what \\A says of the one set whose members it runs over."""
        if len(node.bounds) != 1 or len(node.bounds[0].variables) != 1:
            return context
        (bound,) = node.bounds
        if bound.domain is None:
            return context
        members = self.known(bound.domain, context)
        member = inner.environment[bound.variables[0]]
        held_by_each = NOTHING if held is None else seen(member.shape, member.place, held)
        return self._narrowed(members, Shape(elements=held_by_each), context)

    def _domain_at(self, place: tuple[Any, ...]) -> frozenset[Any] | None:
        """Return the domain of the functions that stand at a place in a variable."""
        if len(place) < 2 or place[0] != "variable":
            return None
        shape = self.state.get(place[1], NOTHING)
        for step in place[2:]:
            if isinstance(step, tuple) and step[0] == ".":
                shape = field_shape(shape, step[1])
            elif shape.functions is not None:
                shape = shape.functions.values
            elif shape.sequences is not None:
                shape = shape.sequences.element
            else:
                return None
        if shape.functions is not None:
            return shape.functions.domain
        s = shape.sequences
        if s is not None and s.shortest == s.longest:
            return frozenset(range(1, s.longest + 1))
        return None

    def _builtin_holds(self, node: c.Builtin, context: Context, positive: bool) -> Context | None:
        arguments = node.arguments
        match node.operator:
            case O.NOT:
                return self.holds(arguments[0], context, not positive)
            case O.AND | O.OR:
                if (node.operator is O.AND) == positive:
                    return self._all(arguments, context, positive)
                return self._any(arguments, context, positive)
            case O.IMPLIES:
                premise, conclusion = arguments
                if not positive:
                    inside = self.holds(premise, context, True)
                    return None if inside is None else self.holds(conclusion, inside, False)
                ways = [self.holds(premise, context, False)]
                inside = self.holds(premise, context, True)
                if inside is not None:
                    ways.append(self.holds(conclusion, inside, True))
                return joined_facts([w for w in ways if w is not None])
            case O.EQUAL | O.EQUIVALENT:
                return self._equal(node, context, positive)
            case O.NOT_EQUAL:
                return self._equal(node, context, not positive)
            case O.IN | O.NOT_IN:
                element, members = (self.known(a, context) for a in arguments)
                if (node.operator is O.IN) == positive:
                    return self._narrowed(element, self.elements(members.shape), context)
                if isinstance(members.constant, frozenset):
                    return self._without(element, members.constant, context)
                return context
            case O.SUBSET_EQUAL:
                left, right = (self.known(a, context) for a in arguments)
                if not positive:
                    return context
                return self._narrowed(left, right.shape, context)
            case O.LESS | O.LESS_EQUAL | O.GREATER | O.GREATER_EQUAL:
                left, right = (self.known(a, context) for a in arguments)
                operator = node.operator
                if operator in (O.GREATER, O.GREATER_EQUAL):
                    left, right = right, left
                strict = operator in (O.LESS, O.GREATER)
                if not positive:
                    left, right, strict = right, left, not strict
                return self._below(left, right, strict, context)
        found = self.known(node, context)
        if positive not in found.shape.truths:
            return None
        return context

    def _all(
        self, parts: tuple[c.Expression, ...], context: Context, positive: bool
    ) -> Context | None:
        inner = context
        # Twice: a later conjunct may narrow what an earlier one compares with. Conjunctions inside
        # are read twice by that already; each twice more would be exponential in their depth.
        rounds = 2 if not self._inside and len(parts) < 12 else 1
        self._inside += 1
        try:
            for part in parts * rounds:
                held = self.holds(part, inner, positive)
                if held is None:
                    return None
                inner = held
        finally:
            self._inside -= 1
        return inner

    def _any(
        self, parts: tuple[c.Expression, ...], context: Context, positive: bool
    ) -> Context | None:
        found: list[Context] = []
        reached: Context | None = context
        for i, part in enumerate(parts, 1):
            if reached is None:
                break
            held = self.holds(part, reached, positive)
            if held is not None:
                found.append(held)
            if i < len(parts):
                reached = self.holds(part, reached, not positive)
        return joined_facts(found)

    def _equal(self, node: c.Builtin, context: Context, positive: bool) -> Context | None:
        left, right = (self.known(a, context) for a in node.arguments)
        if positive:
            inner = self._narrowed(left, right.shape, context)
            return None if inner is None else self._narrowed(right, left.shape, inner)
        inner = context
        for one, other in ((left, right), (right, left)):
            value = other.constant
            if value is None:
                value = only_value(other.shape)
            if value is not None and not isinstance(value, frozenset | tuple):
                narrowed = self._without(one, frozenset((value,)), inner)
                if narrowed is None:
                    return None
                inner = narrowed
        return inner

    def _narrowed(self, value: Known, shape: Shape, context: Context) -> Context | None:
        both = d.meet(value.shape, shape)
        if both.empty:
            return None
        if value.place is None or value.constant is not None:
            return context
        return context.with_fact(value.place, moved(both, -value.offset))

    def _without(self, value: Known, gone: frozenset[Any], context: Context) -> Context | None:
        shape = value.shape
        i = shape.integers
        if i is not None:
            low, high = i.low, i.high
            while low <= high and low in gone:
                low += 1
            while high >= low and high in gone:
                high -= 1
            shape = replace(shape, integers=d.interval(low, high) if low <= high else None)
        truths = frozenset(t for t in shape.truths if v.boolean(t) not in gone)
        atoms = frozenset(a for a in shape.atoms if a not in gone)
        shape = replace(shape, truths=truths, atoms=atoms)
        return self._narrowed(value, shape, context)

    def _below(self, left: Known, right: Known, strict: bool, context: Context) -> Context | None:
        a, b = left.shape.integers, right.shape.integers
        if a is None or b is None:
            return None
        less = 1 if strict else 0
        if a.low > b.high - less:
            return None
        inner = self._narrowed(left, d.integers(a.low, min(a.high, added(b.high, -less))), context)
        if inner is None:
            return None
        return self._narrowed(right, d.integers(max(b.low, added(a.low, less)), b.high), inner)

    def _branches(self, ways: list[tuple[c.Expression, Context | None]]) -> Known:
        found = [self.known(node, inside) for node, inside in ways if inside is not None]
        if len(found) == 1:
            return found[0]
        return Known(d.join_all(k.shape for k in found))

    def _case(self, node: c.Case, context: Context) -> Known:
        ways: list[tuple[c.Expression, Context | None]] = []
        reached: Context | None = context
        for arm in node.arms:
            if reached is None:
                break
            ways.append((arm.value, self.holds(arm.guard, reached, True)))
            reached = self.holds(arm.guard, reached, False)
        if node.other is not None:
            ways.append((node.other, reached))
        return self._branches(ways)
