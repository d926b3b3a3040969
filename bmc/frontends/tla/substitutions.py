"""What an INSTANCE puts in the place of constants and variables, and the level that it may have.

A module with variables says of its constants that they do not change, so TLA+ lets only constant
expressions stand for these, and only state functions for variables; what stands for a constant of
a module without variables may be anything (Specifying Systems, section 17.8). Where a parameter
stands in the substitute, as in `I(p) == INSTANCE M WITH C <- p`, that is asked of whatever is
given for it, `I(e)!Op` or `Op(p) == I(p)!Op` and `Op(e)`. TLC's parser refuses all else. What the
configuration replaces is not looked at, as TLC does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from . import core as c
from . import tree as t
from .errors import Span, TlaLevelError
from .levels import Level, definition_level, level
from .names import (
    Context,
    Entity,
    InstanceName,
    LocalName,
    OperatorName,
    SubstitutedName,
    VariableName,
)
from .survey import reached, walk


class Limit(Protocol):
    """What is asked of a parameter's arguments."""

    @property
    def most(self) -> Level:
        """The level that they may have."""

    def require_level(self, has: Level, span: Span) -> None:
        """Raise TlaError where one has another level."""


@dataclass(frozen=True, slots=True)
class Substituted:
    """A CONSTANT or VARIABLE of an instantiated module, what stands for it, and where."""

    span: Span
    instance: InstanceName
    name: str
    is_variable: bool
    entity: Entity

    @property
    def most(self) -> Level:
        """The level that its substitute may have."""
        return Level.STATE if self.is_variable else Level.CONSTANT

    def require_level(self, has: Level, span: Span) -> None:
        """Raise TlaLevelError where what stands for it, at `span`, changes more than it may."""
        module = self.instance.unit.module.text
        if has <= self.most:
            return
        if self.is_variable:
            raise TlaLevelError(
                span,
                f"{self.name} is a variable of module {module}: its substitute has a prime",
                "let a state function stand for it",
            )
        raise TlaLevelError(
            span,
            f"{self.name} is a constant of module {module}: its substitute changes",
            f"let a constant stand for it, or declare {self.name} as a VARIABLE there",
        )

    def level(self) -> Level:
        """Return the level of what stands for it, parameters taken as constants."""
        match self.entity:
            case VariableName():
                return Level.STATE
            case SubstitutedName(expression=expression) if expression is not None:
                return level(expression)
            case OperatorName(definition=definition) if definition is not None:
                return definition_level(definition)
            case _:
                return Level.CONSTANT

    def parameters(self) -> Iterator[c.Binding]:
        """Yield the parameters that stand in what stands for it."""
        match self.entity:
            case LocalName(binding=binding) if binding.is_parameter:
                yield binding
            case SubstitutedName(expression=expression) if expression is not None:
                yield from _parameters(expression)


def require_levels(substituted: Iterable[Substituted], roots: Iterable[c.Expression]) -> None:
    """Raise TlaLevelError at the first substitution in what the roots reach that is not allowed."""
    found = list(substituted)
    with_variables = {one.instance for one in found if one.is_variable}
    asked = [one for one in found if one.instance in with_variables]
    limits: dict[c.Binding, Limit] = {}
    for one in asked:
        one.require_level(one.level(), one.span)
        for parameter in one.parameters():
            _limit(limits, parameter, one)
    require_arguments(limits, roots)


def not_by_a_variable(found: Iterable[Substituted], context: Context) -> Substituted | None:
    """Return a variable of this instance that no variable stands for, or one that another has too.

    None where different variables stand for all of them.
    """
    named: dict[VariableName, str] = {}
    for one in found:
        at = one.instance.context
        # Inside a LET a context is a copy, of the same names.
        if one.is_variable and at is not None and at.namespaces is context.namespaces:
            variable = _variable(one.entity)
            if variable is None or named.setdefault(variable, one.name) != one.name:
                return one
    return None


def _variable(entity: Entity | None) -> VariableName | None:
    """Return the variable that an entity is, however many instances give it another name."""
    match entity:
        case VariableName():
            return entity
        case SubstitutedName(replacement=t.Operation(path=(), name=name, arguments=()), scope=at):
            return _variable(at.find(name))
        case _:
            return None


def require_arguments(limits: dict[c.Binding, Limit], roots: Iterable[c.Expression]) -> None:
    """Ask of arguments what is asked of parameters, and of the parameters that stand in them."""
    if not limits:
        return
    every = list(roots)
    bodies = (definition.body for definition in reached(every))
    calls = [part for part in walk([*every, *bodies]) if isinstance(part, c.Call)]
    before: Mapping[c.Binding, Limit] | None = None
    while before != limits:
        before = dict(limits)
        for call in calls:
            for parameter, argument in zip(call.definition.parameters, call.arguments, strict=True):
                limit = limits.get(parameter)
                if limit is not None:
                    limit.require_level(level(argument), argument.span)
                    for inner in _parameters(argument):
                        _limit(limits, inner, limit)


def _limit(limits: dict[c.Binding, Limit], parameter: c.Binding, given: Limit) -> None:
    """Ask of a parameter what is asked of what it stands in, unless more is asked already."""
    known = limits.get(parameter)
    if known is None or given.most < known.most:
        limits[parameter] = given


def _parameters(expression: c.Expression) -> Iterator[c.Binding]:
    for part in walk([expression]):
        if isinstance(part, c.LocalRef | c.CallParameter) and part.binding.is_parameter:
            yield part.binding
