"""Terms in the place of terms."""

from __future__ import annotations

from collections.abc import Mapping

from bmc.lang.terms import Term, make, subterms


def substituted(term: Term, instead: Mapping[Term, Term]) -> Term:
    """Return a term with others in the place of state variables and arguments.

    What takes a place must not have a bound variable that is free in it and bound around that
    place; the arguments of actions and properties are of a level that no binder gives.
    """
    if not instead:
        return term
    made: dict[Term, Term] = {}
    for part in subterms([term]):
        if part in instead:
            made[part] = instead[part]
        elif any(made[inner] is not inner for inner in part.args):
            made[part] = make(part.op, (made[inner] for inner in part.args), part.sort, part.data)
        else:
            made[part] = part
    return made[term]
