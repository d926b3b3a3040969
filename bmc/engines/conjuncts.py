"""Conjuncts: what an induction assumes and proves, as ground formulas."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress

from bmc.evidence.certificate import WITHIN_BOUNDS, Statement
from bmc.lang.properties import Kind, Property
from bmc.readings.circuit import scalars_read
from bmc.system.transition import Instance, TransitionSystem


@dataclass(frozen=True)
class Conjunct:
    """One statement with its ground instances.

    ``instances`` are all of them; ``goals`` one from each orbit of the scalarsets, which is
    enough to prove as long as all instances of every conjunct are assumed. ``stated`` is None
    for :data:`WITHIN_BOUNDS`.
    """

    name: str
    stated: Property | None
    instances: tuple[Instance, ...]
    goals: tuple[Instance, ...]

    @property
    def of_steps(self) -> bool:
        """Whether it speaks of both states of a step: it is proved of steps, and never assumed."""
        return self.stated is not None and self.stated.kind is Kind.STEP_INVARIANT

    @property
    def statement(self) -> Statement:
        """How a certificate names it."""
        return Statement.bounds() if self.stated is None else Statement.of(self.stated)


def conjunct(system: TransitionSystem, stated: Property) -> Conjunct:
    """A property as a conjunct."""
    return Conjunct(stated.name, stated, system.instances(stated), system.representatives(stated))


def conjuncts(system: TransitionSystem, stated: Iterable[Property]) -> list[Conjunct]:
    """Properties as conjuncts, in order."""
    return [conjunct(system, one) for one in stated]


def within_bounds(system: TransitionSystem) -> Conjunct:
    """That no rule which is enabled leaves the model's bounds, an instance a rule."""
    negate = system.circuit.not_
    found = tuple(
        Instance(WITHIN_BOUNDS, (rule.action, *rule.arguments.values()), negate(rule.overflow))
        for rule in system.rules
        if rule.overflow is not system.circuit.false
    )
    return Conjunct(WITHIN_BOUNDS, None, found, found)


def within(one: Conjunct, cone: Container[int]) -> Conjunct:
    """Return a conjunct with those instances only that read nothing outside a cone."""
    kept = [all(n in cone for n in scalars_read([i.holds])) for i in one.instances]
    return replace(one, instances=tuple(compress(one.instances, kept)), goals=())


def names(found: Sequence[Conjunct]) -> tuple[str, ...]:
    """The names, in order."""
    return tuple(c.name for c in found)
