"""What a PROPERTY is made of: its conjuncts, through the names that it calls, as TLC reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from . import core as c
from .operators import Operator
from .survey import reached, walk


def conjuncts(
    formula: c.Expression, whole: Callable[[c.Expression], bool] = lambda formula: False
) -> Iterator[c.Expression]:
    """Yield the conjuncts of a formula, those of what it names in the name's place.

    A conjunct of an operator's body is that operator with the conjunct as its body, at the same
    arguments, or the argument that it is; one under LET has the LET's definitions if it reads one,
    so that steps keep their names. Its own `[]` and `[A]_v` stand outside. What is ``whole`` is
    not taken apart, unless arguments or a LET stand around it.
    """
    match formula:
        case _ if whole(formula):
            yield formula
        case c.Builtin(operator=Operator.AND, arguments=parts):
            for part in parts:
                yield from conjuncts(part, whole)
        case c.Call(definition=definition, arguments=()) if not definition.is_recursive:
            yield from conjuncts(definition.body, whole)
        case _:
            yield from _seen_through(formula, conjuncts)


def elements(tuples: c.Expression) -> Iterator[c.Expression]:
    """Yield what a tuple of tuples holds that is none, through the names it calls."""
    match tuples:
        case c.TupleLiteral(elements=parts):
            for part in parts:
                yield from elements(part)
        case _:
            yield from _seen_through(tuples, elements)


def _seen_through(
    whole: c.Expression, apart: Callable[[c.Expression], Iterator[c.Expression]]
) -> Iterator[c.Expression]:
    match whole:
        case c.Call(definition=definition, arguments=given) if not definition.is_recursive:
            arguments = dict(zip(definition.parameters, given, strict=True))
            for part in apart(definition.body):
                if isinstance(part, c.LocalRef) and part.binding in arguments:
                    yield from apart(arguments[part.binding])
                else:
                    yield _around(part, lambda body: _called(definition, arguments, body))
        case c.Let(definitions=local, body=body):
            for part in apart(body):
                yield _around(part, lambda body: _within(local, body))
        case _:
            yield whole


def _around(part: c.Expression, put: Callable[[c.Expression], c.Expression]) -> c.Expression:
    match part:
        case c.Always(operand=operand):
            return c.Always(part.span, _around(operand, put))
        case c.BoxAction(action=action, subscript=subscript):
            return c.BoxAction(part.span, put(action), put(subscript))
        case _:
            return put(part)


def _called(
    definition: c.Definition, arguments: Mapping[c.Binding, c.Expression], body: c.Expression
) -> c.Expression:
    """Return an operator with another body at those of its arguments that this body reads.

    What it does not read may be about behaviours, and so would be the call that is given it.
    """
    bodies = [body, *(one.body for one in reached([body]))]
    read = {p.binding for p in walk(bodies) if isinstance(p, c.LocalRef | c.CallParameter)}
    given = {name: argument for name, argument in arguments.items() if name in read}
    if not given:
        return body
    made = replace(definition, parameters=tuple(given), _body=body)
    return c.Call(body.span, made, tuple(given.values()))


def _within(local: tuple[c.Definition, ...], body: c.Expression) -> c.Expression:
    return body if set(local).isdisjoint(reached([body])) else c.Let(body.span, local, body)
