"""Rules of sets of all three kinds, and of sequences."""

from __future__ import annotations

from collections.abc import Callable

from bmc.evidence.independent.formula import Formula
from bmc.evidence.independent.reading import Environment, Read, Reading, rule
from bmc.evidence.independent.values import (
    Bits,
    Collection,
    Fields,
    Keyed,
    Loose,
    Number,
    Perhaps,
    Row,
    Truth,
    Value,
    want,
)
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


def collection(value: Value) -> Collection:
    """Return a value that is a set."""
    if not isinstance(value, Bits | Keyed | Loose):
        raise TypeError(f"a set is expected, not a {type(value).__name__}")
    return value


def element_of(sort: Sort) -> Sort:
    """Return the sort of what a set's sort holds."""
    if not isinstance(sort, AnySet):
        raise TypeError(f"a {sort} is no set")
    return sort.element


def guarded(run: Reading, sort: Sort, value: Value) -> tuple[tuple[Formula, Value], ...]:
    """Return what may be in a set, each with the condition that it is."""
    held = collection(value)
    if isinstance(held, Bits):
        elements = run.universe.listed(element_of(sort))
        return tuple(zip(held.members, elements, strict=True))
    return run.universe.elements(held)


def holds(run: Reading, sort: Sort, value: Value, element: Value) -> Formula:
    """Return the condition that an element is in a set."""
    f = run.formulas
    return f.any(
        f.both(there, run.universe.same(one, element))
        for there, one in guarded(run, sort, value)
        if there is not f.false
    )


def kept(
    run: Reading, sort: Sort, value: Value, condition: Callable[[Value], Formula]
) -> Collection:
    """Return the elements of a set for which a condition holds."""
    f = run.formulas
    pairs = ((f.both(there, condition(one)), one) for there, one in guarded(run, sort, value))
    match collection(value):
        case Bits():
            return Bits(tuple(there for there, _ in pairs))
        case Keyed():
            return Keyed(tuple(pairs))
        case Loose():
            return Loose(tuple(pairs))


def united(run: Reading, left: Value, right: Value) -> tuple[Formula, Collection]:
    """Return the union, and the condition that no two records with one key differ in it.

    Whether a bounded set has become too large is left to the caller.
    """
    f, universe = run.formulas, run.universe
    match left, right:
        case Bits(some), Bits(others):
            return f.true, Bits(tuple(f.any(p) for p in zip(some, others, strict=True)))
        case Keyed(some), Keyed(others):
            agree: list[Formula] = []
            entries: list[tuple[Formula, Value]] = []
            for (a, x), (b, y) in zip(some, others, strict=True):
                agree.append(f.implies(f.both(a, b), universe.same(x, y)))
                entries.append((f.any((a, b)), universe.choose(a, x, y)))
            return f.all(agree), Keyed(tuple(entries))
        case Loose(some), Loose(others):
            parts = (p for p in (*some, *others) if p[0] is not f.false)
            return f.true, Loose(tuple(parts))
    raise TypeError(f"no union of a {type(left).__name__} and a {type(right).__name__}")


def key_of(sort: KeyedSetSort, element: Value) -> Value:
    """Return the field of a record that identifies it."""
    names = [name for name, _ in sort.element.fields]
    return want(Fields, element).parts[names.index(sort.key)]


def _under(sort: KeyedSetSort, element: Value, key: Value) -> Value:
    """Return a record with a plain key in the place of its own, to which it is equal."""
    names = [name for name, _ in sort.element.fields]
    parts = zip(names, want(Fields, element).parts, strict=True)
    return Fields(tuple(key if name == sort.key else part for name, part in parts))


@rule("empty")
def _empty(run: Reading, term: Term, env: Environment) -> Read:
    return Read(run.formulas.true, run.universe.empty(term.sort))


@rule("full")
def _full(run: Reading, term: Term, env: Environment) -> Read:
    values = run.universe.listed(element_of(term.sort))
    return Read(run.formulas.true, Bits(tuple(run.formulas.true for _ in values)))


def _alone(run: Reading, sort: Sort, element: Value) -> tuple[Formula, Collection]:
    """Return the set of one element, defined where the element is one of the set's sort."""
    f, universe = run.formulas, run.universe
    match sort:
        case _ if isinstance(sort, BitSet):
            hits = (universe.same(one, element) for one in universe.listed(sort.element))
            return universe.inside(sort.element, element), Bits(tuple(hits))
        case KeyedSetSort():
            key = key_of(sort, element)
            keys = universe.listed(sort.key_sort)
            entries = ((universe.same(one, key), _under(sort, element, one)) for one in keys)
            return universe.inside(sort.element, element), Keyed(tuple(entries))
        case BoundedSetSort():
            return universe.inside(sort.element, element), Loose(((f.true, element),))
        case _ if not isinstance(sort, AnySet):
            raise TypeError(f"a {sort} is no set")
        case _:
            unknown_sort(sort)


@rule("insert")
def _insert(run: Reading, term: Term, env: Environment) -> Read:
    defined, (held, element) = run.arguments(term, env)
    known, single = _alone(run, term.sort, element)
    agree, value = united(run, held, single)
    fits = run.universe.inside(term.sort, value)
    return Read(run.formulas.all((defined, known, agree, fits)), value)


@rule("remove")
def _remove(run: Reading, term: Term, env: Environment) -> Read:
    f = run.formulas
    defined, (held, element) = run.arguments(term, env)
    left = kept(run, term.sort, held, lambda x: f.negation(run.universe.same(x, element)))
    return Read(defined, left)


@rule("union")
def _union(run: Reading, term: Term, env: Environment) -> Read:
    defined, (left, right) = run.arguments(term, env)
    agree, value = united(run, left, right)
    return Read(run.formulas.all((defined, agree, run.universe.inside(term.sort, value))), value)


@rule("intersection")
def _intersection(run: Reading, term: Term, env: Environment) -> Read:
    defined, (left, right) = run.arguments(term, env)
    return Read(defined, kept(run, term.sort, left, lambda x: holds(run, term.sort, right, x)))


@rule("difference")
def _difference(run: Reading, term: Term, env: Environment) -> Read:
    f = run.formulas
    defined, (left, right) = run.arguments(term, env)
    value = kept(run, term.sort, left, lambda x: f.negation(holds(run, term.sort, right, x)))
    return Read(defined, value)


@rule("subset")
def _subset(run: Reading, term: Term, env: Environment) -> Read:
    f = run.formulas
    defined, (left, right) = run.arguments(term, env)
    sort = term.args[0].sort
    held = (f.implies(there, holds(run, sort, right, x)) for there, x in guarded(run, sort, left))
    return Read(defined, Truth(f.all(held)))


@rule("member")
def _member(run: Reading, term: Term, env: Environment) -> Read:
    defined, (element, held) = run.arguments(term, env)
    return Read(defined, Truth(holds(run, term.args[1].sort, held, element)))


@rule("lookup")
def _lookup(run: Reading, term: Term, env: Environment) -> Read:
    f, universe = run.formulas, run.universe
    defined, (held, key) = run.arguments(term, env)
    sort = want(KeyedSetSort, term.args[0].sort)
    found: Value = Perhaps(f.false, universe.void(sort.element))
    for (there, record), one in zip(
        want(Keyed, held).entries, universe.listed(sort.key_sort), strict=True
    ):
        hit = f.both(there, universe.same(one, key))
        found = universe.choose(hit, Perhaps(f.true, record), found)
    return Read(defined, found)


@rule("size")
def _size(run: Reading, term: Term, env: Environment) -> Read:
    f = run.formulas
    defined, value = run.read(term.args[0], env)
    match value:
        case Row(length, _):
            return Read(defined, Number(length))
        case Bits(members):
            return Read(defined, Number(f.count(members)))
        case Keyed(entries):
            return Read(defined, Number(f.count(there for there, _ in entries)))
        case Loose():
            return Read(defined, Number(f.count(run.universe.distinct(value))))
    raise TypeError(f"a {type(value).__name__} has no size")


@rule("append")
def _append(run: Reading, term: Term, env: Environment) -> Read:
    f, universe = run.formulas, run.universe
    defined, (value, element) = run.arguments(term, env)
    sort = want(SequenceSort, term.sort)
    length, slots = want(Row, value)
    most = sort.capacity.at(universe.parameters)
    longer: list[Value] = [
        universe.choose(f.same(length, f.number(i)), element, slot) for i, slot in enumerate(slots)
    ]
    if len(slots) < most:
        longer.append(element)
    room = f.less(length, f.number(most))
    known = universe.inside(sort.element, element)
    return Read(f.all((defined, room, known)), Row(f.plus(length, f.number(1)), tuple(longer)))


@rule("at")
def _at(run: Reading, term: Term, env: Environment) -> Read:
    f, universe = run.formulas, run.universe
    defined, (value, index) = run.arguments(term, env)
    (length, slots), place = want(Row, value), want(Number, index).amount
    there = f.both(f.at_most(f.number(0), place), f.less(place, length))
    if not slots:
        return Read(f.false, universe.void(term.sort))
    found = slots[-1]
    for i in reversed(range(len(slots) - 1)):
        found = universe.choose(f.same(place, f.number(i)), slots[i], found)
    return Read(f.both(defined, there), found)


@rule("tail")
def _tail(run: Reading, term: Term, env: Environment) -> Read:
    f = run.formulas
    defined, value = run.read(term.args[0], env)
    length, slots = want(Row, value)
    some = f.less(f.number(0), length)
    return Read(f.both(defined, some), Row(f.minus(length, f.number(1)), slots[1:]))


@rule("take")
def _take(run: Reading, term: Term, env: Environment) -> Read:
    f = run.formulas
    defined, (value, wanted) = run.arguments(term, env)
    (length, slots), first = want(Row, value), want(Number, wanted).amount
    enough = f.both(f.at_most(f.number(0), first), f.at_most(first, length))
    return Read(f.both(defined, enough), Row(first, slots))
