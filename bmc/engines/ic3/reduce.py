"""Small invariants: what of an inductive set of clauses the goals need.

A refutation names the clauses it used. Starting from the goals, what each needed clause needs
to be kept by a step is needed as well; what is reached so is inductive and implies the goals
(Ivrii, Gurfinkel and Belov, *Small inductive safe invariants*, 2014).
"""

from __future__ import annotations

from collections.abc import Sequence

from bmc.engines.ic3.frames import Orbit
from bmc.engines.ic3.queries import signed
from bmc.engines.ic3.template import Template
from bmc.engines.ic3.within import EVERYWHERE, Within
from bmc.engines.task import Deadline
from bmc.readings.circuit import Node
from bmc.solving.core_solver import CoreSolver

_PASSES = 3

_MANY, _MOSTLY = 1000, 0.75
"""Of more orbits than these none is left out once so large a share is seen to be needed: to learn
which of the rest are takes longer than to judge them."""


def reduced(
    state: Template,
    step: Template,
    orbits: Sequence[Orbit],
    goals: Sequence[Node],
    deadline: Deadline,
    passes: int = _PASSES,
    within: Within = EVERYWHERE,
) -> tuple[Orbit, ...]:
    """A part of an inductive set of orbits that is inductive and implies the goals.

    The first of the ``passes`` leaves out the most. Of states outside of ``within`` it is enough
    that its claims are kept, which the templates know of the state before a step.
    """
    found = tuple(orbits)
    for _ in range(passes):
        smaller = _needed(state, step, found, goals, deadline, within)
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
    within: Within,
) -> tuple[Orbit, ...]:
    wanted = [state.literal(goal) for goal in goals]
    kept = [step.after(claim) for claim in within.kept]
    inside = [signed(step.then, literal) for literal in sorted(within.inside)]
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
    for claim in kept:
        if solver.solve([-claim, *switches]):
            raise AssertionError("the clauses do not keep the claims")
        need(solver.core(), switches)
    # What is needed already is assumed first: a core prefers it then.
    for number in needed:
        deadline.check()
        if len(needed) > _MOSTLY * len(orbits) > _MOSTLY * _MANY:
            break
        then = [*inside, *(signed(step.then, literal) for literal in orbits[number].cube)]
        ordered = sorted(switches, key=lambda switch: switches[switch] not in seen)
        if solver.solve([*then, *ordered]):
            raise AssertionError("the clauses are not inductive")
        need(solver.core(), switches)
    else:
        orbits = [orbits[number] for number in sorted(seen)]
    solver.delete()
    return tuple(orbits)


def _switched(template: Template, solver: CoreSolver, orbits: Sequence[Orbit]) -> dict[int, int]:
    """Each orbit's clauses behind a literal of their own, which stands for its number."""
    switches: dict[int, int] = {}
    for number, orbit in enumerate(orbits):
        switch = solver.fresh()
        switches[switch] = number
        for cube in orbit.images:
            solver.add_clause([-switch, *(-signed(template.now, literal) for literal in cube)])
    return switches
