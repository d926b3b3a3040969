"""What depends on the ranges of sorts: parameters, quantifiers, type facts, equality."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import prod

from bmc.lang.bounds import Bound
from bmc.lang.sorts import (
    BoolSort,
    Collection,
    CountedSet,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
    symmetric_parts,
    unknown_sort,
)
from bmc.readings.quantified.formulas import (
    BOOL,
    FALSE,
    TRUE,
    Expression,
    LogicSort,
    Symbol,
    and_,
    app,
    eq,
    exists,
    forall,
    iff,
    implies,
    le,
    lt,
    not_,
    number,
    or_,
    total,
    variable,
)
from bmc.readings.quantified.structures import (
    ABSENT,
    Alternatives,
    Fields,
    Function,
    Indexed,
    NotQuantified,
    Optional,
    Structure,
    choose,
    key_index,
    merge,
    require_key,
    scalar_sort,
)


@dataclass(frozen=True)
class Choice:
    """One symbolic case of a sort's values: its variables, the value, and when it is one."""

    variables: tuple[Expression, ...]
    structure: Structure
    range: Expression


class Symbols:
    """Symbols for parameters, and everything that depends on the ranges of sorts.

    Each part of a value has a symbol of its own: a name grows by one token a step into the value,
    and what is not the protocol's own name begins with a sign that no name has.

    ``lows`` maps each parameter to its least value; they have no greatest. Raises NotQuantified
    for a scalarset that may be empty: a first-order sort never is.
    """

    def __init__(self, lows: dict[str, int]) -> None:
        self.lows = lows
        self.products: set[tuple[str, ...]] = set()

    def parameter(self, name: str) -> Expression:
        """A parameter as a constant."""
        return app(Symbol(f"!parameter.{name}", (), LogicSort("Int")))

    def bound(self, bound: Bound) -> Expression:
        """A bound as a term."""
        # A product of parameters is a number of its own, of which only the least is known.
        parts = [(factor, self.parameter("*".join(n))) for n, factor in bound.coefficients]
        self.products.update(n for n, _ in bound.coefficients if len(n) > 1)
        return total(parts, bound.constant)

    def facts(self) -> list[Expression]:
        """That each parameter, and each product of some, is at least its least value."""
        found = [le(number(low), self.parameter(name)) for name, low in self.lows.items()]
        for names in sorted(self.products):
            if all(self.lows[n] >= 0 for n in names):
                least = prod(self.lows[n] for n in names)
                found.append(le(number(least), self.parameter("*".join(names))))
        return found

    def require_inhabited(self, sort: Sort) -> None:
        """NotQuantified when a scalarset inside of ``sort`` may be empty at some parameters."""
        for part in symmetric_parts(sort):
            decreasing = any(f < 0 or len(n) != 1 for n, f in part.size.coefficients)
            if decreasing or part.size.at(self.lows) < 1:
                raise NotQuantified(f"{part} has {part.size} members and may be empty")

    def inside(self, sort: Sort, structure: Structure) -> Expression:
        """That a listable value, given by its parts, is in the range of its sort."""
        if structure is ABSENT:
            return TRUE
        match sort:
            case IntSort():
                low, high = sort.range()
                return and_(le(self.bound(low), structure), le(structure, self.bound(high)))
            case OptionSort(inner):
                return implies(structure.present, self.inside(inner, structure.content))
            case RecordSort():
                pairs = zip(sort.fields, structure.parts, strict=True)
                return and_(*(self.inside(part, s) for (_, part), s in pairs))
            case BoolSort() | EnumSort() | Scalarset() | SetSort():
                return TRUE
            case _ if isinstance(sort, VariantSort | Collection):
                raise NotQuantified(f"whether a value is in {sort} is no condition on scalars")
            case _:
                unknown_sort(sort)

    def values(self, sort: Sort, hint: str) -> Iterator[Choice]:
        """All values of a listable sort, as few symbolic cases."""
        match sort:
            case BoolSort():
                yield Choice((), TRUE, TRUE)
                yield Choice((), FALSE, TRUE)
            case EnumSort():
                for i in range(len(sort.values)):
                    yield Choice((), number(i), TRUE)
            case IntSort() | Scalarset():
                self.require_inhabited(sort)
                fresh = variable(scalar_sort(sort), hint)
                yield Choice((fresh,), fresh, self.inside(sort, fresh))
            case OptionSort(inner):
                yield Choice((), Optional(FALSE, ABSENT), TRUE)
                for one in self.values(inner, hint):
                    yield Choice(one.variables, Optional(TRUE, one.structure), one.range)
            case RecordSort():
                yield from self._records(sort, ())
            case _ if isinstance(sort, VariantSort | Collection):
                raise NotQuantified(f"quantifying over every {sort} is second-order")
            case _:
                unknown_sort(sort)

    def _records(self, sort: RecordSort, front: tuple[Choice, ...]) -> Iterator[Choice]:
        if len(front) == len(sort.fields):
            variables = tuple(v for one in front for v in one.variables)
            structure = Fields(tuple(one.structure for one in front))
            yield Choice(variables, structure, and_(*(one.range for one in front)))
            return
        name, part = sort.fields[len(front)]
        for one in self.values(part, name):
            yield from self._records(sort, (*front, one))

    def all_of(
        self, sort: Sort, body: Callable[[Structure], Expression], hint: str = "x"
    ) -> Expression:
        """``\\A x \\in sort : body(x)``."""
        return every((one, body(one.structure)) for one in self.values(sort, hint))

    def fresh(
        self,
        sort: Sort,
        name: str,
        args: tuple[Expression, ...] = (),
        domain: tuple[LogicSort, ...] = (),
    ) -> Structure:
        """Uninterpreted functions of ``args`` for the scalars of a value of any sort."""
        match sort:
            case BoolSort() | IntSort() | EnumSort() | Scalarset():
                return app(Symbol(name, domain, scalar_sort(sort)), *args)
            case OptionSort(inner):
                present = app(Symbol(f"{name}?", domain, BOOL), *args)
                return Optional(present, self.fresh(inner, name, args, domain))
            case RecordSort():
                return Fields(
                    tuple(self.fresh(p, f"{name}.{n}", args, domain) for n, p in sort.fields)
                )
            case VariantSort():
                tag = app(Symbol(f"{name}!tag", domain, LogicSort("Int", sort.name)), *args)
                return Alternatives(
                    tag, tuple(self.fresh(p, f"{name}.{n}", args, domain) for n, p in sort.cases)
                )
            case MapSort(key_sort, value):
                return self._function(key_sort, value, name, args, domain)
            case SetSort(element):
                return self._function(element, BoolSort(), name, args, domain)
            case KeyedSetSort():
                stored = OptionSort(_without_key(sort))
                function = self._function(sort.key_sort, stored, name, args, domain)
                return Function(lambda key: _with_key(sort, key, function(key)))
            case SequenceSort(element, _):
                length = app(Symbol(f"{name}!length", domain, _index(sort)), *args)
                return Indexed(
                    length,
                    Function(
                        lambda i: self.fresh(element, name, (*args, i), (*domain, _index(sort)))
                    ),
                )
            case _ if isinstance(sort, CountedSet):
                raise NotQuantified(f"a {sort} holds a number of elements, which is a cardinality")
            case _:
                unknown_sort(sort)

    def _function(
        self,
        key_sort: Sort,
        value: Sort,
        name: str,
        args: tuple[Expression, ...],
        domain: tuple[LogicSort, ...],
    ) -> Function:
        require_key(key_sort)

        def at(suffix: str, keys: KeyParts) -> Structure:
            terms, sorts = (*args, *(k for k, _ in keys)), (*domain, *(s for _, s in keys))
            return self.fresh(value, name + suffix, terms, sorts)

        def lookup(key: Structure) -> Structure:
            found = _by_cases(key_sort, key, at)
            return _nothing_of(value) if found is ABSENT else found

        return Function(lookup)

    def well_formed(self, sort: Sort, structure: Structure) -> Expression:
        """That all parts of a value are in the ranges of their sorts."""
        if structure is ABSENT:
            return TRUE
        match sort:
            case IntSort():
                return self.inside(sort, structure)
            case EnumSort():
                last = number(len(sort.values) - 1)
                return and_(le(number(0), structure), le(structure, last))
            case OptionSort(inner):
                there = structure.content is not ABSENT
                held = self.well_formed(inner, structure.content) if there else FALSE
                return implies(structure.present, held)
            case RecordSort():
                pairs = zip(sort.fields, structure.parts, strict=True)
                return and_(*(self.well_formed(part, s) for (_, part), s in pairs))
            case VariantSort():
                last = number(len(sort.cases) - 1)
                found = [le(number(0), structure.tag), le(structure.tag, last)]
                for i, ((_, part), s) in enumerate(
                    zip(sort.cases, structure.contents, strict=True)
                ):
                    found.append(implies(eq(structure.tag, number(i)), self.well_formed(part, s)))
                return and_(*found)
            case MapSort(key, value):
                return self.all_of(key, lambda k: self.well_formed(value, structure(k)))
            case KeyedSetSort():
                return self.all_of(sort.key_sort, lambda k: self._slot(sort, k, structure(k)))
            case SequenceSort(element, capacity):
                index = variable(_index(sort), "i")
                held = self.well_formed(element, structure.element(index))
                below = and_(le(number(0), index), lt(index, structure.length))
                return and_(
                    le(number(0), structure.length),
                    le(structure.length, self.bound(capacity)),
                    forall(index, implies(below, held)),
                )
            case BoolSort() | Scalarset() | SetSort():
                return TRUE
            case _ if isinstance(sort, CountedSet):
                raise NotQuantified(f"a {sort} holds a number of elements, which is a cardinality")
            case _:
                unknown_sort(sort)

    def _slot(self, sort: KeyedSetSort, key: Structure, slot: Structure) -> Expression:
        if slot.content is ABSENT:
            return not_(slot.present)
        own = slot.content.parts[key_index(sort)]
        same = self.equal(sort.key_sort, own, key)
        return implies(slot.present, and_(same, self.well_formed(sort.element, slot.content)))

    def equal(self, sort: Sort, left: Structure, right: Structure) -> Expression:
        """Equality of two values of one sort."""
        if left is right:
            return TRUE
        if left is ABSENT or right is ABSENT:
            return TRUE
        match sort:
            case BoolSort():
                return iff(left, right)
            case IntSort() | EnumSort() | Scalarset():
                return eq(left, right)
            case OptionSort(inner):
                if right.present is TRUE or left.present is TRUE:
                    both = and_(left.present, right.present)
                    return and_(both, self.equal(inner, left.content, right.content))
                same = self.equal(inner, left.content, right.content)
                return and_(iff(left.present, right.present), implies(left.present, same))
            case RecordSort():
                triples = zip(sort.fields, left.parts, right.parts, strict=True)
                return and_(*(self.equal(part, a, b) for (_, part), a, b in triples))
            case VariantSort():
                found = [eq(left.tag, right.tag)]
                for i, (_, part) in enumerate(sort.cases):
                    same = self.equal(part, left.contents[i], right.contents[i])
                    found.append(implies(eq(left.tag, number(i)), same))
                return and_(*found)
            case MapSort(key, value):
                return self.all_of(key, lambda k: self.equal(value, left(k), right(k)))
            case SetSort(element):
                return self.all_of(element, lambda e: iff(left(e), right(e)))
            case KeyedSetSort():
                slot = OptionSort(sort.element)
                return self.all_of(sort.key_sort, lambda k: self.equal(slot, left(k), right(k)))
            case SequenceSort(element, _):
                index = variable(_index(sort), "i")
                below = and_(le(number(0), index), lt(index, left.length))
                same = self.equal(element, left.element(index), right.element(index))
                return and_(eq(left.length, right.length), forall(index, implies(below, same)))
            case _ if isinstance(sort, CountedSet):
                raise NotQuantified(f"two values of {sort} cannot be compared")
            case _:
                unknown_sort(sort)


def every(bodies: Iterable[tuple[Choice, Expression]]) -> Expression:
    """That a formula holds for all values of each choice."""
    parts = []
    for one, body in bodies:
        part = implies(one.range, body)
        for bound in reversed(one.variables):
            part = forall(bound, part)
        parts.append(part)
    return and_(*parts)


def some(bodies: Iterable[tuple[Choice, Expression]]) -> Expression:
    """That a formula holds for some value of some choice."""
    parts = []
    for one, body in bodies:
        part = and_(one.range, body)
        for bound in reversed(one.variables):
            part = exists(bound, part)
        parts.append(part)
    return or_(*parts)


def _index(sort: SequenceSort) -> LogicSort:
    return LogicSort("Int", f"index of {sort.element.name}")


def _without_key(sort: KeyedSetSort) -> RecordSort:
    kept = tuple((n, s) for n, s in sort.element.fields if n != sort.key)
    return RecordSort(sort.element.name, kept)


def _nothing_of(sort: Sort) -> Structure:
    """What there is under a key that is not there itself: some value, which nobody may read."""
    if isinstance(sort, OptionSort):
        return Optional(FALSE, ABSENT)
    return FALSE if isinstance(sort, BoolSort) else ABSENT


def _with_key(sort: KeyedSetSort, key: Structure, slot: Optional) -> Optional:
    if slot.content is ABSENT:
        return slot
    parts = list(slot.content.parts)
    parts.insert(key_index(sort), key)
    return Optional(slot.present, Fields(tuple(parts)))


KeyParts = tuple[tuple[Expression, LogicSort], ...]


def _by_cases(sort: Sort, key: Structure, at: Callable[[str, KeyParts], Structure]) -> Structure:
    """What ``at`` gives for a key: by its scalars, apart for each of its discrete cases."""
    if key is ABSENT:
        return ABSENT
    match sort:
        case BoolSort():
            return choose(key, lambda: at("@true", ()), lambda: at("@false", ()))
        case EnumSort():
            last = len(sort.values) - 1
            found = at(f"@{last}", ())
            for i in reversed(range(last)):
                found = merge(eq(key, number(i)), at(f"@{i}", ()), found)
            return found
        case IntSort() | Scalarset():
            return at("", ((key, scalar_sort(sort)),))
        case OptionSort(inner):
            return choose(
                key.present,
                lambda: _by_cases(inner, key.content, lambda s, k: at(f"@some{s}", k)),
                lambda: at("@none", ()),
            )
        case RecordSort():
            return _record_cases(sort, key, 0, at)
        case _ if isinstance(sort, VariantSort | Collection):
            raise NotQuantified(f"{sort} cannot be a key")
        case _:
            unknown_sort(sort)


def _record_cases(
    sort: RecordSort, key: Fields, index: int, at: Callable[[str, KeyParts], Structure]
) -> Structure:
    if index == len(sort.fields):
        return at("", ())

    def further(suffix: str, keys: KeyParts) -> Structure:
        return _record_cases(sort, key, index + 1, lambda s, k: at(suffix + s, (*keys, *k)))

    return _by_cases(sort.fields[index][1], key.parts[index], further)
