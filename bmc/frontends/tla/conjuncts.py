"""What a PROPERTY is made of: its conjuncts, through the names that it calls, as TLC reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from . import core as c
from .operators import Operator


def conjuncts(formula: c.Expression) -> Iterator[c.Expression]:
    """Yield the conjuncts of a formula, those of what it names in the name's place.

    A conjunct of an operator's body is that operator with the conjunct as its body, at the same
    arguments, and one under LET has the LET's definitions. Its own `[]` and `[A]_v` stand outside.
    """
    match formula:
        case c.Builtin(operator=Operator.AND, arguments=parts):
            for part in parts:
                yield from conjuncts(part)
        case c.Call(definition=definition, arguments=()) if not definition.is_recursive:
            yield from conjuncts(definition.body)
        case c.Call(definition=definition, arguments=given) if not definition.is_recursive:
            for part in conjuncts(definition.body):
                yield _around(
                    part, lambda body: c.Call(body.span, replace(definition, _body=body), given)
                )
        case c.Let(definitions=local, body=body):
            for part in conjuncts(body):
                yield _around(part, lambda body: c.Let(body.span, local, body))
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
