"""What is to be said against a literal in a lemma, however true it is."""

from __future__ import annotations

from bmc.lang.sorts import AnySet, MapSort
from bmc.lang.terms import Term, subterms


def accidents(body: Term) -> int:
    """Count what in a formula is often true at one size only: whole sets, and numbers.

    What is demanded of a quorum is the protocol's own: by what a size is multiplied, how many there
    are in all, and that a set which is bound has no members but those of another one.
    """
    counted = {a for one in subterms([body]) if one.op in ("mul", "size") for a in one.args}
    return sum(
        one.op == "bound"
        or (one.op in ("int", "full") and one not in counted)
        or (one.op == "subset" and one.args[0].op != "bound_variable")
        or (one.op == "eq" and isinstance(one.args[0].sort, AnySet | MapSort))
        for one in subterms([body])
    )
