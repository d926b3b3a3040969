"""Witnesses as engines can look for them: a state that must be reached violates its absence."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import Any

from bmc.lang.properties import Kind, PropertyDeclaration
from bmc.lang.suite import Suite
from bmc.lang.terms import boolean


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
    def never(*arguments: Any) -> Any:
        return ~boolean(declared.function(*arguments))

    return PropertyDeclaration(
        never, Kind.INVARIANT, f"never: {declared.text}", "", declared.arguments
    )
