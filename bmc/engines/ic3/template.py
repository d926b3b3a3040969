"""Clauses of one or two frames of a system, to be loaded into solvers again and again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bmc.lang.errors import BmcError
from bmc.readings.circuit import Node
from bmc.readings.order import Unary
from bmc.solving.core_solver import ClauseStore, CoreSolver
from bmc.solving.sat_solver import SatSolver
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Unrolling


class Sealed(BmcError):
    """A formula was translated into a template after a solver had been loaded from it."""


class _Clauses(ClauseStore):
    """Clauses that change until they are sealed, or that one solver is told as they come."""

    def __init__(self) -> None:
        super().__init__()
        self._sealed = False
        self._follower: CoreSolver | None = None

    def seal(self) -> None:
        """Take no more clauses."""
        self._sealed = True

    def follow(self, solver: CoreSolver) -> None:
        """Give each further clause to a solver, which knows all clauses so far."""
        self._follower = solver

    def add_clause(self, clause: Sequence[int]) -> None:
        """Keep a clause; Sealed when a solver would miss it."""
        if self._follower is not None:
            self._follower.add_clause(clause)
        elif self._sealed:
            raise Sealed(
                "a formula was translated after its template had been loaded: translate it before, "
                "or ask a growing solver"
            )
        else:
            super().add_clause(clause)

    def append_formula(self, clauses: Iterable[Sequence[int]], no_return: bool) -> None:
        """Keep clauses, as python-sat's solvers take many at once; Sealed likewise."""
        for clause in clauses:
            self.add_clause(clause)


class Template:
    """A state, or a step, with what is known of every reachable state asserted.

    ``now`` and (for a step) ``then`` are the solver's literals of the atoms before and after it;
    a step demands that there is one, so states are looked at with a template without. ``before`` is
    known of the (first) state only.
    """

    def __init__(
        self,
        system: TransitionSystem,
        atoms: Atoms,
        known: Sequence[Node],
        *,
        step: bool,
        before: Sequence[Node] = (),
    ) -> None:
        self.system = system
        self._store = _Clauses()
        self._translation = SatSolver(self._store)
        self._unrolling = Unrolling(system, self._translation)
        for frame in range(1 + step):
            for node in known:
                self._translation.add(self._unrolling.at(node, frame))
        for node in before:
            self._translation.add(self.literal(node))
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

    def after(self, node: Node) -> int:
        """The solver's literal of a formula about the state after the step."""
        found: int = self._unrolling.at(node, 1)
        return found

    def conjunction(self, literals: Sequence[int]) -> int:
        """A literal equivalent to a conjunction."""
        return self._translation.conjunction(literals)

    def load(self) -> CoreSolver:
        """A solver with all clauses. From now on nothing new can be translated here.

        A formula that was translated later would be missing in the solver, whose answers would be
        about another system; :meth:`literal` then raises :class:`Sealed`.
        """
        self._store.seal()
        return CoreSolver(self._store.clauses, self._translation.variables)

    def growing(self) -> Growing:
        """A solver with all clauses that goes on translating, in the template's place."""
        solver = self.load()
        self._store.follow(solver)
        return Growing(self, solver)

    def numbers(self, model: Sequence[int]) -> list[int]:
        """The scalars of the first state in a solver's model."""
        found = []
        for handle in self._unrolling.frame(0).handles:
            if isinstance(handle, Unary):
                found.append(handle.low + sum(model[bit - 1] > 0 for bit in handle.bits))
            else:
                found.append(int(model[handle - 1] > 0))
        return found


class Growing:
    """A solver that asserts each formula's clauses as soon as the formula is translated.

    It hands out no variables of its own: they would be those of the next formula.
    """

    def __init__(self, template: Template, solver: CoreSolver) -> None:
        self._template = template
        self._solver = solver

    def literal(self, node: Node) -> int:
        """The solver's literal of a formula about the state."""
        return self._template.literal(node)

    def conjunction(self, literals: Sequence[int]) -> int:
        """A literal equivalent to a conjunction."""
        return self._template.conjunction(literals)

    def add_clause(self, clause: Sequence[int]) -> None:
        """Assert a clause for good."""
        self._solver.add_clause(clause)

    def solve(self, assumptions: Sequence[int]) -> bool:
        """Whether there is a model under the assumptions."""
        return self._solver.solve(assumptions)

    def core(self) -> list[int]:
        """Assumptions that suffice for the last refutation."""
        return self._solver.core()
