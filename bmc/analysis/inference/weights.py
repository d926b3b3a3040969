"""What is to be said against a literal in a lemma, however true it is."""

from __future__ import annotations

from bmc.lang.sorts import AnySet, MapSort
from bmc.lang.terms import Term, subterms


def accidents(body: Term) -> int:
    """Count what in a formula is often true at one size only: whole sets, and numbers."""
    return sum(
        one.op in ("full", "subset", "int", "bound")
        or (one.op == "eq" and isinstance(one.args[0].sort, AnySet | MapSort))
        for one in subterms([body])
    )
