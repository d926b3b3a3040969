"""Constants, variables, connectives and integers."""

from __future__ import annotations

from typing import Any

from bmc.lang.bounds import Bound
from bmc.lang.errors import LanguageError
from bmc.lang.sorts import IntSort, SetSort
from bmc.lang.terms import Term
from bmc.readings.circuit import Node
from bmc.readings.expand.expander import Environment, Expanded, Expander, rule
from bmc.readings.expand.products import product, quotient, remainder


@rule("bool", "int", "enum", "bound", "none", "empty", "full")
def _constant(x: Expander, term: Term, env: Environment) -> Expanded:
    data: Any = term.data
    match term.op:
        case "int":
            return x.total(x.circuit.number(data))
        case "bound":
            assert isinstance(data, Bound)
            return x.total(x.circuit.number(data.at(x.domains.parameters)))
        case "bool" | "enum":
            return x.total(x.shapes.constant(term.sort, data))
        case "full":
            assert isinstance(term.sort, SetSort)
            return x.total(
                x.shapes.constant(term.sort, frozenset(x.domains.values(term.sort.element)))
            )
    return x.total(x.shapes.default(term.sort))


@rule("variable")
def _variable(x: Expander, term: Term, env: Environment) -> Expanded:
    key: Any = term.data
    try:
        return x.total(x.variables[key])
    except KeyError as missing:
        why = f"{term!r} has no value here: only a step invariant reads it"
        raise LanguageError(why) from missing


@rule("bound_variable")
def _bound_variable(x: Expander, term: Term, env: Environment) -> Expanded:
    if term not in env:
        raise LanguageError(f"{term!r} is used outside its binder")
    return x.total(env[term])


@rule("not")
def _not(x: Expander, term: Term, env: Environment) -> Expanded:
    part = x.expand(term.args[0], env)
    return Expanded(x.circuit.not_(part.shape), part.defined)


@rule("and", "or", "implies")
def _connective(x: Expander, term: Term, env: Environment) -> Expanded:
    c = x.circuit
    values: list[Node] = []
    defined: list[Node] = []
    decided = c.false if term.op == "and" else c.true
    for i, child in enumerate(term.args):
        part = x.expand(child, env)
        negate = term.op == "implies" and i == 0
        value = c.not_(part.shape) if negate else part.shape
        if part.defined is not c.true:
            # It is read where none of those before it decides.
            reached = c.all(v if term.op == "and" else c.not_(v) for v in values)
            defined.append(c.needed(reached, part.defined))
        values.append(value)
        if value is decided:
            break
    joined = c.all(values) if term.op == "and" else c.any(values)
    return Expanded(joined, c.all(defined))


@rule("ite")
def _ite(x: Expander, term: Term, env: Environment) -> Expanded:
    condition = x.expand(term.args[0], env)
    if condition.shape is x.circuit.true or condition.shape is x.circuit.false:
        # Where it is known, the other branch is not made: a table's rows are trees of these.
        taken = x.expand(term.args[1 if condition.shape is x.circuit.true else 2], env)
        return Expanded(taken.shape, x.circuit.and_(condition.defined, taken.defined))
    then, otherwise = (x.expand(child, env) for child in term.args[1:])
    shape = x.shapes.ite(condition.shape, then.shape, otherwise.shape)
    defined = x.circuit.choose(condition.shape, then.defined, otherwise.defined)
    return Expanded(shape, x.circuit.and_(condition.defined, defined))


@rule("eq")
def _eq(x: Expander, term: Term, env: Environment) -> Expanded:
    (left, right), defined = x.all(term, env)
    return Expanded(x.shapes.equal(left, right), defined)


@rule("le", "lt", "add", "sub")
def _integers(x: Expander, term: Term, env: Environment) -> Expanded:
    (left, right), defined = x.all(term, env)
    return Expanded(getattr(x.circuit, term.op)(left, right), defined)


@rule("mul")
def _mul(x: Expander, term: Term, env: Environment) -> Expanded:
    (left, right), defined = x.all(term, env)
    return Expanded(product(x.circuit, left, right, term), defined)


@rule("div", "mod")
def _divided(x: Expander, term: Term, env: Environment) -> Expanded:
    (dividend, divisor), defined = x.all(term, env)
    divide = quotient if term.op == "div" else remainder
    c = x.circuit
    positive = c.lt(c.number(0), divisor)
    return Expanded(divide(c, dividend, divisor, term), c.and_(defined, positive))


@rule("narrow")
def _narrow(x: Expander, term: Term, env: Environment) -> Expanded:
    (node,), defined = x.all(term, env)
    assert isinstance(term.sort, IntSort)
    return Expanded(node, x.circuit.and_(defined, x.fits(term.sort, node)))
