"""What a violation of a temporal claim shows again and again, at given parameters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from bmc.readings.circuit import Node
from bmc.system.fair_monitor import Justice, Recurrence
from bmc.system.latches import Recurrent
from bmc.system.transition import TransitionSystem


def grounded(system: TransitionSystem, justice: Justice) -> Recurrent:
    """Return what has to recur as circuits of the monitored ``system``.

    A fairness condition that is asked for each of some arguments is one for each choice of them.
    """
    return Recurrent(
        [found for one in justice.accepting for found in _each(system, one)],
        [found for one in justice.fairness for found in _each(system, one)],
    )


def _each(system: TransitionSystem, one: Recurrence) -> Iterator[tuple[str, Node]]:
    for values in product(*(system.domains.values(v.sort) for v in one.variables)):
        pairs = zip(one.variables, values, strict=True)
        environment = {v: system.shapes.constant(v.sort, value) for v, value in pairs}
        formula = system.expander.expand(one.holds, environment)
        name = " ".join([one.name, *(str(value) for value in values)])
        yield name, system.circuit.and_(formula.defined, formula.shape)
