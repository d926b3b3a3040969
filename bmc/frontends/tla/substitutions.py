"""What an INSTANCE puts in the place of constants and variables, and the level that it may have.

A module with variables says of its constants that they do not change, so TLA+ lets only constant
expressions stand for these, and only state functions for variables; what stands for a constant of
a module without variables may be anything (Specifying Systems, section 17.8). TLC's parser refuses
all else. What the configuration replaces is not looked at, as TLC does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .errors import Span, TlaLevelError
from .levels import Level, definition_level, level
from .names import Entity, InstanceName, OperatorName, SubstitutedName, VariableName


@dataclass(frozen=True, slots=True)
class Substituted:
    """A CONSTANT or VARIABLE of an instantiated module, what stands for it, and where."""

    span: Span
    instance: InstanceName
    name: str
    is_variable: bool
    entity: Entity

    def require_level(self) -> None:
        """Raise TlaLevelError where what stands for it changes more than it may."""
        has = self._level()
        module = self.instance.unit.module.text
        if self.is_variable and has > Level.STATE:
            raise TlaLevelError(
                self.span,
                f"{self.name} is a variable of module {module}: its substitute has a prime",
                "let a state function stand for it",
            )
        if not self.is_variable and has > Level.CONSTANT:
            raise TlaLevelError(
                self.span,
                f"{self.name} is a constant of module {module}: its substitute changes",
                f"let a constant stand for it, or declare {self.name} as a VARIABLE there",
            )

    def _level(self) -> Level:
        match self.entity:
            case VariableName():
                return Level.STATE
            case SubstitutedName(expression=expression) if expression is not None:
                return level(expression)
            case OperatorName(definition=definition) if definition is not None:
                return definition_level(definition)
            case _:
                return Level.CONSTANT


def require_levels(substituted: Iterable[Substituted]) -> None:
    """Raise TlaLevelError at the first substitution that TLA+ does not allow."""
    found = list(substituted)
    with_variables = {one.instance for one in found if one.is_variable}
    for one in found:
        if one.instance in with_variables:
            one.require_level()
