"""Small invariants: what of an inductive set of clauses the goals need.

A refutation names the clauses it used. Starting from the goals, what each needed clause needs
to be kept by a step is needed as well; what is reached so is inductive and implies the goals
(Ivrii, Gurfinkel and Belov, *Small inductive safe invariants*, 2014).
"""

from __future__ import annotations

from collections.abc import Sequence

from bmc.engines.ic3.frames import Orbit
from bmc.engines.ic3.template import Template
from bmc.engines.task import Deadline
from bmc.readings.circuit import Node
from bmc.solving.core_solver import CoreSolver

_PASSES = 3


def reduced(
    state: Template,
    step: Template,
    orbits: Sequence[Orbit],
    goals: Sequence[Node],
    deadline: Deadline,
    passes: int = _PASSES,
) -> tuple[Orbit, ...]:
    """A part of an inductive set of orbits that is inductive and implies the goals.

    The first of the ``passes`` leaves out the most.
    """
    found = tuple(orbits)
    for _ in range(passes):
        smaller = _needed(state, step, found, goals, deadline)
        if len(smaller) == len(found):
            break
        found = smaller
    return found


def _needed(
    state: Template,
    step: Template,
    orbits: Sequence[Orbit],
    goals: Sequence[Node],
    deadline: Deadline,
) -> tuple[Orbit, ...]:
    wanted = [state.literal(goal) for goal in goals]
    solver = state.load()
    switches = _switched(state, solver, orbits)
    needed: list[int] = []
    seen: set[int] = set()

    def need(core: Sequence[int], names: dict[int, int]) -> None:
        for number in sorted(names[lit] for lit in core if lit in names):
            if number not in seen:
                seen.add(number)
                needed.append(number)

    for goal in wanted:
        if solver.solve([-goal, *switches]):
            raise AssertionError("the clauses do not imply the goals")
        need(solver.core(), switches)
    solver.delete()
    solver = step.load()
    switches = _switched(step, solver, orbits)
    # What is needed already is assumed first: a core prefers it then.
    for number in needed:
        deadline.check()
        cube = orbits[number].cube
        then = [step.then[i - 1] if i > 0 else -step.then[-i - 1] for i in cube]
        ordered = sorted(switches, key=lambda switch: switches[switch] not in seen)
        if solver.solve([*then, *ordered]):
            raise AssertionError("the clauses are not inductive")
        need(solver.core(), switches)
    solver.delete()
    return tuple(orbits[number] for number in sorted(seen))


def _switched(template: Template, solver: CoreSolver, orbits: Sequence[Orbit]) -> dict[int, int]:
    """Each orbit's clauses behind a literal of their own, which stands for its number."""
    switches: dict[int, int] = {}
    for number, orbit in enumerate(orbits):
        switch = solver.fresh()
        switches[switch] = number
        for cube in orbit.images:
            denied = [-template.now[i - 1] if i > 0 else template.now[-i - 1] for i in cube]
            solver.add_clause([-switch, *denied])
    return switches
