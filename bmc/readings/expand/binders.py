"""Maps by comprehension, quantifiers, filters and choices."""

from __future__ import annotations

from bmc.lang.terms import Term
from bmc.readings.expand.expander import Environment, Expanded, Expander, rule
from bmc.readings.expand.structures import pick


@rule("lambda")
def _lambda(x: Expander, term: Term, env: Environment) -> Expanded:
    found, _ = x.elements(term, env)
    parts = [x.expand(term.args[-1], inner) for _, inner in found]
    return Expanded(tuple(p.shape for p in parts), x.circuit.all(p.defined for p in parts))


@rule("forall", "exists")
def _quantifier(x: Expander, term: Term, env: Environment) -> Expanded:
    c = x.circuit
    found, defined = x.elements(term, env)
    values, conditions = [], [defined]
    for present, inner in found:
        if present is c.false:
            continue
        body = x.expand(term.args[-1], inner)
        values.append((c.implies if term.op == "forall" else c.and_)(present, body.shape))
        conditions.append(c.implies(present, body.defined))
    joined = c.all(values) if term.op == "forall" else c.any(values)
    return Expanded(joined, c.all(conditions))


@rule("filter")
def _filter(x: Expander, term: Term, env: Environment) -> Expanded:
    return _lambda(x, term, env)


@rule("choose")
def _choose(x: Expander, term: Term, env: Environment) -> Expanded:
    found, _ = x.elements(term, env)
    bodies = [x.expand(term.args[-1], inner) for _, inner in found]
    listed = [inner[term.args[0]] for _, inner in found]
    shapes = [b.shape for b in bodies]
    return pick(x, term, shapes, listed, x.circuit.all(b.defined for b in bodies))


@rule("last", "first")
def _extreme(x: Expander, term: Term, env: Environment) -> Expanded:
    c = x.circuit
    variable, body, default = term.args
    found = [(v, x.shapes.constant(variable.sort, v)) for v in x.domains.values(variable.sort)]
    bodies = [(s, x.expand(body, {**env, variable: s})) for _, s in found]
    otherwise = x.expand(default, env)
    nothing = c.not_(c.any(b.shape for _, b in bodies))
    shape = otherwise.shape
    for candidate, b in bodies if term.op == "last" else reversed(bodies):
        shape = c.ite(b.shape, candidate, shape)
    defined = c.all(b.defined for _, b in bodies)
    return Expanded(shape, c.and_(defined, c.implies(nothing, otherwise.defined)))
