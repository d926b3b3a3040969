"""Sets of every kind."""

from __future__ import annotations

from bmc.lang.errors import LanguageError
from bmc.lang.sort_parts import field_index
from bmc.lang.sorts import (
    AnySet,
    BitSet,
    BoundedSetSort,
    KeyedSetSort,
    SequenceSort,
    Sort,
    unknown_sort,
)
from bmc.lang.terms import Term
from bmc.readings.changed import with_parts
from bmc.readings.circuit import Node
from bmc.readings.expand.expander import Environment, Expanded, Expander, rule
from bmc.readings.expand.slots import slot_insert, slot_remove, slots_joined, slots_kept
from bmc.readings.shapes import Shape, replaced


@rule("insert", "remove")
def _insert_or_remove(x: Expander, term: Term, env: Environment) -> Expanded:
    (collection, element), defined = x.all(term, env)
    c = x.circuit
    adding = term.op == "insert"
    sort = term.sort
    match sort:
        case _ if isinstance(sort, BitSet):
            hits = x.positions.hits(sort.element, element)
            bits = {
                i: c.or_(hit, collection[i]) if adding else c.and_(c.not_(hit), collection[i])
                for i, hit in hits
            }
            grown = with_parts(collection, bits)
            inside = x.positions.inside(sort.element, element)
            fits = c.and_(inside, x.shapes.well_formed(sort, grown)) if adding else c.true
            return Expanded(grown, c.and_(defined, fits))
        case KeyedSetSort():
            return _keyed_change(x, sort, collection, element, defined, adding)
        case BoundedSetSort():
            changed = (slot_insert if adding else slot_remove)(x, sort, collection, element)
            return Expanded(changed.shape, c.and_(defined, changed.defined))
        case _ if not isinstance(sort, AnySet):
            raise LanguageError(f"{term!r} changes a {sort}, which is no set")
        case _:
            unknown_sort(sort)


def _keyed_change(
    x: Expander, sort: KeyedSetSort, collection: Shape, element: Shape, defined: Node, adding: bool
) -> Expanded:
    c = x.circuit
    index = field_index(sort.element, sort.key)
    hits = x.positions.hits(sort.key_sort, element[index])
    keys = x.shapes.constants(sort.key_sort)
    absent = x.shapes.default(sort.element)
    slots: dict[int, Shape] = {}
    unique = []
    for i, hit in hits:
        present, old = collection[i]
        # The element has this key where it hits, and what is present has it in any case.
        new, held = replaced(element, index, keys[i]), replaced(old, index, keys[i])
        same = c.and_(present, x.shapes.equal(held, new))
        if adding:
            unique.append(c.implies(c.and_(hit, present), same))
            slots[i] = c.or_(hit, present), x.shapes.ite(hit, new, old)
        else:
            gone = c.and_(hit, same)
            slots[i] = c.and_(present, c.not_(gone)), x.shapes.ite(gone, absent, old)
    inside = x.positions.inside(sort.key_sort, element[index])
    fits = c.and_(inside, *unique) if adding else c.true
    return Expanded(with_parts(collection, slots), c.and_(defined, fits))


@rule("union", "intersection", "difference", "subset")
def _set_algebra(x: Expander, term: Term, env: Environment) -> Expanded:
    (left, right), defined = x.all(term, env)
    c = x.circuit
    sort = term.args[0].sort
    if term.op == "union":
        joined = _joined(x, sort, left, right)
        return Expanded(joined.shape, c.and_(defined, joined.defined))
    if isinstance(sort, BitSet):
        pairs = list(zip(left, right, strict=True))
        match term.op:
            case "intersection":
                return Expanded(tuple(c.and_(a, b) for a, b in pairs), defined)
            case "difference":
                return Expanded(tuple(c.and_(a, c.not_(b)) for a, b in pairs), defined)
        return Expanded(c.all(c.implies(a, b) for a, b in pairs), defined)
    inside = [
        c.implies(present, _contains(x, sort, right, element))
        for present, element in x.members(sort, left)
    ]
    return Expanded(c.all(inside), defined)


def _joined(x: Expander, sort: Sort, left: Shape, right: Shape) -> Expanded:
    """The union of two sets."""
    c = x.circuit
    match sort:
        case _ if isinstance(sort, BitSet):
            bits = tuple(c.or_(a, b) for a, b in zip(left, right, strict=True))
            return Expanded(bits, x.shapes.well_formed(sort, bits))
        case BoundedSetSort():
            return slots_joined(x, sort, left, right)
        case KeyedSetSort():
            slots, fits = [], []
            for mine, (q, b) in zip(left, right, strict=True):
                if q is c.false:
                    # Where nothing is added, what was there stays: a step leaves it unmentioned.
                    slots.append(mine)
                    continue
                p, a = mine
                slots.append((c.or_(p, q), x.shapes.ite(p, a, b)))
                fits.append(c.implies(c.and_(p, q), x.shapes.equal(a, b)))
            return Expanded(tuple(slots), c.all(fits))
        case _ if not isinstance(sort, AnySet):
            raise LanguageError(f"{sort} is no set, and has no union")
        case _:
            unknown_sort(sort)


@rule("union_of")
def _union_of(x: Expander, term: Term, env: Environment) -> Expanded:
    if len(term.args) == 3:
        return _union_over(x, term, env)
    whole = x.total(x.shapes.default(term.sort))
    for inner in x.elements(term, env):
        part = x.expand(term.args[-1], inner)
        joined = _joined(x, term.sort, whole.shape, part.shape)
        defined = x.circuit.all((whole.defined, part.defined, joined.defined))
        whole = Expanded(joined.shape, defined)
    return whole


def _union_over(x: Expander, term: Term, env: Environment) -> Expanded:
    """The union of a set for each element of a set."""
    c = x.circuit
    variable, domain, body = term.args
    collection = x.expand(domain, env)
    selected = _selected(x, term, collection.shape, env)
    if selected is not None:
        return Expanded(selected.shape, c.and_(collection.defined, selected.defined))
    nothing = x.shapes.default(term.sort)
    whole = Expanded(nothing, collection.defined)
    for present, element in x.members(domain.sort, collection.shape):
        part = x.expand(body, {**env, variable: element})
        joined = _joined(x, term.sort, whole.shape, x.shapes.ite(present, part.shape, nothing))
        fits = c.and_(c.implies(present, part.defined), joined.defined)
        whole = Expanded(joined.shape, c.and_(whole.defined, fits))
    return whole


def _selected(x: Expander, term: Term, collection: Shape, env: Environment) -> Expanded | None:
    """A part of a bounded set: its elements stay in order, so the slots only move together."""
    sort, (variable, domain, body) = term.sort, term.args
    if not isinstance(sort, BoundedSetSort) or domain.sort != sort or body.op != "ite":
        return None
    condition, then, otherwise = body.args
    alone = then.op == "insert" and then.args[0].op == "empty" and then.args[1] is variable
    if not alone or otherwise.op != "empty":
        return None
    c = x.circuit
    length, slots = collection
    kept, defined = [], c.true
    for i, slot in enumerate(slots):
        read = x.expand(condition, {**env, variable: slot})
        used = c.lt(c.number(i), length)
        kept.append(c.and_(used, read.shape))
        defined = c.and_(defined, c.implies(used, read.defined))
    return Expanded(slots_kept(x, sort, slots, kept), defined)


@rule("member")
def _member(x: Expander, term: Term, env: Environment) -> Expanded:
    (element, collection), defined = x.all(term, env)
    return Expanded(_contains(x, term.args[1].sort, collection, element), defined)


def _contains(x: Expander, sort: Sort, collection: Shape, element: Shape) -> Node:
    c = x.circuit
    if isinstance(sort, BitSet):
        hits = x.positions.hits(sort.element, element)
        return c.any(c.and_(hit, collection[i]) for i, hit in hits)
    if isinstance(sort, KeyedSetSort):
        index = field_index(sort.element, sort.key)
        found = []
        for i, hit in x.positions.hits(sort.key_sort, element[index]):
            present, held = collection[i]
            same = x.shapes.equal(replaced(held, index, element[index]), element)
            found.append(c.and_(hit, present, same))
        return c.any(found)
    return c.any(
        c.and_(present, x.shapes.equal(held, element))
        for present, held in x.members(sort, collection)
    )


@rule("lookup")
def _lookup(x: Expander, term: Term, env: Environment) -> Expanded:
    (collection, key), defined = x.all(term, env)
    sort = term.args[0].sort
    assert isinstance(sort, KeyedSetSort)
    found = x.shapes.default(term.sort)
    for i, hit in x.positions.hits(sort.key_sort, key):
        found = x.shapes.ite(hit, collection[i], found)
    return Expanded(found, defined)


@rule("size")
def _size(x: Expander, term: Term, env: Environment) -> Expanded:
    (collection,), defined = x.all(term, env)
    c = x.circuit
    sort = term.args[0].sort
    if isinstance(sort, SequenceSort | BoundedSetSort):
        return Expanded(collection[0], defined)
    total = c.number(0)
    for present, _ in x.members(sort, collection):
        total = c.add(total, c.ite(present, c.number(1), c.number(0)))
    return Expanded(total, defined)
