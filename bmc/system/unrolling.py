"""Unrolling: copies of a transition system's state in one solver, and steps between them.

Frame ``k`` is a copy of the state; a step is added between frames ``k`` and ``k+1`` only when it
is asked for, so a frame is always looked at before anything demands that it has a successor.
A step is relational: one selector a rule, which implies the rule's guard and its updates, at
most one selector at a time, and a frame clause a leaf (it changes only if a selected rule
writes it). In a solver of clauses the steps after the first one are copies of a template.

With a cone of influence (:mod:`bmc.system.cone`) a frame has its scalars only. The values of the
others are those that the rules of the path give them, from a first state that has some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bmc.readings.circuit import Node, evaluate
from bmc.readings.value import ConcreteState
from bmc.solving.core_solver import ClauseStore
from bmc.solving.interface import Answer, Handle, Solver, SolverError, Translation
from bmc.solving.sat_solver import SatSolver
from bmc.system.transition import Leaf, Rule, TransitionSystem

if TYPE_CHECKING:
    from bmc.system.template import StepTemplate


@dataclass
class Frame:
    """One copy of the state: a handle a leaf (None outside the cone), and the nodes read so far.

    In a solver of clauses its ``size`` variables follow each other from ``first`` on.
    """

    handles: list[Handle]
    read: Translation
    first: int
    size: int = 0
    selectors: list[Handle] = field(default_factory=list)


class Unrolling:
    """Frames of a transition system in a solver.

    Every frame is asserted to be well formed and inside the state constraint. ``cone`` has the
    leaves that are searched on, all of them where it is None; what is read must not need others.
    """

    def __init__(
        self, system: TransitionSystem, solver: Solver, cone: frozenset[int] | None = None
    ) -> None:
        self.system = system
        self.solver = solver
        self.cone = frozenset(range(len(system.leaves))) if cone is None else cone
        self._whole = len(self.cone) == len(system.leaves)
        self._well_formed = system.well_formed if self._whole else system.well_formed_in(self.cone)
        self._started = False
        self.frames: list[Frame] = []
        self._writers = _writers(system)
        self._steps = 0
        self._template: StepTemplate | None = None

    def frame(self, k: int) -> Frame:
        """Frame ``k``, made (with those before it) if it is not there; no step is added."""
        while len(self.frames) <= k:
            first = self._variables() + 1
            handles = [self._variable(leaf) for leaf in self.system.leaves]
            made = Frame(handles, Translation(self.solver, handles), first)
            self.frames.append(made)
            self.solver.add(made.read(self._well_formed))
            self.solver.add(made.read(self.system.constraint))
            made.size = self._variables() + 1 - first
        return self.frames[k]

    def _variables(self) -> int:
        return self.solver.variables if isinstance(self.solver, SatSolver) else 0

    def _variable(self, leaf: Leaf) -> Handle:
        if leaf.index not in self.cone:
            return None
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
        self._started = True
        self.solver.add(self.at(self.system.initially(self.cone), 0))

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

    def _recorded(self) -> StepTemplate:
        from bmc.system.template import StepTemplate

        kept = ClauseStore()
        solver = SatSolver(kept)
        alone = type(self)(self.system, solver, self.cone)
        frames = alone.frame(0), alone.frame(1)
        before, told = solver.variables, len(kept.clauses)
        alone.step(0)
        own = solver.variables - before
        return StepTemplate(kept.clauses[told:], frames[0].size, own, frames[0].selectors)

    def _translate(self, here: Frame, there: Frame) -> None:
        solver = self.solver
        here.selectors = [solver.boolean() for _ in self.system.rules]
        for rule, selector in zip(self.system.rules, here.selectors, strict=True):
            self._select(rule, solver.negation(selector), here, there)
        for leaf in self.system.leaves:
            if leaf.index in self.cone:
                writers = [here.selectors[r] for r in self._writers[leaf.index]]
                self._stays(leaf, here, there, writers)
        self._separate(here, there)

    def _stays(self, leaf: Leaf, here: Frame, there: Frame, unless: Sequence[Handle]) -> None:
        before, after = here.handles[leaf.index], there.handles[leaf.index]
        self.solver.add_equal(before, after, leaf.boolean, unless)

    def _separate(self, here: Frame, there: Frame) -> None:
        """Assert that the step between two frames is one rule's alone: of one action, first."""
        actions: dict[str, list[Handle]] = {}
        for rule, selector in zip(self.system.rules, here.selectors, strict=True):
            actions.setdefault(rule.action, []).append(selector)
        taken = [self.solver.any(selectors) for selectors in actions.values()]
        for choices in (taken, *actions.values()):
            self.solver.at_most_one(choices)
        self.solver.clause(*taken)

    def _select(self, rule: Rule, off: Handle, here: Frame, there: Frame) -> None:
        solver = self.solver
        guard = self.system.circuit.and_(rule.guard, self.system.circuit.not_(rule.overflow))
        for part in guard.args if guard.op == "and" else (guard,):
            solver.clause(off, here.read(part))
        for index, node in rule.updates.items():
            if index not in self.cone:
                continue
            after = there.handles[index]
            boolean = self.system.leaves[index].boolean
            solver.add_equal(after, here.read(node), boolean, [off])

    def state(self, k: int) -> ConcreteState:
        """Frame ``k`` in the solver's last model."""
        if not self._whole:
            return self.states(k)[k]
        return self.system.decode(self.numbers(k))

    def numbers(self, k: int) -> list[int]:
        """The leaves of frame ``k``, all of them in the cone, in the solver's last model."""
        return [self.solver.value(handle) for handle in self.frame(k).handles]

    def parts_of(self, k: int, state: ConcreteState) -> list[Handle]:
        """Return what says, leaf by leaf, that frame ``k`` is a state."""
        solver = self.solver
        return [
            solver.equal(
                handle,
                solver.constant(bool(number)) if leaf.boolean else solver.number(number),
                leaf.boolean,
            )
            for leaf, handle, number in zip(
                self.system.leaves, self.frame(k).handles, self.system.encode(state), strict=True
            )
        ]

    def states(self, last: int) -> list[ConcreteState]:
        """Frames ``0 .. last`` in the solver's last model."""
        if self._whole:
            return [self.state(k) for k in range(last + 1)]
        numbers = self._first()
        found = [self.system.decode(numbers)]
        for k in range(last):
            numbers = self._after(numbers, k)
            found.append(self.system.decode(numbers))
        return found

    def _first(self) -> list[int]:
        """The numbers of all leaves in a state that is frame 0 inside the cone."""
        alone = SatSolver()
        full = Unrolling(self.system, alone)
        if self._started:
            full.start()
        here, whole = self.frame(0).handles, full.frame(0).handles
        for index in self.cone:
            boolean = self.system.leaves[index].boolean
            number = self.solver.value(here[index])
            value = alone.constant(bool(number)) if boolean else alone.number(number)
            alone.add(alone.equal(whole[index], value, boolean))
        if alone.check() is not Answer.SAT:
            raise SolverError(
                "a state of the cone of influence is part of no state of the system: this is a "
                "bug; please report it with the protocol"
            )
        return [alone.value(handle) for handle in whole]

    def _after(self, numbers: Sequence[int], k: int) -> list[int]:
        """The numbers after the rule that the step from frame ``k`` takes in the last model."""
        taken = [self.solver.value(selector) for selector in self.frames[k].selectors].index(1)
        updates = self.system.rules[taken].updates
        new = dict(zip(updates, evaluate(list(updates.values()), numbers), strict=True))
        return [new.get(index, number) for index, number in enumerate(numbers)]


class SharedSteps(Unrolling):
    """An unrolling in which every rule may be selected that leads from the one state to the other.

    So it can be told of a step that it takes several actions at once.
    """

    def _separate(self, here: Frame, there: Frame) -> None:
        """Assert that what a selected rule does not write stays, whatever others are selected."""
        self.solver.clause(*here.selectors)
        alike: dict[frozenset[int], list[Handle]] = {}
        for rule, selector in zip(self.system.rules, here.selectors, strict=True):
            alike.setdefault(frozenset(rule.updates), []).append(selector)
        for written, those in alike.items():
            off = self.solver.negation(self.solver.any(those))
            for leaf in self.system.leaves:
                if leaf.index in self.cone and leaf.index not in written:
                    self._stays(leaf, here, there, [off])


def _writers(system: TransitionSystem) -> list[list[int]]:
    writers: list[list[int]] = [[] for _ in system.leaves]
    for number, rule in enumerate(system.rules):
        for index in rule.updates:
            writers[index].append(number)
    return writers
