"""What has to be preserved by every step, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from bmc.analysis.mining.candidates import Candidate
from bmc.analysis.mining.consecution import BreakingStep
from bmc.engines.conjuncts import Conjunct
from bmc.lang.properties import Property
from bmc.readings.circuit import evaluate
from bmc.system.transition import TransitionSystem


@dataclass
class Objective:
    """Something to be preserved: a target or a lemma. ``needs`` names what its steps lean on."""

    one: Conjunct
    candidate: Candidate | None = None
    needs: set[str] = field(default_factory=set)
    closed: bool = False


@dataclass(frozen=True)
class OpenNode:
    """Something that is not preserved, as far as is known: by ``action``, say, in a step between
    two states. There is no step where the search had no time to look for one."""

    name: str
    lemma: Property | None
    action: str | None
    broken: BreakingStep | None


def action_of(system: TransitionSystem, broken: BreakingStep) -> str | None:
    """Return the name of an action that takes a step."""
    numbers, after = broken.left, list(broken.reached)
    for rule in system.rules:
        (taken,) = evaluate([rule.guard], numbers)
        values = evaluate(list(rule.updates.values()), numbers)
        changed = dict(zip(rule.updates, values, strict=True))
        if taken and [changed.get(i, x) for i, x in enumerate(numbers)] == after:
            return rule.action
    return None
