"""A claim that is false at the end of a trace, quoted from the text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bmc.lang.quotation import Quotation, QuotedPart

from . import core as c
from .errors import Span, TlaError
from .excerpt import excerpt
from .oracle.machine import Machine, State
from .oracle.obligations import obligations
from .oracle.reasons import Atom, Reasons
from .specification import Specification
from .values import show

_SECONDS = 2.0
"""Processor time for a remark on a verdict that is known already."""
_SIGNS = {"\\leq": "<=", "\\geq": ">="}
_LINES = 12
_WIDEST = 110


def quotation(
    specification: Specification, name: str, before: State, after: State
) -> Quotation | None:
    """Return what a claim says that is false in the second state, or of the step to it.

    None for what no text says (a deadlock), for a configuration that is not as it was read, and
    where the evaluation takes too long.
    """
    claims = obligations(specification)
    machine, texts = Machine(specification), specification.texts
    try:
        with machine.limited(_SECONDS):
            for one in (*specification.lemmas, *claims.invariants):
                if one.name == name and not machine.holds(one.expression, after):
                    return _quoted(machine, texts, one.expression, after, None)
            for one in claims.steps:
                if one.name == name and not machine.holds_of_step(one.expression, before, after):
                    return _quoted(machine, texts, one.expression, before, after)
    except (TlaError, OSError, UnicodeDecodeError):
        return None
    return None


def _quoted(
    machine: Machine,
    texts: Mapping[str, str],
    formula: c.Expression,
    before: State,
    after: State | None,
) -> Quotation:
    reason = Reasons(machine).of(formula, before, after)
    span = reason.conjunct.span
    return Quotation(
        f"{Path(span.file).name}:{span.line}",
        _lines(span, texts),
        tuple((name, show(value)) for name, value in reason.chosen),
        tuple(
            QuotedPart(_line(atom.formula.span, texts), atom.truth, _values(atom))
            for atom in reason.atoms
        ),
    )


def _lines(span: Span, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return what stands in the text there, as many lines of it as a reader wants to see."""
    lines = excerpt(span, texts)
    return tuple(lines if len(lines) <= _LINES else [*lines[: _LINES - 1], "…"])


def _line(span: Span, texts: Mapping[str, str]) -> str:
    return _cut(" ".join(" ".join(_lines(span, texts)).split()))


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _values(atom: Atom) -> str:
    if not isinstance(atom.formula, c.Builtin) or len(atom.operands) != 2:
        return ""
    left, right = map(show, atom.operands)
    sign = atom.formula.operator.value
    return _cut(f"{left} {_SIGNS.get(sign, sign)} {right}")
