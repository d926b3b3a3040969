"""Maps by comprehension, quantifiers, filters and choices."""

from __future__ import annotations

from bmc.lang.sorts import AnySet
from bmc.lang.terms import Term
from bmc.readings.circuit import Node
from bmc.readings.expand.expander import Environment, Expanded, Expander, rule
from bmc.readings.expand.leading import places, premises, required
from bmc.readings.expand.structures import pick
from bmc.readings.shapes import Member


@rule("lambda")
def _lambda(x: Expander, term: Term, env: Environment) -> Expanded:
    parts = [x.expand(term.args[-1], inner) for inner in x.elements(term, env)]
    return Expanded(tuple(p.shape for p in parts), x.circuit.all(p.defined for p in parts))


@rule("forall", "exists")
def _quantifier(x: Expander, term: Term, env: Environment) -> Expanded:
    c = x.circuit
    found, defined = _quantified_over(x, term, env)
    values, conditions = [], [defined]
    for present, element in found:
        body = x.expand(term.args[-1], {**env, term.args[0]: element})
        values.append((c.implies if term.op == "forall" else c.and_)(present, body.shape))
        if body.defined is not c.true:
            conditions.append(c.implies(present, body.defined))
    joined = c.all(values) if term.op == "forall" else c.any(values)
    return Expanded(joined, c.all(conditions))


def _quantified_over(x: Expander, term: Term, env: Environment) -> tuple[list[Member], Node]:
    """The elements that matter, and where the set that they are from is defined."""
    variable, body = term.args[0], term.args[-1]
    wanted = required(x, premises(term.op, body), variable, env)
    if len(term.args) == 3:
        collection, sort = x.expand(term.args[1], env), term.args[1].sort
        assert isinstance(sort, AnySet)
        members = x.shapes.members(sort, collection.shape)
        visited = places(x, sort, collection.shape, wanted)
        return [members[place] for place in visited], collection.defined
    listed = x.shapes.constants(variable.sort)
    positions = x.shapes.matching(variable.sort, wanted) if wanted else range(len(listed))
    return [(x.circuit.true, listed[i]) for i in positions], x.circuit.true


@rule("filter")
def _filter(x: Expander, term: Term, env: Environment) -> Expanded:
    return _lambda(x, term, env)


@rule("choose")
def _choose(x: Expander, term: Term, env: Environment) -> Expanded:
    found = x.elements(term, env)
    bodies = [x.expand(term.args[-1], inner) for inner in found]
    listed = [inner[term.args[0]] for inner in found]
    shapes = [b.shape for b in bodies]
    return pick(x, term, list(enumerate(shapes)), listed, x.circuit.all(b.defined for b in bodies))


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
