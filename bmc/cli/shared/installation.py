"""What is installed here, found by trying it."""

from __future__ import annotations

import platform
import sys
from importlib import import_module

from bmc import __version__
from bmc.reports.health import Component
from bmc.reports.machine import version_of

OLDEST_PYTHON = (3, 11)

# (module, distribution, what for, do proofs need it). What takes seconds to import and is not
# needed by proofs is only looked up.
_PACKAGES = (
    ("z3", "z3-solver", "SMT: the authority among the solvers", True),
    ("pysat", "python-sat", "SAT: CaDiCaL and glucose, the fast proofs", True),
    ("bitwuzla", "bitwuzla", "a second solver, for certificates", True),
    ("cvc5", "cvc5", "a second solver, for certificates", False),
    ("numpy", "numpy", "packed states and clauses", True),
    ("llvmlite", "llvmlite", "machine code for large explorations", False),
    ("sympy", "sympy", "sizes of models as expressions over parameters", False),
    ("networkx", "networkx", "dependency graphs", False),
    ("pyspark", "pyspark", "sweeps over parameter grids", False),
    ("pyarrow", "pyarrow", "the tables sweeps write", False),
)
_LOOKED_UP = {"sympy", "networkx", "pyspark", "pyarrow"}
_LOADED_BY = {"z3": "bmc.solving.z3_library"}


def examine() -> list[Component]:
    """Every component, in the order of its importance."""
    return [_bmc(), _python(), *(_package(*row) for row in _PACKAGES), _java()]


def _bmc() -> Component:
    return Component("bmc", "this program", __version__, True, None, "")


def _python() -> Component:
    wanted = ".".join(map(str, OLDEST_PYTHON))
    problem = None if sys.version_info >= OLDEST_PYTHON else f"older than {wanted}"
    remedy = f"install Python {wanted} or later and bmc into it"
    return Component("python", "runs everything", platform.python_version(), True, problem, remedy)


def _package(module: str, distribution: str, purpose: str, needed: bool) -> Component:
    version = version_of(distribution)
    problem = None
    if version is None:
        problem = "not installed"
    elif module not in _LOOKED_UP:
        try:
            import_module(_LOADED_BY.get(module, module))
        except Exception as error:
            problem = f"installed, but its import fails ({type(error).__name__}: {error})"
    remedy = f"{sys.executable} -m pip install {distribution}"
    return Component(distribution, purpose, version, needed, problem, remedy)


def _java() -> Component:
    from bmc.sweep import java

    purpose = "runs Spark, for sweeps"
    try:
        found = java.find()
    except java.NoJava as missing:
        return Component("java", purpose, missing.version, False, missing.problem, java.ADVICE)
    return Component("java", f"{purpose} (of {found.origin})", found.version, False, None, "")
