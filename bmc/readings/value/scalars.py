"""Constants, variables, connectives and integers."""

from __future__ import annotations

from typing import Any

from bmc.lang.bounds import Bound
from bmc.lang.errors import LanguageError, NothingThere
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.value.evaluator import Environment, Evaluation, rule


@rule("bool", "int", "enum")
def _constant(run: Evaluation, term: Term, env: Environment) -> Value:
    return term.data


@rule("bound")
def _bound(run: Evaluation, term: Term, env: Environment) -> Value:
    assert isinstance(term.data, Bound)
    return term.data.at(run.domains.parameters)


@rule("variable")
def _variable(run: Evaluation, term: Term, env: Environment) -> Value:
    name, primed = _pair(term)
    if not primed:
        return run.state[name]
    if run.after is None:
        raise LanguageError(f"{name}' has no value here: only a step invariant reads it")
    return run.after[name]


def _pair(term: Term) -> tuple[str, bool]:
    data: Any = term.data
    return data[0], data[1]


@rule("bound_variable")
def _bound_variable(run: Evaluation, term: Term, env: Environment) -> Value:
    if term not in env:
        raise LanguageError(f"{term!r} is used outside its binder")
    return env[term]


@rule("not")
def _not(run: Evaluation, term: Term, env: Environment) -> Value:
    return not run.run(term.args[0], env)


@rule("and")
def _and(run: Evaluation, term: Term, env: Environment) -> Value:
    return all(run.run(child, env) for child in term.args)


@rule("or")
def _or(run: Evaluation, term: Term, env: Environment) -> Value:
    return any(run.run(child, env) for child in term.args)


@rule("implies")
def _implies(run: Evaluation, term: Term, env: Environment) -> Value:
    return (not run.run(term.args[0], env)) or run.run(term.args[1], env)


@rule("ite")
def _ite(run: Evaluation, term: Term, env: Environment) -> Value:
    condition, then, otherwise = term.args
    return run.run(then if run.run(condition, env) else otherwise, env)


@rule("eq")
def _eq(run: Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left == right


@rule("le")
def _le(run: Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left <= right


@rule("lt")
def _lt(run: Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left < right


@rule("add")
def _add(run: Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left + right


@rule("sub")
def _sub(run: Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left - right


@rule("mul")
def _mul(run: Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left * right


@rule("div", "mod")
def _divided(run: Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    if right <= 0:
        raise NothingThere(f"{term!r} divides by {right}: a divisor is positive")
    return left // right if term.op == "div" else left % right


@rule("narrow")
def _narrow(run: Evaluation, term: Term, env: Environment) -> Value:
    return run.fits(term.sort, run.run(term.args[0], env), term.args[0])
