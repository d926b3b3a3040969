"""What a name at arguments is in Core: a call, a reference, a built-in operator."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple, assert_never

from . import core as c
from . import tree as t
from .errors import Span, TlaNameError
from .modules import Library
from .names import (
    BuiltinName,
    ConstantName,
    Entity,
    HiddenName,
    InstanceName,
    LocalName,
    MiddleName,
    MissingName,
    OperatorName,
    RefusedName,
    Scope,
    SubstitutedName,
    ValueName,
    VariableName,
    defined_twice,
)
from .operators import Operator
from .resolve import Resolver
from .standard import ARITY, OPERATOR_ARGUMENTS

_Leading = Mapping[c.Binding, c.Expression]


class _Written(NamedTuple):
    """A LAMBDA, and the scope that it is written in."""

    written: t.LambdaOf
    scope: Scope


class CallResolver(Resolver):
    """Resolves names at arguments; definitions are elaborated once, when they are first named."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self._pending: list[tuple[OperatorName, c.Definition]] = []

    @abstractmethod
    def expression(self, found: t.Expression, scope: Scope) -> c.Expression:
        """The Core of an expression."""

    @abstractmethod
    def elaborate_body(self, operator: OperatorName, definition: c.Definition) -> None:
        """Give a definition its body."""

    @abstractmethod
    def hidden(self, found: HiddenName | MiddleName, span: Span, scope: Scope) -> c.Expression:
        """Return a variable of which something is hidden."""

    def finish(self) -> None:
        """Elaborate the definitions that were named and wait for their bodies."""
        while self._pending:
            self.elaborate_body(*self._pending.pop())

    def definition(self, operator: OperatorName) -> c.Definition:
        """Return the definition of an operator, the same one each time."""
        if operator.definition is not None:
            return operator.definition
        unit, context = operator.unit, operator.scope.context
        if unit in self.replaced:
            # TLC replaces it in what the instance's operators read, and not in `I!Name` itself.
            name, module = unit.name.text, operator.scope.namespace.module.name
            raise TlaNameError(
                unit.span,
                f"the configuration replaces {name}, and an instance has that of {module} as well",
                f"write {name} <-[{module}], which replaces it in both, as in TLC",
            )
        own: tuple[c.Binding, ...] = ()
        if isinstance(unit, t.OperatorOf):
            own = tuple(c.Binding(p.span, p.name, p.arity, True) for p in unit.parameters)
        if not operator.is_in_let:
            own = (*context.parameters, *own)
        made = c.Definition(
            unit.span,
            unit.name.text if operator.is_in_let else context.prefix + unit.name.text,
            operator.scope.namespace.module.name,
            own,
            unit.is_local,
            operator.is_recursive,
        )
        operator.definition = made
        if context.home is None:
            self._pending.append((operator, made))
        else:
            context.home.append(made)
            self.elaborate_body(operator, made)
        return made

    def call(self, found: t.Operation, scope: Scope) -> c.Expression:
        """Return a name at arguments. Raises TlaNameError."""
        entity, leading = self._follow(found.path, found.name, found.place, scope)
        return self.apply(entity, leading, found, scope)

    def _follow(
        self, path: Sequence[t.Part], name: str, place: Span, scope: Scope
    ) -> tuple[Entity, dict[c.Binding, c.Expression]]:
        """Return what `A!B(e)!name` stands for, and the arguments of the instances on the way."""
        leading: dict[c.Binding, c.Expression] = {}
        if not path:
            return self.require(name, place, scope), leading
        known: Mapping[str, Entity] | None = None
        where = ""
        for part in path:
            if known is None:
                entity: Entity | None = self.require(part.name, part.span, scope)
            else:
                entity = known.get(part.name)
            where = f"{where}{part.name}!"
            if not isinstance(entity, InstanceName):
                if entity is None and known is not None:
                    raise self.unknown(part.name, part.span, list(known), where)
                return RefusedName(f"{where}{name}", "only instances have names after !"), leading
            known = self.exported(entity)
            own = entity.unit.parameters
            bindings = entity.context.parameters[-len(own) :] if own and entity.context else ()
            if len(part.arguments) != len(own):
                raise _wrong_number(part.span, part.name, len(own), len(part.arguments))
            for binding, argument in zip(bindings, part.arguments, strict=True):
                leading[binding] = self.argument(argument, binding.arity, scope)
        assert known is not None
        found = known.get(name)
        if found is None:
            raise self.unknown(name, place, list(known), where)
        return self.overrides.get(found, found), leading

    def piece(self, found: t.PieceOf, scope: Scope) -> c.Expression:
        """Return a part of a definition without parameters, by its numbers."""
        entity, leading = self._follow(found.path, found.name, found.place, scope)
        hint = "give that part of the definition a name of its own"
        refused = c.Unsupported(found.span, "this name for a part of a definition", hint)
        if not isinstance(entity, OperatorName) or not isinstance(entity.unit, t.OperatorOf):
            return refused
        if leading or entity.unit.parameters or entity.scope.context.parameters:
            return refused
        whole: t.Expression = entity.unit.body
        for number in found.numbers:
            parts = _pieces(whole)
            if not 0 < number <= len(parts):
                return refused
            whole = parts[number - 1]
        return self.expression(whole, entity.scope)

    def apply(
        self, entity: Entity, leading: _Leading, found: t.Operation, scope: Scope
    ) -> c.Expression:
        """Return an entity at the arguments of `found`."""
        span, given = found.span, found.arguments
        match entity:
            case OperatorName():
                definition = self.definition(entity)
                before = self._leading(entity, leading, span)
                own = definition.parameters[len(before) :]
                _require_number(span, found.name, len(own), len(given))
                arguments = [
                    self.argument(argument, parameter.arity, scope)
                    for parameter, argument in zip(own, given, strict=True)
                ]
                return c.Call(span, definition, (*before, *arguments))
            case BuiltinName(operator=operator):
                _require_number(span, found.name, ARITY[operator], len(given))
                arities = OPERATOR_ARGUMENTS.get(operator, {})
                kept = [self.argument(a, arities.get(i, 0), scope) for i, a in enumerate(given)]
                return c.Builtin(span, operator, tuple(kept))
            case LocalName(binding=binding):
                entity.used = True
                _require_number(span, found.name, binding.arity, len(given))
                if binding.arity == 0:
                    return c.LocalRef(span, binding)
                values = tuple(self.expression(argument, scope) for argument in given)
                return c.CallParameter(span, binding, values)
            case SubstitutedName():
                return self._substituted(entity, found, scope)
            case HiddenName() | MiddleName():
                _require_number(span, found.name, 0, len(given))
                return self.hidden(entity, span, scope)
            case InstanceName():
                raise TlaNameError(
                    span,
                    f"{found.name} is an instance, and no operator of it is named",
                    f"write {found.name}!Op, with the operator that is meant in place of Op",
                )
            case _:
                return self._plain(entity, found)

    def _plain(
        self,
        entity: ConstantName | VariableName | RefusedName | ValueName | MissingName,
        found: t.Operation,
    ) -> c.Expression:
        span = found.span
        match entity:
            case ConstantName(name=name, arity=arity):
                _require_number(span, name, arity, len(found.arguments))
                if arity:
                    raise TlaNameError(
                        span,
                        f"the constant operator {name} has no definition",
                        f"give it one in the configuration: {name} <- Operator",
                    )
                return c.ConstantRef(span, name)
            case VariableName(name=name):
                _require_number(span, name, 0, len(found.arguments))
                return c.VariableRef(span, name)
            case RefusedName(name=name, hint=hint):
                return c.Unsupported(span, name, hint)
            case ValueName(expression=expression):
                _require_number(span, entity.name, 0, len(found.arguments))
                return expression
            case MissingName(message=message):
                raise TlaNameError(span, message, "say what it is: INSTANCE … WITH name <- value")
            case _:
                assert_never(entity)

    def _leading(self, operator: OperatorName, leading: _Leading, span: Span) -> list[c.Expression]:
        """Return the arguments for the parameters of the instances around an operator."""
        if operator.is_in_let:
            return []
        return [
            leading.get(binding, c.LocalRef(span, binding))
            for binding in operator.scope.context.parameters
        ]

    def _substituted(
        self, entity: SubstitutedName, found: t.Operation, scope: Scope
    ) -> c.Expression:
        replacement = entity.replacement
        if not found.arguments:
            if entity.expression is None:
                entity.expression = self.expression(replacement, entity.scope)
            return entity.expression
        operator = self._operator(replacement, entity.scope)
        if isinstance(operator, _Written):
            bindings, body = self._lambda(operator)
            made = c.Definition(replacement.span, found.name, "", bindings)
            made.define(body)
            _require_number(found.span, found.name, len(bindings), len(found.arguments))
            values = tuple(self.expression(argument, scope) for argument in found.arguments)
            call = c.Call(found.span, made, values)
            around = operator.scope
            # It may read what the instance is given, or what is bound around it or its LET.
            is_open = around.locals or around.context.parameters or around.context.home is not None
            return c.Let(found.span, (made,), call) if is_open else call
        target, leading = operator
        return self.apply(target, leading, found, scope)

    # Operators as arguments.

    def argument(self, found: t.Expression, arity: int, scope: Scope) -> c.Expression:
        """Return an argument, an operator of `arity` arguments or a value if that is 0."""
        if arity == 0:
            return self.expression(found, scope)
        operator = self._operator(found, scope)
        if isinstance(operator, _Written):
            bindings, body = self._lambda(operator)
            _require_number(found.span, "this LAMBDA", arity, len(bindings), "an operator")
            return c.Lambda(found.span, bindings, body)
        entity, leading = operator
        return self._as_operator(entity, leading, found, arity)

    def _lambda(self, operator: _Written) -> tuple[tuple[c.Binding, ...], c.Expression]:
        """Return the parameters and the body of a LAMBDA, each time with parameters of its own."""
        written = operator.written
        bindings = tuple(c.Binding(p.span, p.name, 0, True) for p in written.parameters)
        return bindings, self.lambda_body(written, bindings, operator.scope)

    def lambda_body(
        self, written: t.LambdaOf, bindings: Sequence[c.Binding], scope: Scope
    ) -> c.Expression:
        """Return the body of a LAMBDA over its parameters."""
        return self.expression(written.body, self.with_bindings(scope, bindings))

    @staticmethod
    def with_bindings(scope: Scope, bindings: Sequence[c.Binding]) -> Scope:
        """Return the scope with parameters. Raises TlaNameError if one is a name of something."""
        for place, binding in enumerate(bindings):
            scope.require_new(binding.name, binding.span)
            if any(one.name == binding.name for one in bindings[:place]):
                raise defined_twice(binding.name, binding.span, binding.span)
        return scope.with_names({binding.name: LocalName(binding) for binding in bindings})

    def _operator(
        self, found: t.Expression, scope: Scope
    ) -> tuple[Entity, dict[c.Binding, c.Expression]] | _Written:
        """Return the entity that an operator argument names, or the LAMBDA that it is."""
        match found:
            case t.LambdaOf():
                return _Written(found, scope)
            case t.SignArgument(name=name):
                return self.require(name, found.span, scope), {}
            case t.Operation(arguments=()):
                entity, leading = self._follow(found.path, found.name, found.place, scope)
                if isinstance(entity, SubstitutedName):
                    return self._operator(entity.replacement, entity.scope)
                return entity, leading
            case _:
                raise _no_operator(found.span)

    def _as_operator(
        self,
        entity: Entity,
        leading: _Leading,
        found: t.Expression,
        arity: int,
    ) -> c.Expression:
        span = found.span
        match entity:
            case OperatorName():
                definition = self.definition(entity)
                before = self._leading(entity, leading, span)
                own = definition.parameters[len(before) :]
                _require_number(span, definition.name, arity, len(own), "an operator")
                if not before:
                    return c.OperatorRef(span, definition)
                fresh = tuple(c.Binding(span, b.name, b.arity, True) for b in own)
                passed = tuple(c.LocalRef(span, binding) for binding in fresh)
                return c.Lambda(span, fresh, c.Call(span, definition, (*before, *passed)))
            case BuiltinName(operator=operator):
                wanted = _binary(operator, arity)
                _require_number(span, operator.value, arity, ARITY[wanted], "an operator")
                return c.BuiltinRef(span, wanted)
            case LocalName(binding=binding):
                entity.used = True
                _require_number(span, binding.name, arity, binding.arity, "an operator")
                return c.LocalRef(span, binding)
            case RefusedName(name=name, hint=hint):
                return c.Unsupported(span, name, hint)
            case _:
                raise _no_operator(span)


def _pieces(whole: t.Expression) -> Sequence[t.Expression]:
    """Return what `!1`, `!2`, … name in an expression; none where that is not sure.

    A list of /\\ or \\/ has its items, an operator its arguments. What is written in a line is
    nested to the left: of `a /\\ b /\\ c` the first part is `a /\\ b`.
    """
    match whole:
        case t.Junction(items=items):
            first = items[0].span
            in_line = (first.line, first.column) == (whole.span.line, whole.span.column)
            return () if in_line and len(items) > 2 else items
        case t.Operation(arguments=arguments):
            return arguments
    return ()


def _binary(operator: Operator, arity: int) -> Operator:
    """Return the operator that a sign names at so many arguments: `-` is two of them."""
    if operator is Operator.NEGATE and arity == 2:
        return Operator.MINUS
    return operator


def _require_number(span: Span, name: str, wanted: int, given: int, what: str = "") -> None:
    if wanted != given:
        raise _wrong_number(span, name, wanted, given, what)


def _wrong_number(span: Span, name: str, wanted: int, given: int, what: str = "") -> TlaNameError:
    number = "1 argument" if wanted == 1 else f"{wanted} arguments"
    if what:
        return TlaNameError(
            span,
            f"{what} of {number} is wanted here, and {name} has {given}",
            f"name an operator of {number}, or write a LAMBDA",
        )
    return TlaNameError(
        span,
        f"{name} takes {number} and is given {given}",
        f"write {name} with {number}, as its definition has it"
        if wanted
        else f"write {name} alone",
    )


def _no_operator(span: Span) -> TlaNameError:
    return TlaNameError(
        span,
        "a value stands here where an operator is wanted",
        "name an operator, or write LAMBDA x : …",
    )
