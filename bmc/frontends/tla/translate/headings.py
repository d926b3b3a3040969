"""What TLC prints above a state: the action, the arguments of its definition, its place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.errors import Span
from bmc.frontends.tla.layout import Layout
from bmc.frontends.tla.translate.lazy import Lazy, RecordValue, TupleValue
from bmc.frontends.tla.translate.translator import Context
from bmc.lang.terms import Term
from bmc.layout.domain import Domains
from bmc.readings.value import Evaluator

_NOWHERE = Span("", 1, 1, 1, 1)


class _NotSaid(Exception):
    """An operand that is not known from the arguments of a step."""


@dataclass(frozen=True)
class Heading:
    """A disjunct of the next-state relation as TLC names it.

    ``parameters`` are those of the definition that names it, ``operands`` what they stand for in
    this disjunct.
    """

    name: str
    parameters: tuple[c.Binding, ...] = ()
    span: Span = _NOWHERE
    operands: tuple[Lazy, ...] = ()

    def at(self, span: Span, context: Context) -> Heading:
        """Return the heading of a disjunct at its place."""
        operands = tuple(context.environment.get(one) for one in self.parameters)
        return replace(self, span=span, operands=operands)

    def text(self, layout: Layout, chosen: dict[Term, Any]) -> str:
        """Return ``Elect(s1) line 26, col 5 to line 30, col 38 of module Backup``.

        ``chosen`` are the values of the action's arguments. Where they do not say what one of the
        definition's own is (an operator, a function made of several values), none is written.
        """
        span = self.span
        called = self.name
        if self.operands:
            try:
                known = [v.show(_value(one, layout, chosen)) for one in self.operands]
                called = f"{called}({','.join(known)})"
            except _NotSaid:
                pass
        # TLC counts the last column in.
        end = f"line {span.end_line}, col {span.end_column - 1}"
        module = Path(span.file).stem
        return f"{called} line {span.line}, col {span.column} to {end} of module {module}"


def _value(held: Lazy, layout: Layout, chosen: dict[Term, Any]) -> Any:
    match held:
        case Term() if all(one in chosen for one in held.free):
            value = Evaluator(Domains({})).evaluate(held, {}, chosen)
            return layout.decode(value, held.sort)
        case TupleValue(parts=parts):
            return tuple(_value(part, layout, chosen) for part in parts)
        case RecordValue(fields=fields):
            return v.record(**{n: _value(part, layout, chosen) for n, part in fields.items()})
        case int() | str() | frozenset() | tuple() | v.Boolean() | v.ModelValue():
            return held
        case _:
            raise _NotSaid
