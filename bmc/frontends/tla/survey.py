"""A look at all that a configuration reaches: recursion that is not declared, levels, gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from . import core as c
from .errors import TlaLevelError, TlaNameError
from .levels import Level, level
from .walk import children


def survey(roots: Iterable[c.Expression]) -> None:
    """Raise TlaNameError where an undeclared recursion is, TlaLevelError for `x''`."""
    found = list(reached(roots))
    for definition in found:
        _require_declared(definition)
    for definition in found:
        for part in walk([definition.body]):
            if isinstance(part, c.Prime | c.Unchanged) and level(part.operand) > Level.STATE:
                raise TlaLevelError(
                    part.span,
                    "what is primed has a prime already",
                    "a step has one next state: say which state is meant",
                )


def unsupported(roots: Iterable[c.Expression]) -> list[c.Unsupported]:
    """Return the constructs without a meaning in all that the roots reach, in the text's order."""
    every = list(roots)
    bodies = [definition.body for definition in reached(every)]
    found = {part for part in walk([*every, *bodies]) if isinstance(part, c.Unsupported)}
    return sorted(found, key=lambda one: (one.span.file, one.span.line, one.span.column))


def reached(roots: Iterable[c.Expression]) -> Iterator[c.Definition]:
    """Yield the definitions that expressions call, directly or through others, each once."""
    seen: set[c.Definition] = set()
    waiting = list(roots)
    while waiting:
        for part in walk([waiting.pop()]):
            definitions: tuple[c.Definition, ...] = ()
            if isinstance(part, c.Call | c.OperatorRef):
                definitions = (part.definition,)
            elif isinstance(part, c.Let):
                definitions = part.definitions
            for definition in definitions:
                if definition not in seen:
                    seen.add(definition)
                    waiting.append(definition.body)
                    yield definition


def walk(roots: Iterable[c.Expression]) -> Iterator[c.Expression]:
    """Yield the expressions and all their parts, not what they call; each object once."""
    seen: set[c.Expression] = set()
    waiting = list(roots)
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            yield one
            waiting.extend(children(one))


def called(definition: c.Definition) -> set[c.Definition]:
    """Return the definitions that a definition calls itself."""
    return {
        part.definition
        for part in walk([definition.body])
        if isinstance(part, c.Call | c.OperatorRef)
    }


def _require_declared(start: c.Definition) -> None:
    """Raise TlaNameError if `start` reaches itself with no RECURSIVE operator on the way."""
    if start.is_recursive:
        return
    seen: set[c.Definition] = set()
    waiting = [start]
    while waiting:
        for other in called(waiting.pop()):
            if other is start:
                raise TlaNameError(
                    start.span,
                    f"{start.name} is defined by itself",
                    f"declare it before its definition: RECURSIVE {start.name}"
                    + (f"({', '.join('_' * len(start.parameters))})" if start.parameters else ""),
                )
            if other not in seen and not other.is_recursive:
                seen.add(other)
                waiting.append(other)
