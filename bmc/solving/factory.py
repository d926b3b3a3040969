"""Solvers by name, imported when asked for."""

from bmc.lang.errors import UnknownName, suggest
from bmc.solving.interface import Solver, SolverError

NAMES = ("cadical", "z3", "bitwuzla", "glucose")
"""The backends, by what the command line calls them."""


def _unknown(name: str) -> UnknownName:
    return UnknownName(f"there is no solver {name!r}: {suggest(name, NAMES)}")


def require_solver(name: str) -> None:
    """Raise UnknownName for a name that is none of :data:`NAMES`."""
    if name not in NAMES:
        raise _unknown(name)


def create(name: str) -> Solver:
    """A fresh solver.

    Raises UnknownName for a name that is none of :data:`NAMES`, SolverError when the library
    behind it is not installed.
    """
    try:
        match name:
            case "z3":
                from bmc.solving.z3_solver import Z3Solver

                return Z3Solver()
            case "cadical":
                from bmc.solving.sat_solver import SatSolver

                return SatSolver()
            case "bitwuzla":
                from bmc.solving.bitwuzla_solver import BitwuzlaSolver

                return BitwuzlaSolver()
            case "glucose":
                from bmc.solving.glucose_solver import GlucoseSolver

                return GlucoseSolver()
    except ImportError as error:
        raise SolverError(f"solver {name} is not installed ({error}): see `bmc doctor`") from error
    raise _unknown(name)
