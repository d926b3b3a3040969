"""A specification's fairness at given parameters: the rules or steps each condition speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from bmc.lang.temporal import Fairness, FairSteps, Specification
from bmc.readings.circuit import Node, Substitution
from bmc.readings.expand import Expanded
from bmc.system.transition import Rule, TransitionSystem

NO_FAIR_BEHAVIOUR = "no behaviour meets the fairness conditions: every claim would hold vacuously"
NONE_WITHIN_LIMITS = (
    "every behaviour that meets the fairness conditions leaves the constraint: "
    "every claim would hold vacuously"
)
OF_NOTHING = frozenset({NO_FAIR_BEHAVIOUR, NONE_WITHIN_LIMITS})
"""Why a claim is about no behaviour at all, as the graph of all states says."""


@dataclass(frozen=True)
class FairRules:
    """A fairness condition at values of its arguments: the numbers of the rules it asks for."""

    strong: bool
    rules: tuple[int, ...]


@dataclass(frozen=True)
class FairFormulas:
    """A fairness condition at values of its arguments, of the steps that a formula says.

    ``enabled`` is a formula of the state, ``step`` one of the step out of it, which has to change
    something besides. Each may be without a value; then nothing is known of any behaviour.
    """

    condition: FairSteps
    enabled: Expanded
    step: Expanded

    @property
    def strong(self) -> bool:
        """Whether what is enabled again and again has to be taken."""
        return self.condition.strong


def fair_conditions(
    system: TransitionSystem, specification: Specification
) -> Iterator[FairRules | FairFormulas]:
    """Yield every condition of a specification, at each choice of its arguments."""
    for one in specification.fairness:
        if isinstance(one, FairSteps):
            yield from _formulas(system, one)
        else:
            yield from _instances(system, one)


def _formulas(system: TransitionSystem, one: FairSteps) -> Iterator[FairFormulas]:
    for values in product(*(system.domains.values(each.sort) for each in one.arguments)):
        pairs = zip(one.arguments, values, strict=True)
        known = {each: system.shapes.constant(each.sort, value) for each, value in pairs}
        expand = system.expander.expand
        yield FairFormulas(one, expand(one.enabled, known), expand(one.step, known))


def _instances(system: TransitionSystem, fairness: Fairness) -> Iterator[FairRules]:
    own = [n for n, rule in enumerate(system.rules) if rule.action in fairness.actions]
    action = next(a for a in system.model.actions if a.name == fairness.actions[0])
    sorts = {a.name: a.variable.sort for a in action.arguments}
    for values in product(*(system.domains.values(sorts[name]) for name in fairness.per)):
        chosen = dict(zip(fairness.per, values, strict=True))
        found = [
            n
            for n in own
            if all(system.rules[n].arguments[name] == v for name, v in chosen.items())
        ]
        yield FairRules(fairness.strong, tuple(found))


def enabled(system: TransitionSystem, rules: tuple[int, ...]) -> Node:
    """Return that one of these rules can be taken, inside the constraint, to another state."""
    return system.circuit.any(_enabled(system, system.rules[number]) for number in rules)


def _enabled(system: TransitionSystem, rule: Rule) -> Node:
    circuit = system.circuit

    def afterwards(scalar: Node) -> Node:
        return rule.updates.get(scalar.data, scalar)

    changed = [
        circuit.not_(system.shapes.equal(system.leaf_node(index), node))
        for index, node in rule.updates.items()
    ]
    inside = Substitution(circuit, afterwards)(system.constraint)
    return circuit.and_(rule.guard, circuit.not_(rule.overflow), circuit.any(changed), inside)
