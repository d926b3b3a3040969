"""A fault to plant, as one line of bmc written otherwise, and the probes that look at it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """In ``module`` the text ``old``, which occurs once, becomes ``new``; ``probes`` look at it."""

    name: str
    module: str
    old: str
    new: str
    probes: tuple[str, ...]


def planted(name: str, module: str, old: str, new: str, *probes: str) -> Mutant:
    return Mutant(name, f"bmc.{module}", old, new, probes)
