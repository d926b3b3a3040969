"""What a specification assumes of its constants: nothing is said of it where that is false."""

from __future__ import annotations

from .errors import TlaError, TlaUnsupported
from .oracle.errors import EvaluationError
from .oracle.machine import Machine
from .specification import Specification

SECONDS = 10.0
"""Processor time for all of them; what takes longer is noted as not evaluated."""


class AssumptionFalse(TlaError):
    """An ASSUME is false at the constants of the configuration."""


def require_assumptions(specification: Specification) -> tuple[str, ...]:
    """Return a note for each ASSUME that has no value here or cannot be read.

    Raises AssumptionFalse, as TLC does.
    """
    if not specification.assumptions:
        return ()
    notes = []
    machine = Machine(specification, steps=False)
    with machine.limited(SECONDS):
        for named in specification.assumptions:
            place = named.expression.span
            try:
                holds = machine.assumes(named.expression)
            except (EvaluationError, TlaUnsupported) as error:
                called = named.name or "the ASSUME"
                notes.append(f"{called} in line {place.line} is NOT checked: {error.message}")
                continue
            if not holds:
                raise AssumptionFalse(
                    place,
                    f"{named.name or 'this ASSUME'} is false at the constants of the configuration",
                    "give constants that it allows: the specification says nothing of others",
                )
    return tuple(notes)
