"""A look at all that a configuration reaches: recursion that is not declared, levels, gaps."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

from . import core as c
from .errors import TlaLevelError, TlaNameError
from .levels import Level, level, parameters_of
from .walk import children


def survey(roots: Iterable[c.Expression]) -> None:
    """Raise TlaNameError where an undeclared recursion is, TlaLevelError for `x''`.

    And TlaLevelError where a recursive operator primes a parameter.
    """
    found = list(reached(roots))
    _require_declared(found)
    _require_unprimed(found)
    for definition in found:
        for part in walk([definition.body]):
            if isinstance(part, c.Prime | c.Unchanged) and level(part.operand) > Level.STATE:
                raise TlaLevelError(
                    part.span,
                    "what is primed has a prime already",
                    "a step has one next state: say which state is meant",
                )


def require_values(
    roots: Iterable[c.Expression], constants: Container[str], meant: Callable[[str], str | None]
) -> None:
    """Raise TlaNameError if a constant without a value is in what the roots reach.

    ``meant`` is asked which name of the configuration may be a constant's, misspelt.
    """
    every = list(roots)
    bodies = [definition.body for definition in reached(every)]
    without = [
        part
        for part in walk([*every, *bodies])
        if isinstance(part, c.ConstantRef) and part.name not in constants
    ]
    if without:
        first = min(without, key=lambda one: (one.span.file, one.span.line, one.span.column))
        other = meant(first.name)
        raise TlaNameError(
            first.span,
            f"the configuration gives {first.name} no value",
            f"write {first.name} = … among its CONSTANTS"
            + (f", where {other}, which is no constant, has a value" if other else ""),
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


def _require_declared(found: Iterable[c.Definition]) -> None:
    """Raise TlaNameError if a definition reaches itself with no RECURSIVE one on the way."""
    begun: set[c.Definition] = set()
    path: dict[c.Definition, Iterator[c.Definition]] = {}
    for start in found:
        if start.is_recursive or start in begun:
            continue
        begun.add(start)
        path[start] = iter(called(start))
        while path:
            here = next(reversed(path))
            other = next(path[here], None)
            if other is None:
                del path[here]
            elif other in path:
                raise _undeclared(other)
            elif not other.is_recursive and other not in begun:
                begun.add(other)
                path[other] = iter(called(other))


def _undeclared(found: c.Definition) -> TlaNameError:
    parameters = f"({', '.join('_' * len(found.parameters))})" if found.parameters else ""
    return TlaNameError(
        found.span,
        f"{found.name} is defined by itself",
        f"declare it before its definition: RECURSIVE {found.name}{parameters}",
    )


def _require_unprimed(found: Iterable[c.Definition]) -> None:
    """Raise TlaLevelError where a recursive operator primes what it is given, itself or by another.

    A recursion reads its arguments as values, and only a constant is its own next value.
    """
    recursive = [one for one in found if one.is_recursive and one.parameters]
    if not recursive:
        return
    primed: set[c.Binding] = set()
    varying: set[c.Binding] = set()
    given: list[tuple[c.Binding, frozenset[c.Binding]]] = []
    for part in walk(one.body for one in found):
        if isinstance(part, c.Prime | c.Unchanged):
            primed |= parameters_of(part.operand)
        elif isinstance(part, c.Call):
            for parameter, argument in zip(part.definition.parameters, part.arguments, strict=True):
                given.append((parameter, parameters_of(argument)))
                if level(argument) > Level.CONSTANT:
                    varying.add(parameter)
    before = -1
    while before != len(primed) + len(varying):
        before = len(primed) + len(varying)
        for parameter, inside in given:
            primed |= inside if parameter in primed else set()
            varying |= {parameter} if inside & varying else set()
    for one in recursive:
        for parameter in one.parameters:
            if parameter in primed & varying:
                raise TlaLevelError(
                    one.span,
                    f"the recursive operator {one.name} primes {parameter.name}, a parameter",
                    "prime the variable itself there: what a recursion is given is a value",
                )
