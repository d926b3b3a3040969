"""What stands against an open condition: a counterexample to induction at a small size.

That no proof was found says nothing. So the same description is expanded at growing sizes, and
an execution step is looked for that leads from a state in which all invariants hold to one in
which the goal does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bmc.engines.conjuncts import conjunct, within_bounds
from bmc.engines.goals import ask, assume
from bmc.engines.task import Deadline
from bmc.evidence.replay import replay
from bmc.evidence.trace import CounterexampleToInduction
from bmc.lang.errors import BmcError
from bmc.lang.model import Model
from bmc.lang.parameters import Parameter
from bmc.lang.properties import Property
from bmc.lang.show import show
from bmc.readings.value import Interpreter
from bmc.running import pool
from bmc.solving.factory import create
from bmc.solving.interface import Answer
from bmc.system.parametric import BOUNDS, INITIAL, Name
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Unrolling

SIZES = 4
"""How many sizes are tried, each parameter one larger than before."""


@dataclass(frozen=True)
class SmallFailure:
    """A counterexample to induction, and the parameter values it is at."""

    parameters: Mapping[str, int]
    failure: CounterexampleToInduction


def sizes(parameters: Sequence[Parameter]) -> Iterator[dict[str, int]]:
    """Parameter values from the least on, all growing together."""
    seen = []
    for step in range(SIZES):
        found = {p.name: min(p.low + step, p.high) for p in parameters}
        if found not in seen:
            seen.append(found)
            yield found


def find(
    model: Model,
    invariants: Sequence[Property],
    goal: Name,
    stated: Property | None,
    seconds: float,
) -> SmallFailure | None:
    """The first counterexample at a small size against a condition, None when there is none.

    Each size is looked at in a process of its own for at most ``seconds``. Conditions on initial
    states have none.
    """
    if goal.action == INITIAL:
        return None

    def look(values: dict[str, int]) -> SmallFailure | None:
        try:
            failure = _at(model, invariants, goal, stated, values, seconds)
        except BmcError:
            return None
        return None if failure is None else SmallFailure(values, failure)

    jobs = list(sizes(model.parameters))
    for job in jobs:
        for found in pool.run(look, [job], 1, lambda values: seconds, lambda values, why: None):
            if found is not None:
                return found
    return None


def _at(
    model: Model,
    invariants: Sequence[Property],
    goal: Name,
    stated: Property | None,
    values: dict[str, int],
    seconds: float,
) -> CounterexampleToInduction | None:
    system = TransitionSystem(model, values)
    unrolling = Unrolling(system, create("cadical"))
    assumed = [conjunct(system, one) for one in invariants]
    # A claim that the invariants only have to imply is no hypothesis, and there is no step.
    steps = 1 if stated is not None and goal.action else 0
    assume(unrolling, assumed, 0)
    if steps:
        unrolling.step(0)
    wanted = within_bounds(system) if stated is None else conjunct(system, stated)
    deadline = Deadline(seconds)
    for instance in wanted.goals:
        if wanted.of_steps:
            holds = unrolling.across(instance.holds, 0)
        else:
            holds = unrolling.at(instance.holds, steps)
        if ask(unrolling.solver, holds, deadline) is Answer.SAT:
            path = replay(Interpreter(model, system.domains), unrolling.states(steps), False)
            arguments = {}
            if stated is not None:
                names = [show(a) for a in stated.arguments]
                arguments = dict(zip(names, instance.arguments, strict=True))
            return CounterexampleToInduction(
                BOUNDS if stated is None else goal.goal, arguments, path, 1
            )
    return None
