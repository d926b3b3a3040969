"""CaDiCaL through python-sat, for engines that ask many small questions and want cores.

Clauses are collected once as a template (:class:`ClauseStore`) and loaded into as many solvers
as an engine likes. A :class:`CoreSolver` answers under assumptions, says which of them a
refutation used, and can give up after a number of conflicts. Of python-sat's solvers CaDiCaL
gave IC3 the smallest invariants in the least time; minisat and glucose were up to ten times
slower on (3,3,3,3) of kafka.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pysat
import pysolvers
from pysat.solvers import Cadical195

from bmc.solving.interface import SolverError

NAME = "cadical"
VERSION = f"1.9.5 (python-sat {pysat.__version__})"


class ClauseStore:
    """Keeps clauses instead of solving them: what :class:`SatSolver` translates into."""

    def __init__(self) -> None:
        self.clauses: list[list[int]] = []

    def add_clause(self, clause: Sequence[int]) -> None:
        """Keep a clause."""
        self.clauses.append(list(clause))

    def append_formula(self, clauses: Iterable[Sequence[int]], no_return: bool) -> None:
        """Keep clauses, as python-sat's solvers take many at once."""
        self.clauses.extend(map(list, clauses))


def limited(solver: Any, assumptions: Sequence[int]) -> bool | None:
    """Return whether there is a model, or None at a limit. Raises KeyboardInterrupt on Ctrl-C.

    The other way to ask python-sat, solve(), calls a search that met a limit a refutation.
    """
    try:
        found: bool | None = solver.solve_limited(list(assumptions))
    except pysolvers.error as interrupted:
        # python-sat takes the signal itself while it solves, and raises this for nothing else.
        raise KeyboardInterrupt from interrupted
    return found


class CoreSolver:
    """CaDiCaL 1.9.5 on given clauses over variables ``1 .. variables``."""

    def __init__(self, clauses: Iterable[Sequence[int]], variables: int) -> None:
        self._solver = Cadical195(bootstrap_with=clauses)
        # A model lists only variables that the solver has seen.
        self._solver.add_clause([variables, -variables])
        self._last = variables

    def fresh(self) -> int:
        """A new variable."""
        self._last += 1
        return self._last

    def add_clause(self, clause: Sequence[int]) -> None:
        """Assert a clause for good."""
        self._solver.add_clause(clause)

    def solve(self, assumptions: Sequence[int]) -> bool:
        """Whether there is a model under the assumptions.

        Raises SolverError when the search ends without an answer.
        """
        found = limited(self._solver, assumptions)
        if found is None:
            raise SolverError("CaDiCaL met a limit that nobody set: this is a bug in bmc")
        return found

    def solve_within(self, assumptions: Sequence[int], conflicts: int) -> bool | None:
        """The same, or None after that many conflicts."""
        self._solver.conf_budget(conflicts)
        return limited(self._solver, assumptions)

    def core(self) -> list[int]:
        """Assumptions that suffice for the last refutation."""
        return self._solver.get_core() or []

    def model(self) -> list[int]:
        """The last model: variable ``v``'s literal at ``v - 1``."""
        found: list[int] = self._solver.get_model()
        return found

    def delete(self) -> None:
        """Free its memory; it is not used again."""
        self._solver.delete()
