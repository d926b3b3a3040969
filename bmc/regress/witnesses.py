"""Witnesses as engines can look for them: a state that must be reached violates its absence.

A state in which a witness has no value violates its absence as well, and is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

from bmc.engines.explicit import Exploration
from bmc.evidence.replay import reached_at_end
from bmc.evidence.trace import Trace
from bmc.lang.properties import Kind, PropertyDeclaration
from bmc.lang.suite import Suite
from bmc.lang.terms import boolean
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter


def with_witnesses_denied(suite: Suite) -> Suite:
    """The suite with each witness turned into the invariant that it is never reached."""
    denied = tuple(_denied(d) for d in suite.properties)
    # What is explained are witnesses, and there are none any more.
    return replace(suite, properties=denied, explained={})


def _denied(declared: PropertyDeclaration) -> PropertyDeclaration:
    if declared.kind is not Kind.WITNESS:
        return declared

    # Its signature and name are what a declaration reads.
    @wraps(declared.function)
    def never(*arguments: Any, **named: Any) -> Any:
        return ~boolean(declared.function(*arguments, **named))

    return PropertyDeclaration(
        never, Kind.INVARIANT, f"never: {declared.text}", "", declared.arguments
    )


def traces_in(found: Exploration) -> Mapping[str, Trace]:
    """Return the traces that violate a claim or reach a witness, by its name."""
    reached = {name: trace for name, trace in found.witnesses.items() if trace is not None}
    return {**found.violations, **reached}


def is_shown(suite: Suite, parameters: Mapping[str, int], name: str, trace: Trace) -> bool:
    """Return whether a trace that violates the absence of a witness reaches it.

    A trace that violates a claim shows what it shows.
    """
    declared = suite.find(name)
    if declared.kind is not Kind.WITNESS:
        return True
    model = suite.model(ghosts=suite.model(ghosts=True).ghosts <= trace.steps[-1].state.keys())
    interpreter = Interpreter(model, Domains(parameters))
    return reached_at_end(interpreter, trace, suite.describe(declared, model))
