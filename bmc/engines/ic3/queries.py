"""What IC3 asks: of a state, of a step, and what of a state makes a step lead where it leads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bmc.engines.ic3.after import After
from bmc.engines.ic3.frames import Cube, Frames, Orbit
from bmc.engines.ic3.template import Growing, Template
from bmc.readings.circuit import Node
from bmc.solving.core_solver import CoreSolver
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem

_RELOAD = 1500
"""Questions after which a solver is loaded anew, without the clauses that served one question."""


def signed(literals: Sequence[int], literal: int) -> int:
    """A state literal in a solver's numbering."""
    return literals[literal - 1] if literal > 0 else -literals[-literal - 1]


def state_of(literals: Sequence[int], model: Sequence[int]) -> Cube:
    """All state literals that a model makes true."""
    return frozenset(
        i if (model[abs(lit) - 1] > 0) == (lit > 0) else -i for i, lit in enumerate(literals, 1)
    )


def deny(solver: CoreSolver | Growing, template: Template, orbits: Iterable[Orbit]) -> None:
    """Assert that no state (before a step) is in an orbit's cubes."""
    for orbit in orbits:
        for cube in orbit.images:
            solver.add_clause([-signed(template.now, lit) for lit in cube])


class _Framed:
    """A solver in which a frame's clauses hold when its level is assumed."""

    def __init__(self, template: Template, frames: Frames) -> None:
        self.template = template
        self.frames = frames
        self.solver = self._load()
        self.levels: list[int] = [template.start]
        self._spent = 0
        self.open()

    def _load(self) -> CoreSolver:
        solver = self.template.load()
        deny(solver, self.template, self.frames.always)
        return solver

    def open(self) -> None:
        """Follow the frames, which may have grown."""
        while len(self.levels) <= self.frames.last:
            new = self.solver.fresh()
            if len(self.levels) > 1:
                # A frame has the clauses of those above it.
                self.solver.add_clause([-self.levels[-1], new])
            self.levels.append(new)

    def add(self, orbit: Orbit, level: int) -> None:
        """Deny all cubes of an orbit in the frames up to a level."""
        off = -self.levels[level]
        for cube in orbit.images:
            self.solver.add_clause([off, *(-signed(self.template.now, lit) for lit in cube)])

    def tire(self) -> None:
        """Count a question whose clause stays behind; load anew when there are many."""
        self._spent += 1
        if self._spent < _RELOAD:
            return
        self.solver.delete()
        self.solver = self._load()
        self.levels = [self.template.start]
        self._spent = 0
        self.open()
        for level in range(1, self.frames.last + 1):
            for orbit in self.frames.at(level):
                self.add(orbit, level)


class States(_Framed):
    """Questions about single states. Nothing here demands that a state has a successor."""

    def __init__(self, template: Template, frames: Frames, goals: Sequence[Node]) -> None:
        self._goals = [template.literal(goal) for goal in goals]
        self._bad = -template.conjunction(self._goals)
        super().__init__(template, frames)
        self._fixed = self._constant_initially()

    def _constant_initially(self) -> frozenset[int]:
        """The state literals that hold in every initial state."""
        start, now = self.template.start, self.template.now
        if not self.solver.solve([start]):
            return frozenset()
        first = state_of(now, self.solver.model())
        return frozenset(lit for lit in first if not self.solver.solve([start, -signed(now, lit)]))

    def bad(self, level: int) -> tuple[Cube, int] | None:
        """A state of a frame that violates a goal, and which goal."""
        if not self.solver.solve([self.levels[level], self._bad]):
            return None
        model = self.solver.model()
        violated = next(
            i for i, lit in enumerate(self._goals) if (model[abs(lit) - 1] > 0) != (lit > 0)
        )
        return state_of(self.template.now, model), violated

    def is_initial(self, cube: Cube) -> bool:
        """Whether some initial state is in the cube."""
        if any(-lit in self._fixed for lit in cube):
            return False
        now = self.template.now
        return self.solver.solve([self.template.start, *(signed(now, lit) for lit in cube)])

    def initial_in(self, cube: Cube) -> list[int]:
        """The scalars of an initial state in the cube, which has one."""
        now = self.template.now
        if not self.solver.solve([self.template.start, *(signed(now, lit) for lit in cube)]):
            raise AssertionError("no initial state is in the cube")
        return self.template.numbers(self.solver.model())

    def apart(self, cube: Cube) -> Cube:
        """A part of a cube without initial states that has none either."""
        for lit in sorted(cube):
            if -lit in self._fixed:
                return frozenset([lit])
        now = self.template.now
        names = {signed(now, lit): lit for lit in cube}
        self.solver.solve([self.template.start, *names])
        return frozenset(names[lit] for lit in self.solver.core() if lit in names)


@dataclass(frozen=True)
class Predecessor:
    """A state and the rule by which a step leaves it."""

    state: Cube
    rule: int


class Steps(_Framed):
    """Questions about steps out of a frame."""

    def into(self, cube: Cube, level: int) -> Cube | Predecessor:
        """Whether a step leads from a state of a frame, outside the cube, into the cube.

        If so, that state and rule; if not, a part of the cube that is not entered either.
        """
        then, outside = self._question(cube)
        found: Cube | Predecessor
        if self.solver.solve([self.levels[level], outside, *then]):
            model = self.solver.model()
            taken = next(i for i, s in enumerate(self.template.selectors) if model[s - 1] > 0)
            found = Predecessor(state_of(self.template.now, model), taken)
        else:
            found = self._used(then)
        self.solver.add_clause([-outside])
        return found

    def keeps_out(self, cube: Cube, level: int, conflicts: int) -> Cube | None:
        """The same where nobody asks which state: None also when the limit is reached."""
        then, outside = self._question(cube)
        answer = self.solver.solve_within([self.levels[level], outside, *then], conflicts)
        found = self._used(then) if answer is False else None
        self.solver.add_clause([-outside])
        return found

    def _question(self, cube: Cube) -> tuple[dict[int, int], int]:
        """The cube's literals after a step, and a literal that says "outside" before it."""
        self.tire()
        then = {signed(self.template.then, lit): lit for lit in cube}
        outside = self.solver.fresh()
        self.solver.add_clause([-outside, *(-signed(self.template.now, lit) for lit in cube)])
        return then, outside

    def _used(self, then: dict[int, int]) -> Cube:
        return frozenset(then[lit] for lit in self.solver.core() if lit in then)

    def leaves(self, cube: Cube, level: int) -> bool:
        """Whether a step leads from a frame, which blocks the cube, into the cube."""
        then = [signed(self.template.then, lit) for lit in cube]
        return self.solver.solve([self.levels[level], *then])


class Lifting:
    """Which part of a state decides where a rule leads from it.

    All states of the part (that satisfy what is known) take the rule into the same cube, so a
    chain of parts from an initial state is an execution.
    """

    def __init__(
        self,
        template: Template,
        system: TransitionSystem,
        atoms: Atoms,
        goals: Sequence[Node],
        always: Sequence[Orbit],
    ) -> None:
        self._now = template.now
        self._atoms = atoms
        self._after = After(system)
        self._circuit = system.circuit
        self._goals = goals
        self._solver = template.growing()
        deny(self._solver, template, always)

    def to_cube(self, before: Predecessor, cube: Iterable[int]) -> Cube:
        """The part of a predecessor that leads into the cube."""
        return self._into(before, [self._atoms.node(lit) for lit in cube])

    def out_of(self, before: Predecessor, node: Node) -> Cube:
        """The part of a predecessor that leads to where a formula does not hold."""
        return self._into(before, [self._circuit.not_(node)])

    def _into(self, before: Predecessor, nodes: Iterable[Node]) -> Cube:
        reached = [self._after.node(node, before.rule) for node in nodes]
        wanted = [self._solver.literal(node) for node in (self._after.taken(before.rule), *reached)]
        return self._part(before.state, -self._solver.conjunction(wanted))

    def to_bad(self, state: Cube, goal: int) -> Cube:
        """The part of a bad state that violates the goal."""
        return self._part(state, self._solver.literal(self._goals[goal]))

    def _part(self, state: Cube, excluded: int) -> Cube:
        names = {signed(self._now, lit): lit for lit in state}
        possible = self._solver.solve([excluded, *names])
        assert not possible, "a rule is a function of the state before it"
        return frozenset(names[lit] for lit in self._solver.core() if lit in names)
