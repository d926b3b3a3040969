"""A sort as the set of its values in TLA+, and a value as an expression.

Each value of a sort is another value of TLA+, so that states are counted alike:

| sort | TLA+ |
|---|---|
| integers | `low..high` |
| an enumeration | strings |
| a scalarset | a constant set of model values |
| an option | the value, or the model value `None` |
| a record | a record |
| a variant | a record with the case in the field `tag`, and the payload's fields or one field |
| a map | a function |
| sets, sequences | sets, sequences |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bmc.lang.bounds import Bound
from bmc.lang.errors import SortError
from bmc.lang.show import quoted
from bmc.lang.sort_parts import inside
from bmc.lang.sorts import (
    AnySet,
    BoolSort,
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
from bmc.layout.domain import Domains
from bmc.reports.exports.tla.names import Names, check_field

ATOM, RANGE, UNION, TOP = 16, 9, 8, 0
"""How tightly an expression holds together, after the table of TLA+'s operators."""


class Sorts:
    """The sorts of a module: the names that they are defined under, and their sets."""

    def __init__(
        self,
        used: Iterable[Sort],
        names: Names,
        member: Callable[[Scalarset, int], str],
        domains: Domains,
    ) -> None:
        self.domains = domains
        self._names = names
        used = list(used)
        named: dict[Sort, None] = {}
        for sort in used:
            for part in inside(sort):
                if isinstance(part, EnumSort | Scalarset | RecordSort | VariantSort):
                    named.setdefault(part)
        for one in named:
            for name in _fields(one):
                check_field(name)
        # A record comes after the parts of it, for TLA+ reads a definition before its use.
        ordered = sorted(named, key=lambda sort: sum(1 for _ in inside(sort)))
        self._named = {sort: names.declare(sort.name) for sort in ordered}
        self._tags = {sort: tag_of(sort) for sort in named if isinstance(sort, VariantSort)}
        self.members = {
            sort: tuple(member(sort, one) for one in domains.values(sort))
            for sort in ordered
            if isinstance(sort, Scalarset)
        }
        self.optional = any(isinstance(p, OptionSort) for s in used for p in inside(s))

    def constants(self) -> list[str]:
        """Return the names of the constant sets."""
        return [self._named[sort] for sort in self.members]

    def member_sets(self) -> dict[str, tuple[str, ...]]:
        """Return the members of each constant set."""
        return {self._named[sort]: members for sort, members in self.members.items()}

    def sizes(self) -> list[str]:
        """Return a formula for each constant set: how many members its parameters give it."""
        return [
            f"Cardinality({self._named[sort]}) = {bound(sort.size, TOP)}" for sort in self.members
        ]

    def definitions(self) -> list[str]:
        """Return `Name == set` for each sort that has a name and is no constant."""
        return [
            f"{name} == {self._written(sort, TOP)}"
            for sort, name in self._named.items()
            if not isinstance(sort, Scalarset)
        ]

    def of(self, sort: Sort, level: int = TOP) -> str:
        """Return the set of a sort's values."""
        return self._named.get(sort) or self._written(sort, level)

    def _written(self, sort: Sort, level: int) -> str:
        match sort:
            case BoolSort():
                return "BOOLEAN"
            case IntSort():
                low, high = sort.range()
                return closed(f"{bound(low, RANGE)}..{bound(high, RANGE)}", RANGE, level)
            case EnumSort():
                return f"{{{', '.join(quoted(value) for value in sort.values)}}}"
            case Scalarset():
                return self._named[sort]
            case OptionSort():
                return closed(f"{self.of(sort.inner, UNION + 1)} \\union {{None}}", UNION, level)
            case RecordSort():
                return self._record(sort.fields)
            case VariantSort():
                cases = [
                    self._record([(self.tag(sort), _Tag(quoted(case))), *self.parts(sort, case)])
                    for case, _ in sort.cases
                ]
                return closed(" \\union ".join(cases), UNION if len(cases) > 1 else ATOM, level)
            case MapSort():
                return f"[{self.of(sort.key)} -> {self.of(sort.value)}]"
            case _ if isinstance(sort, AnySet):
                return closed(f"SUBSET {self.of(sort.element, ATOM)}", UNION, level)
            case SequenceSort():
                with self._names.bound(["n"]) as (size,):
                    longest = bound(sort.capacity, RANGE)
                    functions = f"[1..{size} -> {self.of(sort.element)}]"
                    return closed(f"UNION {{{functions} : {size} \\in 0..{longest}}}", UNION, level)
            case _:
                unknown_sort(sort)

    def _record(self, fields: Iterable[tuple[str, Sort | _Tag]]) -> str:
        pairs = [
            f"{name}: {{{sort.text}}}" if isinstance(sort, _Tag) else f"{name}: {self.of(sort)}"
            for name, sort in fields
        ]
        return f"[{', '.join(pairs)}]"

    def tag(self, sort: VariantSort) -> str:
        """Return the field that says which case it is."""
        return self._tags[sort]

    def parts(self, sort: VariantSort, case: str) -> Sequence[tuple[str, Sort]]:
        """Return the fields of a case beside its tag."""
        payload = sort.case(case)
        if isinstance(payload, RecordSort) and is_flat(sort, case):
            return payload.fields
        return ((case, payload),)

    def value(self, sort: Sort, value: Any) -> str:
        """Return a value as an expression."""
        match sort:
            case BoolSort():
                return "TRUE" if value else "FALSE"
            case IntSort():
                return str(value) if value >= 0 else f"({value})"
            case EnumSort():
                return quoted(value)
            case OptionSort():
                return "None" if value is None else self.value(sort.inner, value)
            case RecordSort():
                shown = [
                    (n, self.value(s, v)) for (n, s), v in zip(sort.fields, value, strict=True)
                ]
                return f"[{', '.join(f'{name} |-> {text}' for name, text in shown)}]"
            case _:
                raise SortError(f"{sort} has no value that TLA+ can name")


class _Tag:
    """A case's name in the place of a sort."""

    def __init__(self, text: str) -> None:
        self.text = text


def _fields(sort: Sort) -> list[str]:
    """Return the fields that a sort's own records have: a case that is no record is one of them."""
    match sort:
        case RecordSort():
            return [name for name, _ in sort.fields]
        case VariantSort():
            return [case for case, _ in sort.cases if not is_flat(sort, case)]
        case _:
            return []


def tag_of(sort: VariantSort) -> str:
    """Return the field of a variant's records that says which case one is."""
    used = {case for case, _ in sort.cases}
    for _, payload in sort.cases:
        used |= {name for name, _ in payload.fields} if isinstance(payload, RecordSort) else set()
    tag = "tag"
    while tag in used:
        tag += "_"
    return tag


def is_flat(sort: VariantSort, case: str) -> bool:
    """Whether a case's record and its tag are one record.

    Not where another case has a record of the same fields with values of other kinds: TLC cannot
    compare the two.
    """
    payload = sort.case(case)
    if not isinstance(payload, RecordSort):
        return False
    fields = dict(payload.fields)
    return all(
        dict(other.fields) == fields
        for _, other in sort.cases
        if isinstance(other, RecordSort) and dict(other.fields).keys() == fields.keys()
    )


def bound(found: Bound, level: int) -> str:
    """Return an integer expression over parameters."""
    text = str(found)
    return closed(text, ATOM if text.isidentifier() or text.isdigit() else 10, level)


def closed(text: str, own: int, level: int) -> str:
    """Return an expression with parentheses if it holds less tightly than its place asks for."""
    return f"({text})" if own < level else text
