"""Seeds: clauses of one or two literals that are inductive together, found before the search.

What never holds together in sampled states is a candidate; candidates that a step breaks are
dropped until no step breaks any (:mod:`bmc.engines.houdini`). The search is spared what
it would have to find in each frame anew: without lemmas that is most of its work on kafka.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np

from bmc.engines.houdini import Round, greatest
from bmc.engines.ic3.frames import Cube, Orbit
from bmc.engines.ic3.queries import deny, signed, state_of
from bmc.engines.ic3.sample import Sample
from bmc.engines.ic3.template import Template
from bmc.engines.task import Deadline, Observer
from bmc.system.symmetry import Symmetry

_ROWS = 3_000
"""Of so many states all pairs are compared; what they let pass the whole sample looks at again."""

_LITERALS = 1_000
"""Beyond that many the table of pairs is larger than what it saves."""


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
    found = _possible(state, _unseen(sample, symmetry), deadline)

    def ask(_: dict[Orbit, None], alive: dict[Orbit, None]) -> Round[Orbit, Orbit]:
        observer.phase(f"IC3: which of {len(alive)} small clauses are inductive?")
        entered = _entered(step, alive, deadline)
        return Round({orbit: None for orbit in alive if orbit not in entered}, entered)

    return tuple(greatest({orbit: orbit for orbit in found}, ask))


def _unseen(sample: Sample, symmetry: Symmetry) -> Iterator[Orbit]:
    """Cubes of one or two literals of whose images the sample has no state."""
    literals = len(sample.truth) - 1
    if not sample.count or literals > _LITERALS:
        return
    every = max(1, sample.count // _ROWS)
    seen = sample.truth[:, ::every].astype(np.float32)
    never = seen @ seen.T == 0
    numbers = np.arange(literals + 1)
    numbers[numbers > literals // 2] -= literals + 1
    known: set[Cube] = set()
    for one, other in np.argwhere(np.triu(never[1:, 1:])) + 1:
        cube = frozenset((int(numbers[one]), int(numbers[other])))
        if cube in known or numbers[one] == -numbers[other]:
            continue
        # A literal that never holds makes a cube of its own, and needs no other.
        if len(cube) == 2 and (never[one, one] or never[other, other]):
            continue
        images = tuple(symmetry.orbit(cube))
        known.update(images)
        if not any(sample.meets(image) for image in images):
            yield Orbit(cube, images, symmetry.kinds(cube))


def _possible(state: Template, orbits: Iterable[Orbit], deadline: Deadline) -> list[Orbit]:
    """The orbits with a state in them, as far as is known, but no initial one."""
    solver = state.load()
    found = []
    for orbit in orbits:
        deadline.check()
        inside = [signed(state.now, lit) for lit in orbit.cube]
        if solver.solve(inside) and not solver.solve([state.start, *inside]):
            found.append(orbit)
    solver.delete()
    return found


def _entered(step: Template, orbits: Collection[Orbit], deadline: Deadline) -> set[Orbit]:
    """Orbits that a step enters from a state outside of them all."""
    solver = step.load()
    deny(solver, step, orbits)
    entered: set[Orbit] = set()
    for orbit in orbits:
        deadline.check()
        if orbit in entered or not solver.solve([signed(step.then, lit) for lit in orbit.cube]):
            continue
        after = state_of(step.then, solver.model())
        entered.update(o for o in orbits if any(image <= after for image in o.images))
    solver.delete()
    return entered
