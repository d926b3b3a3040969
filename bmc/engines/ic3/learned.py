"""Learning an invariant from reachable states and from steps, without frames.

A state from which a step leads where it must not is none of the reachable ones, so there is a
clause that denies it and holds in all of those. Where every reachable state is known it is kept
whatever else is found: nothing is learned twice, as it is in one frame after the other. What leads
to a denied state is asked next, until no step does.

Where only some reachable states are known, a clause may deny others. Then, sooner or later, a step
leads to a denied state from a known one: it is explored on from there, and clauses that deny what
is found are taken back. Nothing is believed because of the states that are known: what is returned
is preserved by every step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bmc.engines.ic3.frames import Cube, Orbit
from bmc.engines.ic3.queries import Lifting, Predecessor, deny, signed
from bmc.engines.ic3.reach import KnownStates, NothingBeyond
from bmc.engines.ic3.reduce import reduced
from bmc.engines.ic3.sample import Sample
from bmc.engines.ic3.template import Template
from bmc.engines.ic3.within import EVERYWHERE, Within
from bmc.engines.task import Deadline, Observer, OutOfTime
from bmc.readings.circuit import Node
from bmc.solving.core_solver import CoreSolver
from bmc.system.atoms import Atoms
from bmc.system.symmetry import Symmetry
from bmc.system.transition import TransitionSystem

_REDUCING = 0.3
"""The share of the time that is left in which clauses that are not needed may be left out."""

_TOLD = 50
"""Clauses after which it is told how far the search is."""

_STALE = 0.02
"""The share of clauses that were taken back from which on the solvers forget them."""


class BrokenInReach(Exception):
    """A reachable state breaks a goal, or is one from which a step leads to a denied one."""


class Learner:
    """Learns orbits that no step enters from outside of them, and that deny all bad states.

    ``known`` holds in every reachable state and is inductive by itself; ``sample`` has reachable
    states, or all of them. As in IC3, one instance a goal is enough where the symmetry is whole,
    and ``always`` are orbits that no execution enters, inductive on top of what is known. What is
    learned is said of the states ``within``, which are those of the sample.
    """

    def __init__(
        self,
        system: TransitionSystem,
        atoms: Atoms,
        symmetry: Symmetry,
        known: Sequence[Node],
        goals: Sequence[Node],
        sample: Sample | KnownStates,
        deadline: Deadline,
        observer: Observer,
        always: Sequence[Orbit] = (),
        within: Within = EVERYWHERE,
    ) -> None:
        self._system, self._atoms, self._known = system, atoms, known
        self._within, before = within, within.before(atoms)
        self._always = always
        self._symmetry = symmetry
        self._reach = sample if isinstance(sample, KnownStates) else None
        self._sample = sample.sample if isinstance(sample, KnownStates) else sample
        self._deadline = deadline
        self._observer = observer
        self._goals = goals
        self._state = Template(system, atoms, known, step=False, before=before)
        self._step = Template(system, atoms, known, step=True, before=before)
        self._inside = [signed(self._step.then, literal) for literal in sorted(within.inside)]
        self._kept = [self._step.after(claim) for claim in within.kept]
        self._broken = -self._step.conjunction(self._kept)
        self._wanted = [self._state.literal(goal) for goal in goals]
        self._bad = -self._state.conjunction(self._wanted)
        self._states, self._steps = self._loaded()
        self._useful: Counter[int] = Counter()
        self._open: list[Orbit] = []
        self._closed: dict[Orbit, int] = {}
        """By orbit, all of which are kept, the loading of the solvers in which no step led into it:
        0 if one may. What a solver still knows of clauses that were taken back may be why."""
        self._loading = 1
        self._taken_back = 0
        self._deny_what_never_holds()
        self._prepare()

    def run(self) -> tuple[Orbit, ...] | None:
        """Return orbits that together are inductive and imply the goals.

        None where a reachable state breaks a goal: the sample says that much, and no path to it.
        Raises OutOfTime.
        """
        try:
            self._deny_bad_states()
            self._keep_claims()
            while self._open or self._asks_again():
                self._close(self._open.pop())
        except (BrokenInReach, NothingBeyond):
            return None
        orbits, left = (*self._always, *self._closed), self._deadline.remaining()
        self._observer.phase(f"IC3: {len(orbits)} clauses are inductive; which are needed?")
        limit = Deadline(None if left is None else left * _REDUCING)
        try:
            return reduced(
                self._state, self._step, orbits, self._goals, limit, passes=1, within=self._within
            )
        except OutOfTime:
            return orbits

    def _deny_what_never_holds(self) -> None:
        """Learn what single literals say.

        Steps would tell of the others one by one: a state that nobody reaches has anything where in
        reachable ones there is nothing.
        """
        seen = {cube for orbit in self._always for cube in orbit.images}
        seen.update(frozenset((-literal,)) for literal in self._within.inside)
        for literal in self._sample.literals():
            cube: Cube = frozenset((literal,))
            if cube not in seen and not self._sample.meets(cube):
                seen.update(self._deny(cube).images)

    def _prepare(self) -> None:
        """Leave out of states what never varies, and know it where they are lifted."""
        learned = [orbit for orbit in self._closed if len(orbit.cube) == 1]
        certain = (*self._always, *learned)
        images = [cube for orbit in certain if len(orbit.cube) == 1 for cube in orbit.images]
        fixed = {abs(literal) for cube in (self._within.inside, *images) for literal in cube}
        self._varying = [a for a in range(1, len(self._step.now) + 1) if a not in fixed]
        before = self._within.before(self._atoms)
        lifting = Template(self._system, self._atoms, self._known, step=False, before=before)
        self._lifting = Lifting(lifting, self._system, self._atoms, self._goals, certain)

    def _asks_again(self) -> bool:
        """Open what may have been closed by clauses that were taken back; False if nothing was."""
        if self._taken_back:
            self._load()
        self._open = [orbit for orbit, at in self._closed.items() if 0 < at < self._loading]
        return bool(self._open)

    def _load(self) -> None:
        """Forget what was taken back."""
        self._states.delete()
        self._steps.delete()
        self._states, self._steps = self._loaded()
        deny(self._states, self._state, self._closed)
        deny(self._steps, self._step, self._closed)
        self._loading += 1
        self._taken_back = 0
        self._deny_bad_states()
        self._keep_claims()

    def _loaded(self) -> tuple[CoreSolver, CoreSolver]:
        """Return solvers of states and of steps that know what holds always."""
        states, steps = self._state.load(), self._step.load()
        deny(states, self._state, self._always)
        deny(steps, self._step, self._always)
        return states, steps

    def _deny_bad_states(self) -> None:
        while self._states.solve([self._bad]):
            model = self._states.model()
            broken = _first_false(self._wanted, model)
            if not self._learn(self._lifting.to_bad(self._before(self._state, model), broken)):
                raise BrokenInReach

    def _keep_claims(self) -> None:
        """Learn until no step leads to where a claim is broken, within or not."""
        while self._steps.solve([self._broken]):
            model = self._steps.model()
            claim = self._within.kept[_first_false(self._kept, model)]
            if not self._learn(self._lifting.out_of(self._predecessor(model), claim)):
                raise BrokenInReach

    def _close(self, orbit: Orbit) -> None:
        """Learn until no step leads into an orbit, or until it is taken back itself.

        What is learned is to be closed in its turn.
        """
        then = [*self._inside, *(signed(self._step.then, literal) for literal in orbit.cube)]
        self._deadline.check()
        while orbit in self._closed:
            if not self._steps.solve(then):
                self._closed[orbit] = self._loading
                return
            before = self._predecessor(self._steps.model())
            cube = self._lifting.to_cube(before, orbit.cube | self._within.inside)
            if not self._learn(cube):
                self._take_back(cube)

    def _take_back(self, cube: Cube) -> None:
        """Explore on from known states in a cube, which step into a denied one."""
        if self._reach is None:
            raise BrokenInReach
        found = self._reach.beyond(cube)
        false = [orbit for orbit in self._closed if found.meets(orbit.cube)]
        for orbit in false:
            del self._closed[orbit]
        self._taken_back += len(false)
        if any(len(orbit.cube) == 1 for orbit in false):
            self._prepare()
        if self._taken_back > _STALE * len(self._closed):
            self._load()

    def _predecessor(self, model: Sequence[int]) -> Predecessor:
        rule = next(i for i, s in enumerate(self._step.selectors) if model[s - 1] > 0)
        return Predecessor(self._before(self._step, model), rule)

    def _before(self, template: Template, model: Sequence[int]) -> Cube:
        """Return the state of a model, or before its step, without what never varies."""
        now = [(atom, template.now[atom - 1]) for atom in self._varying]
        return frozenset(a if (model[abs(x) - 1] > 0) == (x > 0) else -a for a, x in now)

    def _learn(self, cube: Cube) -> bool:
        """Deny a part of a cube, all of whose states lead where they must not.

        False where a known state is in the cube.
        """
        self._deadline.check()
        if len(self._closed) % _TOLD == 0:
            every = "" if self._sample.complete else "known "
            self._observer.phase(
                f"IC3: {len(self._closed)} clauses hold in all {self._sample.count:,} {every}"
                f"reachable states, {len(self._open)} to be preserved"
            )
        part = self._sample.unseen(cube, self._useful)
        if part is None:
            return False
        self._useful.update(part)
        self._deny(part)
        return True

    def _deny(self, cube: Cube) -> Orbit:
        orbit = Orbit(cube, tuple(self._symmetry.orbit(cube)), self._symmetry.kinds(cube))
        self._closed[orbit] = 0
        self._open.append(orbit)
        deny(self._states, self._state, [orbit])
        deny(self._steps, self._step, [orbit])
        return orbit


def _first_false(literals: Sequence[int], model: Sequence[int]) -> int:
    """Return the place of the first literal that a model makes false."""
    return next(i for i, lit in enumerate(literals) if (model[abs(lit) - 1] > 0) != (lit > 0))
