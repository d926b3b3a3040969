"""Clauses of one or two frames of a system, to be loaded into solvers again and again."""

from __future__ import annotations

from collections.abc import Sequence

from bmc.readings.circuit import Node
from bmc.readings.order import Unary
from bmc.solving.core_solver import ClauseStore, CoreSolver
from bmc.solving.sat_solver import SatSolver
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Unrolling


class Template:
    """A state, or a step, with what is known of every reachable state asserted.

    ``now`` and (for a step) ``then`` are the solver's literals of the atoms before and after it;
    a step demands that there is one, so states are looked at with a template without.
    """

    def __init__(
        self,
        system: TransitionSystem,
        atoms: Atoms,
        known: Sequence[Node],
        *,
        step: bool,
    ) -> None:
        self.system = system
        self._store = ClauseStore()
        self._translation = SatSolver(self._store)
        self._unrolling = Unrolling(system, self._translation)
        for frame in range(1 + step):
            for node in known:
                self._translation.add(self._unrolling.at(node, frame))
        self.start: int = self.literal(system.initial)
        self.now: list[int] = [self.literal(atom.node) for atom in atoms.all]
        self.then: list[int] = []
        self.selectors: list[int] = []
        if step:
            self._unrolling.step(0)
            self.then = [self._unrolling.at(atom.node, 1) for atom in atoms.all]
            self.selectors = self._unrolling.frames[0].selectors

    def literal(self, node: Node) -> int:
        """The solver's literal of a formula about the (first) state."""
        found: int = self._unrolling.at(node, 0)
        return found

    def conjunction(self, literals: Sequence[int]) -> int:
        """A literal equivalent to a conjunction."""
        return self._translation.conjunction(literals)

    def load(self) -> CoreSolver:
        """A solver with all clauses so far. What is translated later needs :meth:`refresh`."""
        solver = CoreSolver(self._store.clauses, self._translation.variables)
        self._loaded = len(self._store.clauses)
        return solver

    def refresh(self, solver: CoreSolver) -> None:
        """Give the last loaded solver the clauses translated since."""
        for clause in self._store.clauses[self._loaded :]:
            solver.add_clause(clause)
        self._loaded = len(self._store.clauses)

    def numbers(self, model: Sequence[int]) -> list[int]:
        """The scalars of the first state in a solver's model."""
        found = []
        for handle in self._unrolling.frame(0).handles:
            if isinstance(handle, Unary):
                found.append(handle.low + sum(model[bit - 1] > 0 for bit in handle.bits))
            else:
                found.append(int(model[handle - 1] > 0))
        return found
