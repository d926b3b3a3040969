"""Rules of constants, variables, connectives and integers."""

from __future__ import annotations

from typing import Any

from bmc.evidence.independent.division import division, product
from bmc.evidence.independent.formula import Formula
from bmc.evidence.independent.reading import Environment, Read, Reading, rule
from bmc.evidence.independent.universe import NotRead
from bmc.evidence.independent.values import Number, Truth, want
from bmc.lang.bounds import Bound
from bmc.lang.sorts import EnumSort
from bmc.lang.terms import Term


@rule("bool")
def _bool(run: Reading, term: Term, env: Environment) -> Read:
    f = run.formulas
    return Read(f.true, Truth(f.true if term.data else f.false))


@rule("int")
def _int(run: Reading, term: Term, env: Environment) -> Read:
    return Read(run.formulas.true, Number(run.formulas.number(want(int, term.data))))


@rule("enum")
def _enum(run: Reading, term: Term, env: Environment) -> Read:
    position = want(EnumSort, term.sort).values.index(want(str, term.data))
    return Read(run.formulas.true, Number(run.formulas.number(position)))


@rule("bound")
def _bound(run: Reading, term: Term, env: Environment) -> Read:
    value = want(Bound, term.data).at(run.universe.parameters)
    return Read(run.formulas.true, Number(run.formulas.number(value)))


@rule("variable")
def _variable(run: Reading, term: Term, env: Environment) -> Read:
    data: Any = term.data
    name, primed = data
    state = run.after if primed else run.state
    if state is None or name not in state:
        raise NotRead(f"{term!r} has no value here")
    return Read(run.formulas.true, state[name])


@rule("bound_variable")
def _bound_variable(run: Reading, term: Term, env: Environment) -> Read:
    if term.uid not in env:
        raise NotRead(f"{term!r} is used outside its binder")
    return Read(run.formulas.true, env[term.uid])


@rule("not")
def _not(run: Reading, term: Term, env: Environment) -> Read:
    defined, holds = run.truth(term.args[0], env)
    return Read(defined, Truth(run.formulas.negation(holds)))


@rule("and")
def _and(run: Reading, term: Term, env: Environment) -> Read:
    """Return the conjunction; a part is read where those before it hold."""
    f = run.formulas
    defined, so_far = f.true, f.true
    for part in term.args:
        if so_far is f.false:
            break
        has_value, holds = run.truth(part, env)
        defined = f.both(defined, f.implies(so_far, has_value))
        so_far = f.both(so_far, holds)
    return Read(defined, Truth(so_far))


@rule("or")
def _or(run: Reading, term: Term, env: Environment) -> Read:
    """Return the disjunction; a part is read where none before it holds."""
    f = run.formulas
    defined, so_far = f.true, f.false
    for part in term.args:
        if so_far is f.true:
            break
        has_value, holds = run.truth(part, env)
        defined = f.both(defined, f.any((so_far, has_value)))
        so_far = f.any((so_far, holds))
    return Read(defined, Truth(so_far))


@rule("implies")
def _implies(run: Reading, term: Term, env: Environment) -> Read:
    f = run.formulas
    defined, premise = run.truth(term.args[0], env)
    if premise is f.false:
        return Read(defined, Truth(f.true))
    has_value, conclusion = run.truth(term.args[1], env)
    return Read(
        f.both(defined, f.implies(premise, has_value)), Truth(f.implies(premise, conclusion))
    )


@rule("ite")
def _ite(run: Reading, term: Term, env: Environment) -> Read:
    """Return the branch taken; the other one is not read."""
    f = run.formulas
    defined, condition = run.truth(term.args[0], env)
    if condition is f.true or condition is f.false:
        taken = run.read(term.args[1 if condition is f.true else 2], env)
        return Read(f.both(defined, taken.defined), taken.value)
    then, otherwise = run.read(term.args[1], env), run.read(term.args[2], env)
    branch = f.choose(condition, then.defined, otherwise.defined)
    value = run.universe.choose(condition, then.value, otherwise.value)
    return Read(f.both(defined, branch), value)


@rule("eq")
def _eq(run: Reading, term: Term, env: Environment) -> Read:
    defined, (left, right) = run.arguments(term, env)
    return Read(defined, Truth(run.universe.same(left, right)))


def _numbers(run: Reading, term: Term, env: Environment) -> tuple[Formula, Formula, Formula]:
    defined, (left, right) = run.arguments(term, env)
    return defined, want(Number, left).amount, want(Number, right).amount


@rule("le")
def _le(run: Reading, term: Term, env: Environment) -> Read:
    defined, left, right = _numbers(run, term, env)
    return Read(defined, Truth(run.formulas.at_most(left, right)))


@rule("lt")
def _lt(run: Reading, term: Term, env: Environment) -> Read:
    defined, left, right = _numbers(run, term, env)
    return Read(defined, Truth(run.formulas.less(left, right)))


@rule("add")
def _add(run: Reading, term: Term, env: Environment) -> Read:
    defined, left, right = _numbers(run, term, env)
    return Read(defined, Number(run.formulas.plus(left, right)))


@rule("sub")
def _sub(run: Reading, term: Term, env: Environment) -> Read:
    defined, left, right = _numbers(run, term, env)
    return Read(defined, Number(run.formulas.minus(left, right)))


@rule("mul")
def _mul(run: Reading, term: Term, env: Environment) -> Read:
    defined, left, right = _numbers(run, term, env)
    return Read(defined, Number(product(run.formulas, left, right)))


@rule("div")
def _div(run: Reading, term: Term, env: Environment) -> Read:
    return _divided(run, term, env)[0]


@rule("mod")
def _mod(run: Reading, term: Term, env: Environment) -> Read:
    return _divided(run, term, env)[1]


def _divided(run: Reading, term: Term, env: Environment) -> tuple[Read, Read]:
    """Return the quotient and the remainder, defined for a positive divisor."""
    f = run.formulas
    defined, dividend, divisor = _numbers(run, term, env)
    defined = f.both(defined, f.less(f.number(0), divisor))
    whole, left = division(f, dividend, divisor)
    return Read(defined, Number(whole)), Read(defined, Number(left))


@rule("narrow")
def _narrow(run: Reading, term: Term, env: Environment) -> Read:
    """Return the value, defined only inside the sort."""
    defined, value = run.read(term.args[0], env)
    return Read(run.formulas.both(defined, run.universe.inside(term.sort, value)), value)
