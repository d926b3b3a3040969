"""What depends on the ranges of sorts: parameters, quantifiers, type facts, equality."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import prod

from bmc.lang.bounds import Bound
from bmc.lang.sort_parts import key_index, symmetric_parts
from bmc.lang.sorts import (
    BitSet,
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
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.readings.quantified.formulas import (
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
    Fields,
    NotQuantified,
    Optional,
    Structure,
    index_sort,
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
        self._require_known(bound)
        # A product of parameters is a number of its own, of which only the least is known.
        parts = [(factor, self.parameter("*".join(n))) for n, factor in bound.coefficients]
        self.products.update(n for n, _ in bound.coefficients if len(n) > 1)
        return total(parts, bound.constant)

    def _require_known(self, bound: Bound) -> None:
        # What a certificate carries may speak of any.
        for name in sorted({n for names, _ in bound.coefficients for n in names} - {*self.lows}):
            raise NotQuantified(f"there is no parameter {name!r}, by which a size is {bound}")

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
            self._require_known(part.size)
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
            case BoolSort() | EnumSort() | Scalarset():
                return TRUE
            case _ if isinstance(sort, BitSet):
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
                index = variable(index_sort(sort), "i")
                held = self.well_formed(element, structure.element(index))
                below = and_(le(number(0), index), lt(index, structure.length))
                return and_(
                    le(number(0), structure.length),
                    le(structure.length, self.bound(capacity)),
                    forall(index, implies(below, held)),
                )
            case BoolSort() | Scalarset():
                return TRUE
            case _ if isinstance(sort, BitSet):
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
            case _ if isinstance(sort, BitSet):
                return self.all_of(sort.element, lambda e: iff(left(e), right(e)))
            case KeyedSetSort():
                slot = OptionSort(sort.element)
                return self.all_of(sort.key_sort, lambda k: self.equal(slot, left(k), right(k)))
            case SequenceSort(element, _):
                index = variable(index_sort(sort), "i")
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
