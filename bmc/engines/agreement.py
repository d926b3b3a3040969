"""Whether what several engines say of one property can all be true."""

from __future__ import annotations

from collections.abc import Mapping

from bmc.evidence.verdict import Contradiction, Result, Verdict


def require_agreement(name: str, said: Mapping[str, Result]) -> None:
    """Contradiction if two engines cannot both be right about a property.

    ``said`` has by engine its verdict, or the depth that it found clean so far.
    """
    for one, proof in said.items():
        if proof.verdict is not Verdict.PROVED:
            continue
        for other, result in said.items():
            if result.verdict is Verdict.VIOLATED:
                raise Contradiction(
                    f"{one} proves {name}, and {other} has a trace that violates it"
                )
            if result.overflow is not None and not result.of_history:
                raise Contradiction(
                    f"{one} proves {name}, and {other} has a trace that leaves the bounds, for "
                    "which there can be no proof"
                )
    for one, found in said.items():
        if found.verdict is not Verdict.VIOLATED or found.trace is None:
            continue
        steps = len(found.trace) - 1
        for other, result in said.items():
            clean = result.verdict is Verdict.UNKNOWN and result.depth is not None
            if clean and (result.depth or 0) >= steps:
                raise Contradiction(
                    f"{one} has a trace of {steps} steps that violates {name}, and {other} found "
                    f"none within {result.depth} steps"
                )
