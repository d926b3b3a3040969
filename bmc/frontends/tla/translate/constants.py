"""Constant expressions: evaluated, never translated.

It shares nothing with the oracle but the classes of values, so that the two can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.depth import FOR_CONSTANTS, same_room
from bmc.frontends.tla.errors import Span, TlaUnsupported, TlaWithoutMeaning
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.specification import Specification
from bmc.frontends.tla.translate.constant_operations import OPERATIONS, require_kinds
from bmc.frontends.tla.translate.constant_sets import (
    ConstantSets,
    Environment,
    NotConstant,
    Undetermined,
    only_element,
)
from bmc.frontends.tla.translate.free import Free
from bmc.frontends.tla.translate.kinds import is_set
from bmc.frontends.tla.translate.lazy import (
    BuiltinClosure,
    ByName,
    Closure,
    FunctionSpace,
    PowerSet,
    RecordSpace,
    TupleSpace,
    constant,
)

_LOOPS = (c.Choose, c.SetFilter, c.SetMap, c.FunctionLiteral, c.RecursiveFunction)
"""What may take long, and is worked out once where it reads nothing around it."""


class Constants(ConstantSets):
    """Evaluates constant expressions of a specification."""

    def __init__(self, specification: Specification) -> None:
        self._specification = specification
        self._constants: dict[str, Any] = {}
        self._known: dict[c.Definition | c.Expression, Any] = {}
        self._free = Free()
        self._kept: dict[c.Definition, c.Binding] = {}
        """Where an environment has the value of a LET's definition, once it is read there."""

    def constant_named(self, name: str) -> Any:
        """Return the value of a CONSTANT."""
        if name not in self._constants:
            self._constants[name] = self.value(self._specification.constants[name], {})
        return self._constants[name]

    def value(self, node: c.Expression, env: Environment) -> Any:
        """Return the value: one of TLA+'s, or a set that is not listed.

        Raises NotConstant where a state is read, and Undetermined where there is no value.
        """
        if isinstance(node, _LOOPS) and not (env and self._free.of(node)):
            return self._once(node, node)
        return self._value(node, env)

    def settled(self, node: c.Expression, env: Environment) -> Any | None:
        """Return the value; None where a state is read, or where there is no value.

        Raises TlaUnsupported where it builds on itself deeper than is followed.
        """
        try:
            try:
                return self.value(node, env)
            except RecursionError:
                with same_room(FOR_CONSTANTS):
                    return self.value(node, env)
        except (NotConstant, Undetermined):
            return None
        except RecursionError:
            said = "this recursion does not end, or goes deeper than is followed"
            raise TlaUnsupported(node.span, said, "") from None

    def _value(self, node: c.Expression, env: Environment) -> Any:
        match node:
            case c.ConstantRef():
                return self.constant_named(node.name)
            case c.LocalRef():
                return self._local(node, env)
            case c.Call():
                return self._call(node, env)
            case c.CallParameter():
                arguments = [self.argument(a, env) for a in node.arguments]
                return self.applied(env[node.binding], arguments, node.span)
            case c.Builtin():
                return self._builtin(node, env)
            case c.BooleanLiteral():
                return v.boolean(node.value)
            case c.IntegerLiteral() | c.StringLiteral():
                return node.value
            case c.ModelValueLiteral():
                return v.model_value(node.name)
            case c.If():
                return self.value(
                    node.then if self.truth(node.condition, env) else node.otherwise, env
                )
            case c.Case():
                for arm in node.arms:
                    if self.truth(arm.guard, env):
                        return self.value(arm.value, env)
                if node.other is None:
                    raise Undetermined(node.span, "no arm of this CASE holds")
                return self.value(node.other, env)
            case c.Let():
                return self.value(node.body, self._with_definitions(node, env))
            case c.Quantifier():
                found = (self.truth(node.body, inner) for inner in self.bound(node.bounds, env))
                universal = node.kind is c.Quantification.FORALL
                return v.boolean(all(found) if universal else any(found))
            case c.Choose():
                for inner in self.bound((node.bound,), env):
                    if self.truth(node.body, inner):
                        return self._tuple_of(node.bound, inner)
                raise Undetermined(node.span, "no value satisfies this CHOOSE")
            case c.SetEnumeration():
                return frozenset(self.plain(e, env) for e in node.elements)
            case c.SetFilter():
                subsets = self._subsets_of_kept(node, env)
                if subsets is not None:
                    return subsets
                return v.listed_in_order(
                    [
                        self._tuple_of(node.bound, inner)
                        for inner in self.bound((node.bound,), env)
                        if self.truth(node.predicate, inner)
                    ]
                )
            case c.SetMap():
                return frozenset(
                    self.plain(node.element, inner) for inner in self.bound(node.bounds, env)
                )
            case c.FunctionLiteral():
                return v.function(
                    {
                        self._arguments_of(node.bounds, inner): self.plain(node.body, inner)
                        for inner in self.bound(node.bounds, env)
                    }
                )
            case c.RecursiveFunction():
                return self._recursive(node, env)
            case c.FunctionSet():
                return FunctionSpace(self._set(node.domain, env), self._set(node.codomain, env))
            case c.RecordLiteral():
                return v.function({n: self.plain(e, env) for n, e in node.fields})
            case c.RecordSet():
                return RecordSpace({n: self._set(e, env) for n, e in node.fields})
            case c.TupleLiteral():
                return tuple(self.plain(e, env) for e in node.elements)
            case c.Product():
                return TupleSpace(tuple(self._set(f, env) for f in node.factors))
            case c.Apply():
                arguments = [self.plain(a, env) for a in node.arguments]
                key = arguments[0] if len(arguments) == 1 else tuple(arguments)
                return self.indexed(self.value(node.function, env), key, node.span)
            case c.Field():
                return self.indexed(self.value(node.record, env), node.name, node.span)
            case c.Except():
                return self._except(node, env)
            case c.Unsupported():
                raise TlaWithoutMeaning(node.span, f"{node.what} is not supported", node.hint)
        raise NotConstant

    def truth(self, node: c.Expression, env: Environment) -> bool:
        """Return the truth of a constant formula."""
        found = self.value(node, env)
        if not isinstance(found, v.Boolean):
            raise Undetermined(node.span, "this is no truth value")
        return found.truth

    def _set(self, node: c.Expression, env: Environment) -> Any:
        found = self.value(node, env)
        if not is_set(found):
            raise Undetermined(node.span, "this is no set")
        return found

    def argument(self, node: c.Expression, env: Environment) -> Any:
        """Return the value of an operator's argument, which may be an operator itself."""
        match node:
            case c.OperatorRef():
                return Closure(node.definition.parameters, node.definition.body, env)
            case c.BuiltinRef():
                return BuiltinClosure(node)
            case c.Lambda():
                return Closure(node.parameters, node.body, env)
            case c.LocalRef() if node.binding.arity:
                return env[node.binding]
        return self.value(node, env)

    def _subsets_of_kept(self, node: c.SetFilter, env: Environment) -> frozenset[Any] | None:
        """Return `{E \\in SUBSET S : \\A e \\in E : P(e)}` as the subsets of those with P.

        Each member is in a subset with no other, so P is asked of each in any case. None for
        another set, and where P has no value for a member: then their order matters.
        """
        domain, test = node.bound.domain, node.predicate
        if not isinstance(domain, c.Builtin) or domain.operator is not O.POWER_SET:
            return None
        if node.bound.is_tuple or not isinstance(test, c.Quantifier):
            return None
        (whole,), each = node.bound.variables, test.bounds[0]
        over = each.domain
        if test.kind is not c.Quantification.FORALL or len(test.bounds) > 1:
            return None
        if each.is_tuple or len(each.variables) > 1:
            return None
        if not isinstance(over, c.LocalRef) or over.binding is not whole:
            return None
        if whole in self._free.of(test.body):
            return None
        members = self.members(self.value(domain.arguments[0], env))
        try:
            kept = [m for m in members if self.truth(test.body, {**env, each.variables[0]: m})]
        except Undetermined:
            return None
        return v.listed_in_order(self.members(PowerSet(frozenset(kept))))

    def bound(self, bounds: tuple[c.Bound, ...], env: Environment) -> Iterator[Environment]:
        """Yield the environment of each choice of bound variables, the last one fastest."""
        variables: list[tuple[c.Bound, list[Any]]] = []
        for one in bounds:
            if one.domain is None:
                raise TlaUnsupported(
                    one.variables[0].span,
                    "a bound variable without a set",
                    "give it one: x \\in S",
                )
            variables.append((one, self.members(self.value(one.domain, env))))
        for chosen in product(*(listed for _, listed in variables)):
            inner = dict(env)
            for (one, _), value in zip(variables, chosen, strict=True):
                inner |= bound_to(one, value)
            yield inner

    def indexed(self, function: Any, key: Any, span: Span) -> Any:
        """Return ``function[key]``."""
        if isinstance(function, tuple):
            graph = v.graph_of(function)
            if key in graph:
                return graph[key]
            raise Undetermined(span, f"{v.show(key)} is outside the domain of {v.show(function)}")
        if isinstance(function, RecursiveValue):
            return function.at(key)
        raise Undetermined(span, f"{v.show(function)} is no function")

    def _local(self, node: c.LocalRef, env: Environment) -> Any:
        found = env.get(node.binding, NotConstant)
        if isinstance(found, ByName):
            return self.value(found.body, found.environment)
        if constant(found) or isinstance(found, RecursiveValue):
            return found
        raise NotConstant

    def _call(self, node: c.Call, env: Environment) -> Any:
        definition = node.definition
        if not definition.parameters:
            if not (env and self._free.of(definition.body)):
                return self._once(definition, definition.body)
            kept = env.get(self._kept[definition]) if definition in self._kept else None
            if kept is not None:
                if not kept:
                    kept.append(self.value(definition.body, env))
                return kept[0]
        inner = dict(env)
        for parameter, argument in zip(definition.parameters, node.arguments, strict=True):
            inner[parameter] = self.argument(argument, env)
        return self.value(definition.body, inner)

    def _with_definitions(self, node: c.Let, env: Environment) -> Environment:
        """Return where a LET's body is read: what it defines is worked out once in it.

        A recursion that reads its own result twice by a name would take twice as long by each call.
        """
        if not env:
            return env
        inner = dict(env)
        for one in node.definitions:
            if not one.parameters and self._free.of(one.body):
                inner[self._kept.setdefault(one, c.Binding(node.span, one.name))] = []
        return inner

    def _once(self, known: c.Definition | c.Expression, body: c.Expression) -> Any:
        """Return the value of what reads nothing around it, which is worked out once."""
        if known not in self._known:
            try:
                self._known[known] = self._value(body, {})
            except NotConstant:
                self._known[known] = NotConstant
        found = self._known[known]
        if found is NotConstant:
            raise NotConstant
        return found

    def _tuple_of(self, bound: c.Bound, env: Environment) -> Any:
        if bound.is_tuple:
            return tuple(env[b] for b in bound.variables)
        return env[bound.variables[0]]

    def _arguments_of(self, bounds: tuple[c.Bound, ...], env: Environment) -> Any:
        found = [self._tuple_of(b, env) for b in bounds]
        return found[0] if len(found) == 1 else tuple(found)

    def _recursive(self, node: c.RecursiveFunction, env: Environment) -> Any:
        lazy = RecursiveValue(self, node, env)
        domain = lazy.domain()
        try:
            keys = self.members(domain)
        except NotConstant:
            return lazy
        return v.function({key: lazy.at(key) for key in keys})

    def _except(self, node: c.Except, env: Environment) -> Any:
        found = self.value(node.function, env)
        for update in node.updates:
            path: list[Any] = []
            for step in update.path:
                if isinstance(step, c.FieldStep):
                    path.append(step.name)
                else:
                    keys = [self.plain(a, env) for a in step.arguments]
                    path.append(keys[0] if len(keys) == 1 else tuple(keys))
            found = self._updated(found, path, update, env)
        return found

    def _updated(self, found: Any, path: list[Any], update: c.Update, env: Environment) -> Any:
        if not path:
            return self.plain(update.value, {**env, update.at: found})
        if not isinstance(found, tuple):
            raise Undetermined(update.value.span, f"{v.show(found)} is no function")
        graph = dict(v.graph_of(found))
        if path[0] in graph:
            graph[path[0]] = self._updated(graph[path[0]], path[1:], update, env)
        return v.function(graph)

    def _builtin(self, node: c.Builtin, env: Environment) -> Any:
        match node.operator:
            case O.AND:
                return v.boolean(all(self.truth(a, env) for a in node.arguments))
            case O.OR:
                return v.boolean(any(self.truth(a, env) for a in node.arguments))
            case O.IMPLIES:
                premise, conclusion = node.arguments
                return v.boolean(not self.truth(premise, env) or self.truth(conclusion, env))
            case O.UNION if (only := only_element(node.arguments[0])) is not None:
                found = self.value(only, env)
                if not isinstance(found, v.Boolean | int | str | v.ModelValue | tuple):
                    return found
        return self.operation(
            node.operator, [self.argument(a, env) for a in node.arguments], node.span
        )

    def operation(self, operator: O, arguments: list[Any], span: Span) -> Any:
        """Return the value of a built-in operator at constant arguments."""
        work = OPERATIONS.get(operator)
        if work is None:
            raise TlaUnsupported(
                span, f"{operator.value} of constants is not supported", "write it out"
            )
        try:
            require_kinds(operator, arguments)
            return work(self, *arguments)
        except (TypeError, AttributeError, LookupError, ZeroDivisionError) as problem:
            raise Undetermined(span, f"{operator.value} has no value here: {problem}") from None


class RecursiveValue:
    """A recursive function while its values are worked out, or one whose domain has no end."""

    def __init__(
        self, owner: Constants, node: c.RecursiveFunction, env: Environment, anywhere: bool = False
    ) -> None:
        self._owner = owner
        self._anywhere = anywhere
        self._node = node
        self._env = env
        self._known: dict[Any, Any] = {}
        self._reads: dict[Any, set[Any]] = {}
        self._open: list[set[Any]] = []

    def reads(self, key: Any) -> set[Any]:
        """Return the arguments, this one too, at which its value asks for the function's."""
        return self._reads[key]

    def domain(self) -> Any:
        """Return the set of its arguments, listed or not."""
        domains = []
        for bound in self._node.bounds:
            if bound.domain is None:
                raise NotConstant
            domains.append(self._owner.value(bound.domain, self._env))
        return domains[0] if len(domains) == 1 else TupleSpace(tuple(domains))

    def at(self, key: Any) -> Any:
        """Return the function's value at a key."""
        if key not in self._known:
            self._open.append({key})
            try:
                self._known[key] = self._worked_out(key)
                self._reads[key] = self._open[-1]
            finally:
                self._open.pop()
        if self._open:
            self._open[-1] |= self._reads[key]
        return self._known[key]

    def _worked_out(self, key: Any) -> Any:
        if not self._anywhere and not self._owner.contains(self.domain(), key):
            raise Undetermined(self._node.span, f"{v.show(key)} is outside the domain")
        inner = {**self._env, self._node.itself: self}
        bounds = self._node.bounds
        for bound, part in zip(bounds, (key,) if len(bounds) == 1 else key, strict=True):
            inner |= bound_to(bound, part)
        return self._owner.plain(self._node.body, inner)


def bound_to(bound: c.Bound, value: Any) -> Environment:
    """Return what variables are bound to where they are bound to a value.

    Raises Undetermined where a tuple of variables is, and the value is no tuple of that length.
    """
    if not bound.is_tuple:
        return {bound.variables[0]: value}
    if not isinstance(value, tuple) or len(value) != len(bound.variables):
        told = f"{v.show(value)} is no tuple of {len(bound.variables)}"
        raise Undetermined(bound.variables[0].span, told)
    return dict(zip(bound.variables, value, strict=True))
