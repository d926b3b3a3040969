"""Expressions of states and steps, translated to terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.errors import Span, TlaError, TlaUnsupported
from bmc.frontends.tla.layout import Layout, NoFit, NoLayout, count, listable
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.constants import (
    Constants,
    NotConstant,
    RecursiveValue,
    Undetermined,
)
from bmc.frontends.tla.translate.functions import (
    Functions,
    quotient,
    raised,
    remainder,
    scaled,
)
from bmc.frontends.tla.translate.kinds import (
    NotSymmetric,
    Untranslatable,
    equation,
    integer,
    is_truth,
)
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    BuiltinClosure,
    ByName,
    Closure,
    Comprehension,
    Formula,
    FunctionSpace,
    FunctionValue,
    Infinite,
    Lazy,
    Part,
    PowerSet,
    RecordSpace,
    SequenceSpace,
    TupleSpace,
    Undefined,
    concrete,
    constant,
)
from bmc.frontends.tla.translate.normal_form import Free, speaks_of_step
from bmc.lang import build
from bmc.lang.errors import LanguageError
from bmc.lang.protocol import Argument
from bmc.lang.sorts import BOOL, SetSort, Sort, symmetric_parts
from bmc.lang.state import state_variable
from bmc.lang.terms import Term

DEEPEST = 60
"""Calls of a recursive operator inside of another before the recursion is given up."""

MOST_CASES = 256
"""The most values of an argument that a recursive function is worked out at."""

MOST_MEMBERS = 64
"""The most members of a set that a fold is unrolled over."""


@dataclass(frozen=True, eq=False)
class Context:
    """Where an expression is read: what names mean, and the step so far."""

    environment: Mapping[c.Binding, Any]
    arguments: tuple[Argument, ...] = ()
    guards: tuple[Term, ...] = ()
    updates: Mapping[str, Lazy] = field(default_factory=dict)
    primed: bool = False


class Expressions(Functions):
    """Translates Core's expressions."""

    def __init__(self, layout: Layout, constants: Constants, sorts: Mapping[str, Sort]) -> None:
        super().__init__(layout, constants)
        self.sorts = dict(sorts)
        self.free = Free()
        self.initial = False
        self.relation = False
        """Whether primed variables are those of the state after the step, not of its updates."""
        self._constant: dict[c.Expression, Any] = {}
        self._depth: dict[c.Definition, int] = {}
        self.enabled_by: Callable[[c.Expression, Context], Formula] | None = None

    def formula_of(self, node: c.Expression, context: Context) -> Formula:
        """Return the translation of a formula."""
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
            return self.formula(self.value_of(node, context))
        except Untranslatable as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None

    def _connected(self, parts: tuple[c.Expression, ...], context: Context, zero: bool) -> Formula:
        found: list[Formula] = []
        for part in parts:
            one = self.formula_of(part, context)
            if one is zero:
                if zero or not found:
                    return zero
                return zero
            found.append(one)
        return self.any_of(found) if zero else self.all_of(found)

    def value_of(self, node: c.Expression, context: Context) -> Lazy:
        """Return the translation of an expression."""
        settled = self._settled(node, context)
        if settled is not None:
            return settled
        try:
            return self._value_of(node, context)
        except (Untranslatable, NoLayout) as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None
        except NoFit as problem:
            raise TlaError(
                node.span, f"the sorts of this expression do not fit: {problem}"
            ) from None
        except LanguageError as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None

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
        try:
            found = self.constants.value(node, env)
        except NotConstant:
            found = None
        except Undetermined:
            found = None
        except RecursionError:
            raise TlaUnsupported(node.span, "this recursion does not end", "") from None
        if found is not None and isinstance(found, PowerSet | FunctionSpace):
            pass
        if not free:
            self._constant[node] = found
        return found

    def _value_of(self, node: c.Expression, context: Context) -> Lazy:
        match node:
            case c.VariableRef():
                return self._variable(node, context)
            case c.LocalRef():
                return self._local(node, context)
            case c.ConstantRef():
                return self.constants.constant_named(node.name)
            case c.Call():
                return self._call(node, context)
            case c.CallParameter():
                operator = context.environment[node.binding]
                of_step = isinstance(operator, Closure) and speaks_of_step(operator.body)
                arguments = [self.argument(a, context, of_step) for a in node.arguments]
                return self.operated(operator, arguments, context, node.span)
            case c.Builtin():
                return self._builtin(node, context)
            case c.Let():
                return self.value_of(node.body, context)
            case c.If():
                condition = self.formula_of(node.condition, context)
                if isinstance(condition, bool):
                    return self.value_of(node.then if condition else node.otherwise, context)
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
                after = self.value_of(node.operand, replace(context, primed=True))
                return self.value(self.equal(after, self.value_of(node.operand, context)))
            case c.BoxAction():
                changed = self.formula_of(node.action, context)
                after = self.value_of(node.subscript, replace(context, primed=True))
                before = self.value_of(node.subscript, context)
                return self.value(self.any_of((changed, self.equal(after, before))))
            case c.AngleAction():
                changed = self.formula_of(node.action, context)
                after = self.value_of(node.subscript, replace(context, primed=True))
                before = self.value_of(node.subscript, context)
                return self.value(self.all_of((changed, self.negated(self.equal(after, before)))))
            case c.Enabled():
                if self.enabled_by is None:
                    raise TlaUnsupported(node.span, "ENABLED is not supported here", "")
                return self.value(self.enabled_by(node.action, context))
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
                return FunctionSpace(
                    self.value_of(node.domain, context), self.value_of(node.codomain, context)
                )
            case c.RecordLiteral():
                return self.record({n: self.value_of(e, context) for n, e in node.fields})
            case c.RecordSet():
                return RecordSpace({n: self.value_of(e, context) for n, e in node.fields})
            case c.TupleLiteral():
                return self.tuple_of([self.value_of(e, context) for e in node.elements])
            case c.Product():
                return TupleSpace(tuple(self.value_of(f, context) for f in node.factors))
            case c.Apply():
                keys = [self.value_of(a, context) for a in node.arguments]
                key = keys[0] if len(keys) == 1 else self.tuple_of(keys)
                return self.applied(self.value_of(node.function, context), key)
            case c.Field():
                return self.applied(self.value_of(node.record, context), node.name)
            case c.Except():
                return self._except(node, context)
            case c.RecursiveFunction():
                return self._recursive_function(node, context)
            case c.Unsupported():
                raise TlaUnsupported(node.span, f"{node.what} is not supported", node.hint)
        found = self._literal(node)
        if found is not None:
            return found
        raise TlaUnsupported(node.span, "a formula of behaviours has no value in a state", "")

    def _literal(self, node: c.Expression) -> Lazy | None:
        match node:
            case c.BooleanLiteral():
                return v.boolean(node.value)
            case c.IntegerLiteral() | c.StringLiteral():
                return node.value
            case c.ModelValueLiteral():
                return v.model_value(node.name)
        return None

    # Names and calls.

    def _variable(self, node: c.VariableRef, context: Context) -> Lazy:
        name = node.name
        if self.initial or (context.primed and not self.relation):
            if name in context.updates:
                return context.updates[name]
            if self.initial:
                raise TlaError(node.span, f"{name} is read before it has a value")
            raise TlaUnsupported(
                node.span,
                f"{name}' is read before it is assigned",
                "put the conjunct that assigns it first",
            )
        return state_variable(name, self.sorts[name], context.primed)

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
        if self.initial or by_name or self.has_primes(node, context.environment):
            return ByName(node, context.environment)
        return self.value_of(node, context)

    def has_primes(self, node: c.Expression, env: Mapping[c.Binding, Any]) -> bool:
        """Tell whether an expression says something of the next state."""
        if level(node) >= Level.ACTION:
            return True
        return any(isinstance(env.get(b), ByName) for b in self.free.of(node))

    def _call(self, node: c.Call, context: Context) -> Lazy:
        definition = node.definition
        inner: Mapping[c.Binding, Any] = context.environment
        if definition.parameters:
            inner = {
                **inner,
                **{
                    p: self.argument(a, context, speaks_of_step(definition.body))
                    for p, a in zip(definition.parameters, node.arguments, strict=True)
                },
            }
        if not definition.is_recursive:
            return self.value_of(definition.body, replace(context, environment=inner))
        depth = self._depth.get(definition, 0)
        if depth > DEEPEST:
            raise TlaUnsupported(
                node.span,
                f"the recursion of {definition.name} does not end while it is unrolled",
                "its decreasing argument has to be a constant, or a set of few possible members",
            )
        self._depth[definition] = depth + 1
        try:
            return self.value_of(definition.body, replace(context, environment=inner))
        finally:
            self._depth[definition] = depth

    def operated(self, operator: Any, arguments: list[Any], context: Context, span: Span) -> Lazy:
        """Return what an operator argument makes of its arguments."""
        if isinstance(operator, BuiltinClosure):
            return self.operation(operator.node.operator, arguments, span)
        if not isinstance(operator, Closure):
            raise TlaError(span, "this is no operator")
        inner = {**operator.environment, **dict(zip(operator.parameters, arguments, strict=True))}
        return self.value_of(operator.body, replace(context, environment=inner))

    def _case(self, node: c.Case, context: Context) -> Lazy:
        arms: list[tuple[Formula, c.Expression]] = []
        last: Lazy = UNDEFINED
        if node.other is not None:
            last = self.value_of(node.other, context)
        for arm in node.arms:
            guard = self.formula_of(arm.guard, context)
            if guard is False:
                continue
            if guard is True:
                last = self.value_of(arm.value, context)
                break
            arms.append((guard, arm.value))
        found = last
        for guard, value in reversed(arms):
            found = self.conditional(guard, self.value_of(value, context), found)
        return found

    # Binders.

    def domain(self, bound: c.Bound, context: Context) -> Lazy:
        """Return the set that a bound variable runs over."""
        if bound.domain is None:
            raise TlaUnsupported(
                bound.variables[0].span, "a bound variable without a set", "write x \\in S"
            )
        return self.value_of(bound.domain, context)

    def binding(self, bound: c.Bound, value: Lazy, context: Context) -> Context:
        """Return the context in which the bound variables have a value."""
        inner = dict(context.environment)
        if bound.is_tuple:
            for i, one in enumerate(bound.variables, 1):
                inner[one] = self.applied(value, i)
        else:
            inner[bound.variables[0]] = value
        return replace(context, environment=inner)

    def _quantifier(
        self, node: c.Quantifier, bounds: tuple[c.Bound, ...], context: Context
    ) -> Formula:
        domains = [self.domain(b, context) for b in bounds]
        binder = self.exists if node.kind is c.Quantification.EXISTS else self.forall

        def inside(at: int, inner: Context) -> Formula:
            if at == len(bounds):
                return self.formula_of(node.body, inner)
            bound = bounds[at]
            name = bound.variables[0].name
            return binder(
                domains[at], name, lambda x: inside(at + 1, self.binding(bound, x, inner))
            )

        return inside(0, context)

    def _choose(self, node: c.Choose, context: Context) -> Lazy:
        members = self.domain(node.bound, context)
        return self.chosen(
            members,
            node.bound.variables[0].name,
            lambda x: self.formula_of(node.body, self.binding(node.bound, x, context)),
        )

    def _set_map(self, node: c.SetMap, context: Context) -> Lazy:
        made: list[tuple[tuple[Any, ...], Callable[[list[Term]], tuple[Formula, Context]]]]
        made = [((), lambda b: (True, context))]
        for bound in node.bounds:
            members = self.domain(bound, context)
            following: list[Any] = []
            for domains, before in made:
                for part in self.comprehension(members, bound.variables[0].name).parts:

                    def body(
                        b: list[Term],
                        before: Callable[[list[Term]], tuple[Formula, Context]] = before,
                        part: Part = part,
                        cut: int = len(domains),
                        bound: c.Bound = bound,
                    ) -> tuple[Formula, Context]:
                        g, inner = before(b[:cut])
                        h, element = part.body(b[cut:])
                        return self.all_of((g, h)), self.binding(bound, element, inner)

                    following.append(((*domains, *part.domains), body))
            made = following

        def finished(
            before: Callable[[list[Term]], tuple[Formula, Context]],
        ) -> Callable[[list[Term]], tuple[Formula, Lazy]]:
            def body(b: list[Term]) -> tuple[Formula, Lazy]:
                guard, inner = before(b)
                return guard, self.value_of(node.element, inner)

            return body

        return Comprehension(tuple(Part(domains, finished(f)) for domains, f in made))

    def _function(self, node: c.FunctionLiteral, context: Context) -> Lazy:
        domains = [self.domain(b, context) for b in node.bounds]
        if len(domains) == 1:
            (bound,) = node.bounds
            domain = domains[0]
            if isinstance(domain, frozenset) and _fields(domain):
                return self.record(
                    {
                        k: self.value_of(node.body, self.binding(bound, k, context))
                        for k in v.ordered(domain)
                    }
                )
            return FunctionValue(
                domain,
                lambda k: self.value_of(node.body, self.binding(bound, k, context)),
                bound.variables[0].name,
            )
        listed: Lazy = TupleSpace(tuple(domains))
        if all(isinstance(s, frozenset) for s in domains):
            listed = self.constants.listed(listed)

        def value(key: Lazy) -> Lazy:
            inner = context
            for i, bound in enumerate(node.bounds, 1):
                inner = self.binding(bound, self.applied(key, i), inner)
            return self.value_of(node.body, inner)

        return FunctionValue(listed, value, node.bounds[0].variables[0].name)

    def _recursive_function(self, node: c.RecursiveFunction, context: Context) -> Lazy:
        """Return `f[x \\in S] == body`, unrolled at the arguments that it is asked for."""
        domains = [self.domain(b, context) for b in node.bounds]
        domain: Lazy = domains[0] if len(domains) == 1 else TupleSpace(tuple(domains))
        listed = not isinstance(domain, Infinite) and constant(domain)
        if listed:
            domain = self.constants.listed(domain)
        known: dict[Any, Lazy] = {}
        running: set[Any] = set()
        plain = self._without_state(node, context)

        def at(key: Any) -> Lazy:
            if key not in known and plain is not None:
                try:
                    known[key] = plain.at(key)
                except (NotConstant, Undetermined):
                    known[key] = UNDEFINED
            if key not in known:
                if key in running or len(running) > DEEPEST:
                    raise TlaUnsupported(node.span, "this recursion does not end", "")
                running.add(key)
                inner = replace(context, environment={**context.environment, node.itself: function})
                parts = (key,) if len(node.bounds) == 1 else key
                for bound, part in zip(node.bounds, parts, strict=True):
                    inner = self.binding(bound, part, inner)
                known[key] = self.value_of(node.body, inner)
                running.discard(key)
            return known[key]

        def value(key: Lazy) -> Lazy:
            if concrete(key):
                return at(key)
            keys = domain if isinstance(domain, frozenset) else self._values(key)
            found: Lazy = UNDEFINED
            for one in reversed(v.ordered(keys)):
                here = self.equal(key, one)
                if here is not False:
                    image = at(one)
                    undefined = isinstance(found, Undefined)
                    found = image if undefined else self.conditional(here, image, found)
            return found

        function = FunctionValue(domain, value, node.bounds[0].variables[0].name)
        return function

    def _without_state(self, node: c.RecursiveFunction, context: Context) -> RecursiveValue | None:
        """Return the function on constants where only its domain depends on the state."""
        if level(node.body) > Level.CONSTANT:
            return None
        bound = {b for one in node.bounds for b in one.variables}
        env: dict[c.Binding, Any] = {}
        for binding in self.free.of(node.body) - bound - {node.itself}:
            held = context.environment.get(binding)
            if held is None or not constant(held):
                return None
            env[binding] = held
        return RecursiveValue(self.constants, node, env, anywhere=True)

    def _values(self, key: Lazy) -> frozenset[Any]:
        """Return all values that an expression can have, where they are few."""
        sort = self.layout.sort(self.shape(key), "x")
        for scalarset in symmetric_parts(sort):
            raise NotSymmetric(scalarset)
        if not listable(sort) or count(sort) > MOST_CASES:
            raise Untranslatable("a recursive function is applied to what has too many values")
        return frozenset(self.layout.decode(k, sort) for k in self.layout.domains.values(sort))

    def _except(self, node: c.Except, context: Context) -> Lazy:
        found = self.value_of(node.function, context)
        for update in node.updates:
            path: list[Lazy] = []
            for step in update.path:
                if isinstance(step, c.FieldStep):
                    path.append(step.name)
                else:
                    keys = [self.value_of(a, context) for a in step.arguments]
                    path.append(keys[0] if len(keys) == 1 else self.tuple_of(keys))

            def value(old: Lazy, update: c.Update = update) -> Lazy:
                inner = {**context.environment, update.at: old}
                return self.value_of(update.value, replace(context, environment=inner))

            found = self.updated(found, path, value)
        return found

    # Built-in operators.

    def _builtin(self, node: c.Builtin, context: Context) -> Lazy:
        if node.operator in (O.AND, O.OR, O.IMPLIES, O.NOT):
            return self.value(self.formula_of(node, context))
        match node.operator:
            case O.SELECT_SEQ:
                sequence, test = (self.argument(a, context) for a in node.arguments)
                return self.selected(
                    sequence,
                    lambda x: self.formula(self.operated(test, [x], context, node.span)),
                )
            case O.FOLD_SET:
                return self._fold_set(node, context)
            case O.FOLD_SEQ:
                return self._fold_sequence(node, context)
        arguments = [self.value_of(a, context) for a in node.arguments]
        return self.operation(node.operator, arguments, node.span)

    def _fold_set(self, node: c.Builtin, context: Context) -> Lazy:
        op, base, image, _, members = (self.argument(a, context) for a in node.arguments)
        found = base
        for present, element in self.possible(members, node.span):
            mapped = self.operated(image, [element], context, node.span)
            found = self.conditional(
                present, self.operated(op, [mapped, found], context, node.span), found
            )
        return found

    def _fold_sequence(self, node: c.Builtin, context: Context) -> Lazy:
        op, base, value = (self.argument(a, context) for a in node.arguments)
        sequence = self.sequence(value)
        found = base
        for i in range(1, sequence.longest + 1):
            inside = self.at_most(i, sequence.length)
            if inside is False:
                break
            folded = self.operated(op, [found, sequence.at(i)], context, node.span)
            found = self.conditional(inside, folded, found)
        return found

    def possible(self, members: Lazy, span: Span) -> list[tuple[Formula, Lazy]]:
        """Return the members that a set can have, each with when it has it."""
        if isinstance(members, frozenset):
            return [(True, one) for one in v.ordered(members)]
        sort = self.layout.sort(self.members(members), "x")
        for scalarset in symmetric_parts(sort):
            raise NotSymmetric(scalarset)
        listed = list(islice(self.layout.domains.values(sort), MOST_MEMBERS + 1))
        if len(listed) > MOST_MEMBERS:
            raise TlaUnsupported(
                span, "a fold over a set with too many possible members is not supported", ""
            )
        found: list[tuple[Formula, Lazy]] = []
        for one in listed:
            element = self.layout.decode(one, sort)
            present = self.member(element, members)
            if present is not False:
                found.append((present, element))
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
                return PowerSet(arguments[0])
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
                return SequenceSpace(arguments[0])
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
                return self.cardinality(arguments[0])
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
            case O.EQUAL | O.EQUIVALENT:
                return self._equation(*arguments)
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
                return not isinstance(arguments[0], Infinite | SequenceSpace)
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


__all__ = ["Context", "Expressions", "SetSort", "integer"]
