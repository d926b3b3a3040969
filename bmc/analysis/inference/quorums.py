"""Quorums: what a protocol demands of sets that it counts, and words of lemmas that say it.

A protocol that counts says of some set that it is large enough: of the voters that it chooses, of
those whose answers came in, of each two sets of a kind. The same demand on any set, and that
something holds of all its members, is a word: "there is a majority whose members all …". Its
negation is that each majority has a member that does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bmc.analysis.inference.harvest import OUTERMOST
from bmc.analysis.mining.literals import Literal
from bmc.lang.build import argument, bound_variable, conj
from bmc.lang.model import Model
from bmc.lang.properties import Property
from bmc.lang.sorts import BOOL, EnumSort, IntSort, Scalarset, SetSort, Sort
from bmc.lang.substitution import substituted
from bmc.lang.terms import Term, make, subterms

_CHOSEN = OUTERMOST + 100
"""The nesting level of the set that is chosen; its members are one level further in."""
_MOST = 6
"""Demands of a protocol that words are made of."""
_COMPARED = ("le", "lt", "member")


@dataclass(frozen=True, eq=False)
class Quorum:
    """What is demanded of a set, ``chosen``: that it is large enough, say."""

    chosen: Term
    demand: Term

    @property
    def element(self) -> Sort:
        """The sort of its members."""
        assert isinstance(self.chosen.sort, SetSort)
        return self.chosen.sort.element

    @property
    def others(self) -> frozenset[Term]:
        """What else the demand speaks of."""
        return self.demand.free - {self.chosen}

    def of(self, named: dict[Term, Term]) -> Quorum:
        """Return the demand with other terms in the place of variables."""
        return Quorum(self.chosen, substituted(self.demand, named))

    def with_members(self, told: Literal, member: Term) -> Term:
        """Return that there is such a set, and that ``told`` holds of each ``member`` of it."""
        inner = bound_variable("n", _CHOSEN + 1, member.sort)
        said = substituted(conj(*told.guards, told.formula), {member: inner})
        every = make("forall", (inner, self.chosen, said), BOOL)
        return make("exists", (self.chosen, conj(self.demand, every)), BOOL)


def quorums(model: Model, stated: Iterable[Property]) -> tuple[Quorum, ...]:
    """Return what a model's text and its properties demand of sets that they count, each once."""
    found: dict[Term, Quorum] = {}
    for chosen, demands in _demands(model, stated):
        told = [one for one in demands if _counts(one, chosen) or _bounds(one, chosen)]
        if not any(_counts(one, chosen) for one in told):
            continue
        inside = bound_variable("Q", _CHOSEN, chosen.sort)
        whole = conj(*dict.fromkeys(told))
        others = sorted((v for v in whole.free if v is not chosen), key=lambda one: one.uid)
        names = {v: argument(f"x{number}", v.sort) for number, v in enumerate(others)}
        demand = substituted(whole, {chosen: inside, **names})
        found.setdefault(demand, Quorum(inside, demand))
    ranked = sorted(found.values(), key=lambda one: (len(one.demand.free), one.demand.uid))
    return tuple(ranked[:_MOST])


def _demands(model: Model, stated: Iterable[Property]) -> Iterator[tuple[Term, list[Term]]]:
    """Yield variables for sets, each with the formulas that are demanded of it."""
    roots: list[Term] = [one.body for one in stated]
    for action in model.actions:
        for branch in action.branches:
            guards = [part for guard in branch.guards for part in _parts(guard, "and")]
            for given in action.arguments:
                if _is_countable(given.variable):
                    yield given.variable, guards
            roots += [*branch.guards, *branch.updates.values()]
    for term in subterms(roots):
        if term.op in ("exists", "forall") and len(term.args) == 2:
            variable, body = term.args
            if _is_countable(variable):
                yield variable, list(_asked_of(body, term.op == "exists"))
        elif term.op in _COMPARED:
            yield from _of_states(term)


def _asked_of(body: Term, some: bool) -> Iterator[Term]:
    """Yield the conjuncts of what is there, or the premises of what holds of all."""
    if some:
        yield from _parts(body, "and")
    elif body.op == "implies":
        yield from _parts(body.args[0], "and")


def _of_states(term: Term) -> Iterator[tuple[Term, list[Term]]]:
    """Yield what a comparison says of a set in the state that it counts, of any set."""
    held = term.args[:1] if term.op == "member" else _sized(term)
    for one in held:
        if _is_countable(one) and one.op != "bound_variable" and _reads(one):
            anything = bound_variable("Q", _CHOSEN, one.sort)
            said = _put(term, one, anything)
            if anything in said.free:
                yield anything, [said]


def _sized(term: Term) -> list[Term]:
    return [one.args[0] for one in subterms([term]) if one.op == "size"]


def _parts(formula: Term, op: str) -> Iterator[Term]:
    if formula.op != op:
        yield formula
        return
    for part in formula.args:
        yield from _parts(part, op)


def _counts(demand: Term, chosen: Term) -> bool:
    """Whether a demand is that a set has many elements, or that it is one of some sets."""
    match demand.op:
        case "member":
            return demand.args[0] is chosen
        case "le" | "lt":
            few, many = demand.args
            return chosen not in few.free and any(one is chosen for one in _sized(many))
    return False


def _bounds(demand: Term, chosen: Term) -> bool:
    """Whether a demand is that a set has no elements but those of another one."""
    return demand.op == "subset" and demand.args[0] is chosen and chosen not in demand.args[1].free


def _is_countable(term: Term) -> bool:
    sort = term.sort
    return isinstance(sort, SetSort) and isinstance(sort.element, Scalarset | EnumSort | IntSort)


def _reads(term: Term) -> bool:
    return any(one.op == "variable" for one in subterms([term]))


def _put(term: Term, old: Term, new: Term) -> Term:
    if term is old:
        return new
    if not term.args:
        return term
    return make(term.op, (_put(a, old, new) for a in term.args), term.sort, term.data)
