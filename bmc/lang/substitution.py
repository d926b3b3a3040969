"""Terms in the place of terms."""

from __future__ import annotations

from collections.abc import Mapping

from bmc.lang.terms import Term, make


class TermSubstitution:
    """Puts terms in the place of state variables and arguments, in terms that may share parts.

    What takes a place must not have a bound variable that is free in it and bound around that
    place; the arguments of actions and properties are of a level that no binder gives.
    """

    def __init__(self, instead: Mapping[Term, Term]) -> None:
        self._made = dict(instead)
        self._bound = frozenset(instead)
        self._only_bound = all(one.op == "bound_variable" for one in instead)

    def __call__(self, term: Term) -> Term:
        """Return a term with the others in it."""
        made, stack = self._made, [term]
        while stack:
            part = stack[-1]
            if part in made:
                stack.pop()
            elif self._only_bound and not part.free & self._bound:
                made[part] = part
            elif missing := [inner for inner in part.args if inner not in made]:
                stack += missing
            elif all(made[inner] is inner for inner in part.args):
                made[part] = part
            else:
                made[part] = make(part.op, (made[a] for a in part.args), part.sort, part.data)
        return made[term]


def substituted(term: Term, instead: Mapping[Term, Term]) -> Term:
    """Return a term with others in the place of state variables and arguments.

    What takes their place is what a :class:`TermSubstitution` says of it.
    """
    return TermSubstitution(instead)(term)
