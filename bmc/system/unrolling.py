"""Unrolling: copies of a transition system's state in one solver, and steps between them.

Frame ``k`` is a copy of the state; a step is added between frames ``k`` and ``k+1`` only when it
is asked for, so a frame is always looked at before anything demands that it has a successor.
A step is relational: one selector a rule, which implies the rule's guard and its updates, at
most one selector at a time, and a frame clause a leaf (it changes only if a selected rule
writes it). In a solver of clauses the steps after the first one are copies of a template.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bmc.readings.circuit import Node
from bmc.readings.value import ConcreteState
from bmc.solving.core_solver import ClauseStore
from bmc.solving.interface import Handle, Solver, Translation
from bmc.solving.sat_solver import SatSolver
from bmc.system.transition import Leaf, Rule, TransitionSystem

if TYPE_CHECKING:
    from bmc.system.template import Template


@dataclass
class Frame:
    """One copy of the state: a handle a leaf, and the nodes read in it so far.

    In a solver of clauses its ``size`` variables follow each other from ``first`` on.
    """

    handles: list[Handle]
    read: Translation
    first: int
    size: int = 0
    selectors: list[Handle] = field(default_factory=list)


class Unrolling:
    """Frames of a transition system in a solver.

    Every frame is asserted to be well formed and inside the state constraint.
    """

    def __init__(self, system: TransitionSystem, solver: Solver) -> None:
        self.system = system
        self.solver = solver
        self.frames: list[Frame] = []
        self._writers = _writers(system)
        self._steps = 0
        self._template: Template | None = None

    def frame(self, k: int) -> Frame:
        """Frame ``k``, made (with those before it) if it is not there; no step is added."""
        while len(self.frames) <= k:
            first = self._variables() + 1
            handles = [self._variable(leaf) for leaf in self.system.leaves]
            made = Frame(handles, Translation(self.solver, handles), first)
            self.frames.append(made)
            self.solver.add(made.read(self.system.well_formed))
            self.solver.add(made.read(self.system.constraint))
            made.size = self._variables() + 1 - first
        return self.frames[k]

    def _variables(self) -> int:
        return self.solver.variables if isinstance(self.solver, SatSolver) else 0

    def _variable(self, leaf: Leaf) -> Handle:
        if leaf.boolean:
            return self.solver.boolean()
        return self.solver.integer(leaf.low, leaf.high)

    def at(self, node: Node, k: int) -> Handle:
        """A node over the state, read in frame ``k``."""
        return self.frame(k).read(node)

    def across(self, node: Node, k: int) -> Handle:
        """A node over the state before and after the step from frame ``k`` to ``k+1``."""
        here, there = self.frame(k), self.frame(k + 1)
        return Translation(self.solver, [*here.handles, *there.handles])(node)

    def start(self) -> None:
        """Assert that frame 0 is an initial state."""
        self.solver.add(self.at(self.system.initial, 0))

    def step(self, k: int) -> None:
        """Assert a step from frame ``k`` to frame ``k+1``, once."""
        here, there = self.frame(k), self.frame(k + 1)
        if here.selectors:
            return
        copied = self._copied(here, there) if self._steps else None
        if copied is None:
            self._translate(here, there)
        else:
            here.selectors = copied
        self._steps += 1

    def _copied(self, here: Frame, there: Frame) -> list[Handle] | None:
        """The selectors of a step that was copied between two frames, if that can be done."""
        if not isinstance(self.solver, SatSolver):
            return None
        self._template = self._template or self._recorded()
        if {here.size, there.size} != {self._template.frame}:
            return None
        return self._template.copy(self.solver, here.first, there.first)

    def _recorded(self) -> Template:
        from bmc.system.template import Template

        kept = ClauseStore()
        solver = SatSolver(kept)
        alone = Unrolling(self.system, solver)
        frames = alone.frame(0), alone.frame(1)
        before, told = solver.variables, len(kept.clauses)
        alone.step(0)
        own = solver.variables - before
        return Template(kept.clauses[told:], frames[0].size, own, frames[0].selectors)

    def _translate(self, here: Frame, there: Frame) -> None:
        solver = self.solver
        here.selectors = [solver.boolean() for _ in self.system.rules]
        for rule, selector in zip(self.system.rules, here.selectors, strict=True):
            self._select(rule, solver.negation(selector), here, there)
        for leaf in self.system.leaves:
            same = solver.equal(here.handles[leaf.index], there.handles[leaf.index], leaf.boolean)
            writers = [here.selectors[r] for r in self._writers[leaf.index]]
            solver.clause(*writers, same)
        solver.clause(*here.selectors)
        solver.at_most_one(here.selectors)

    def _select(self, rule: Rule, off: Handle, here: Frame, there: Frame) -> None:
        solver = self.solver
        guard = self.system.circuit.and_(rule.guard, self.system.circuit.not_(rule.overflow))
        for part in guard.args if guard.op == "and" else (guard,):
            solver.clause(off, here.read(part))
        for index, node in rule.updates.items():
            after = there.handles[index]
            boolean = self.system.leaves[index].boolean
            solver.clause(off, solver.equal(after, here.read(node), boolean))

    def state(self, k: int) -> ConcreteState:
        """Frame ``k`` in the solver's last model."""
        return self.system.decode([self.solver.value(h) for h in self.frame(k).handles])

    def states(self, last: int) -> list[ConcreteState]:
        """Frames ``0 .. last`` in the solver's last model."""
        return [self.state(k) for k in range(last + 1)]


def _writers(system: TransitionSystem) -> list[list[int]]:
    writers: list[list[int]] = [[] for _ in system.leaves]
    for number, rule in enumerate(system.rules):
        for index in rule.updates:
            writers[index].append(number)
    return writers
