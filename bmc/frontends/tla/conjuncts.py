"""What a PROPERTY is made of: its conjuncts, through the names that it calls, as TLC reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from . import core as c
from .operators import Operator
from .survey import reached, walk


def conjuncts(formula: c.Expression) -> Iterator[c.Expression]:
    """Yield the conjuncts of a formula, those of what it names in the name's place.

    A conjunct of an operator's body is that operator with the conjunct as its body, at the same
    arguments, or the argument that it is; one under LET has the LET's definitions if it reads one,
    so that steps keep their names. Its own `[]` and `[A]_v` stand outside.
    """
    match formula:
        case c.Builtin(operator=Operator.AND, arguments=parts):
            for part in parts:
                yield from conjuncts(part)
        case c.Call(definition=definition, arguments=()) if not definition.is_recursive:
            yield from conjuncts(definition.body)
        case c.Call(definition=definition, arguments=given) if not definition.is_recursive:
            arguments = dict(zip(definition.parameters, given, strict=True))
            for part in conjuncts(definition.body):
                if isinstance(part, c.LocalRef):
                    yield from conjuncts(_called(definition, arguments, part))
                else:
                    yield _around(part, lambda body: _called(definition, arguments, body))
        case c.Let(definitions=local, body=body):
            for part in conjuncts(body):
                yield _around(part, lambda body: _within(local, body))
        case _:
            yield formula


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
    if isinstance(body, c.LocalRef):
        return arguments.get(body.binding, body)
    bodies = [body, *(one.body for one in reached([body]))]
    read = {p.binding for p in walk(bodies) if isinstance(p, c.LocalRef | c.CallParameter)}
    given = {name: argument for name, argument in arguments.items() if name in read}
    if not given:
        return body
    made = replace(definition, parameters=tuple(given), _body=body)
    return c.Call(body.span, made, tuple(given.values()))


def _within(local: tuple[c.Definition, ...], body: c.Expression) -> c.Expression:
    return body if set(local).isdisjoint(reached([body])) else c.Let(body.span, local, body)
