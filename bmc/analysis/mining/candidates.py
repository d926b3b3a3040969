"""Candidates: clauses of literals as properties, in one canonical form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from bmc.analysis.mining.literals import Literal, opposite
from bmc.analysis.mining.vocabulary import Variables, variables
from bmc.lang.build import conj, implies
from bmc.lang.model import Source
from bmc.lang.properties import Kind, Property
from bmc.lang.show import show
from bmc.lang.sorts import Sort
from bmc.lang.terms import Term, make

GROUP = "mined"

Naming = Callable[[Sequence[Sort]], Variables]
"""What the bound variables of given sorts are called."""


# Terms have no equality that Python could use: two candidates are one if their bodies are.
@dataclass(frozen=True, eq=False)
class Candidate:
    """A formula that may be an invariant: ``\\A arguments : body``.

    ``literals`` counts what it says besides guards, ``weight`` how deep inside the state.
    """

    arguments: Variables
    body: Term
    literals: int
    weight: int

    @property
    def cost(self) -> tuple[int, int, int, str]:
        """What to sort by to have the simplest first; never equal for two candidates."""
        return self.literals, len(self.arguments), self.weight, show(self.body)

    def stated(self, name: str) -> Property:
        """The candidate as a lemma."""
        text, place = show(self.body), Source("", 0)
        return Property(name, Kind.LEMMA, self.arguments, self.body, text, GROUP, place)


def never(together: Sequence[Literal], bound: Variables, naming: Naming = variables) -> Candidate:
    """That these literals do not hold together, for any values of the bound variables."""
    guards = dict.fromkeys(guard for literal in together for guard in literal.guards)
    said = [literal for literal in together if literal.formula not in guards]
    last = max(said or together, key=_as_conclusion)
    if not said:
        guards.pop(last.formula)
    premises = sorted((x for x in said if x is not last), key=lambda x: (x.weight, show(x.formula)))
    parts = [*guards, *(x.formula for x in premises)]
    conclusion = opposite(last.formula)
    body = implies(conj(*parts), conclusion) if parts else conclusion
    weight = sum(literal.weight for literal in together)
    return _canonical(body, bound, len(together), weight, naming)


def _as_conclusion(literal: Literal) -> tuple[bool, bool, int, str]:
    """How well the opposite of a literal reads behind an arrow: a positive statement, late."""
    formula = opposite(literal.formula)
    return formula.op != "not", formula.op == "eq", literal.weight, show(formula)


def _canonical(
    body: Term, bound: Variables, literals: int, weight: int, naming: Naming
) -> Candidate:
    used = [variable for variable in bound if variable in body.free]
    sorts: dict[Sort, list[Term]] = {}
    for variable in used:
        sorts.setdefault(variable.sort, []).append(variable)
    names = naming([sort for sort in sorts for _ in sorts[sort]])
    forms = []
    for orders in product(*(permutations(alike) for alike in sorts.values())):
        old = [variable for order in orders for variable in order]
        forms.append(renamed(body, dict(zip(old, names, strict=True))))
    return Candidate(names, min(forms, key=show), literals, weight)


def renamed(term: Term, names: Mapping[Term, Term]) -> Term:
    """A term with other bound variables; those that its own binders bind are not among them."""
    if term in names:
        return names[term]
    if not term.args:
        return term
    return make(term.op, (renamed(a, names) for a in term.args), term.sort, term.data)


def distinct(found: Iterable[Candidate]) -> list[Candidate]:
    """Each candidate once, the simplest first."""
    return sorted({one.body: one for one in found}.values(), key=lambda one: one.cost)
