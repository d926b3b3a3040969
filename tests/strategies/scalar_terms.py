"""How terms of truth values, integers and enumerations are written."""

from __future__ import annotations

from bmc.lang import (
    BoundedSet,
    Expr,
    Operand,
    OptionSort,
    Sequence,
    SetSort,
    Sort,
    SortError,
    Term,
)
from bmc.lang.build import (
    Domain,
    choose,
    conj,
    disj,
    exists,
    first,
    forall,
    implies,
    is_case,
    is_none,
    is_some,
    ite,
    last,
    maximum,
    member,
    minimum,
    size,
)
from bmc.lang.errors import asked
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import (
    BoolSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    RecordSort,
    SequenceSort,
    VariantSort,
    require_enumerable,
)
from bmc.lang.terms import coerce, is_set, lift
from tests.strategies.world import EPOCHS, MOST_ELEMENTS, NODES, SPACE, new_variant
from tests.strategies.writer import Refused, Writer, production


@production(BoolSort)
def _negation(w: Writer, sort: Sort) -> Expr:
    return ~w.truth()


@production(BoolSort, weight=2)
def _connective(w: Writer, sort: Sort) -> Expr:
    parts = [w.truth() for _ in range(w.draw.number(1, 3))]
    match w.draw.one_of(("conj", "disj", "and", "or", "implies")):
        case "conj":
            return conj(*parts)
        case "disj":
            return disj(*parts)
        case "and":
            return parts[0] & parts[-1]
        case "or":
            return parts[0] | parts[-1]
    return implies(parts[0], parts[-1])


@production(BoolSort, weight=2)
def _equality(w: Writer, sort: Sort) -> Expr:
    of = w.sort_like(lambda s: True, lambda: w.world.sort(w.draw))
    if isinstance(of, IntSort):
        left, right = number(w, of.name), number(w, of.name)
    else:
        left, right = w.term(of), w.term(of)
        if isinstance(of, OptionSort) and w.chance():
            left = w.term(of.inner)
    return left != right if w.chance() else left == right


@production(BoolSort, weight=2)
def _order(w: Writer, sort: Sort) -> Expr:
    identity = w.draw.one_of(w.world.integers).name
    left, right = number(w, identity), number(w, identity)
    match w.draw.one_of(("<=", "<", ">=", ">")):
        case "<=":
            return left <= right
        case "<":
            return left < right
        case ">=":
            return left >= right
    return left > right


@production(BoolSort)
def _option_test(w: Writer, sort: Sort) -> Expr:
    option = w.term(w.sort_like(lambda s: isinstance(s, OptionSort), lambda: _option(w)))
    return is_some(option) if w.chance() else is_none(option)


def _option(w: Writer) -> Sort:
    inner = w.world.sort(w.draw, 1)
    return inner if isinstance(inner, OptionSort) else OptionSort(inner)


@production(BoolSort)
def _case_test(w: Writer, sort: Sort) -> Expr:
    variant = w.sort_like(lambda s: isinstance(s, VariantSort), lambda: _variant(w))
    assert isinstance(variant, VariantSort)
    return is_case(w.term(variant), w.draw.one_of(variant.cases)[0])


def _variant(w: Writer) -> Sort:
    return new_variant("Choice", here=w.world.sort(w.draw, 1), there=w.world.scalar(w.draw))


@production(BoolSort, weight=2)
def _membership(w: Writer, sort: Sort) -> Expr:
    collection = w.term(any_set(w))
    element = collection.sort.element  # type: ignore[attr-defined]
    if not isinstance(element, OptionSort) and w.chance(3):
        element = OptionSort(element)
    return member(w.term(element), collection)


@production(BoolSort, weight=2)
def _inclusion(w: Writer, sort: Sort) -> Expr:
    of = any_set(w)
    left, right = w.term(of), w.term(of)
    return left >= right if w.chance() else left <= right


@production(BoolSort, weight=3)
def _quantifier(w: Writer, sort: Sort) -> Expr:
    over: Domain = w.term(any_set(w)) if w.chance() else listable(w)
    quantifier = w.draw.one_of((forall, exists))
    with w.shallow():
        return quantifier(over, lambda x: w.under(x, w.truth))


def any_set(w: Writer) -> Sort:
    """A sort of sets of any of the three kinds."""
    return w.sort_like(is_set, lambda: _new_set(w)) if w.chance() else _new_set(w)


def _new_set(w: Writer) -> Sort:
    match w.draw.one_of(("set", "keyed set", "bounded set")):
        case "set":
            return SetSort(listable(w))
        case "keyed set":
            return w.world.keyed(w.draw)
    return BoundedSet(w.world.sort(w.draw, 1), w.draw.one_of((2, SPACE, 3)))


def any_sequence(w: Writer) -> Sort:
    """A sort of sequences."""
    return w.sort_like(
        lambda s: isinstance(s, SequenceSort), lambda: Sequence(w.world.scalar(w.draw), SPACE)
    )


def number(w: Writer, identity: str) -> Term:
    """An integer term of this identity or of none, possibly an intermediate result."""
    ranges = [s for s in w.world.integers if s.name == identity]
    if w.depth <= 0 or w.budget <= 0:
        return w.leaf(w.draw.one_of(ranges))
    w.depth -= 1
    w.budget -= 1
    try:
        return lift(_number(w, identity, ranges))
    finally:
        w.depth += 1


def _number(w: Writer, identity: str, ranges: list[IntSort]) -> Operand:
    match w.draw.one_of(_NUMBERS):
        case "literal":
            return w.draw.number(-2, 3)
        case "parameter":
            return w.draw.one_of((NODES, EPOCHS + 1, SPACE * 2 - NODES))
        case "of the sort":
            return w.term(w.draw.one_of(ranges))
        case "+":
            return number(w, identity) + number(w, identity)
        case "-":
            return number(w, identity) - number(w, identity)
        case "*":
            # A product of products would have more values than are tabulated.
            return w.term(w.draw.one_of(ranges)) * _operand(w, ranges)
        case "//":
            return number(w, identity) // _operand(w, ranges, least=1)
        case "%":
            return number(w, identity) % _operand(w, ranges, least=1)
        case "minimum":
            return minimum(number(w, identity), number(w, identity))
        case "maximum":
            return maximum(number(w, identity), number(w, identity))
        case "size":
            return size(w.term(w.draw.one_of((any_set, any_sequence))(w)))
        case "extreme":
            extreme = w.draw.one_of((last, first))
            # Partial at times: it is read only where nothing is found.
            default = w.term(w.draw.one_of(ranges)) if w.chance() else number(w, identity)
            with w.shallow():
                return extreme(w.draw.one_of(ranges), lambda x: w.under(x, w.truth), default)
        case "conditional":
            return ite(w.truth(), number(w, identity), number(w, identity))
    return w.leaf(w.draw.one_of(ranges))


def _operand(w: Writer, ranges: list[IntSort], least: int = -2) -> Operand:
    """A factor or divisor: a number, a parameter or what has a sort."""
    match w.draw.one_of(("literal", "parameter", "of the sort")):
        case "literal":
            return w.draw.number(least, 3)
        case "parameter":
            return w.draw.one_of((NODES, EPOCHS, SPACE))
    return w.term(w.draw.one_of(ranges))


_NUMBERS = (
    "leaf",
    "literal",
    "of the sort",
    "+",
    "-",
    "*",
    "//",
    "%",
    "size",
    "extreme",
    "parameter",
    "minimum",
    "maximum",
    "conditional",
)


@production(IntSort, weight=3)
def _narrowed(w: Writer, sort: Sort) -> Expr:
    return coerce(number(w, sort.name), sort)


@production(EnumSort)
def _name(w: Writer, sort: Sort) -> Expr:
    assert isinstance(sort, EnumSort)
    return coerce(w.draw.one_of(sort.values), sort)


@production(BoolSort, IntSort, EnumSort, OptionSort, RecordSort)
def _choice(w: Writer, sort: Sort) -> Expr:
    if symmetric_parts(sort) or not _listable(w, sort):
        raise Refused
    with w.shallow():
        return choose(sort, lambda x: w.under(x, w.truth))


def listable(w: Writer) -> Sort:
    """A sort for a binder to run over."""
    return w.sort_like(
        lambda s: _listable(w, s, sets=True), lambda: w.world.listable(w.draw, sets=True)
    )


def _listable(w: Writer, sort: Sort, sets: bool = False) -> bool:
    try:
        with asked():
            require_enumerable(sort, "", sets)
    except SortError:
        return False
    return w.world.domains.number(sort) <= MOST_ELEMENTS


def keyed_over(w: Writer, sort: Sort) -> KeyedSetSort | None:
    """A keyed set of which ``sort`` is the element, if it can be one."""
    if isinstance(sort, RecordSort):
        for name, part in sort.fields:
            if _listable(w, part):
                return KeyedSetSort(sort, name)
    return None
