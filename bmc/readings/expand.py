"""Expansion: terms to shapes over a circuit, at one choice of parameters.

Every result comes with a Bool node that says where it is *defined*: where no partial operator
was read outside its domain. The node follows the order in which the `value` reading reads, so
both agree on what "bound too small" means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bmc.lang.bounds import Bound
from bmc.lang.errors import LanguageError
from bmc.lang.sorts import (
    BoundedSetSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    RecordSort,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
)
from bmc.lang.terms import Term
from bmc.readings.circuit import Circuit, Node
from bmc.readings.domain import Domains
from bmc.readings.shapes import Shape, Shapes


@dataclass(frozen=True)
class Expanded:
    """A shape and where it is defined."""

    shape: Shape
    defined: Node


Environment = Mapping[Term, Shape]

Element = tuple[Node, Environment]
"""What a binder runs over: whether it is an element at all, and the environment that has it."""


class Expander:
    """Expands terms over given shapes of the state's variables.

    ``variables`` maps ``(name, primed)`` to the shape of a variable. Results are remembered
    by term and by the shapes of the term's free bound variables.
    """

    def __init__(self, shapes: Shapes, variables: Mapping[tuple[str, bool], Shape]) -> None:
        self.shapes = shapes
        self.circuit: Circuit = shapes.circuit
        self.domains: Domains = shapes.domains
        self.variables = dict(variables)
        self._memory: dict[tuple[object, ...], Expanded] = {}

    def expand(self, term: Term, environment: Environment | None = None) -> Expanded:
        """The shape of ``term`` and where it is defined."""
        env = environment or {}
        free = sorted(term.free, key=lambda v: v.uid)
        key = (term, *(_identity(env[v]) for v in free if v in env))
        found = self._memory.get(key)
        if found is None:
            rule = _RULES.get(term.op)
            if rule is None:
                raise LanguageError(f"the symbolic readings have no rule for {term.op!r}")
            found = self._memory[key] = rule(self, term, env)
        return found

    def total(self, shape: Shape) -> Expanded:
        """A shape that is defined everywhere."""
        return Expanded(shape, self.circuit.true)

    def all(self, term: Term, env: Environment) -> tuple[list[Shape], Node]:
        """The shapes of all arguments, and where all are defined."""
        parts = [self.expand(child, env) for child in term.args]
        return [p.shape for p in parts], self.circuit.all(p.defined for p in parts)

    def elements(self, term: Term, env: Environment) -> tuple[list[Element], Node]:
        """What a binder runs over: (is it an element, the environment with it), and definedness."""
        variable = term.args[0]
        if len(term.args) == 3 and term.op in ("forall", "exists"):
            collection = self.expand(term.args[1], env)
            found = self.members(term.args[1].sort, collection.shape)
            return [(c, {**env, variable: s}) for c, s in found], collection.defined
        listed: list[Element] = [
            (self.circuit.true, {**env, variable: self.shapes.constant(variable.sort, v)})
            for v in self.domains.values(variable.sort)
        ]
        return listed, self.circuit.true

    def members(self, sort: Sort, shape: Shape) -> Iterator[tuple[Node, Shape]]:
        """The possible elements of a set: (is it in, its shape)."""
        match sort:
            case SetSort():
                for value, present in zip(self.domains.values(sort.element), shape, strict=True):
                    yield present, self.shapes.constant(sort.element, value)
            case KeyedSetSort():
                yield from shape
            case BoundedSetSort():
                length, slots = shape
                for i, slot in enumerate(slots):
                    yield self.circuit.lt(self.circuit.number(i), length), slot

    def at_key(self, sort: Sort, key: Shape) -> list[Node]:
        """For each value of a listable sort, in order: whether ``key`` is it."""
        return [
            self.shapes.equal(key, self.shapes.constant(sort, value))
            for value in self.domains.values(sort)
        ]

    def fits(self, sort: IntSort, node: Node) -> Node:
        """That an integer lies in a sort's range."""
        low, high = self.domains.range(sort)
        c = self.circuit
        return c.and_(c.le(c.number(low), node), c.le(node, c.number(high)))


def _identity(shape: Shape) -> object:
    return shape.uid if isinstance(shape, Node) else tuple(_identity(part) for part in shape)


Rule = Callable[[Expander, Term, Environment], Expanded]
_RULES: dict[str, Rule] = {}


def rule(*ops: str) -> Callable[[Rule], Rule]:
    """Register how operators expand."""

    def register(function: Rule) -> Rule:
        for op in ops:
            _RULES[op] = function
        return function

    return register


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
    if key not in x.variables:
        raise LanguageError(f"{term!r} has no value here: only a step invariant reads it")
    return x.total(x.variables[key])


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
    values, reached, defined = [], c.true, []
    for i, child in enumerate(term.args):
        part = x.expand(child, env)
        negate = term.op == "implies" and i == 0
        value = c.not_(part.shape) if negate else part.shape
        defined.append(c.implies(reached, part.defined))
        values.append(value)
        reached = c.and_(reached, value if term.op == "and" else c.not_(value))
    joined = c.all(values) if term.op == "and" else c.any(values)
    return Expanded(joined, c.all(defined))


@rule("ite")
def _ite(x: Expander, term: Term, env: Environment) -> Expanded:
    condition, then, otherwise = (x.expand(child, env) for child in term.args)
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


@rule("narrow")
def _narrow(x: Expander, term: Term, env: Environment) -> Expanded:
    (node,), defined = x.all(term, env)
    assert isinstance(term.sort, IntSort)
    return Expanded(node, x.circuit.and_(defined, x.fits(term.sort, node)))


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
    return Expanded(whole[_field_index(term.args[0].sort, term.data)], defined)


@rule("with_field")
def _with_field(x: Expander, term: Term, env: Environment) -> Expanded:
    (whole, part), defined = x.all(term, env)
    index = _field_index(term.sort, term.data)
    return Expanded((*whole[:index], part, *whole[index + 1 :]), defined)


def _field_index(sort: Sort, name: object) -> int:
    assert isinstance(sort, RecordSort)
    return [known for known, _ in sort.fields].index(str(name))


def _case_index(sort: Sort, tag: object) -> int:
    assert isinstance(sort, VariantSort)
    return [known for known, _ in sort.cases].index(str(tag))


@rule("inject")
def _inject(x: Expander, term: Term, env: Environment) -> Expanded:
    (content,), defined = x.all(term, env)
    assert isinstance(term.sort, VariantSort)
    chosen = _case_index(term.sort, term.data)
    contents = [x.shapes.default(part) for _, part in term.sort.cases]
    contents[chosen] = content
    return Expanded((x.circuit.number(chosen), tuple(contents)), defined)


@rule("is_case", "payload")
def _case(x: Expander, term: Term, env: Environment) -> Expanded:
    ((tag, contents),), defined = x.all(term, env)
    index = _case_index(term.args[0].sort, term.data)
    is_it = x.circuit.eq(tag, x.circuit.number(index))
    if term.op == "is_case":
        return Expanded(is_it, defined)
    return Expanded(contents[index], x.circuit.and_(defined, is_it))


@rule("select")
def _select(x: Expander, term: Term, env: Environment) -> Expanded:
    (collection, key), defined = x.all(term, env)
    sort = term.args[0].sort
    assert isinstance(sort, MapSort)
    return _pick(x, term, x.at_key(sort.key, key), collection, defined)


def _pick(x: Expander, term: Term, conditions: list[Node], parts: Shape, defined: Node) -> Expanded:
    # At some parameters a sort is empty: then there is nothing to pick, and no value.
    shape = parts[-1] if parts else x.shapes.default(term.sort)
    for condition, part in reversed(list(zip(conditions[:-1], parts[:-1], strict=True))):
        shape = x.shapes.ite(condition, part, shape)
    return Expanded(shape, x.circuit.and_(defined, x.circuit.any(conditions)))


@rule("store")
def _store(x: Expander, term: Term, env: Environment) -> Expanded:
    (collection, key, part), defined = x.all(term, env)
    assert isinstance(term.sort, MapSort)
    conditions = x.at_key(term.sort.key, key)
    pairs = zip(conditions, collection, strict=True)
    stored = tuple(x.shapes.ite(c, part, old) for c, old in pairs)
    return Expanded(stored, x.circuit.and_(defined, x.circuit.any(conditions)))


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
    return _pick(x, term, shapes, listed, x.circuit.all(b.defined for b in bodies))


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


@rule("insert", "remove")
def _insert_or_remove(x: Expander, term: Term, env: Environment) -> Expanded:
    (collection, element), defined = x.all(term, env)
    c = x.circuit
    adding = term.op == "insert"
    match term.sort:
        case SetSort(sort):
            hits = x.at_key(sort, element)
            pairs = zip(hits, collection, strict=True)
            bits = tuple(c.or_(h, old) if adding else c.and_(c.not_(h), old) for h, old in pairs)
            return Expanded(bits, c.and_(defined, c.any(hits)) if adding else defined)
        case KeyedSetSort():
            return _keyed_change(x, term.sort, collection, element, defined, adding)
        case BoundedSetSort():
            changed = (_slot_insert if adding else _slot_remove)(x, term.sort, collection, element)
            return Expanded(changed.shape, c.and_(defined, changed.defined))
    raise LanguageError(f"{term!r} changes a {term.sort}, which is no set")


def _keyed_change(
    x: Expander, sort: KeyedSetSort, collection: Shape, element: Shape, defined: Node, adding: bool
) -> Expanded:
    c = x.circuit
    index = _field_index(sort.element, sort.key)
    hits = x.at_key(sort.key_sort, element[index])
    absent = x.shapes.default(sort.element)
    slots, unique = [], []
    keys = x.domains.values(sort.key_sort)
    for key, hit, (present, old) in zip(keys, hits, collection, strict=True):
        known = (*element[:index], x.shapes.constant(sort.key_sort, key), *element[index + 1 :])
        same = c.and_(present, x.shapes.equal(old, known))
        if adding:
            unique.append(c.implies(c.and_(hit, present), same))
            slots.append((c.or_(hit, present), x.shapes.ite(hit, known, old)))
        else:
            gone = c.and_(hit, same)
            slots.append((c.and_(present, c.not_(gone)), x.shapes.ite(gone, absent, old)))
    fits = c.and_(c.any(hits), *unique) if adding else c.true
    return Expanded(tuple(slots), c.and_(defined, fits))


def _slot_insert(x: Expander, sort: BoundedSetSort, collection: Shape, element: Shape) -> Expanded:
    c = x.circuit
    length, slots = collection
    used = [c.lt(c.number(i), length) for i in range(len(slots))]
    known = c.any(c.and_(u, x.shapes.equal(s, element)) for u, s in zip(used, slots, strict=True))
    below = [c.and_(u, x.shapes.less(s, element)) for u, s in zip(used, slots, strict=True)]
    placed: list[Shape] = []
    for i, slot in enumerate(slots):
        # The slots are ordered: those below the element stay, the rest move up by one.
        moved = element if i == 0 else x.shapes.ite(below[i - 1], element, slots[i - 1])
        shifted = x.shapes.ite(c.lt(length, c.number(i)), slot, moved)
        placed.append(x.shapes.ite(c.or_(known, below[i]), slot, shifted))
    grown = c.ite(known, length, c.add(length, c.number(1)))
    return Expanded((grown, tuple(placed)), c.or_(known, c.lt(length, c.number(len(slots)))))


def _slot_remove(x: Expander, sort: BoundedSetSort, collection: Shape, element: Shape) -> Expanded:
    c = x.circuit
    length, slots = collection
    blank = x.shapes.default(sort.element)
    gone = c.false
    kept: list[Shape] = []
    for i, slot in enumerate(slots):
        here = c.and_(c.lt(c.number(i), length), x.shapes.equal(slot, element))
        gone = c.or_(gone, here)
        following = slots[i + 1] if i + 1 < len(slots) else blank
        kept.append(x.shapes.ite(gone, following, slot))
    shrunk = c.ite(gone, c.sub(length, c.number(1)), length)
    return Expanded((shrunk, tuple(kept)), c.true)


@rule("union", "intersection", "difference", "subset")
def _set_algebra(x: Expander, term: Term, env: Environment) -> Expanded:
    (left, right), defined = x.all(term, env)
    c = x.circuit
    sort = term.args[0].sort
    if isinstance(sort, SetSort):
        pairs = list(zip(left, right, strict=True))
        match term.op:
            case "union":
                return Expanded(tuple(c.or_(a, b) for a, b in pairs), defined)
            case "intersection":
                return Expanded(tuple(c.and_(a, b) for a, b in pairs), defined)
            case "difference":
                return Expanded(tuple(c.and_(a, c.not_(b)) for a, b in pairs), defined)
        return Expanded(c.all(c.implies(a, b) for a, b in pairs), defined)
    if term.op == "union":
        joined = _joined(x, sort, left, right)
        return Expanded(joined.shape, c.and_(defined, joined.defined))
    inside = [
        c.implies(present, _contains(x, sort, right, element))
        for present, element in x.members(sort, left)
    ]
    return Expanded(c.all(inside), defined)


def _joined(x: Expander, sort: Sort, left: Shape, right: Shape) -> Expanded:
    """The union of two sets."""
    c = x.circuit
    if isinstance(sort, SetSort):
        return x.total(tuple(c.or_(a, b) for a, b in zip(left, right, strict=True)))
    if isinstance(sort, BoundedSetSort):
        return _slots_joined(x, sort, left, right)
    slots, fits = [], []
    for (p, a), (q, b) in zip(left, right, strict=True):
        # Where nothing is added, what was there stays as it is: a step leaves it unmentioned.
        slots.append((p, a) if q is c.false else (c.or_(p, q), x.shapes.ite(p, a, b)))
        fits.append(c.implies(c.and_(p, q), x.shapes.equal(a, b)))
    return Expanded(tuple(slots), c.all(fits))


def _slots_joined(x: Expander, sort: BoundedSetSort, left: Shape, right: Shape) -> Expanded:
    whole, fits = left, []
    for present, element in x.members(sort, right):
        if present is not x.circuit.false:
            added = _slot_insert(x, sort, whole, element)
            fits.append(x.circuit.implies(present, added.defined))
            whole = x.shapes.ite(present, added.shape, whole)
    return Expanded(whole, x.circuit.all(fits))


@rule("union_of")
def _union_of(x: Expander, term: Term, env: Environment) -> Expanded:
    found, _ = x.elements(term, env)
    whole = x.total(x.shapes.default(term.sort))
    for _, inner in found:
        part = x.expand(term.args[-1], inner)
        joined = _joined(x, term.sort, whole.shape, part.shape)
        defined = x.circuit.all((whole.defined, part.defined, joined.defined))
        whole = Expanded(joined.shape, defined)
    return whole


@rule("member")
def _member(x: Expander, term: Term, env: Environment) -> Expanded:
    (element, collection), defined = x.all(term, env)
    return Expanded(_contains(x, term.args[1].sort, collection, element), defined)


def _contains(x: Expander, sort: Sort, collection: Shape, element: Shape) -> Node:
    c = x.circuit
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
    for hit, slot in zip(x.at_key(sort.key_sort, key), collection, strict=True):
        found = x.shapes.ite(hit, slot, found)
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


@rule("append", "at", "tail", "take")
def _sequences(x: Expander, term: Term, env: Environment) -> Expanded:
    parts, defined = x.all(term, env)
    c = x.circuit
    length, slots = parts[0]
    sort = term.args[0].sort
    assert isinstance(sort, SequenceSort)
    blank = x.shapes.default(sort.element)
    match term.op:
        case "append":
            grown = tuple(
                x.shapes.ite(c.eq(length, c.number(i)), parts[1], slot)
                for i, slot in enumerate(slots)
            )
            room = c.lt(length, c.number(len(slots)))
            return Expanded((c.add(length, c.number(1)), grown), c.and_(defined, room))
        case "at":
            index = parts[1]
            inside = c.and_(c.le(c.number(0), index), c.lt(index, length))
            shape = blank
            for i, slot in enumerate(slots):
                shape = x.shapes.ite(c.eq(index, c.number(i)), slot, shape)
            return Expanded(shape, c.and_(defined, inside))
        case "tail":
            shrunk = c.sub(length, c.number(1))
            filled = c.lt(c.number(0), length)
            return Expanded((shrunk, (*slots[1:], blank)[: len(slots)]), c.and_(defined, filled))
    kept = parts[1]
    cut = tuple(x.shapes.ite(c.lt(c.number(i), kept), slot, blank) for i, slot in enumerate(slots))
    inside = c.and_(c.le(c.number(0), kept), c.le(kept, length))
    return Expanded((kept, cut), c.and_(defined, inside))
