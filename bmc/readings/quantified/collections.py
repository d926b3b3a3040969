"""Rules for maps, sets and sequences."""

from __future__ import annotations

from bmc.lang.sort_parts import key_index
from bmc.lang.sorts import (
    AnySet,
    BitSet,
    CountedSet,
    KeyedSetSort,
    MapSort,
    Scalarset,
    SequenceSort,
    unknown_sort,
)
from bmc.lang.terms import Term
from bmc.readings.quantified.formulas import (
    FALSE,
    TRUE,
    Expression,
    add,
    and_,
    eq,
    implies,
    le,
    lt,
    not_,
    number,
    or_,
    sub,
)
from bmc.readings.quantified.reader import Environment, Read, Reader, of_nothing, rule, truth_of
from bmc.readings.quantified.structures import (
    ABSENT,
    Fields,
    Function,
    Indexed,
    NotQuantified,
    Optional,
    Structure,
    choose,
    merge,
)


@rule("select")
def _select(x: Reader, term: Term, env: Environment) -> Read:
    (collection, key), defined = x.all(term, env)
    sort = term.args[0].sort
    assert isinstance(sort, MapSort)
    nothing = of_nothing(term, (collection, key), defined)
    if nothing is not None:
        return nothing
    return Read(collection(key), and_(defined, x.vocabulary.inside(sort.key, key)))


@rule("store")
def _store(x: Reader, term: Term, env: Environment) -> Read:
    (collection, key, part), defined = x.all(term, env)
    sort = term.sort
    assert isinstance(sort, MapSort)
    nothing = of_nothing(term, (collection, key), defined)
    if nothing is not None:
        return nothing

    def stored(other: Structure) -> Structure:
        hit = x.vocabulary.equal(sort.key, other, key)
        return choose(hit, lambda: part, lambda: collection(other))

    return Read(Function(stored), and_(defined, x.vocabulary.inside(sort.key, key)))


@rule("insert", "remove")
def _insert_or_remove(x: Reader, term: Term, env: Environment) -> Read:
    (collection, element), defined = x.all(term, env)
    nothing = of_nothing(term, (collection, element), defined)
    if nothing is not None:
        return nothing
    adding = term.op == "insert"
    words = x.vocabulary
    sort = term.sort
    match sort:
        case _ if isinstance(sort, BitSet):
            listed = sort.element

            def changed(other: Structure) -> Expression:
                hit, held = words.equal(listed, other, element), collection(other)
                return or_(hit, held) if adding else and_(not_(hit), held)

            inside = words.inside(listed, element) if adding else TRUE
            return Read(Function(changed), and_(defined, inside))
        case KeyedSetSort():
            return _keyed_change(x, sort, collection, element, defined, adding)
        case _ if isinstance(sort, CountedSet):
            raise NotQuantified(f"{term!r} changes a number of elements, which is a cardinality")
        case _ if not isinstance(sort, AnySet):
            raise NotQuantified(f"{term!r} changes a {sort}, which is no set")
        case _:
            unknown_sort(sort)


def _keyed_change(
    x: Reader,
    sort: KeyedSetSort,
    collection: Function,
    element: Fields,
    defined: Expression,
    adding: bool,
) -> Read:
    words = x.vocabulary
    key = element.parts[key_index(sort)]
    old = collection(key)
    if old is ABSENT:
        return Read(ABSENT, defined)
    same = words.equal(sort.element, old.content, element)

    def slot(other: Structure) -> Structure:
        hit, held = words.equal(sort.key_sort, other, key), collection(other)
        if not adding:
            return Optional(and_(held.present, not_(and_(hit, same))), held.content)
        return choose(hit, lambda: _under(sort, other, element), lambda: held)

    fits = TRUE
    if adding:
        fits = and_(words.inside(sort.key_sort, key), implies(old.present, same))
    return Read(Function(slot), and_(defined, fits))


def _under(sort: KeyedSetSort, key: Structure, element: Fields) -> Optional:
    index = key_index(sort)
    return Optional(TRUE, Fields((*element.parts[:index], key, *element.parts[index + 1 :])))


@rule("union", "intersection", "difference", "subset")
def _set_algebra(x: Reader, term: Term, env: Environment) -> Read:
    (left, right), defined = x.all(term, env)
    nothing = of_nothing(term, (left, right), defined)
    if nothing is not None:
        return nothing
    sort = term.args[0].sort
    match sort:
        case _ if isinstance(sort, BitSet):
            element = sort.element
            match term.op:
                case "union":
                    return Read(Function(lambda e: or_(left(e), right(e))), defined)
                case "intersection":
                    return Read(Function(lambda e: and_(left(e), right(e))), defined)
                case "difference":
                    return Read(Function(lambda e: and_(left(e), not_(right(e)))), defined)
            inside = x.vocabulary.all_of(element, lambda e: implies(left(e), right(e)))
            return Read(inside, defined)
        case KeyedSetSort() if term.op in ("union", "subset"):
            return _keyed_algebra(x, term.op, sort, left, right, defined)
        case _:
            raise NotQuantified(f"{term.op} of {sort}, in {term!r}")


def _keyed_algebra(
    x: Reader, op: str, sort: KeyedSetSort, left: Function, right: Function, defined: Expression
) -> Read:
    words = x.vocabulary

    def agree(key: Structure) -> Expression:
        one, other = left(key), right(key)
        same = words.equal(sort.element, one.content, other.content)
        if op == "subset":
            return implies(one.present, and_(other.present, same))
        return implies(and_(one.present, other.present), same)

    def joined(key: Structure) -> Structure:
        one, other = left(key), right(key)
        content = merge(one.present, one.content, other.content)
        return Optional(or_(one.present, other.present), content)

    compatible = words.all_of(sort.key_sort, agree)
    if op == "subset":
        return Read(compatible, defined)
    return Read(Function(joined), and_(defined, compatible))


@rule("member")
def _member(x: Reader, term: Term, env: Environment) -> Read:
    (element, collection), defined = x.all(term, env)
    sort = term.args[1].sort
    nothing = of_nothing(term, (element, collection), defined)
    if nothing is not None:
        return nothing
    match sort:
        case _ if isinstance(sort, BitSet):
            return Read(truth_of(collection(element)), defined)
        case KeyedSetSort():
            found = collection(element.parts[key_index(sort)])
            if found is ABSENT:
                return Read(FALSE, defined)
            same = x.vocabulary.equal(sort.element, found.content, element)
            return Read(and_(found.present, same), defined)
        case _ if isinstance(sort, CountedSet):
            raise NotQuantified(f"{term.args[1]!r} holds a number of elements: a cardinality")
        case _ if not isinstance(sort, AnySet):
            raise NotQuantified(f"{term.args[1]!r} has no elements: it is no set")
        case _:
            unknown_sort(sort)


@rule("lookup")
def _lookup(x: Reader, term: Term, env: Environment) -> Read:
    (collection, key), defined = x.all(term, env)
    return of_nothing(term, (collection, key), defined) or Read(collection(key), defined)


@rule("size")
def _size(x: Reader, term: Term, env: Environment) -> Read:
    (collection,), defined = x.all(term, env)
    if collection is ABSENT:
        return Read(ABSENT, defined)
    sort = term.args[0].sort
    if isinstance(sort, SequenceSort):
        return Read(collection.length, defined)
    whole = sort.element if isinstance(sort, BitSet) and term.args[0].op == "full" else None
    if isinstance(whole, Scalarset):
        return Read(x.vocabulary.bound(whole.size), defined)
    return Read(x.size(term, collection), defined)


@rule("append", "at", "tail", "take")
def _sequences(x: Reader, term: Term, env: Environment) -> Read:
    parts, defined = x.all(term, env)
    nothing = of_nothing(term, parts, defined)
    if nothing is not None:
        return nothing
    held: Indexed = parts[0]
    sort = term.args[0].sort
    assert isinstance(sort, SequenceSort)
    match term.op:
        case "append":
            room = lt(held.length, x.vocabulary.bound(sort.capacity))

            def grown(index: Structure) -> Structure:
                here = eq(index, held.length)
                return choose(here, lambda: parts[1], lambda: held.element(index))

            return Read(Indexed(add(held.length, number(1)), Function(grown)), and_(defined, room))
        case "at":
            inside = and_(le(number(0), parts[1]), lt(parts[1], held.length))
            return Read(held.element(parts[1]), and_(defined, inside))
        case "tail":
            shorter = Indexed(
                sub(held.length, number(1)),
                Function(lambda index: held.element(add(index, number(1)))),
            )
            return Read(shorter, and_(defined, lt(number(0), held.length)))
    inside = and_(le(number(0), parts[1]), le(parts[1], held.length))
    return Read(Indexed(parts[1], held.element), and_(defined, inside))
