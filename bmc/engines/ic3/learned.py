"""Learning an invariant where every reachable state is known: from steps, without frames.

A state from which a step leads where it must not is none of the reachable ones, so there is a
clause that denies it and holds in all of those. It is kept whatever else is found, since what is
reachable is known: nothing is learned twice, as it is in one frame after the other. What leads to
a denied state is asked next, until no step does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bmc.engines.ic3.frames import Cube, Orbit
from bmc.engines.ic3.queries import Lifting, Predecessor, deny, signed
from bmc.engines.ic3.reduce import reduced
from bmc.engines.ic3.sample import Sample
from bmc.engines.ic3.template import Template
from bmc.engines.task import Deadline, Observer, OutOfTime
from bmc.readings.circuit import Node
from bmc.system.atoms import Atoms
from bmc.system.symmetry import Symmetry
from bmc.system.transition import TransitionSystem

_REDUCING = 0.3
"""The share of the time that is left in which clauses that are not needed may be left out."""

_TOLD = 50
"""Clauses after which it is told how far the search is."""


class BrokenInReach(Exception):
    """A reachable state breaks a goal, or is one from which a step leads to a denied one."""


class Learner:
    """Learns orbits that no step enters from outside of them, and that deny all bad states.

    ``known`` holds in every reachable state and is inductive by itself; ``sample`` has all
    reachable states. As in IC3, one instance a goal is enough where the symmetry is whole.
    """

    def __init__(
        self,
        system: TransitionSystem,
        atoms: Atoms,
        symmetry: Symmetry,
        known: Sequence[Node],
        goals: Sequence[Node],
        sample: Sample,
        deadline: Deadline,
        observer: Observer,
    ) -> None:
        self._symmetry = symmetry
        self._sample = sample
        self._deadline = deadline
        self._observer = observer
        self._goals = goals
        self._state = Template(system, atoms, known, step=False)
        self._step = Template(system, atoms, known, step=True)
        self._wanted = [self._state.literal(goal) for goal in goals]
        self._bad = -self._state.conjunction(self._wanted)
        self._states = self._state.load()
        self._steps = self._step.load()
        self._useful: Counter[int] = Counter()
        self._orbits: list[Orbit] = []
        self._open: list[Orbit] = []
        self._varying = self._deny_what_never_holds()
        lifting = Template(system, atoms, known, step=False)
        self._lifting = Lifting(lifting, system, atoms, goals, self._orbits)

    def run(self) -> tuple[Orbit, ...] | None:
        """Return orbits that together are inductive and imply the goals.

        None where a reachable state breaks a goal: the sample says that much, and no path to it.
        Raises OutOfTime.
        """
        try:
            self._deny_bad_states()
            while self._open:
                self._close(self._open.pop())
        except BrokenInReach:
            return None
        orbits, left = self._orbits, self._deadline.remaining()
        self._observer.phase(f"IC3: {len(orbits)} clauses are inductive; which are needed?")
        limit = Deadline(None if left is None else left * _REDUCING)
        try:
            return reduced(self._state, self._step, orbits, self._goals, limit, passes=1)
        except OutOfTime:
            return tuple(orbits)

    def _deny_what_never_holds(self) -> list[int]:
        """Learn what single literals say, and return the atoms of which that is nothing.

        Steps would tell of the others one by one: a state that nobody reaches has anything where in
        reachable ones there is nothing.
        """
        seen: set[Cube] = set()
        for literal in self._sample.literals():
            cube: Cube = frozenset((literal,))
            if cube not in seen and not self._sample.meets(cube):
                seen.update(self._deny(cube).images)
        fixed = {abs(literal) for cube in seen for literal in cube}
        return [atom for atom in range(1, len(self._step.now) + 1) if atom not in fixed]

    def _deny_bad_states(self) -> None:
        while self._states.solve([self._bad]):
            model = self._states.model()
            broken = next(
                i
                for i, wanted in enumerate(self._wanted)
                if (model[abs(wanted) - 1] > 0) != (wanted > 0)
            )
            self._learn(self._lifting.to_bad(self._before(self._state, model), broken))

    def _close(self, orbit: Orbit) -> None:
        """Learn until no step leads into an orbit; what is learned is to be closed in its turn."""
        then = [signed(self._step.then, literal) for literal in orbit.cube]
        self._deadline.check()
        while self._steps.solve(then):
            model = self._steps.model()
            rule = next(i for i, s in enumerate(self._step.selectors) if model[s - 1] > 0)
            before = Predecessor(self._before(self._step, model), rule)
            self._learn(self._lifting.to_cube(before, orbit.cube))

    def _before(self, template: Template, model: Sequence[int]) -> Cube:
        """Return the state of a model, or before its step, without what never varies."""
        now = [(atom, template.now[atom - 1]) for atom in self._varying]
        return frozenset(a if (model[abs(x) - 1] > 0) == (x > 0) else -a for a, x in now)

    def _learn(self, cube: Cube) -> None:
        """Deny a part of a cube, all of whose states lead where they must not."""
        self._deadline.check()
        if len(self._orbits) % _TOLD == 0:
            self._observer.phase(
                f"IC3: {len(self._orbits)} clauses hold in all {self._sample.count:,} reachable "
                f"states, {len(self._open)} to be preserved"
            )
        part = self._sample.unseen(cube, self._useful)
        if part is None:
            raise BrokenInReach
        self._useful.update(part)
        self._deny(part)

    def _deny(self, cube: Cube) -> Orbit:
        orbit = Orbit(cube, tuple(self._symmetry.orbit(cube)), self._symmetry.kinds(cube))
        self._orbits.append(orbit)
        self._open.append(orbit)
        deny(self._states, self._state, [orbit])
        deny(self._steps, self._step, [orbit])
        return orbit
