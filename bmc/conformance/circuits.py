"""What an event says of a part of the state, as a circuit: Claim.holds of all states at once."""

from __future__ import annotations

from typing import assert_never

from bmc.conformance.checks import Claim, Comparison
from bmc.conformance.paths import FieldStep
from bmc.lang.build import argument, at, lookup, member, the
from bmc.lang.sorts import AnySet, KeyedSetSort, OptionSort, RecordSort, Sort
from bmc.lang.terms import Term, field, select
from bmc.readings.circuit import Node
from bmc.readings.expand import Expander
from bmc.readings.shapes import Shape


def holds(claim: Claim, sort: Sort, root: Shape, expander: Expander) -> Node:
    """Return where a claim is true of a root of this sort, whose value is ``root``."""
    shapes, domains = expander.shapes, expander.domains
    c = shapes.circuit
    environment: dict[Term, Shape] = {}

    def held(name: str, of: Sort, shape: Shape) -> Term:
        made = argument(name, of)
        environment[made] = shape
        return made

    path, where = claim.check.path, claim.where
    part = held("root", sort, root)
    for number, (step, position) in enumerate(zip(path.steps, where.positions, strict=True)):
        if isinstance(part.sort, OptionSort):
            part = the(part)
        if isinstance(step, FieldStep):
            part = field(part, step.name)
        elif isinstance(part.sort, RecordSort):
            if position >= len(part.sort.fields):
                return c.false
            part = field(part, part.sort.fields[position][0])
        elif step.sort is None:
            part = at(part, position)
        else:
            value = domains.values(step.sort)[position]
            key = held(f"key {number}", step.sort, shapes.constant(step.sort, value))
            keyed = isinstance(part.sort, KeyedSetSort)
            part = the(lookup(part, key)) if keyed else select(part, key)
    comparison = claim.check.comparison
    if comparison in (Comparison.CONTAINS, Comparison.LACKS):
        assert isinstance(part.sort, AnySet)
        element = part.sort.element
        part = member(held("element", element, shapes.constant(element, claim.value)), part)
    found = expander.expand(part, environment)
    match comparison:
        case Comparison.CONTAINS:
            truth = found.shape
        case Comparison.LACKS:
            truth = c.not_(found.shape)
        case Comparison.AT_LEAST:
            truth = c.le(c.number(claim.value), found.shape)
        case Comparison.AT_MOST:
            truth = c.le(found.shape, c.number(claim.value))
        case Comparison.EQUAL:
            truth = c.false
            if domains.contains(path.sort, claim.value):
                truth = shapes.equal(found.shape, shapes.constant(path.sort, claim.value))
        case _:
            assert_never(comparison)
    return c.and_(found.defined, truth)
