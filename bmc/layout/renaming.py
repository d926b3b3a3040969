"""Values with the members of scalarsets renamed: what symmetry makes of a concrete state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations, product

from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import (
    AnySet,
    BoolSort,
    Collection,
    EnumSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.lang.terms import Term
from bmc.layout.domain import Domains, Value

Naming = Mapping[Scalarset, tuple[int, ...]]
"""The new name of each member, by its old one, of every scalarset."""


def unchanged(domains: Domains, sorts: Iterable[Sort]) -> dict[Scalarset, tuple[int, ...]]:
    """The naming that changes nothing, of the scalarsets that occur in these sorts."""
    found = {part for sort in sorts for part in symmetric_parts(sort)}
    return {one: tuple(domains.values(one)) for one in sorted(found, key=lambda one: one.name)}


def namings(domains: Domains, sorts: Iterable[Sort]) -> Iterator[Naming]:
    """Every renaming of the scalarsets that occur in these sorts, the identity first."""
    plain = unchanged(domains, sorts)
    for orders in product(*(permutations(members) for members in plain.values())):
        yield dict(zip(plain, orders, strict=True))


def generators(domains: Domains, sorts: Iterable[Sort]) -> Iterator[Naming]:
    """Namings of which all others are made: two members exchanged, and all of them turned."""
    plain = unchanged(domains, sorts)
    for one, members in plain.items():
        if len(members) > 1:
            yield {**plain, one: (1, 0, *members[2:])}
        if len(members) > 2:
            yield {**plain, one: (*members[1:], 0)}


def different_namings(
    domains: Domains, sorts: Iterable[Sort], fixes: Callable[[Naming], bool]
) -> Iterator[Naming]:
    """Namings that give something every image it has, few of them the same one.

    ``fixes`` says whether a naming leaves that thing as it is. Members that can be exchanged
    so are given new names in their order only.
    """
    plain = unchanged(domains, sorts)
    orders = []
    for one, members in plain.items():
        alike: list[list[int]] = []
        for member in members:
            for others in alike:
                if fixes({**plain, one: _exchanged(members, others[0], member)}):
                    others.append(member)
                    break
            else:
                alike.append([member])
        orders.append(_arrangements(alike, members))
    for arranged in product(*orders):
        yield dict(zip(plain, arranged, strict=True))


def _exchanged(members: tuple[int, ...], one: int, other: int) -> tuple[int, ...]:
    return tuple(other if m == one else one if m == other else m for m in members)


def _arrangements(alike: Sequence[list[int]], free: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """New names for the members of some classes, in order within each class."""
    if not alike:
        yield ()
        return
    members = sorted(member for group in alike for member in group)
    for names in combinations(free, len(alike[0])):
        rest = tuple(name for name in free if name not in names)
        for others in _arrangements(alike[1:], rest):
            after = sorted(member for group in alike[1:] for member in group)
            new = dict(zip(alike[0], names, strict=True)) | dict(zip(after, others, strict=True))
            yield tuple(new[member] for member in members)


def renamed(domains: Domains, sort: Sort, value: Value, naming: Naming) -> Value:
    """A value under a renaming."""

    def of(part: Sort, v: Value) -> Value:
        return renamed(domains, part, v, naming)

    match sort:
        case Scalarset():
            return naming[sort][value]
        case OptionSort(inner):
            return None if value is None else of(inner, value)
        case RecordSort():
            return tuple(of(part, v) for (_, part), v in zip(sort.fields, value, strict=True))
        case VariantSort():
            return value[0], of(sort.case(value[0]), value[1])
        case MapSort(key, part):
            pairs = zip(domains.values(key), value, strict=True)
            moved = {of(key, k): of(part, v) for k, v in pairs}
            return tuple(moved[k] for k in domains.values(key))
        case _ if isinstance(sort, AnySet):
            return frozenset(of(sort.element, v) for v in value)
        case SequenceSort(element, _):
            return tuple(of(element, v) for v in value)
        case BoolSort() | IntSort() | EnumSort():
            return value
        case _:
            unknown_sort(sort)


def members(sort: Sort, value: Value) -> Iterator[tuple[Scalarset, int]]:
    """The members of scalarsets that an argument's value names, in order.

    Those of a set or a map have no order that a renaming keeps, so it names none.
    """
    match sort:
        case Scalarset():
            yield sort, value
        case OptionSort(inner):
            if value is not None:
                yield from members(inner, value)
        case RecordSort():
            for (_, part), v in zip(sort.fields, value, strict=True):
                yield from members(part, v)
        case VariantSort():
            yield from members(sort.case(value[0]), value[1])
        case _ if isinstance(sort, BoolSort | IntSort | EnumSort | Collection):
            return
        case _:
            unknown_sort(sort)


def representatives(domains: Domains, arguments: Sequence[Term]) -> Iterator[tuple[Value, ...]]:
    """Yield one choice of arguments from each orbit under renaming of scalarset members."""
    for values in product(*(domains.values(one.sort) for one in arguments)):
        if _is_representative(arguments, values):
            yield values


def _is_representative(arguments: Sequence[Term], values: Sequence[Value]) -> bool:
    highest: dict[Sort, int] = {}
    for argument, value in zip(arguments, values, strict=True):
        for sort, number in members(argument.sort, value):
            if number > highest.get(sort, -1) + 1:
                return False
            highest[sort] = max(number, highest.get(sort, -1))
    return True
