"""What cannot be satisfied, with a proof for others: clauses in DIMACS, steps in DRAT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pysat.solvers import Cadical195

from bmc.lang.errors import BmcError
from bmc.solving.z3_library import z3

_FALSE = "p cnf 0 1\n0\n"


class NoUnsatProof(BmcError):
    """Something can be satisfied, so that no proof says that it cannot."""


@dataclass(frozen=True)
class UnsatProof:
    """Clauses as the text of a DIMACS file, and a proof in DRAT that they contradict each other."""

    clauses: str
    proof: str


def unsat_proof(text: str) -> UnsatProof:
    """Return the clauses of an SMT-LIB script over bit-vectors, and the proof that CaDiCaL finds.

    z3 makes the clauses: it simplifies, turns numbers into bits and names gates (Tseitin, 1968).
    The proof is about them, in the format of Wetzler, Heule and Hunt (*DRAT-trim*, 2014). Raises
    NoUnsatProof where the script can be satisfied.
    """
    clauses = _clauses(text)
    numbers = [[int(n) for n in line.split()[:-1]] for line in clauses.splitlines()[1:]]
    with Cadical195(bootstrap_with=numbers, with_proof=True) as solver:
        if solver.solve():
            raise NoUnsatProof("it can be satisfied")
        steps = solver.get_proof()
    # Of an empty clause that is there from the start CaDiCaL says nothing.
    return UnsatProof(clauses, "".join(f"{step}\n" for step in steps or ["0"]))


def _clauses(text: str) -> str:
    context = z3.Context()
    goal: Any = z3.Goal(ctx=context)
    goal.add(*z3.parse_smt2_string(text, ctx=context))
    made = z3.Then("simplify", "bit-blast", "tseitin-cnf", ctx=context)(goal)
    (found,) = made
    # Where simplifying has found the contradiction already, z3 writes the constant.
    return _FALSE if found.inconsistent() else f"{found.dimacs(False).strip()}\n"
