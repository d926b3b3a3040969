"""What IC3 has to show: properties, and that bounds are never left, as goals over one state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bmc.engines.conjuncts import Conjunct, conjunct, within_bounds
from bmc.engines.ic3.after import After
from bmc.evidence.certificate import WITHIN_BOUNDS
from bmc.lang.properties import Kind, Property
from bmc.readings.circuit import Node, evaluate
from bmc.system.transition import Instance, TransitionSystem


@dataclass(frozen=True)
class Target:
    """A statement as formulas over a state: ``goals`` are enough to show where symmetry helps.

    A statement about steps is one about states: that no rule which can be taken breaks it.
    ``needs_step`` says that a violation is the step after the last state.
    """

    name: str
    goals: tuple[Node, ...]
    instances: tuple[Node, ...]
    needs_step: bool = False


def targets(system: TransitionSystem, stated: Iterable[Property]) -> list[Target]:
    """That bounds are never left, and the properties, in the order in which they are shown."""
    bounds = tuple(i.holds for i in within_bounds(system).instances)
    found = [Target(WITHIN_BOUNDS, bounds, bounds)]
    for one in stated:
        steps = one.kind is Kind.STEP_INVARIANT
        goals, instances = system.representatives(one), system.instances(one)
        if steps:
            found.append(
                Target(one.name, _over_steps(system, goals), _over_steps(system, instances), True)
            )
        else:
            found.append(Target(one.name, _formulas(goals), _formulas(instances)))
    return found


def conjunct_of(
    system: TransitionSystem, target: Target, stated: Mapping[str, Property]
) -> Conjunct:
    """Return what a certificate may name among its conjuncts, for a target that needs no step."""
    if target.name == WITHIN_BOUNDS:
        return within_bounds(system)
    return conjunct(system, stated[target.name])


def step_that_breaks(system: TransitionSystem, target: Target, numbers: Sequence[int]) -> list[int]:
    """Return the state after a step out of one that breaks a statement about steps."""
    held = evaluate(target.instances, numbers)
    rule = system.rules[held.index(0) % len(system.rules)]
    values = evaluate(list(rule.updates.values()), numbers)
    changed = dict(zip(rule.updates, values, strict=True))
    return [changed.get(index, old) for index, old in enumerate(numbers)]


def _formulas(instances: Sequence[Instance]) -> tuple[Node, ...]:
    return tuple(instance.holds for instance in instances)


def _over_steps(system: TransitionSystem, instances: Sequence[Instance]) -> tuple[Node, ...]:
    after, c = After(system), system.circuit
    return tuple(
        c.implies(after.taken(rule), after.across(instance.holds, rule))
        for instance in instances
        for rule in range(len(system.rules))
    )
