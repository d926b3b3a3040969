"""Maps by comprehension, quantifiers, filters and choices."""

from __future__ import annotations

from array import array

from bmc.lang.sorts import BOOL, AnySet
from bmc.lang.terms import Term, make
from bmc.readings.circuit import Node
from bmc.readings.expand.expander import Environment, Expanded, Expander, Sieve, rule
from bmc.readings.expand.leading import conjuncts, places, premises, required, shared_premises
from bmc.readings.expand.structures import pick
from bmc.readings.shapes import Member

FEW = 8
"""Elements for each of which a quantifier's body is expanded without asking what it reads first."""


@rule("lambda")
def _lambda(x: Expander, term: Term, env: Environment) -> Expanded:
    parts = [x.expand(term.args[-1], inner) for inner in x.elements(term, env)]
    return Expanded(tuple(p.shape for p in parts), x.circuit.all(p.defined for p in parts))


@rule("forall", "exists")
def _quantifier(x: Expander, term: Term, env: Environment) -> Expanded:
    c = x.circuit
    found, defined = _quantified_over(x, term, env)
    values, conditions = [], [defined]
    first = shared_premises(term, env) if len(found) > FEW else None
    if first is not None:
        sieve = _sieve(x, term, first, env)
        found = {place: found[place] for place in sieve.left if place in found}
        conditions.append(sieve.elsewhere)
    for present, element in found.values():
        body = x.expand(term.args[-1], {**env, term.args[0]: element})
        values.append((c.implies if term.op == "forall" else c.and_)(present, body.shape))
        if body.defined is not c.true:
            conditions.append(c.needed(present, body.defined))
    joined = c.all(values) if term.op == "forall" else c.any(values)
    return Expanded(joined, c.all(conditions))


def _quantified_over(
    x: Expander, term: Term, env: Environment, first: Term | None = None
) -> tuple[dict[int, Member], Node]:
    """The elements that matter, by their places, and where the set that they are from is defined.

    They matter to the body, or to ``first``, which is read before the rest of it.
    """
    variable = term.args[0]
    read = premises(term.op, term.args[-1]) if first is None else conjuncts(first)
    wanted = required(x, read, variable, env)
    if len(term.args) == 3:
        collection, sort = x.expand(term.args[1], env), term.args[1].sort
        assert isinstance(sort, AnySet)
        members = x.shapes.members(sort, collection.shape)
        visited = places(x, sort, collection.shape, wanted)
        return {place: members[place] for place in visited}, collection.defined
    listed = x.shapes.constants(variable.sort)
    positions = x.positions.matching(variable.sort, wanted) if wanted else range(len(listed))
    return {i: (x.circuit.true, listed[i]) for i in positions}, x.circuit.true


def _sieve(x: Expander, term: Term, first: Term, env: Environment) -> Sieve:
    """Return at which elements what is read first can be true, and where it is defined at others.

    It is remembered, since it reads fewer variables than the body does: of `\\E m \\in S : P(m) /\\
    m = x` for each `x` of many, P is asked of each `m` once.
    """
    c = x.circuit
    asked = make("exists", (*term.args[:-1], first), BOOL)
    key = x.key(asked, env)
    known = x.sieves.get(key)
    if known is None:
        left, conditions = array("I"), []
        for place, (present, element) in _quantified_over(x, term, env, first)[0].items():
            body = x.expand(first, {**env, term.args[0]: element})
            if body.shape is not c.false:
                left.append(place)
            elif body.defined is not c.true:
                conditions.append(c.needed(present, body.defined))
        known = x.sieves[key] = Sieve(asked, left, c.all(conditions))
    return known


@rule("filter")
def _filter(x: Expander, term: Term, env: Environment) -> Expanded:
    return _lambda(x, term, env)


@rule("choose")
def _choose(x: Expander, term: Term, env: Environment) -> Expanded:
    found = x.elements(term, env)
    bodies = [x.expand(term.args[-1], inner) for inner in found]
    listed = [inner[term.args[0]] for inner in found]
    shapes = [b.shape for b in bodies]
    defined = x.circuit.and_(*(b.defined for b in bodies), x.circuit.any(shapes))
    return Expanded(pick(x, term, list(enumerate(shapes)), listed), defined)


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
