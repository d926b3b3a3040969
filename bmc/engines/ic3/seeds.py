"""Seeds: clauses of one or two literals that are inductive together, found before the search.

What never holds together in sampled states is a candidate; candidates that a step breaks are
dropped until no step breaks any (:mod:`bmc.engines.houdini`). The search is spared what
it would have to find in each frame anew: without lemmas that is most of its work on kafka.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bmc.engines.houdini import Round, greatest
from bmc.engines.ic3.frames import Cube, Orbit
from bmc.engines.ic3.queries import deny, signed
from bmc.engines.ic3.sample import Sample
from bmc.engines.ic3.template import Template
from bmc.engines.task import Deadline, Observer
from bmc.solving.core_solver import CoreSolver
from bmc.system.symmetry import Symmetry

_ROWS = 3_000
"""Of so many states all pairs are compared; what they let pass the whole sample looks at again."""

_LITERALS = 1_000
"""Of more literals that hold in some states only, all pairs cost more than they save."""

_AT_ONCE = 100
"""Candidates that are asked for in one question: most are not entered, which one answer says."""


def seeds(
    state: Template,
    step: Template,
    sample: Sample,
    symmetry: Symmetry,
    deadline: Deadline,
    observer: Observer,
) -> tuple[Orbit, ...]:
    """Orbits that no initial state is in and that together no step enters from outside.

    The templates say what is known already. Raises OutOfTime.
    """
    observer.phase("IC3: looking for clauses of two literals")
    found = _without_start(state, list(_unseen(sample, symmetry)), deadline)

    def ask(_: dict[Orbit, None], alive: dict[Orbit, None]) -> Round[Orbit, Orbit]:
        observer.phase(f"IC3: which of {len(alive)} small clauses are inductive?")
        entered = _entered(step, alive, deadline)
        return Round({orbit: None for orbit in alive if orbit not in entered}, entered)

    return _possible(state, list(greatest({orbit: orbit for orbit in found}, ask)), deadline)


def _unseen(sample: Sample, symmetry: Symmetry) -> Iterator[Orbit]:
    """Cubes of one or two literals of whose images the sample has no state.

    A literal that never holds makes a cube of its own, and needs no other.
    """
    if not sample.count:
        return
    never = [lit for lit in sample.literals() if not sample.meets(frozenset((lit,)))]
    constant = {abs(lit) for lit in never}
    varying = [lit for lit in sample.literals() if abs(lit) not in constant]
    cubes = [frozenset((lit,)) for lit in never]
    if len(varying) <= _LITERALS:
        seen = sample.some(varying, _ROWS).astype(np.float32)
        apart = np.argwhere(np.triu(seen @ seen.T == 0))
        cubes += [frozenset((varying[a], varying[b])) for a, b in apart]
    known: set[Cube] = set()
    for cube in cubes:
        if cube in known or len({abs(lit) for lit in cube}) < len(cube):
            continue
        images = tuple(symmetry.orbit(cube))
        known.update(images)
        if not any(sample.meets(image) for image in images):
            yield Orbit(cube, images, symmetry.kinds(cube))


def _without_start(state: Template, orbits: Sequence[Orbit], deadline: Deadline) -> list[Orbit]:
    """The orbits without an initial state."""
    solver = state.load()
    met = _met(solver, state.now, [state.start], orbits, deadline)
    solver.delete()
    return [orbit for orbit in orbits if orbit not in met]


def _entered(step: Template, orbits: Collection[Orbit], deadline: Deadline) -> set[Orbit]:
    """Orbits that a step enters from a state outside of them all."""
    solver = step.load()
    deny(solver, step, orbits)
    met = _met(solver, step.then, [], list(orbits), deadline)
    solver.delete()
    return met


def _possible(state: Template, orbits: Sequence[Orbit], deadline: Deadline) -> tuple[Orbit, ...]:
    """The orbits with a state in them, as far as is known."""
    solver = state.load()
    met = _met(solver, state.now, [], orbits, deadline)
    solver.delete()
    return tuple(orbit for orbit in orbits if orbit in met)


def _met(
    solver: CoreSolver,
    literals: Sequence[int],
    given: Sequence[int],
    orbits: Sequence[Orbit],
    deadline: Deadline,
) -> set[Orbit]:
    """The orbits in whose cubes models of the solver are; ``literals`` are those of the atoms."""
    if not orbits:
        return set()
    pairs = [(min(c), max(c), i) for i, orbit in enumerate(orbits) for c in orbit.images]
    one, other, owner = np.array(pairs, np.intp).reshape(-1, 3).T
    met: NDArray[np.bool_] = np.zeros(len(orbits), np.bool_)
    names, signs = np.abs(literals) - 1, np.sign(literals)
    for start in range(0, len(orbits), _AT_ONCE):
        left = [i for i in range(start, min(start + _AT_ONCE, len(orbits))) if not met[i]]
        inside = {i: solver.fresh() for i in left}
        for i, there in inside.items():
            for lit in orbits[i].cube:
                solver.add_clause([-there, signed(literals, lit)])
        while left:
            deadline.check()
            some = solver.fresh()
            solver.add_clause([-some, *(inside[i] for i in left)])
            if not solver.solve([*given, some]):
                break
            holds = (np.array(solver.model())[names] > 0) == (signs > 0)
            # The place of a negative literal counts from the end, as Python has it.
            truth = np.concatenate([[False], holds, ~holds[::-1]])
            met[owner[truth[one] & truth[other]]] = True
            left = [i for i in left if not met[i]]
    return {orbit for orbit, here in zip(orbits, met, strict=True) if here}
