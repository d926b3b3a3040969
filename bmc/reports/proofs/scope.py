"""What a verdict leans on: the state constraint, and the bounds at which executions end.

That no action leaves the model's bounds is not among them: it is proven with every property, or
reported with the trace that leaves them.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from bmc.lang.protocol import parameters_of
from bmc.lang.show import show
from bmc.lang.suite import Suite
from bmc.reports.page import Page


@dataclass(frozen=True)
class Limit:
    """A parameter at whose value executions end that the protocol would go on with."""

    parameter: str
    value: int
    ends: str


@dataclass(frozen=True)
class Scope:
    """Of which executions the answers about a suite speak, at given parameters.

    ``constraint`` is the state constraint as text, None where there is none. ``notes`` say what
    else the answers are not about: what a suite says itself, and of a translated text what was left
    out and how far they were compared with it.
    """

    constraint: str | None
    limits: tuple[Limit, ...]
    notes: tuple[str, ...] = ()

    @staticmethod
    def of(suite: Suite, parameters: Mapping[str, int], asked: Container[str] = ()) -> Scope:
        """The scope of an answer of a suite, about the temporal claims that were asked for."""
        constraint = suite.model(ghosts=False).constraint
        return Scope(
            None if constraint.op == "bool" else show(constraint),
            tuple(
                Limit(p.name, parameters[p.name], p.ends)
                for p in parameters_of(suite.protocol)
                if p.ends
            ),
            (*suite.notes, *(() if suite.origin is None else suite.origin.notes(asked))),
        )


def write_scope(page: Page, scope: Scope) -> None:
    """No answer speaks of what lies outside, so it stands above all of them."""
    if scope.constraint is not None:
        page.line(f"  within the state constraint {scope.constraint}")
    if scope.limits:
        said = "; ".join(f"{limit.parameter}={limit.value}: {limit.ends}" for limit in scope.limits)
        page.line(f"  within bounds ({said})")
    for note in scope.notes:
        page.line(f"  {note}")
    if scope.constraint is not None or scope.limits or scope.notes:
        page.blank()


def scope_json(scope: Scope) -> dict[str, Any]:
    """A scope as JSON data."""
    return {
        "constraint": scope.constraint,
        "limits": [
            {"parameter": limit.parameter, "value": limit.value, "ends": limit.ends}
            for limit in scope.limits
        ],
        **({"notes": list(scope.notes)} if scope.notes else {}),
    }
