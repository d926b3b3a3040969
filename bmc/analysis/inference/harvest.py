"""Formulas that a protocol uses itself: parts of guards, of properties, and what is inserted.

A guard says what an action looks at, so what it says of the action's arguments can be said of any
members of their sorts. Of an action as a whole there is "it is enabled for these arguments" and
"there are others with which it is enabled", in which the quorums of a protocol show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from bmc.lang.build import bound_variable, conj, disj
from bmc.lang.model import Action, Model
from bmc.lang.operator_table import BINDERS
from bmc.lang.properties import Property
from bmc.lang.sorts import BOOL, AnySet, BoolSort
from bmc.lang.substitution import substituted
from bmc.lang.terms import Term, make, subterms

_LARGEST = 60
"""Nodes of a formula that is still one literal: what is larger says too much at once."""
_PROJECTED = 4
"""Of a formula with more free variables nothing is said of some of them only."""
_CONNECTIVES = ("and", "or", "not", "implies")
OUTERMOST = 1_000
"""The nesting level of variables that are bound around a guard: none inside has it."""


def harvested(model: Model, stated: Iterable[Property]) -> tuple[Term, ...]:
    """Return the formulas over one state that a model's text and its properties are made of.

    Their free variables are those of the actions, of the properties and of the binders around
    them. Each is returned once, the smallest first.
    """
    found: dict[Term, int] = {}

    def take(terms: Iterable[Term]) -> None:
        for term in terms:
            size = _size(term)
            if size <= _LARGEST and term.free and _reads_one_state(term):
                found.setdefault(term, size)

    for action in model.actions:
        for branch in action.branches:
            for guard in branch.guards:
                take(_parts(guard))
            for update in branch.updates.values():
                take(_written(update))
    for one in stated:
        take(_parts(one.body))
    take(_enabled(model.actions))
    for term in list(found):
        if term.op in ("member", "select") and 2 <= len(term.free) <= _PROJECTED:
            take(_projections(term, tuple(term.free)))
    return tuple(sorted(found, key=lambda term: (found[term], term.uid)))


def _parts(formula: Term, met: set[Term] | None = None) -> Iterator[Term]:
    """Yield the literals of a formula, and its quantified and its alternative parts as a whole.

    Parts are shared: each is gone through once, as those that were ``met``, not once for each way
    to it.
    """
    met = set() if met is None else met
    if formula in met:
        return
    met.add(formula)
    if formula.op in _CONNECTIVES:
        if formula.op in ("or", "implies"):
            yield formula
        for part in formula.args:
            yield from _parts(part, met)
        return
    if formula.op in ("forall", "exists"):
        yield formula
        if len(formula.args) == 3:
            variable, collection, body = formula.args
            yield make("member", (variable, collection), BOOL)
        else:
            body = formula.args[1]
        yield from _parts(body, met)
        return
    if isinstance(formula.sort, BoolSort) and formula.op not in ("bool", "bound_variable"):
        yield formula


def _written(update: Term) -> Iterator[Term]:
    """Yield what an update inserts as a membership, and the conditions on which it depends."""
    met: set[Term] = set()
    for term in subterms([update]):
        if term.op in ("insert", "remove") and isinstance(term.args[0].sort, AnySet):
            yield make("member", (term.args[1], _base(term.args[0])), BOOL)
        elif term.op == "ite":
            yield from _parts(term.args[0], met)


def _base(collection: Term) -> Term:
    """Return the set to which elements are added one after the other."""
    while collection.op in ("insert", "remove"):
        collection = collection.args[0]
    return collection


def _enabled(actions: Sequence[Action]) -> Iterator[Term]:
    """Yield for each action that it is enabled: for its arguments, and for some of them.

    Branches and the several ways in which a front end takes one action are alternatives. What a
    guard says of no argument is left out: it is a literal of its own, where it is one, and a
    constraint, which stands in every guard and may count a whole set, says nothing.
    """
    groups: dict[tuple[str, tuple[Term, ...]], list[Term]] = {}
    for action in actions:
        if any(argument.collection is not None for argument in action.arguments):
            continue
        variables = tuple(argument.variable for argument in action.arguments)
        name = re.sub(r"_\d+$", "", action.name)
        for branch in action.branches:
            told = [part for guard in branch.guards for part in _conjuncts(guard) if part.free]
            groups.setdefault((name, variables), []).append(conj(*told))
    for (_, variables), alternatives in groups.items():
        whole = disj(*dict.fromkeys(alternatives))
        yield whole
        yield from _projections(whole, variables)


def _conjuncts(formula: Term) -> Iterator[Term]:
    met: set[Term] = set()
    pending = [formula]
    while pending:
        term = pending.pop()
        if term in met:
            continue
        met.add(term)
        if term.op == "and":
            pending.extend(reversed(term.args))
        else:
            yield term


def _projections(formula: Term, variables: Sequence[Term]) -> Iterator[Term]:
    """Yield that there are values of some of the variables with which a formula holds."""
    ordered = sorted((v for v in variables if v in formula.free), key=lambda v: v.uid)
    if len(ordered) > _PROJECTED:
        ordered = ordered[:0]
    for count in range(1, len(ordered)):
        for bound in combinations(ordered, count):
            yield _exists(formula, bound)


def _exists(formula: Term, variables: Sequence[Term]) -> Term:
    for number, variable in enumerate(variables):
        if variable not in formula.free:
            continue
        name = str(variable.data[1])  # type: ignore[index]
        bound = bound_variable(name, OUTERMOST + number, variable.sort)
        formula = make("exists", (bound, substituted(formula, {variable: bound})), BOOL)
    return formula


def _size(term: Term) -> int:
    """Count a term's nodes as they are written, up to somewhat beyond the limit."""
    total, stack = 0, [term]
    while stack and total <= _LARGEST:
        one = stack.pop()
        total += 1
        stack.extend(one.args[1:] if one.op in BINDERS else one.args)
    return total


def _reads_one_state(term: Term) -> bool:
    found = False
    for one in subterms([term]):
        if one.op == "variable":
            if one.data[1]:  # type: ignore[index]
                return False
            found = True
    return found
