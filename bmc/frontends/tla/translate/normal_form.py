"""Actions taken apart: arguments, guards and assignments of each way to take a step.

Conjuncts are read from left to right, as TLC does: the first `x' = e` assigns, a later one tests.
The abstract interpreter and the translator both walk an action so; they differ in what a context
is, what a guard does to it, and what an assignment writes down.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from bmc.frontends.tla import core as c
from bmc.frontends.tla.errors import TlaError, TlaUnsupported
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.free import Free, Variables, may_prime_parameters
from bmc.frontends.tla.translate.lazy import BuiltinClosure, ByName, Closure

Context = TypeVar("Context")
Environment = Mapping[c.Binding, Any]
Way: TypeAlias = "Callable[[Context], Iterator[Context]]"
"""How a context goes on."""


class NormalForm(ABC, Generic[Context]):
    """Walks an action in continuation style: a context for every way through it."""

    initial = False
    """Whether the predicate is of initial states: there a variable without a prime is assigned."""

    def __init__(self) -> None:
        self.free = Free()
        self.variables = Variables()

    @abstractmethod
    def environment(self, context: Context) -> Environment:
        """Return what bound variables and parameters mean."""

    @abstractmethod
    def within(self, context: Context, environment: Environment) -> Context:
        """Return the context with another environment."""

    @abstractmethod
    def guarded(self, node: c.Expression, context: Context, positive: bool) -> Iterator[Context]:
        """Yield the context where a formula holds (or does not); nothing where it cannot."""

    def alternative(
        self, node: c.Expression, context: Context, positive: bool
    ) -> Iterator[Context]:
        """Yield the context where a formula holds (or does not), one of the two ways to go on."""
        yield from self.guarded(node, context, positive)

    @abstractmethod
    def assigned(self, context: Context, name: str) -> bool:
        """Tell whether a variable has its new value."""

    @abstractmethod
    def assign(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        """Yield the context where the variable's new value is that of an expression."""

    @abstractmethod
    def assign_one_of(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        """Yield the contexts where the new value is one of a set's members."""

    @abstractmethod
    def without(self, names: frozenset[str], context: Context) -> Context:
        """Return the context in which these variables have no new value."""

    @abstractmethod
    def keep(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        """Yield the context where a variable keeps its value."""

    @abstractmethod
    def chosen(self, bounds: tuple[c.Bound, ...], context: Context) -> Iterator[Context]:
        """Yield the contexts where the bound variables are chosen from their sets."""

    @abstractmethod
    def each(self, bounds: tuple[c.Bound, ...], context: Context) -> list[Context]:
        """Return a context for each choice from constant sets; TlaUnsupported where they vary."""

    @abstractmethod
    def require_names(self, bounds: tuple[c.Bound, ...], context: Context) -> None:
        """Raise NotSymmetric where members that have no names are taken one by one."""

    @abstractmethod
    def bound_argument(self, node: c.Expression, context: Context, of_step: bool) -> Any:
        """Return what a parameter means where an operator is called with this argument.

        Where the operator is `of_step`, its body may prime the parameter.
        """

    def is_action(self, node: c.Expression, env: Environment) -> bool:
        """Tell whether a formula says something of the next state."""
        if self.initial:
            return True
        if level(node) >= Level.ACTION:
            return True
        return any(self._holds_action(env.get(b)) for b in self.free.of(node))

    def _holds_action(self, value: Any) -> bool:
        if isinstance(value, ByName | Closure):
            return self.is_action(value.body, value.environment)
        return False

    def entered(
        self, definition: c.Definition, arguments: tuple[c.Expression, ...], context: Context
    ) -> Context:
        """Return the context inside of a definition."""
        if not definition.parameters:
            return context
        inner = dict(self.environment(context))
        for parameter, argument in zip(definition.parameters, arguments, strict=True):
            of_step = may_prime_parameters(definition.body)
            inner[parameter] = self.bound_argument(argument, context, of_step)
        return self.within(context, inner)

    def back(self, context: Context, inner: Iterator[Context]) -> Iterator[Context]:
        """Yield contexts with the environment that ``context`` has."""
        outside = self.environment(context)
        for one in inner:
            yield self.within(one, outside)

    def steps(self, node: c.Expression, context: Context) -> Iterator[Context]:
        """Yield a context for each way to satisfy an action."""
        env = self.environment(context)
        if not self.is_action(node, env) or (self.initial and self._settled(node, context)):
            yield from self.guarded(node, context, True)
            return
        match node:
            case c.Builtin():
                yield from self._builtin(node, context)
            case c.Quantifier() if node.kind is c.Quantification.EXISTS:
                for inner in self.chosen(node.bounds, context):
                    yield from self.back(context, self.steps(node.body, inner))
            case c.Quantifier():
                yield from self._for_each(node, context)
            case c.If():
                yield from self.either(
                    node.condition,
                    lambda inner: self.steps(node.then, inner),
                    lambda inner: self.steps(node.otherwise, inner),
                    context,
                )
            case c.Case():
                yield from self._case(node, context)
            case c.Let():
                yield from self.steps(node.body, context)
            case c.Call():
                inner = self.entered(node.definition, node.arguments, context)
                yield from self.back(context, self.steps(node.definition.body, inner))
            case c.LocalRef() if isinstance(env.get(node.binding), ByName):
                held = env[node.binding]
                inner = self.within(context, held.environment)
                yield from self.back(context, self.steps(held.body, inner))
            case c.CallParameter() if isinstance(env.get(node.binding), Closure):
                held = env[node.binding]
                inner_env = dict(held.environment)
                for parameter, argument in zip(held.parameters, node.arguments, strict=True):
                    of_step = may_prime_parameters(held.body)
                    inner_env[parameter] = self.bound_argument(argument, context, of_step)
                inner = self.within(context, inner_env)
                yield from self.back(context, self.steps(held.body, inner))
            case c.CallParameter() if isinstance(env.get(node.binding), BuiltinClosure):
                operator = env[node.binding].node.operator
                yield from self._builtin(c.Builtin(node.span, operator, node.arguments), context)
            case c.Unchanged():
                yield from self._unchanged(node.operand, context)
            case c.BoxAction():
                yield from self.steps(node.action, context)
                yield from self._unchanged(node.subscript, context)
            case c.Composition():
                hidden = frozenset(one.name for one in node.hidden)
                for middle in self.steps(node.first, context):
                    for inner in self.steps(node.second, middle):
                        yield self.without(hidden, inner)
            case c.AngleAction():
                changed = c.Builtin(
                    node.span, O.NOT_EQUAL, (c.Prime(node.span, node.subscript), node.subscript)
                )
                for inner in self.steps(node.action, context):
                    yield from self.guarded(changed, inner, True)
            case _:
                yield from self.guarded(node, context, True)

    def _conjunction(self, parts: tuple[c.Expression, ...], context: Context) -> Iterator[Context]:
        if not parts:
            yield context
            return
        for inner in self.steps(parts[0], context):
            yield from self._conjunction(parts[1:], inner)

    def _for_each(self, node: c.Quantifier, context: Context) -> Iterator[Context]:
        """Yield a context for each way to satisfy an action for each member of a set.

        Where the members cannot be told apart it is a guard, if it reads no next value but those
        that have been assigned; else they have to be told apart.
        """
        try:
            members = self.each(node.bounds, context)
        except TlaUnsupported as refused:
            try:
                found = list(self.guarded(node, context, True))
            except TlaError:
                self.require_names(node.bounds, context)
                raise refused from None
            yield from found
            yield from self.of_any(node, context)
            return
        environments = [self.environment(one) for one in members]
        yield from self._conjunction_in(node.body, environments, context)

    def of_any(self, node: c.Quantifier, context: Context) -> Iterator[Context]:
        """Yield more contexts for an action for each member of a set that is not constant."""
        yield from ()

    def _conjunction_in(
        self, node: c.Expression, environments: list[Environment], context: Context
    ) -> Iterator[Context]:
        if not environments:
            yield context
            return
        first = self.within(context, environments[0])
        for inner in self.back(context, self.steps(node, first)):
            yield from self._conjunction_in(node, environments[1:], inner)

    def _builtin(self, node: c.Builtin, context: Context) -> Iterator[Context]:
        arguments = node.arguments
        match node.operator:
            case O.AND:
                yield from self._conjunction(arguments, context)
                return
            case O.OR:
                for argument in arguments:
                    yield from self.steps(argument, context)
                return
            case O.IMPLIES:
                yield from self.alternative(arguments[0], context, False)
                for inner in self.alternative(arguments[0], context, True):
                    yield from self.steps(arguments[1], inner)
                return
            case O.EQUAL:
                name = self._target(arguments[0], context)
                if name is not None:
                    yield from self.assign(name, arguments[1], context)
                    return
            case O.IN:
                name = self._target(arguments[0], context)
                if name is not None and not self.assigned(context, name):
                    yield from self.assign_one_of(name, arguments[1], context)
                    return
        yield from self.guarded(node, context, True)

    def _target(self, node: c.Expression, context: Context) -> str | None:
        """Return the variable whose next value an expression is; None where it is none.

        As for TLC, `1 = x'`, `x' <=> b` and `<<x, y>>' = e` say of no variable what it becomes.
        """
        env = self.environment(context)
        match node:
            case c.Prime():
                return self._variable(node.operand, env)
            case c.VariableRef() if self.initial:
                return node.name
            case c.LocalRef() if isinstance(env.get(node.binding), ByName):
                held = env[node.binding]
                return self._target(held.body, self.within(context, held.environment))
            case c.Call() if not node.arguments:
                return self._target(node.definition.body, context)
        return None

    def _variable(self, node: c.Expression, env: Environment) -> str | None:
        match node:
            case c.VariableRef() | c.HiddenRef():
                return node.name
            case c.MiddleRef():
                return self._variable(node.after, env)
            case c.Call() if not node.arguments:
                return self._variable(node.definition.body, env)
            case c.LocalRef() if isinstance(env.get(node.binding), ByName):
                return self._variable(env[node.binding].body, env[node.binding].environment)
        return None

    def _unchanged(self, node: c.Expression, context: Context) -> Iterator[Context]:
        env = self.environment(context)
        match node:
            case c.VariableRef():
                yield from self.keep(node.name, node, context)
            case c.HiddenRef():
                yield from self.assign(node.name, node.variable.expression, context)
            case c.MiddleRef():
                name = self._variable(node.after, env)
                if name is not None:
                    yield from self.assign(name, node, context)
            case c.TupleLiteral():

                def rest(at: int, inner: Context) -> Iterator[Context]:
                    if at == len(node.elements):
                        yield inner
                        return
                    for one in self._unchanged(node.elements[at], inner):
                        yield from rest(at + 1, one)

                yield from rest(0, context)
            case c.Call() if not node.arguments:
                yield from self._unchanged(node.definition.body, context)
            case c.LocalRef() if isinstance(env.get(node.binding), ByName):
                held = env[node.binding]
                inner = self.within(context, held.environment)
                yield from self.back(context, self._unchanged(held.body, inner))
            case _:
                same = c.Builtin(node.span, O.EQUAL, (c.Prime(node.span, node), node))
                yield from self.guarded(same, context, True)

    def either(
        self,
        condition: c.Expression,
        then: Way[Context],
        otherwise: Way[Context],
        context: Context,
    ) -> Iterator[Context]:
        """Yield the contexts of one way to go on where a condition holds, and of another."""
        for inner in self.alternative(condition, context, True):
            yield from then(inner)
        for inner in self.alternative(condition, context, False):
            yield from otherwise(inner)

    def _case(self, node: c.Case, context: Context, at: int = 0) -> Iterator[Context]:
        if at < len(node.arms):
            arm = node.arms[at]
            yield from self.either(
                arm.guard,
                lambda inner: self.steps(arm.value, inner),
                lambda inner: self._case(node, inner, at + 1),
                context,
            )
        elif node.other is not None:
            yield from self.steps(node.other, context)
        else:
            self.without_arm(context)

    def without_arm(self, context: Context) -> None:
        """Take note that no arm of a CASE holds here: the action has no value."""
        return

    def _settled(self, node: c.Expression, context: Context) -> bool:
        """Tell whether every variable that an initial predicate reads has its value."""
        found = set(self.variables.of(node))
        env = self.environment(context)
        for binding in self.free.of(node):
            held = env.get(binding)
            if isinstance(held, ByName | Closure):
                found |= self.variables.of(held.body) | self._of_arguments(held)
        return all(self.assigned(context, name) for name in found)

    def _of_arguments(self, held: ByName | Closure) -> set[str]:
        found: set[str] = set()
        for binding in self.free.of(held.body):
            inner = held.environment.get(binding)
            if isinstance(inner, ByName | Closure):
                found |= self.variables.of(inner.body) | self._of_arguments(inner)
        return found
