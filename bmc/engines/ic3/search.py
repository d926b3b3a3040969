"""The search: block what leads to a violation until a frame is inductive or a path is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from bmc.engines.ic3.frames import Cube, Frames, Orbit
from bmc.engines.ic3.generalize import Generaliser
from bmc.engines.ic3.queries import Lifting, Predecessor, States, Steps
from bmc.engines.ic3.reduce import reduced
from bmc.engines.ic3.sample import Sample
from bmc.engines.ic3.template import Template
from bmc.engines.task import Deadline, Observer
from bmc.readings.circuit import Node, evaluate
from bmc.system.atoms import Atoms
from bmc.system.symmetry import Symmetry
from bmc.system.transition import TransitionSystem


@dataclass(frozen=True)
class Invariant:
    """Cubes that no execution enters, as orbits; ``level`` is the frame that was inductive."""

    orbits: tuple[Orbit, ...]
    level: int


@dataclass(frozen=True)
class CounterexamplePath:
    """States by the numbers of their scalars: from an initial one to one that violates."""

    states: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class _Obligation:
    """A cube all of whose states lead to a violation: by ``rule`` into ``after``, or at once."""

    cube: Cube
    rule: int | None
    after: _Obligation | None


class _Reached(Exception):
    """An obligation contains an initial state."""

    def __init__(self, obligation: _Obligation) -> None:
        super().__init__()
        self.obligation = obligation


class Ic3Search:
    """IC3 for one conjunction of goals over states.

    ``known`` holds in every reachable state and is inductive by itself. ``goals`` are what must
    be shown; where ``symmetry`` is whole, one instance of each orbit is enough. ``always`` are
    orbits that no execution enters, inductive on top of what is known; ``sample`` is only a hint.
    With ``patience`` a frame that takes so many seconds of the processor ends the search.
    """

    def __init__(
        self,
        system: TransitionSystem,
        atoms: Atoms,
        symmetry: Symmetry,
        known: Sequence[Node],
        goals: Sequence[Node],
        sample: Sample,
        always: Sequence[Orbit],
        deadline: Deadline,
        observer: Observer,
        patience: float | None = None,
    ) -> None:
        self._system = system
        self._symmetry = symmetry
        self._whole, self._patience = deadline, patience
        self._deadline = deadline.within(patience)
        self._observer = observer
        self.frames = Frames(always)
        self._goals = goals
        self._state = Template(system, atoms, known, step=False)
        self._step = Template(system, atoms, known, step=True)
        self._states = States(self._state, self.frames, goals)
        self._steps = Steps(self._step, self.frames)
        lifting = Template(system, atoms, known, step=False)
        self._lifting = Lifting(lifting, system, atoms, goals, always)
        self._generaliser = Generaliser(self._states, self._steps, sample)
        self._numbers = count()

    def run(self) -> Invariant | CounterexamplePath:
        """Decide the goals. Raises OutOfTime when the deadline or the patience passes."""
        try:
            self._check(0)
            while True:
                # A frame is looked at before anything asks for a step out of it.
                self._open()
                self._check(self.frames.last)
                inductive = self._propagate()
                if inductive is not None:
                    return Invariant(self._kept(inductive), inductive)
        except _Reached as found:
            return self._path(found.obligation)

    def _kept(self, level: int) -> tuple[Orbit, ...]:
        orbits = (*self.frames.always, *self.frames.upward(level))
        self._observer.phase(f"IC3: {len(orbits)} clauses are inductive; which are needed?")
        return reduced(self._state, self._step, orbits, self._goals, self._whole)

    def _open(self) -> None:
        self._deadline = self._whole.within(self._patience)
        self.frames.open()
        self._states.open()
        self._steps.open()

    def _check(self, level: int) -> None:
        """Make every state of a frame satisfy the goals."""
        while True:
            self._deadline.check()
            found = self._states.bad(level)
            if found is None:
                return
            state, goal = found
            self._push_back(_Obligation(self._lifting.to_bad(state, goal), None, None), level)

    def _push_back(self, obligation: _Obligation, level: int) -> None:
        """Block an obligation at a level, and first all that leads there."""
        queue: list[tuple[int, int, _Obligation]] = []
        self._expect(queue, obligation, level)
        while queue:
            self._deadline.check()
            level, _, obligation = heappop(queue)
            assert level > 0, "what leads to a violation at once from the start has been reached"
            if self.frames.blocks(obligation.cube, self._symmetry.kinds(obligation.cube), level):
                self._postpone(queue, obligation, level)
                continue
            answer = self._steps.into(obligation.cube, level - 1)
            if isinstance(answer, Predecessor):
                heappush(queue, (level, next(self._numbers), obligation))
                part = self._lifting.to_cube(answer, obligation.cube)
                self._expect(queue, _Obligation(part, answer.rule, obligation), level - 1)
                continue
            level = self._learn(answer, obligation.cube, level)
            self._postpone(queue, obligation, level)

    def _expect(
        self, queue: list[tuple[int, int, _Obligation]], obligation: _Obligation, level: int
    ) -> None:
        if self._states.is_initial(obligation.cube):
            raise _Reached(obligation)
        heappush(queue, (level, next(self._numbers), obligation))

    def _postpone(
        self, queue: list[tuple[int, int, _Obligation]], obligation: _Obligation, level: int
    ) -> None:
        # What leads to a violation has to be blocked in the next frame too, sooner or later.
        if level < self.frames.last:
            heappush(queue, (level + 1, next(self._numbers), obligation))

    def _learn(self, part: Cube, cube: Cube, level: int) -> int:
        """Block a cube as generally and as far up as it goes; the level that was reached."""
        part = self._generaliser.apart(part, cube)
        part = self._generaliser.smaller(part, level - 1)
        while level < self.frames.last:
            further = self._generaliser.not_entered(part, level)
            if further is None:
                break
            level += 1
            part = further
        self._block(part, level)
        return level

    def _block(self, cube: Cube, level: int) -> None:
        images = tuple(self._symmetry.orbit(cube))
        orbit = Orbit(cube, images, self._symmetry.kinds(cube))
        self.frames.add(orbit, level)
        self._states.add(orbit, level)
        self._steps.add(orbit, level)

    def _propagate(self) -> int | None:
        """Push clauses up where they stay true; the frame that equals the next one, if any."""
        total = sum(1 for _ in self.frames.upward(1))
        self._observer.phase(f"IC3: {self.frames.last} frames, {total} clauses up to symmetry")
        for level in range(1, self.frames.last):
            for orbit in tuple(self.frames.at(level)):
                self._deadline.check()
                if not self._steps.leaves(orbit.cube, level):
                    self.frames.push(orbit, level)
                    self._states.add(orbit, level + 1)
                    self._steps.add(orbit, level + 1)
            if not self.frames.at(level):
                return level + 1
        return None

    def _path(self, obligation: _Obligation) -> CounterexamplePath:
        numbers = self._states.initial_in(obligation.cube)
        states = [tuple(numbers)]
        while obligation.after is not None:
            assert obligation.rule is not None
            updates = self._system.rules[obligation.rule].updates
            values = evaluate(list(updates.values()), states[-1])
            changed = dict(zip(updates, values, strict=True))
            states.append(tuple(changed.get(i, old) for i, old in enumerate(states[-1])))
            obligation = obligation.after
        return CounterexamplePath(tuple(states))
