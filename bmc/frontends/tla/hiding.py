"""ENABLED in an instance: the next values that it asks for are those of the module's variables.

`ENABLED A` in a module with the variables v and w is `\\E v', w' : A`, so an INSTANCE of it puts
its expressions in the place of v and w, and not in that of the bound v' and w' (Specifying Systems,
section 17.8). With `v <- x, w <- x`, `ENABLED (v' = 0 /\\ w' = 1)` is TRUE, and ENABLED of the
substituted action is FALSE. Where different variables of the root module stand for all of them
there is no difference, and the action is read as it stands. Elsewhere it is elaborated once more,
in a copy of the instance in which each variable is hidden: `HiddenRef`.

`A \\cdot B` is a step of A to some state and a step of B from there, so the primes of A and what B
reads without a prime are hidden variables: each action is elaborated in a copy of its context.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from . import core as c
from . import tree as t
from .calls import CallResolver
from .errors import Span, TlaUnsupported
from .levels import Level
from .modules import Library
from .names import (
    Context,
    Entity,
    HiddenName,
    InstanceName,
    MiddleName,
    MissingName,
    OperatorName,
    Scope,
)
from .substitutions import Limit, not_by_a_variable
from .survey import reached, walk
from .walk import children


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of an argument for a parameter that an action reads whose primes are hidden."""

    hiding: Span
    most: Level = Level.CONSTANT

    def require_level(self, has: Level, span: Span) -> None:
        """Raise TlaUnsupported where what is given, at `span`, is no constant."""
        if has > self.most:
            raise TlaUnsupported(
                span,
                f"this varies, and is given to what stands in line {self.hiding.line}, where next "
                "values are hidden",
                "what is primed of it would have to be hidden, too: write the action out there",
            )


def require_hidden(roots: Iterable[c.Expression]) -> None:
    """Raise TlaUnsupported where one of two composed actions has a variable that is not hidden.

    It comes from outside of what is copied: a replacement of the configuration in an instance, or
    what stands for a constant, or around a nested module.
    """
    every = list(roots)
    bodies = (definition.body for definition in reached(every))
    for composed in walk([*every, *bodies]):
        if isinstance(composed, c.Composition):
            for left in _not_hidden([composed.first, composed.second]):
                raise TlaUnsupported(
                    left.span,
                    f"{left.name} is in an action that is composed in line {composed.span.line}, "
                    "and comes from outside of its module",
                    "write the composed actions in the module that declares the variables",
                )


def _not_hidden(actions: Iterable[c.Expression]) -> Iterator[c.VariableRef]:
    seen: set[c.Expression] = set()
    waiting = list(actions)
    while waiting:
        one = waiting.pop()
        if one in seen or isinstance(one, c.HiddenRef | c.MiddleRef):
            continue
        seen.add(one)
        if isinstance(one, c.VariableRef):
            yield one
        if isinstance(one, c.Call | c.OperatorRef):
            waiting.append(one.definition.body)
        waiting.extend(children(one))


class HidingResolver(CallResolver):
    """Resolves what hides next values: ENABLED and \\cdot."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self._copies: dict[InstanceName, Context] = {}
        self._middles: dict[tuple[int, t.Module], tuple[Context, Context, Context]] = {}
        self._around: dict[int, frozenset[Span]] = {}
        self.asked: dict[c.Binding, Limit] = {}
        """The parameters whose arguments have to be constant."""

    def enabled(
        self, span: Span, scope: Scope, action: Callable[[Scope], c.Expression]
    ) -> c.Expression | None:
        """Return ENABLED of an action that hides variables; None where it hides none."""
        if scope.context.hidden is None:
            if not_by_a_variable(self.substituted, scope.context) is None:
                return None
            context = self._hiding(scope.context, scope.namespace.module)
            found = self._within(span, scope, context)
            if isinstance(found, c.Unsupported):
                return found
            inside, home = found
        else:
            inside, home = scope, []
        body = self._let_inside(span, action, inside, home)
        hidden = inside.context.hidden
        assert hidden is not None
        return c.Enabled(span, body, tuple(one.variable for one in hidden.values()))

    def composed(
        self,
        span: Span,
        scope: Scope,
        first: Callable[[Scope], c.Expression],
        second: Callable[[Scope], c.Expression],
    ) -> c.Expression:
        """Return two actions one after the other."""
        unlike = not_by_a_variable(self.substituted, scope.context)
        if unlike is not None:
            return c.Unsupported(
                span,
                f"\\cdot in an instance of a module with a variable {unlike.name} that another "
                "variable, or none, stands for,",
                "give every variable of the module a variable of its own",
            )
        around = self._around.get(id(scope.context.namespaces), frozenset())
        if span in around:
            return c.Unsupported(
                span,
                "\\cdot in a recursive operator, which composes its own steps,",
                "write out the steps that it composes",
            )
        before, after = self._middle(scope)
        copies = id(before.namespaces), id(after.namespaces)
        self._around |= dict.fromkeys(copies, around | {span})
        parts: list[c.Expression] = []
        for context, action in ((before, first), (after, second)):
            found = self._within(span, scope, context)
            if isinstance(found, c.Unsupported):
                return found
            parts.append(self._let_inside(span, action, *found))
        assert before.hidden is not None
        hidden = tuple(one.variable for one in before.hidden.values())
        return c.Composition(span, parts[0], parts[1], hidden)

    def hidden(self, found: HiddenName | MiddleName, span: Span, scope: Scope) -> c.Expression:
        """Return a variable of which something is hidden."""
        named = t.Operation(span, (), found.name, (), span)
        if isinstance(found, MiddleName):
            return c.MiddleRef(span, found.variable, self.apply(found.entity, {}, named, scope))
        if not found.variable.is_defined:
            found.variable.define(self.apply(found.entity, {}, named, scope))
        return c.HiddenRef(span, found.variable)

    def _let_inside(
        self,
        span: Span,
        action: Callable[[Scope], c.Expression],
        scope: Scope,
        home: list[c.Definition],
    ) -> c.Expression:
        """Return an action in a copy of its context, with the LET's definitions that it uses."""
        body = action(scope)
        if home:
            body = c.Let(span, tuple(home), body)
        self._ask(span, body, scope.context)
        return body

    def _within(
        self, span: Span, scope: Scope, context: Context
    ) -> tuple[Scope, list[c.Definition]] | c.Unsupported:
        """Return a scope in a copy of its context, and where its LET's definitions go."""
        namespace = context.namespaces[scope.namespace.module]
        home: list[c.Definition] = []
        inside = Scope(namespace, context)
        names: dict[str, Entity] = {}
        for name, entity in scope.locals.items():
            match entity:
                case OperatorName(is_in_let=True):
                    inside = Scope(namespace, context.within_let(home))
                    names[name] = OperatorName(
                        entity.unit, entity.scope, entity.is_recursive, is_in_let=True
                    )
                case OperatorName() | InstanceName():
                    return c.Unsupported(
                        span,
                        "what hides next values, where a LET has an INSTANCE,",
                        "name that instance outside of the LET",
                    )
                case _:
                    names[name] = entity
        inside = inside.with_names(names)
        for entity in names.values():
            if isinstance(entity, OperatorName):
                entity.scope = inside
        return inside, home

    def _hiding(self, context: Context, module: t.Module) -> Context:
        """Return a copy of an instance's context in which its variables are hidden."""
        instance = context.instance
        assert instance is not None, "only an instance puts something in a variable's place"
        if instance not in self._copies:
            assert instance.context is not None
            self._copies[instance] = self._hidden_copy(
                instance.context, module, f" of {instance.unit.module.text}"
            )
        return self._copies[instance]

    def _middle(self, scope: Scope) -> tuple[Context, Context]:
        """Return copies of a context before and after the state between two composed actions."""
        at = scope.context
        module = scope.namespace.module
        known = self._middles.get((id(at.namespaces), module))
        if known is not None:
            return known[1], known[2]
        number = len(self._middles) + 1
        first = self._hidden_copy(at, module, f" of the state between, {number}")
        hidden = first.hidden
        assert hidden is not None

        def declare(span: Span, name: str, arity: int, is_variable: bool) -> Entity:
            entity = at.declare(span, name, arity, is_variable)
            if not is_variable or name not in hidden:
                return entity
            return MiddleName(name, entity, hidden[name].variable)

        second = self._copied(at, module, replace(at, declare=declare, namespaces={}))
        self._middles[id(at.namespaces), module] = at, first, second
        return first, second

    def _hidden_copy(self, at: Context, module: t.Module, which: str) -> Context:
        hidden: dict[str, HiddenName] = {}

        def declare(span: Span, name: str, arity: int, is_variable: bool) -> Entity:
            entity = at.declare(span, name, arity, is_variable)
            if not is_variable or isinstance(entity, MissingName):
                return entity
            # No variable of the root module has such a name.
            variable = c.HiddenVariable(f"{at.prefix}{name}{which}")
            return hidden.setdefault(name, HiddenName(name, entity, variable))

        return self._copied(at, module, replace(at, declare=declare, namespaces={}, hidden=hidden))

    def _copied(self, before: Context, module: t.Module, made: Context) -> Context:
        """Return a context with the modules of the one that it is a copy of."""
        instance = made.instance
        if instance is None:
            # All of them: in a copy, too, what the configuration replaces may be another module's.
            for one in (module, *before.namespaces):
                self.namespace(one, made)
        else:
            self.exported(InstanceName(instance.unit, instance.scope, made))
        self._override(before, made)
        return made

    def _override(self, before: Context, made: Context) -> None:
        """Let the configuration replace in a copy what it replaces in the instance."""
        pairs = [
            (entity, made.namespaces[module].names[name])
            for module, namespace in before.namespaces.items()
            if module in made.namespaces
            for name, entity in namespace.names.items()
        ]
        copies = dict(pairs)
        for entity, copy in pairs:
            if entity in self.overrides:
                target = self.overrides[entity]
                self.overrides[copy] = copies.get(target, target)

    def _ask(self, span: Span, action: c.Expression, context: Context) -> None:
        """Ask of the parameters around an action that their arguments have no primes to hide."""
        own = set(context.parameters)
        read: set[c.Binding] = set()
        waiting = [action]
        while waiting:
            part = waiting.pop()
            match part:
                case c.HiddenRef():
                    continue
                case c.Lambda():
                    own.update(part.parameters)
                case c.Let():
                    own.update(p for one in part.definitions for p in one.parameters)
                case c.LocalRef() | c.CallParameter() if part.binding.is_parameter:
                    read.add(part.binding)
            waiting.extend(children(part))
        for binding in read - own:
            self.asked.setdefault(binding, Asked(span))
