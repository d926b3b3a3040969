"""What a claim about steps says of a step that changes nothing.

bmc claims it of every step that an action takes, and TLA+'s ``[][P]_vars`` of none that changes
nothing: where that is not the same, the module says the rest.
"""

from __future__ import annotations

from bmc.lang.build import TRUE
from bmc.lang.state import state_variable
from bmc.lang.substitution import substituted
from bmc.lang.terms import Term, subterms
from bmc.reports.exports.tla.valued import has_marks

_REFLEXIVE = frozenset({"eq", "le", "subset", "iff"})


def of_a_stay(body: Term) -> Term | None:
    """Return what is claimed where the state after is the one before; None if it is evident."""
    primed = [t for t in subterms([body]) if t.op == "variable" and t.data[1]]  # type: ignore[index]
    found = substituted(body, {t: state_variable(t.data[0], t.sort) for t in primed})  # type: ignore[index]
    return None if _is_evident(found) and not has_marks(found) else found


def _is_evident(term: Term) -> bool:
    match term.op:
        case "or":
            return any(map(_is_evident, term.args))
        case "and":
            return all(map(_is_evident, term.args))
        case "implies" | "forall":
            return _is_evident(term.args[-1])
        case "ite":
            return all(map(_is_evident, term.args[1:]))
        case op if op in _REFLEXIVE:
            return term.args[0] is term.args[1]
    return term is TRUE
