"""Rules of quantifiers, comprehensions and choices: all instances are read."""

from __future__ import annotations

from bmc.evidence.independent.collections import guarded, kept, united
from bmc.evidence.independent.formula import Formula
from bmc.evidence.independent.reading import Environment, Read, Reading, rule
from bmc.evidence.independent.values import Bits, Number, Table, Truth, Value, want
from bmc.lang.sorts import Sort
from bmc.lang.terms import Term


def _over(run: Reading, term: Term, env: Environment) -> list[tuple[Value, Environment]]:
    variable = term.args[0]
    return [(v, {**env, variable.uid: v}) for v in run.universe.listed(variable.sort)]


def _instances(
    run: Reading, term: Term, env: Environment
) -> tuple[Formula, list[tuple[Formula, Formula]]]:
    """Return when a quantifier is defined, and each instance: where it counts, where it holds."""
    f = run.formulas
    variable, body = term.args[0], term.args[-1]
    if len(term.args) == 2:
        ranged: tuple[tuple[Formula, Value], ...] = tuple(
            (f.true, value) for value in run.universe.listed(variable.sort)
        )
        defined = f.true
    else:
        defined, held = run.read(term.args[1], env)
        ranged = guarded(run, term.args[1].sort, held)
    found = []
    parts = [defined]
    for there, value in ranged:
        if there is f.false:
            continue
        has_value, truth = run.truth(body, {**env, variable.uid: value})
        parts.append(f.implies(there, has_value))
        found.append((there, truth))
    return f.all(parts), found


@rule("forall")
def _forall(run: Reading, term: Term, env: Environment) -> Read:
    defined, found = _instances(run, term, env)
    return Read(defined, Truth(run.formulas.all(run.formulas.implies(a, b) for a, b in found)))


@rule("exists")
def _exists(run: Reading, term: Term, env: Environment) -> Read:
    defined, found = _instances(run, term, env)
    return Read(defined, Truth(run.formulas.any(run.formulas.both(a, b) for a, b in found)))


@rule("lambda")
def _lambda(run: Reading, term: Term, env: Environment) -> Read:
    parts = [run.read(term.args[-1], inner) for _, inner in _over(run, term, env)]
    return Read(run.formulas.all(p.defined for p in parts), Table(tuple(p.value for p in parts)))


@rule("filter")
def _filter(run: Reading, term: Term, env: Environment) -> Read:
    parts = [run.truth(term.args[-1], inner) for _, inner in _over(run, term, env)]
    return Read(run.formulas.all(d for d, _ in parts), Bits(tuple(holds for _, holds in parts)))


def _where(run: Reading, sort: Sort, value: Value, there: Formula) -> Value:
    """Return a set under a condition, and the empty set where it does not hold."""
    return value if there is run.formulas.true else kept(run, sort, value, lambda _: there)


@rule("union_of")
def _union_of(run: Reading, term: Term, env: Environment) -> Read:
    f = run.formulas
    parts = [f.true]
    value = run.universe.empty(term.sort)
    if len(term.args) == 3:
        defined, held = run.read(term.args[1], env)
        ranged = guarded(run, term.args[1].sort, held)
        parts.append(defined)
    else:
        everything = run.universe.listed(term.args[0].sort)
        ranged = tuple((f.true, one) for one in everything)
    for there, element in ranged:
        if there is f.false:
            continue
        part = run.read(term.args[-1], {**env, term.args[0].uid: element})
        agree, value = united(run, value, _where(run, term.sort, part.value, there))
        parts += [f.implies(there, part.defined), agree]
    return Read(f.all((*parts, run.universe.inside(term.sort, value))), value)


@rule("choose")
def _choose(run: Reading, term: Term, env: Environment) -> Read:
    """Return the first value in the order of the sort for which the body holds."""
    f = run.formulas
    parts = [(v, *run.truth(term.args[-1], inner)) for v, inner in _over(run, term, env)]
    if not parts:
        return Read(f.false, run.universe.void(term.sort))
    found = parts[-1][0]
    for value, _, holds in reversed(parts[:-1]):
        found = run.universe.choose(holds, value, found)
    some = f.any(holds for _, _, holds in parts)
    return Read(f.both(some, *(defined for _, defined, _ in parts)), found)


@rule("last", "first")
def _extreme(run: Reading, term: Term, env: Environment) -> Read:
    """Return the greatest or least number for which the body holds, else the default."""
    f = run.formulas
    variable, body, otherwise = term.args
    default = run.read(otherwise, env)
    amount = want(Number, default.value).amount
    parts = []
    for value in run.universe.listed(variable.sort):
        defined, holds = run.truth(body, {**env, variable.uid: value})
        parts.append((want(Number, value).amount, defined, holds))
    # What is chosen last wins.
    for number, _, holds in parts if term.op == "last" else reversed(parts):
        amount = f.choose(holds, number, amount)
    some = f.any(holds for _, _, holds in parts)
    return Read(
        f.all((f.any((some, default.defined)), *(defined for _, defined, _ in parts))),
        Number(amount),
    )
