"""Constant expressions: evaluated, never translated.

It shares nothing with the oracle but the classes of values, so that the two can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, product
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.errors import Span, TlaError, TlaUnsupported
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.specification import Specification
from bmc.frontends.tla.translate.lazy import (
    BuiltinClosure,
    ByName,
    Closure,
    FunctionSpace,
    Infinite,
    PowerSet,
    RecordSpace,
    SequenceSpace,
    TupleSpace,
    constant,
)

MOST = 100_000
"""The most members of a set that are listed."""

Environment = Mapping[c.Binding, Any]


class NotConstant(Exception):
    """The expression reads a state, or is a set too large to list."""


class Undetermined(TlaError):
    """A constant expression that has no value: `Head(<<>>)`, a function outside its domain."""


class Constants:
    """Evaluates constant expressions of a specification."""

    def __init__(self, specification: Specification) -> None:
        self._specification = specification
        self._constants: dict[str, Any] = {}
        self._known: dict[c.Definition, Any] = {}

    def constant_named(self, name: str) -> Any:
        """Return the value of a CONSTANT."""
        if name not in self._constants:
            self._constants[name] = self.value(self._specification.constants[name], {})
        return self._constants[name]

    def value(self, node: c.Expression, env: Environment) -> Any:
        """Return the value: one of TLA+'s, or a set that is not listed.

        Raises NotConstant where a state is read, and Undetermined where there is no value.
        """
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
                return self.value(node.body, env)
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
                return frozenset(
                    self._tuple_of(node.bound, inner)
                    for inner in self.bound((node.bound,), env)
                    if self.truth(node.predicate, inner)
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
                return FunctionSpace(self.value(node.domain, env), self.value(node.codomain, env))
            case c.RecordLiteral():
                return v.function({n: self.plain(e, env) for n, e in node.fields})
            case c.RecordSet():
                return RecordSpace({n: self.value(e, env) for n, e in node.fields})
            case c.TupleLiteral():
                return tuple(self.plain(e, env) for e in node.elements)
            case c.Product():
                return TupleSpace(tuple(self.value(f, env) for f in node.factors))
            case c.Apply():
                arguments = [self.plain(a, env) for a in node.arguments]
                key = arguments[0] if len(arguments) == 1 else tuple(arguments)
                return self.indexed(self.value(node.function, env), key, node.span)
            case c.Field():
                return self.indexed(self.value(node.record, env), node.name, node.span)
            case c.Except():
                return self._except(node, env)
            case c.Unsupported():
                raise TlaUnsupported(node.span, f"{node.what} is not supported", node.hint)
        raise NotConstant

    def truth(self, node: c.Expression, env: Environment) -> bool:
        """Return the truth of a constant formula."""
        found = self.value(node, env)
        if not isinstance(found, v.Boolean):
            raise Undetermined(node.span, "this is no truth value")
        return found.truth

    def plain(self, node: c.Expression, env: Environment) -> Any:
        """Return the value, a set as the list of its members."""
        return self.listed(self.value(node, env))

    def listed(self, found: Any) -> Any:
        """Return a set with all its members; other values as they are."""
        if isinstance(found, v.Boolean | int | str | v.ModelValue | frozenset | tuple):
            return found
        return frozenset(self.members(found))

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

    def applied(self, operator: Any, arguments: list[Any], span: Span) -> Any:
        """Return what an operator argument makes of its arguments."""
        if isinstance(operator, BuiltinClosure):
            return self.operation(operator.node.operator, arguments, span)
        if not isinstance(operator, Closure):
            raise NotConstant
        inner = dict(operator.environment)
        inner.update(zip(operator.parameters, arguments, strict=True))
        return self.value(operator.body, inner)

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
                if one.is_tuple:
                    inner.update(zip(one.variables, value, strict=True))
                else:
                    inner[one.variables[0]] = value
            yield inner

    def members(self, found: Any) -> list[Any]:
        """Return the members of a set in order; NotConstant where there are too many."""
        match found:
            case frozenset():
                return list(v.ordered(found))
            case PowerSet():
                base = self.members(found.base)
                if len(base) > 16:
                    raise NotConstant
                return [
                    frozenset(some)
                    for size in range(len(base) + 1)
                    for some in combinations(base, size)
                ]
            case FunctionSpace():
                keys, images = self.members(found.domain), self.members(found.codomain)
                if keys and len(images) ** len(keys) > MOST:
                    raise NotConstant
                some = product(images, repeat=len(keys))
                return v.in_order(v.function(dict(zip(keys, s, strict=True))) for s in some)
            case RecordSpace():
                names = list(found.fields)
                parts = [self.members(s) for s in found.fields.values()]
                _limit(parts)
                return v.in_order(
                    v.function(dict(zip(names, s, strict=True))) for s in product(*parts)
                )
            case TupleSpace():
                parts = [self.members(s) for s in found.factors]
                _limit(parts)
                return v.in_order(product(*parts))
        raise NotConstant

    def contains(self, found: Any, element: Any) -> bool:
        """Return whether an element is in a set, listed or not."""
        match found:
            case frozenset():
                return element in found
            case PowerSet():
                return isinstance(element, frozenset) and all(
                    self.contains(found.base, e) for e in element
                )
            case FunctionSpace():
                if not isinstance(element, tuple):
                    return False
                domain = self.listed(found.domain)
                return v.members_of(element) == domain and all(
                    self.contains(found.codomain, e) for e in v.graph_of(element).values()
                )
            case RecordSpace():
                if not isinstance(element, tuple):
                    return False
                held = v.graph_of(element)
                return set(held) == set(found.fields) and all(
                    self.contains(s, held[n]) for n, s in found.fields.items()
                )
            case TupleSpace():
                return (
                    isinstance(element, tuple)
                    and not isinstance(element, v.Function)
                    and len(element) == len(found.factors)
                    and all(
                        self.contains(s, e) for s, e in zip(found.factors, element, strict=True)
                    )
                )
            case SequenceSpace():
                return (
                    isinstance(element, tuple)
                    and not isinstance(element, v.Function)
                    and all(self.contains(found.base, e) for e in element)
                )
            case Infinite():
                if found.name == "STRING":
                    return isinstance(element, str)
                if found.name == "Any":
                    return True
                return isinstance(element, int) and (found.name != "Nat" or element >= 0)
        raise NotConstant

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
        if not node.arguments and not definition.parameters and not env:
            if definition not in self._known:
                self._known[definition] = self.value(definition.body, {})
            return self._known[definition]
        inner = dict(env)
        for parameter, argument in zip(definition.parameters, node.arguments, strict=True):
            inner[parameter] = self.argument(argument, env)
        return self.value(definition.body, inner)

    def _tuple_of(self, bound: c.Bound, env: Environment) -> Any:
        if bound.is_tuple:
            return tuple(env[b] for b in bound.variables)
        return env[bound.variables[0]]

    def _arguments_of(self, bounds: tuple[c.Bound, ...], env: Environment) -> Any:
        found = [self._tuple_of(b, env) for b in bounds]
        return found[0] if len(found) == 1 else tuple(found)

    def _recursive(self, node: c.RecursiveFunction, env: Environment) -> Any:
        lazy = RecursiveValue(self, node, env)
        try:
            keys = self.members(lazy.domain())
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
        return self.operation(
            node.operator, [self.argument(a, env) for a in node.arguments], node.span
        )

    def operation(self, operator: O, arguments: list[Any], span: Span) -> Any:
        """Return the value of a built-in operator at constant arguments."""
        try:
            return OPERATIONS[operator](self, *arguments)
        except KeyError:
            raise TlaUnsupported(
                span, f"{operator.value} of constants is not supported", "write it out"
            ) from None
        except (TypeError, AttributeError, IndexError, ZeroDivisionError) as problem:
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
            if not self._anywhere and not self._owner.contains(self.domain(), key):
                raise Undetermined(self._node.span, f"{v.show(key)} is outside the domain")
            inner = {**self._env, self._node.itself: self}
            bounds = self._node.bounds
            for bound, part in zip(bounds, (key,) if len(bounds) == 1 else key, strict=True):
                if bound.is_tuple:
                    inner.update(zip(bound.variables, part, strict=True))
                else:
                    inner[bound.variables[0]] = part
            self._known[key] = self._owner.plain(self._node.body, inner)
        return self._known[key]


def _limit(parts: Iterable[list[Any]]) -> None:
    count = 1
    for part in parts:
        count *= len(part)
    if count > MOST:
        raise NotConstant


def _integer(value: Any) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{v.show(value)} is no integer")
    return value


def _binary(function: Callable[[int, int], int]) -> Callable[..., Any]:
    return lambda run, a, b: function(_integer(a), _integer(b))


def _order(function: Callable[[int, int], bool]) -> Callable[..., Any]:
    return lambda run, a, b: v.boolean(function(_integer(a), _integer(b)))


def _equal(run: Constants, a: Any, b: Any) -> bool:
    left, right = run.listed(a), run.listed(b)
    return bool(left == right)


def _same_or_listed(found: Any) -> frozenset[Any]:
    if not isinstance(found, frozenset):
        raise NotConstant
    return found


def _cardinality(run: Constants, a: Any) -> int:
    if isinstance(a, PowerSet):
        return 1 << len(run.members(a.base))
    return len(_same_or_listed(run.listed(a)))


def _subsets_of_size(run: Constants, a: Any, b: Any) -> bool:
    return all(run.contains(b, e) for e in run.members(a))


def _sub_sequence(run: Constants, s: Any, first: int, last: int) -> tuple[Any, ...]:
    if first > last:
        return ()
    if first < 1 or last > len(s):
        raise IndexError("outside the sequence")
    return tuple(s[first - 1 : last])


def _fold_set(run: Constants, op: Any, base: Any, f: Any, choose: Any, members: Any) -> Any:
    span = op.body.span if isinstance(op, Closure) else Span("", 1, 1, 1, 1)
    found = base
    for element in reversed(run.members(members)):
        found = run.applied(op, [run.applied(f, [element], span), found], span)
    return found


def _fold_sequence(run: Constants, op: Any, base: Any, s: Any) -> Any:
    span = op.body.span if isinstance(op, Closure) else Span("", 1, 1, 1, 1)
    for element in s:
        base = run.applied(op, [base, element], span)
    return base


def _select(run: Constants, s: Any, test: Any) -> tuple[Any, ...]:
    span = test.body.span if isinstance(test, Closure) else Span("", 1, 1, 1, 1)
    return tuple(e for e in s if run.applied(test, [e], span).truth)


def _truthy(value: Any) -> bool:
    if not isinstance(value, v.Boolean):
        raise TypeError(f"{v.show(value)} is no truth value")
    return value.truth


def _positive(b: int) -> int:
    if b <= 0:
        raise ZeroDivisionError("the divisor is not positive")
    return b


def _assert(run: Constants, condition: Any, message: Any) -> Any:
    if not _truthy(condition):
        raise TypeError(f"the assertion fails: {v.show(message)}")
    return condition


OPERATIONS: dict[O, Callable[..., Any]] = {
    O.NOT: lambda run, a: v.boolean(not _truthy(a)),
    O.EQUIVALENT: lambda run, a, b: v.boolean(_truthy(a) == _truthy(b)),
    O.EQUAL: lambda run, a, b: v.boolean(_equal(run, a, b)),
    O.NOT_EQUAL: lambda run, a, b: v.boolean(not _equal(run, a, b)),
    O.BOOLEAN: lambda run: v.BOOLEANS,
    O.STRING: lambda run: Infinite("STRING"),
    O.IN: lambda run, a, b: v.boolean(run.contains(b, run.listed(a))),
    O.NOT_IN: lambda run, a, b: v.boolean(not run.contains(b, run.listed(a))),
    O.CUP: lambda run, a, b: frozenset(run.members(a)) | frozenset(run.members(b)),
    O.CAP: lambda run, a, b: frozenset(e for e in run.members(a) if run.contains(b, e)),
    O.SET_MINUS: lambda run, a, b: frozenset(e for e in run.members(a) if not run.contains(b, e)),
    O.SUBSET_EQUAL: lambda run, a, b: v.boolean(_subsets_of_size(run, a, b)),
    O.POWER_SET: lambda run, a: PowerSet(a),
    O.UNION: lambda run, a: frozenset().union(*(run.members(e) for e in run.members(a))),
    O.DOMAIN: lambda run, a: v.members_of(a),
    O.NAT: lambda run: Infinite("Nat"),
    O.INT: lambda run: Infinite("Int"),
    O.REAL: lambda run: Infinite("Int"),
    O.ANY: lambda run: Infinite("Any"),
    O.PLUS: _binary(lambda a, b: a + b),
    O.MINUS: _binary(lambda a, b: a - b),
    O.NEGATE: lambda run, a: -_integer(a),
    O.TIMES: _binary(lambda a, b: a * b),
    O.DIVIDE: _binary(lambda a, b: a // _positive(b)),
    O.MODULO: _binary(lambda a, b: a % _positive(b)),
    O.POWER: _binary(lambda a, b: int(a**b) if 0 <= b <= 256 else (1 << 256)),
    O.LESS: _order(lambda a, b: a < b),
    O.LESS_EQUAL: _order(lambda a, b: a <= b),
    O.GREATER: _order(lambda a, b: a > b),
    O.GREATER_EQUAL: _order(lambda a, b: a >= b),
    O.INTERVAL: lambda run, a, b: _interval(_integer(a), _integer(b)),
    O.SEQ: lambda run, a: SequenceSpace(a),
    O.LEN: lambda run, s: len(_sequence(s)),
    O.CONCATENATE: lambda run, s, t: (*_sequence(s), *_sequence(t)),
    O.APPEND: lambda run, s, e: (*_sequence(s), run.listed(e)),
    O.HEAD: lambda run, s: _sequence(s)[0],
    O.TAIL: lambda run, s: _nonempty(s)[1:],
    O.SUB_SEQ: _sub_sequence,
    O.SELECT_SEQ: _select,
    O.IS_FINITE_SET: lambda run, a: v.boolean(not isinstance(a, Infinite | SequenceSpace)),
    O.CARDINALITY: _cardinality,
    O.PRINT: lambda run, out, value: value,
    O.PRINT_T: lambda run, out: v.TRUE,
    O.ASSERT: _assert,
    O.SINGLETON: lambda run, k, e: v.function({run.listed(k): run.listed(e)}),
    O.MERGE: lambda run, f, g: v.function({**v.graph_of(g), **v.graph_of(f)}),
    O.PERMUTATIONS: lambda run, s: _permutations(run.members(s)),
    O.TLC_EVAL: lambda run, a: a,
    O.FOLD_SET: _fold_set,
    O.FOLD_SEQ: _fold_sequence,
}


def _interval(low: int, high: int) -> frozenset[int]:
    if high - low > MOST:
        raise NotConstant
    return v.interval(low, high)


def _sequence(s: Any) -> tuple[Any, ...]:
    if not isinstance(s, tuple) or isinstance(s, v.Function):
        raise TypeError(f"{v.show(s)} is no sequence")
    return s


def _nonempty(s: Any) -> tuple[Any, ...]:
    if not _sequence(s):
        raise IndexError("an empty sequence has no tail")
    return _sequence(s)


def _permutations(members: list[Any]) -> frozenset[Any]:
    from itertools import permutations

    if len(members) > 7:
        raise NotConstant
    return frozenset(
        v.function(dict(zip(members, order, strict=True))) for order in permutations(members)
    )


__all__ = ["Constants", "NotConstant", "RecursiveValue", "Undetermined"]
