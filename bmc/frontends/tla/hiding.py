"""ENABLED in an instance: the next values that it asks for are those of the module's variables.

`ENABLED A` in a module with the variables v and w is `\\E v', w' : A`, so an INSTANCE of it puts
its expressions in the place of v and w, and not in that of the bound v' and w' (Specifying Systems,
section 17.8). With `v <- x, w <- x`, `ENABLED (v' = 0 /\\ w' = 1)` is TRUE, and ENABLED of the
substituted action is FALSE. Where different variables of the root module stand for all of them
there is no difference, and the action is read as it stands. Elsewhere it is elaborated once more,
in a copy of the instance in which each variable is hidden: `HiddenRef`.
"""

from __future__ import annotations

from collections.abc import Callable
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
    MissingName,
    OperatorName,
    Scope,
)
from .substitutions import Limit, not_by_a_variable
from .walk import children


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of an argument for a parameter that an action reads whose ENABLED hides."""

    enabled: Span
    most: Level = Level.CONSTANT

    def require_level(self, has: Level, span: Span) -> None:
        """Raise TlaUnsupported where what is given, at `span`, is no constant."""
        if has > self.most:
            raise TlaUnsupported(
                span,
                f"this varies, and is given to what stands in the ENABLED of line "
                f"{self.enabled.line}, in an instance of its module",
                "ENABLED would have to hide what is primed of it: write the action out there",
            )


class HidingResolver(CallResolver):
    """Resolves ENABLED."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self._copies: dict[InstanceName, Context] = {}
        self.asked: dict[c.Binding, Limit] = {}
        """The parameters whose arguments have to be constant."""

    def enabled(
        self, span: Span, scope: Scope, action: Callable[[Scope], c.Expression]
    ) -> c.Expression | None:
        """Return ENABLED of an action that hides variables; None where it hides none."""
        if scope.context.hidden is None:
            if not_by_a_variable(self.substituted, scope.context) is None:
                return None
            found = self._hiding(span, scope)
            if isinstance(found, c.Unsupported):
                return found
            inside, home = found
        else:
            inside, home = scope, []
        body = action(inside)
        if home:
            body = c.Let(span, tuple(home), body)
        self._ask(span, body, inside.context)
        hidden = inside.context.hidden
        assert hidden is not None
        return c.Enabled(span, body, tuple(one.variable for one in hidden.values()))

    def hidden(self, found: HiddenName, span: Span, scope: Scope) -> c.Expression:
        """Return a hidden variable."""
        if not found.variable.is_defined:
            named = t.Operation(span, (), found.name, (), span)
            found.variable.define(self.apply(found.entity, {}, named, scope))
        return c.HiddenRef(span, found.variable)

    def _hiding(self, span: Span, scope: Scope) -> tuple[Scope, list[c.Definition]] | c.Unsupported:
        """Return a scope in which variables are hidden, and where its LET's definitions go."""
        instance = scope.context.instance
        assert instance is not None, "only an instance puts something in a variable's place"
        context = self._copy(instance)
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
                        "ENABLED of an instance in a LET, in an instance of its module,",
                        "name that instance outside of the LET",
                    )
                case _:
                    names[name] = entity
        inside = inside.with_names(names)
        for entity in names.values():
            if isinstance(entity, OperatorName):
                entity.scope = inside
        return inside, home

    def _copy(self, instance: InstanceName) -> Context:
        """Return the context of an instance in which what stands for its variables is hidden."""
        if instance in self._copies:
            return self._copies[instance]
        before = instance.context
        assert before is not None
        hidden: dict[str, HiddenName] = {}

        def declare(span: Span, name: str, arity: int, is_variable: bool) -> Entity:
            entity = before.declare(span, name, arity, is_variable)
            if not is_variable or isinstance(entity, MissingName):
                return entity
            # No variable of the root module has such a name.
            variable = c.HiddenVariable(f"{before.prefix}{name} of {instance.unit.module.text}")
            return hidden.setdefault(name, HiddenName(name, entity, variable))

        made = replace(before, declare=declare, namespaces={}, hidden=hidden)
        self._copies[instance] = made
        self.exported(InstanceName(instance.unit, instance.scope, made))
        self._override(before, made)
        return made

    def _override(self, before: Context, made: Context) -> None:
        """Let the configuration replace in a copy what it replaces in the instance."""
        pairs = [
            (entity, made.namespaces[module].names[name])
            for module, namespace in before.namespaces.items()
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
