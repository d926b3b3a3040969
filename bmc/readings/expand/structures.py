"""Options, records, variants and maps."""

from __future__ import annotations

from bmc.lang.sort_parts import case_index, field_index
from bmc.lang.sorts import (
    MapSort,
    VariantSort,
)
from bmc.lang.terms import Term
from bmc.readings.circuit import Node
from bmc.readings.expand.expander import Environment, Expanded, Expander, rule
from bmc.readings.shapes import Shape


@rule("some")
def _some(x: Expander, term: Term, env: Environment) -> Expanded:
    (inner,), defined = x.all(term, env)
    return Expanded((x.circuit.true, inner), defined)


@rule("is_none")
def _is_none(x: Expander, term: Term, env: Environment) -> Expanded:
    (option,), defined = x.all(term, env)
    return Expanded(x.circuit.not_(option[0]), defined)


@rule("the")
def _the(x: Expander, term: Term, env: Environment) -> Expanded:
    ((present, inner),), defined = x.all(term, env)
    return Expanded(inner, x.circuit.and_(defined, present))


@rule("record")
def _record(x: Expander, term: Term, env: Environment) -> Expanded:
    parts, defined = x.all(term, env)
    return Expanded(tuple(parts), defined)


@rule("field")
def _field(x: Expander, term: Term, env: Environment) -> Expanded:
    (whole,), defined = x.all(term, env)
    return Expanded(whole[field_index(term.args[0].sort, term.data)], defined)


@rule("with_field")
def _with_field(x: Expander, term: Term, env: Environment) -> Expanded:
    (whole, part), defined = x.all(term, env)
    index = field_index(term.sort, term.data)
    return Expanded((*whole[:index], part, *whole[index + 1 :]), defined)


@rule("inject")
def _inject(x: Expander, term: Term, env: Environment) -> Expanded:
    (content,), defined = x.all(term, env)
    assert isinstance(term.sort, VariantSort)
    chosen = case_index(term.sort, term.data)
    contents = [x.shapes.default(part) for _, part in term.sort.cases]
    contents[chosen] = content
    return Expanded((x.circuit.number(chosen), tuple(contents)), defined)


@rule("is_case", "payload")
def _case(x: Expander, term: Term, env: Environment) -> Expanded:
    ((tag, contents),), defined = x.all(term, env)
    index = case_index(term.args[0].sort, term.data)
    is_it = x.circuit.eq(tag, x.circuit.number(index))
    if term.op == "is_case":
        return Expanded(is_it, defined)
    return Expanded(contents[index], x.circuit.and_(defined, is_it))


@rule("select")
def _select(x: Expander, term: Term, env: Environment) -> Expanded:
    (collection, key), defined = x.all(term, env)
    sort = term.args[0].sort
    assert isinstance(sort, MapSort)
    inside = x.positions.inside(sort.key, key)
    hits = x.positions.hits(sort.key, key)
    return Expanded(pick(x, term, hits, collection), x.circuit.and_(defined, inside))


def pick(x: Expander, term: Term, hits: list[tuple[int, Node]], parts: Shape) -> Shape:
    """Return the part where one of the hits is, of which there is one."""
    # At some parameters a sort is empty: then there is nothing to pick, and no value.
    shape = parts[-1] if parts else x.shapes.default(term.sort)
    for i, condition in reversed(hits):
        if i < len(parts) - 1:
            shape = x.shapes.ite(condition, parts[i], shape)
    return shape


@rule("store")
def _store(x: Expander, term: Term, env: Environment) -> Expanded:
    (collection, key, part), defined = x.all(term, env)
    assert isinstance(term.sort, MapSort)
    hits = x.positions.hits(term.sort.key, key)
    stored = list(collection)
    for i, hit in hits:
        stored[i] = x.shapes.ite(hit, part, collection[i])
    inside = x.positions.inside(term.sort.key, key)
    return Expanded(tuple(stored), x.circuit.and_(defined, inside))
