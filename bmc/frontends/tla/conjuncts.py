"""What a PROPERTY is made of: its conjuncts, through the names that it calls, as TLC reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from . import core as c
from .operators import Operator


def conjuncts(formula: c.Expression) -> Iterator[c.Expression]:
    """Yield the conjuncts of a formula, those of what it names in the name's place.

    A conjunct of an operator's body is that operator with the conjunct as its body, at the same
    arguments; a conjunct's own `[]` and `[A]_v` stand outside of the call.
    """
    match formula:
        case c.Builtin(operator=Operator.AND, arguments=parts):
            for part in parts:
                yield from conjuncts(part)
        case c.Call(definition=definition, arguments=()) if not definition.is_recursive:
            yield from conjuncts(definition.body)
        case c.Call(definition=definition) if not definition.is_recursive:
            for part in conjuncts(definition.body):
                yield _at_arguments(formula, part)
        case _:
            yield formula


def _at_arguments(call: c.Call, part: c.Expression) -> c.Expression:
    match part:
        case c.Always(operand=operand):
            return c.Always(part.span, _at_arguments(call, operand))
        case c.BoxAction(action=action, subscript=subscript):
            return c.BoxAction(
                part.span, _at_arguments(call, action), _at_arguments(call, subscript)
            )
        case _:
            definition = replace(call.definition, _body=part)
            return c.Call(part.span, definition, call.arguments)
