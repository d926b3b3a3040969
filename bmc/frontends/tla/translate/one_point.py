"""The one-point rule: a guard `argument = e` removes the argument.

`\\E x \\in S : x = e /\\ P(x)` is `e \\in S /\\ P(e)`. A text chooses an offset and says in the
next line which one it is; each argument that goes divides the number of ground rules by its range.
What stands before the equation is read for every member of S: where it may have no value for some
of them the variable stays. What `e` is made of is read though nothing else asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from bmc.frontends.tla.translate.asked import without_repeated
from bmc.frontends.tla.translate.surely import Surely
from bmc.lang import build
from bmc.lang.model import Argument
from bmc.lang.sorts import BOOL, IntSort, MapSort, OptionSort, RecordSort, Sort
from bmc.lang.substitution import TermSubstitution
from bmc.lang.terms import Term, field, literal, make, term_of

IsPartial = Callable[[Term], bool]
"""Tells whether a term may be without a value."""


@dataclass(frozen=True, eq=False)
class Taken:
    """One way to take a step; the updates are terms of the variables' sorts."""

    arguments: tuple[Argument, ...]
    guards: tuple[Term, ...]
    updates: Mapping[str, Term]


def one_point(branch: Taken, is_partial: IsPartial) -> Taken:
    """Return the branch without the arguments that its guards determine."""
    guards = [g for one in branch.guards for g in split(one)]
    arguments = list(branch.arguments)
    updates = dict(branch.updates)
    while True:
        found = _determined(arguments, guards, _number, is_partial)
        if found is None:
            return Taken(tuple(arguments), tuple(guards), updates)
        at, argument, value = found
        # The value is in the range of the argument: a guard says so.
        put = TermSubstitution({argument.variable: value})
        inside = list(_inside(value, argument.variable.sort, is_partial))
        before = [put(g) for g in guards[:at]]
        after = [put(g) for g in guards[at + 1 :]]
        guards = [*before, *inside, *after]
        updates = {n: put(t) for n, t in updates.items()}
        arguments = [a for a in arguments if a is not argument]
        arguments = [
            replace(a, collection=None if a.collection is None else put(a.collection))
            for a in arguments
        ]


def without_binder(quantified: Term, is_partial: IsPartial) -> Term:
    """Return `\\E x \\in S : P(x)` as a formula without x where P says what x is."""
    if quantified.op != "exists" or len(quantified.args) != 2:
        return quantified
    variable, body = quantified.args
    guards = split(body)
    found = _determined([Argument("x", variable, None)], guards, _bound_or_number, is_partial)
    if found is None:
        return quantified
    at, _, value = found
    put = TermSubstitution({variable: value})
    # What reads the variable has a value for members of S only: that it is one comes before.
    reading = next((i for i, g in enumerate(guards[:at]) if variable in g.free), at)
    before = [put(g) for g in guards[:reading]]
    after = [put(g) for g in (*guards[reading:at], *guards[at + 1 :])]
    inside = _inside(value, variable.sort, is_partial)
    return build.conj(*without_repeated((*before, *inside, *after)))


def _determined(
    arguments: list[Argument],
    guards: list[Term],
    fits: Callable[[Sort, Term], bool],
    is_partial: IsPartial,
) -> tuple[int, Argument, Term] | None:
    """Return the guard that determines an argument, the argument and its value.

    A guard before it that reads the argument would be read at the one value only, and what stands
    behind that as well. It is the same as long as they have a value at the others too, and the
    value itself has a meaning there, which nothing before it has made sure of: it has to be total.
    """
    surely = Surely(is_partial)
    for at, guard in enumerate(guards):
        if guard.op != "eq":
            continue
        for variable, value in (guard.args, guard.args[::-1]):
            for argument in arguments:
                if argument.variable is not variable or argument.collection is not None:
                    continue
                if variable in value.free or not fits(variable.sort, value):
                    continue
                first = next((i for i, one in enumerate(guards) if variable in one.free), at)
                if first < at and not total(value):
                    continue
                if not all(surely.has_value(guards[i], guards[:i]) for i in range(first, at)):
                    continue
                return at, argument, value
    return None


def _number(sort: Sort, value: Term) -> bool:
    # Who takes a step stays an argument: traces tell it, and with a constant for it a rule's
    # circuit is smaller than with a term that reads the state.
    return isinstance(sort, IntSort) and isinstance(value.sort, IntSort)


def _bound_or_number(sort: Sort, value: Term) -> bool:
    # What is bound outside is a constant in a circuit: `k \in DOMAIN f` reads f at k alone, where
    # `\E x : f[x] # None /\ x = k` for each of n messages k would read n times n of them.
    same = value.op == "bound_variable" and value.sort == sort
    return same or _number(sort, value)


def _inside(value: Term, sort: Sort, is_partial: IsPartial) -> Iterator[Term]:
    if not isinstance(sort, IntSort) or value.sort == sort:
        if is_partial(value):
            yield make("eq", (value, value), BOOL)
        return
    low, high = sort.range()
    yield term_of(literal(low.at({})) <= value)
    yield term_of(value <= literal(high.at({})))


_TOTAL = frozenset(
    {
        "variable",
        "bound_variable",
        "int",
        "bool",
        "enum",
        "none",
        "some",
        "field",
        "record",
        "add",
        "sub",
        "size",
        "is_none",
    }
)


def total(term: Term) -> bool:
    """Tell whether a term surely has a value."""
    if term.op == "select":
        sort = term.args[0].sort
        inside = isinstance(sort, MapSort) and term.args[1].sort == sort.key
        return inside and all(total(a) for a in term.args)
    return term.op in _TOTAL and all(total(a) for a in term.args)


def split(guard: Term) -> list[Term]:
    """Return the conjuncts of a guard, an equation of records field by field."""
    if guard.op == "and":
        return [g for part in guard.args for g in split(part)]
    if guard.op != "eq":
        return [guard]
    left, right = guard.args
    if _made(right) and not _made(left):
        left, right = right, left
    found: list[Term] = []
    if left.op == "some" and left.args[0].op == "record" and isinstance(right.sort, OptionSort):
        found.append(build.is_some(right))
        left, right = left.args[0], build.the(right)
    if left.op != "record" or not isinstance(left.sort, RecordSort):
        return [guard]
    for (name, _), part in zip(left.sort.fields, left.args, strict=True):
        plain = part.args[0] if part.op == "narrow" else part
        found.append(term_of(field(right, name) == plain))
    return [g for part in found for g in split(part)]


def _made(term: Term) -> bool:
    return term.op == "record" or (term.op == "some" and term.args[0].op == "record")
