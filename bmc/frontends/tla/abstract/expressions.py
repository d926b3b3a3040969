"""The shapes of expressions: what values each can have, given the shapes of the variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.context import (
    ANY,
    LENGTH,
    Context,
    Known,
    field_shape,
    joined_facts,
    seen,
)
from bmc.frontends.tla.abstract.domain import FAR, NOTHING, Shape
from bmc.frontends.tla.errors import TlaError, TlaUnsupported
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.constants import Constants, NotConstant, Undetermined
from bmc.frontends.tla.translate.lazy import BuiltinClosure, ByName, Closure, concrete
from bmc.frontends.tla.translate.normal_form import Free, speaks_of_step

TRUTHS = d.BOOLEANS
ANYTHING = Known(NOTHING)
DEEPEST = 40
"""Calls of one recursive operator inside of another before its arguments are widened."""


class Expressions:
    """Evaluates expressions to what is known of their values."""

    def __init__(self, constants: Constants, steps: tuple[int, ...]) -> None:
        self.constants = constants
        self.steps = steps
        self.state: dict[str, Shape] = {}
        self.free = Free()
        self.initial = False
        self._fresh = count()
        self._constant: dict[c.Expression, Any] = {}
        self._active: dict[c.Definition, list[tuple[tuple[Shape, ...], list[Shape]]]] = {}
        self._functions: dict[c.Binding, Shape] = {}

    # Names and calls.

    def known(self, node: c.Expression, context: Context) -> Known:
        """Return what is known of an expression's value."""
        settled = self._settled(node, context)
        if settled is not None:
            return settled
        match node:
            case c.VariableRef():
                return self._variable(node, context)
            case c.LocalRef():
                return self._local(node, context)
            case c.Call():
                return self._call(node, context)
            case c.CallParameter():
                operator = context.environment.get(node.binding)
                of_step = isinstance(operator, Closure) and speaks_of_step(operator.body)
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
                return self.known(node.operand, replace(context, primed=True))
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
            case c.Unsupported():
                raise TlaUnsupported(node.span, f"{node.what} is not supported", node.hint)
        raise TlaUnsupported(node.span, "a formula of behaviours has no value in a state", "")

    def shape(self, node: c.Expression, context: Context) -> Shape:
        """Return the shape of an expression's values."""
        return self.known(node, context).shape

    def elements(self, shape: Shape) -> Shape:
        """Return the shape of the members of the sets in a shape."""
        return shape.elements if shape.elements is not None else NOTHING

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
            try:
                found = self.constants.value(node, env)
            except (NotConstant, Undetermined):
                found = None
            except RecursionError:
                raise TlaUnsupported(node.span, "this recursion does not end", "") from None
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

    def _local(self, node: c.LocalRef, context: Context) -> Known:
        if node.binding in self._functions:
            return Known(self._functions[node.binding])
        held = context.environment.get(node.binding)
        if isinstance(held, ByName):
            return self.known(held.body, replace(context, environment=held.environment))
        if not isinstance(held, Known):
            raise TlaError(node.span, f"{node.binding.name} has no value here")
        if held.place is None or held.constant is not None:
            return held
        if held.offset:
            base = self._at(held.place, context)
            return held if base is None else replace(held, shape=_plus(base, held.offset))
        return replace(held, shape=seen(held.shape, held.place, context))

    def _at(self, place: tuple[Any, ...], context: Context) -> Shape | None:
        return context.facts.get(place)

    def argument(self, node: c.Expression, context: Context, of_step: bool = False) -> Any:
        """Return what a parameter means that this argument is given for.

        Where the operator is `of_step`, its body may prime the parameter.
        """
        match node:
            case c.OperatorRef():
                return Closure(
                    node.definition.parameters, node.definition.body, context.environment
                )
            case c.BuiltinRef():
                return BuiltinClosure(node)
            case c.Lambda():
                return Closure(node.parameters, node.body, context.environment)
            case c.LocalRef():
                held = context.environment.get(node.binding)
                if isinstance(held, Closure | BuiltinClosure | ByName):
                    return held
        by_name = of_step and level(node) >= Level.STATE
        if self.initial or by_name or self._primes(node, context):
            return ByName(node, context.environment)
        return self.known(node, context)

    def _primes(self, node: c.Expression, context: Context) -> bool:
        if level(node) >= Level.ACTION:
            return True
        held = (context.environment.get(b) for b in self.free.of(node))
        return any(isinstance(h, ByName) for h in held)

    def _call(self, node: c.Call, context: Context) -> Known:
        definition = node.definition
        inner = dict(context.environment)
        arguments = []
        for parameter, argument in zip(definition.parameters, node.arguments, strict=True):
            of_step = speaks_of_step(definition.body)
            inner[parameter] = self.argument(argument, context, of_step)
            arguments.append(inner[parameter])
        if not definition.is_recursive:
            return self.known(definition.body, replace(context, environment=inner))
        return self._recursive_call(definition, inner, arguments, context)

    def _recursive_call(
        self,
        definition: c.Definition,
        inner: dict[c.Binding, Any],
        arguments: list[Any],
        context: Context,
    ) -> Known:
        shapes = tuple(a.shape if isinstance(a, Known) else NOTHING for a in arguments)
        stack = self._active.setdefault(definition, [])
        for known, guess in stack:
            if known == shapes:
                return Known(guess[0])
        if len(stack) > DEEPEST:
            shapes = tuple(
                d.widen(old, d.join(old, new), ())
                for old, new in zip(stack[-1][0], shapes, strict=True)
            )
            for known, guess in stack:
                if known == shapes:
                    return Known(guess[0])
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
        guess = [NOTHING]
        stack.append((shapes, guess))
        try:
            while True:
                found = self.known(definition.body, replace(context, environment=inner)).shape
                if d.join(guess[0], found) == guess[0]:
                    return Known(found)
                guess[0] = d.join(guess[0], found)
        finally:
            stack.pop()

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
        return self.known(operator.body, replace(context, environment=inner))

    # Bound variables.

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
                parts = element.sequences.parts if element.sequences is not None else None
                if parts is None or len(parts) != len(one.variables):
                    return None
                for binding, part in zip(one.variables, parts, strict=True):
                    inner[binding] = self.fresh(binding, part)
            else:
                inner[one.variables[0]] = self.fresh(one.variables[0], element)
        return replace(context, environment=inner)

    def fresh(self, binding: c.Binding, shape: Shape) -> Known:
        """Return a value of a shape with a place of its own."""
        return Known(shape, ("bound", binding.name, next(self._fresh)))

    def _chosen(self, bound: c.Bound, context: Context) -> Shape:
        held = [context.environment[b] for b in bound.variables]
        shapes = [seen(h.shape, h.place, context) for h in held]
        return d.tuple_of(shapes) if bound.is_tuple else shapes[0]

    # Formulas.

    def _formula(self, node: c.Expression, context: Context) -> Known:
        found = set()
        if self.holds(node, context, True) is not None:
            found.add(True)
        if self.holds(node, context, False) is not None:
            found.add(False)
        return Known(d.truths(*found))

    def holds(self, node: c.Expression, context: Context, positive: bool) -> Context | None:
        """Return what is known where a formula holds (or not); None where that cannot be."""
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
                    of_step = speaks_of_step(node.definition.body)
                    inner[p] = self.argument(a, context, of_step)
                held = self.holds(
                    node.definition.body, replace(context, environment=inner), positive
                )
                return self._same_place(held, context)
            case c.LocalRef():
                by_name = context.environment.get(node.binding)
                if isinstance(by_name, ByName):
                    held = self.holds(
                        by_name.body, replace(context, environment=by_name.environment), positive
                    )
                    return self._same_place(held, context)
            case c.CallParameter():
                closure = context.environment.get(node.binding)
                if isinstance(closure, Closure):
                    inner = dict(closure.environment)
                    for p, a in zip(closure.parameters, node.arguments, strict=True):
                        inner[p] = self.argument(a, context, speaks_of_step(closure.body))
                    held = self.holds(closure.body, replace(context, environment=inner), positive)
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
                held = self.holds(node.operand, replace(context, primed=True), positive)
                return None if held is None else replace(held, primed=context.primed)
            case c.Unchanged() | c.BoxAction() | c.AngleAction() | c.Enabled():
                return context
        found = self.known(node, context)
        if positive not in found.shape.truths:
            return None
        return self._narrowed(found, d.truths(positive), context)

    def _same_place(self, inner: Context | None, context: Context) -> Context | None:
        if inner is None:
            return None
        return replace(context, facts=inner.facts)

    def _quantifier(self, node: c.Quantifier, context: Context, positive: bool) -> Context | None:
        exists = (node.kind is c.Quantification.EXISTS) == positive
        inner = self.bound(node.bounds, context)
        if inner is None:
            return None if exists else context
        held = self.holds(node.body, inner, positive)
        if exists:
            return self._same_place(held, context)
        return self._everywhere(node, inner, held, context)

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
        for place, shape in held.facts.items() if held is not None else ():
            if found is None or context.facts.get(place) == shape:
                continue
            general = tuple(
                ANY if step in domains and self._domain_at(place[:at]) == domains[step] else step
                for at, step in enumerate(place)
            )
            if general != place and not any(step in domains for step in general):
                found = found.with_fact(general, shape)
        return found

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
            case O.SUBSET_EQUAL if positive:
                left, right = (self.known(a, context) for a in arguments)
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
        inner: Context | None = context
        # Twice: a later conjunct may narrow what an earlier one compares with.
        for part in (*parts, *parts) if len(parts) < 12 else parts:
            assert inner is not None
            inner = self.holds(part, inner, positive)
            if inner is None:
                return None
        return inner

    def _any(
        self, parts: tuple[c.Expression, ...], context: Context, positive: bool
    ) -> Context | None:
        found: list[Context] = []
        reached: Context | None = context
        for part in parts:
            if reached is None:
                break
            held = self.holds(part, reached, positive)
            if held is not None:
                found.append(held)
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
                value = _single(other.shape)
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
        return context.with_fact(value.place, _plus(both, -value.offset))

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
        inner = self._narrowed(left, d.integers(a.low, min(a.high, _add(b.high, -less))), context)
        if inner is None:
            return None
        return self._narrowed(right, d.integers(max(b.low, _add(a.low, less)), b.high), inner)

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

    # Functions.

    def _functions_of(self, keys: Known, image: Shape) -> Shape:
        domain = keys.constant if isinstance(keys.constant, frozenset) else None
        return self._function_shape(self.elements(keys.shape), image, domain)

    def _function_shape(self, keys: Shape, image: Shape, domain: frozenset[Any] | None) -> Shape:
        if domain is not None and domain and all(isinstance(k, str) for k in domain):
            return d.record_of({str(k): image for k in domain})
        if domain is not None and not domain:
            return d.tuple_of(())
        if image.empty and domain is not None:
            return NOTHING
        return d.function_of(keys, image, domain)

    def _function(self, node: c.FunctionLiteral, context: Context) -> Known:
        domains = [self.known(b.domain, context) for b in node.bounds if b.domain is not None]
        inner = self.bound(node.bounds, context)
        if inner is None:
            return Known(d.tuple_of(()))
        image = self.shape(node.body, inner)
        if len(domains) == 1:
            keys = domains[0].constant
            if isinstance(keys, frozenset) and keys and all(isinstance(k, str) for k in keys):
                return self._record_literal(node, keys, context)
            if domains[0].constant is None and self._from_one(node.bounds[0].domain, context):
                ends = self.elements(domains[0].shape).integers
                return Known(d.sequence_of(image, 0, 0 if ends is None else max(0, ends.high)))
            return Known(self._functions_of(domains[0], image))
        keys_shape = d.tuple_of(self.elements(k.shape) for k in domains)
        constants = [k.constant for k in domains]
        listed = None
        if all(isinstance(k, frozenset) for k in constants):
            from itertools import product

            listed = frozenset(product(*constants))
        return Known(self._function_shape(keys_shape, image, listed))

    def _from_one(self, domain: c.Expression | None, context: Context) -> bool:
        """Tell whether a domain is written as 1 .. n: its functions are sequences."""
        if not isinstance(domain, c.Builtin) or domain.operator is not O.INTERVAL:
            return False
        return bool(self.known(domain.arguments[0], context).constant == 1)

    def _record_literal(
        self, node: c.FunctionLiteral, keys: frozenset[Any], context: Context
    ) -> Known:
        fields = {}
        for key in sorted(keys):
            inner = dict(context.environment)
            inner[node.bounds[0].variables[0]] = Known(d.shape_of(key), constant=key)
            fields[key] = self.shape(node.body, replace(context, environment=inner))
        return Known(d.record_of(fields))

    def _recursive_function(self, node: c.RecursiveFunction, context: Context) -> Known:
        guess = NOTHING
        domain = node.bounds[0].domain
        assert domain is not None
        keys = self.known(domain, context)
        inner = self.bound(node.bounds, context)
        if inner is None:
            return Known(d.tuple_of(()))
        rounds = 0
        while True:
            self._functions[node.itself] = self._functions_of(keys, guess)
            try:
                found = d.join(guess, self.shape(node.body, inner))
            finally:
                del self._functions[node.itself]
            if found == guess:
                return Known(self._functions_of(keys, guess))
            rounds += 1
            guess = d.widen(guess, found, self.steps) if rounds > DEEPEST else found

    def _apply(self, node: c.Apply, context: Context) -> Known:
        function = self.known(node.function, context)
        keys = [self.known(a, context) for a in node.arguments]
        if len(keys) == 1:
            return self.selected(function, keys[0], context)
        return self.selected(function, Known(d.tuple_of(k.shape for k in keys)), context)

    def selected(self, function: Known, key: Known, context: Context) -> Known:
        """Return what is known of ``function[key]``."""
        shape, found = function.shape, NOTHING
        if isinstance(key.constant, str):
            found = field_shape(shape, key.constant)
        else:
            for names, parts in shape.records:
                for name, part in zip(names, parts, strict=True):
                    if name in key.shape.atoms:
                        found = d.join(found, part)
        if shape.functions is not None:
            found = d.join(found, shape.functions.values)
        if shape.sequences is not None:
            held = shape.sequences.parts
            at = key.constant
            if held is not None and isinstance(at, int) and 1 <= at <= len(held):
                found = d.join(found, held[at - 1])
            else:
                found = d.join(found, shape.sequences.element)
        step = _step(key)
        place = None
        if function.place is not None and not function.offset and step is not None:
            place = (*function.place, step)
        return Known(seen(found, place, context), place)

    def _except(self, node: c.Except, context: Context) -> Known:
        whole = self.known(node.function, context)
        done: list[list[Any]] = []
        for update in node.updates:
            path: list[Known] = []
            for step in update.path:
                if isinstance(step, c.FieldStep):
                    path.append(Known(NOTHING, constant=step.name))
                elif len(step.arguments) == 1:
                    path.append(self.known(step.arguments[0], context))
                else:
                    keys = d.tuple_of(self.shape(a, context) for a in step.arguments)
                    path.append(Known(keys))
            steps = [_step(k) for k in path]
            if not all(_apart(steps, other) for other in done):
                whole = Known(whole.shape)
            done.append(steps)
            shape = self._updated(whole, path, update, context)
            whole = Known(shape, whole.place if whole.place is not None else None)
        return Known(whole.shape)

    def _updated(
        self, whole: Known, path: list[Known], update: c.Update, context: Context
    ) -> Shape:
        if not path:
            inner = {**context.environment, update.at: whole}
            return self.shape(update.value, replace(context, environment=inner))
        key = path[0]
        part = self._updated(self.selected(whole, key, context), path[1:], update, context)
        return self._replaced(whole.shape, key, part)

    def _replaced(self, shape: Shape, key: Known, part: Shape) -> Shape:
        records = []
        for names, parts in shape.records:
            if isinstance(key.constant, str):
                if key.constant in names and not part.empty:
                    at = names.index(key.constant)
                    parts = (*parts[:at], part, *parts[at + 1 :])
            else:
                parts = tuple(
                    d.join(p, part) if n in key.shape.atoms else p
                    for n, p in zip(names, parts, strict=True)
                )
            records.append((names, parts))
        functions = shape.functions
        if functions is not None:
            single = isinstance(functions.domain, frozenset) and len(functions.domain) == 1
            image = part if single else d.join(functions.values, part)
            functions = replace(functions, values=image)
        sequences = shape.sequences
        if sequences is not None and not part.empty and sequences.longest:
            held = sequences.parts
            at = key.constant
            if held is not None and isinstance(at, int) and 1 <= at <= len(held):
                held = (*held[: at - 1], part, *held[at:])
            elif held is not None:
                held = tuple(d.join(p, part) for p in held)
            sequences = replace(sequences, element=d.join(sequences.element, part), parts=held)
        return replace(shape, records=tuple(records), functions=functions, sequences=sequences)

    # Built-in operators.

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
                s = arguments[0].shape.sequences
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
                return self._folded(op, base.shape, each.shape, None, context, node)
            case O.FOLD_SEQ:
                op, base, sequence = arguments
                s = sequence.shape.sequences
                each = Known(NOTHING if s is None else s.element)
                longest = 0 if s is None else s.longest
                return self._folded(op, base.shape, each.shape, longest, context, node, True)
        raise TlaUnsupported(node.span, f"{node.operator.value} is not supported", "")

    def _read(self, argument: Any, context: Context) -> Any:
        if isinstance(argument, ByName):
            return self.known(argument.body, replace(context, environment=argument.environment))
        return argument

    def _folded(
        self,
        op: Any,
        base: Shape,
        element: Shape,
        most: int | None,
        context: Context,
        node: c.Expression,
        left: bool = False,
    ) -> Known:
        found = base
        rounds = 0
        limit = most if most is not None else d.count(element)
        while not element.empty and rounds < limit:
            pair = [Known(element), Known(found)]
            grown = d.join(
                found, self.applied(op, pair[::-1] if left else pair, context, node).shape
            )
            if grown == found:
                break
            rounds += 1
            found = d.widen(found, grown, self.steps) if rounds > 2 * DEEPEST else grown
        return Known(found)

    def operation(
        self, operator: O, arguments: list[Known], node: c.Expression, context: Context
    ) -> Known:
        """Return what is known of a built-in operator's value."""
        shapes = [a.shape for a in arguments]
        match operator:
            case O.PLUS | O.MINUS:
                return self._sum(operator, arguments)
            case O.NEGATE:
                i = shapes[0].integers
                return Known(NOTHING if i is None else d.integers(-i.high, -i.low))
            case O.TIMES | O.DIVIDE | O.MODULO | O.POWER:
                return Known(_arithmetic(operator, shapes[0], shapes[1]))
            case O.INTERVAL:
                a, b = shapes[0].integers, shapes[1].integers
                if a is None or b is None:
                    return Known(d.set_of(NOTHING))
                return Known(d.set_of(d.integers(a.low, b.high)))
            case O.CUP:
                return Known(d.join(shapes[0], shapes[1]))
            case O.CAP:
                element = d.meet(self.elements(shapes[0]), self.elements(shapes[1]))
                return Known(d.set_of(element))
            case O.SET_MINUS:
                return Known(d.set_of(self._difference(arguments)))
            case O.UNION:
                inner = self.elements(self.elements(shapes[0]))
                return Known(d.set_of(inner))
            case O.POWER_SET:
                return Known(d.set_of(d.set_of(self.elements(shapes[0]))))
            case O.DOMAIN:
                return self._domain(arguments[0])
            case O.NAT:
                return Known(d.set_of(d.NATURALS))
            case O.INT | O.REAL:
                return Known(d.set_of(d.INTEGERS))
            case O.BOOLEAN:
                return Known(d.set_of(TRUTHS), constant=v.BOOLEANS)
            case O.SEQ:
                element = self.elements(shapes[0])
                return Known(d.set_of(d.sequence_of(element, 0, FAR)))
            case O.CARDINALITY:
                return Known(d.integers(0, d.count(self.elements(shapes[0]))))
            case O.IS_FINITE_SET:
                return Known(TRUTHS)
            case O.PRINT:
                return arguments[1]
            case O.PRINT_T:
                return Known(d.truths(True), constant=v.TRUE)
            case O.ASSERT:
                return Known(d.truths(True))
            case O.TLC_EVAL:
                return arguments[0]
            case O.SINGLETON:
                if isinstance(arguments[0].constant, str):
                    return Known(d.record_of({arguments[0].constant: shapes[1]}))
                key = arguments[0].constant
                only = None if key is None else frozenset((key,))
                return Known(d.function_of(shapes[0], shapes[1], only))
            case O.MERGE:
                return Known(_merged(shapes[0], shapes[1]))
        return self._sequence_operation(operator, arguments, node)

    def _sequence_operation(self, operator: O, arguments: list[Known], node: c.Expression) -> Known:
        shapes = [a.shape for a in arguments]
        s = shapes[0].sequences if shapes else None
        if s is None and shapes and shapes[0].functions is not None:
            s = _as_sequences(shapes[0])
        if operator is O.LEN:
            if s is None:
                return Known(NOTHING)
            place = arguments[0].place
            length = d.integers(s.shortest, s.longest)
            return Known(length, None if place is None else (*place, LENGTH))
        if s is None:
            return Known(NOTHING)
        match operator:
            case O.APPEND:
                if s.parts is not None and s.longest < 4:
                    return Known(d.tuple_of((*s.parts, shapes[1])))
                element = d.join(s.element, shapes[1])
                return Known(d.sequence_of(element, s.shortest + 1, _add(s.longest, 1)))
            case O.HEAD:
                return Known(s.parts[0] if s.parts else s.element)
            case O.TAIL:
                if s.parts:
                    return Known(d.tuple_of(s.parts[1:]))
                return Known(
                    d.sequence_of(s.element, max(0, s.shortest - 1), max(0, _add(s.longest, -1)))
                )
            case O.CONCATENATE:
                t = shapes[1].sequences
                if t is None:
                    return Known(NOTHING)
                element = d.join(s.element, t.element)
                return Known(
                    d.sequence_of(element, s.shortest + t.shortest, _add(s.longest, t.longest))
                )
            case O.SUB_SEQ:
                first, last = shapes[1].integers, shapes[2].integers
                longest = s.longest
                if first is not None and last is not None:
                    longest = min(longest, max(0, _add(last.high, 1 - first.low)))
                return Known(d.sequence_of(s.element, 0, longest))
        raise TlaUnsupported(
            node.span, f"{operator.value} is not supported", "write it with other operators"
        )

    def _sum(self, operator: O, arguments: list[Known]) -> Known:
        a, b = arguments[0].shape.integers, arguments[1].shape.integers
        if a is None or b is None:
            return Known(NOTHING)
        if operator is O.MINUS:
            b = d.Interval(-b.high, -b.low)
        shape = d.integers(_add(a.low, b.low), _add(a.high, b.high))
        if b.low == b.high and arguments[0].place is not None:
            return Known(shape, arguments[0].place, None, arguments[0].offset + b.low)
        if operator is O.PLUS and a.low == a.high and arguments[1].place is not None:
            return Known(shape, arguments[1].place, None, arguments[1].offset + a.low)
        return Known(shape)

    def _difference(self, arguments: list[Known]) -> Shape:
        element = self.elements(arguments[0].shape)
        gone = arguments[1].constant
        if isinstance(gone, frozenset):
            atoms = element.atoms - {g for g in gone if isinstance(g, str | v.ModelValue)}
            element = replace(element, atoms=atoms)
        return element

    def _domain(self, function: Known) -> Known:
        shape = function.shape
        found = NOTHING
        constant: frozenset[Any] | None = None
        for names, _ in shape.records:
            found = d.join(found, Shape(atoms=frozenset(names)))
            constant = frozenset(names)
        if shape.functions is not None:
            found = d.join(found, shape.functions.keys)
            constant = shape.functions.domain
        if shape.sequences is not None:
            s = shape.sequences
            if s.longest:
                found = d.join(found, d.integers(1, s.longest))
            constant = frozenset(range(1, s.longest + 1)) if s.shortest == s.longest else None
        kinds = len(shape.records) + (shape.functions is not None) + (shape.sequences is not None)
        return Known(d.set_of(found), constant=constant if kinds == 1 else None)


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


def _add(a: int, b: int) -> int:
    if abs(a) >= FAR:
        return a
    if abs(b) >= FAR:
        return b
    return a + b


def _plus(shape: Shape, offset: int) -> Shape:
    i = shape.integers
    if not offset or i is None:
        return shape
    return d.integers(_add(i.low, offset), _add(i.high, offset))


def _single(shape: Shape) -> Any:
    i = shape.integers
    kinds = bool(shape.truths) + (i is not None) + bool(shape.atoms)
    kinds += bool(shape.records) + (shape.functions is not None) + (shape.elements is not None)
    kinds += shape.sequences is not None
    if kinds != 1:
        return None
    if i is not None and i.low == i.high:
        return i.low
    if len(shape.atoms) == 1:
        return next(iter(shape.atoms))
    if len(shape.truths) == 1:
        return v.boolean(next(iter(shape.truths)))
    return None


def _step(key: Known) -> Any:
    if isinstance(key.constant, str):
        return (".", key.constant)
    if key.constant is not None:
        return ("constant", key.constant)
    single = _single(key.shape)
    if isinstance(single, int | v.ModelValue):
        return ("constant", single)
    if key.place is not None:
        return ("at", key.place, key.offset)
    return None


def _apart(one: list[Any], other: list[Any]) -> bool:
    """Tell whether two EXCEPT paths surely lead to different places."""
    for a, b in zip(one, other, strict=False):
        if a is None or b is None:
            return False
        if a != b and a[0] != "at" and b[0] != "at":
            return True
        if a != b:
            return False
    return False


def _arithmetic(operator: O, left: Shape, right: Shape) -> Shape:
    a, b = left.integers, right.integers
    if a is None or b is None:
        return NOTHING
    if operator is O.MODULO:
        high = b.high - 1
        if a.low >= 0:
            high = min(high, a.high)
        return d.integers(0, high) if b.high > 0 else NOTHING
    if not (a.finite and b.finite):
        low = 0 if a.low >= 0 and b.low >= 0 else -FAR
        if operator is O.DIVIDE and a.low >= 0:
            return d.integers(0, a.high)
        return d.integers(low, FAR)
    if operator is O.TIMES:
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    elif operator is O.DIVIDE:
        divisors = {max(1, b.low), max(1, b.high)}
        ends = [x // y for x in (a.low, a.high) for y in divisors]
    else:
        if b.low < 0 or b.high > 64:
            return d.INTEGERS
        ends = [x**y for x in {a.low, a.high, 0} for y in {b.low, b.high}]
    return d.integers(min(ends), max(ends))


def _merged(left: Shape, right: Shape) -> Shape:
    if left.records and right.records and not (left.functions or right.functions):
        found = NOTHING
        for names, parts in left.records:
            for others, images in right.records:
                fields = dict(zip(others, images, strict=True))
                fields.update(zip(names, parts, strict=True))
                found = d.join(found, d.record_of(fields))
        return found
    f, g = d.as_functions(left).functions, d.as_functions(right).functions
    if f is None or f.keys.empty:
        return right
    if g is None or g.keys.empty:
        return left
    domain = None
    if f.domain is not None and g.domain is not None:
        domain = f.domain | g.domain
    elif f.domain is None and g.domain is not None and _covers(g.domain, f.keys):
        domain = g.domain
    return d.function_of(d.join(f.keys, g.keys), d.join(f.values, g.values), domain)


def _covers(domain: frozenset[Any], keys: Shape) -> bool:
    shape = d.join_all(d.shape_of(k) for k in domain)
    return d.join(shape, keys) == shape and d.count(shape) == len(domain)


def _as_sequences(shape: Shape) -> d.Sequences | None:
    f = shape.functions
    if f is None or f.keys.integers is None or f.keys.integers.low != 1:
        return None
    longest = f.keys.integers.high
    shortest = longest if f.domain is not None else 0
    return d.Sequences(f.values, shortest, longest, None)


def names_of(shapes: Mapping[str, Shape]) -> list[str]:
    """Return the variables whose shape is not finite."""
    return [name for name, shape in shapes.items() if not d.finite(shape)]
