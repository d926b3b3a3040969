"""Sorts: what a term can be. All are finite once the parameters have values.

Those without parts are made in :mod:`bmc.lang.scalars`. Sorts hold
:class:`~bmc.lang.bounds.Bound` expressions, never numbers of one parameter choice, so a
description stays valid for all of them.

:data:`Sort` is a closed union. Every ``match`` over sorts ends in :func:`unknown_sort`, so that
mypy names each place that forgets a new one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Never, NoReturn, final

from bmc.lang.bounds import Bound, BoundLike
from bmc.lang.errors import SortError, UnknownSort, suggest
from bmc.lang.scalars import BOOL as BOOL
from bmc.lang.scalars import BoolSort as BoolSort
from bmc.lang.scalars import DeclaredSort, hashed_once
from bmc.lang.scalars import EnumSort as EnumSort
from bmc.lang.scalars import Integer as Integer
from bmc.lang.scalars import IntSort as IntSort
from bmc.lang.scalars import Scalarset as Scalarset

_FIELD = re.compile(r"[\w :/-]+")


@final
@hashed_once
@dataclass(frozen=True)
class OptionSort(DeclaredSort):
    """A value of ``inner``, or none."""

    inner: Sort

    def __post_init__(self) -> None:
        if isinstance(self.inner, OptionSort):
            raise SortError("an option of an option hides which of the two is none: use a variant")

    @property
    def name(self) -> str:  # type: ignore[override]
        """The inner sort's name with a question mark."""
        return f"{self.inner.name}?"

    def __str__(self) -> str:
        return f"{self.inner}?"


@final
@hashed_once
@dataclass(frozen=True)
class RecordSort(DeclaredSort):
    """Named fields, in the specification's order."""

    name: str
    fields: tuple[tuple[str, Sort], ...]

    def __post_init__(self) -> None:
        for name, _ in self.fields:
            # Engines call a part of the state by the names on the way to it, with signs between.
            if not _FIELD.fullmatch(name):
                raise SortError(
                    f"a field of {self.name}, or a string among the arguments of a function, "
                    f"cannot be {name!r}: it is made of letters, digits, blanks, _, -, : and /"
                )
        _require_different(f"field of {self.name}", self.fields)

    def field(self, name: str) -> Sort:
        """The sort of one field; SortError with the nearest names when there is none."""
        for known, sort in self.fields:
            if known == name:
                return sort
        raise SortError(
            f"{self.name} has no field {name!r}: {suggest(name, [f for f, _ in self.fields])}"
        )

    def __str__(self) -> str:
        return self.name


def Record(name: str, /, **fields: Sort) -> RecordSort:
    """A record sort."""
    if not fields:
        raise SortError(
            f"record {name} needs at least one field: what says no more than its name, such as a "
            f'case of a variant, is EnumSort("{name}", ("{name.lower()}",))'
        )
    for field in fields:
        # Python reads x.__a__ itself, and in a class x.__a as another name.
        if not field.isidentifier() or field.startswith("__"):
            raise SortError(
                f"a field of {name} cannot be called {field!r}: x.{field} is no field in Python"
            )
    return RecordSort(name, tuple(fields.items()))


@final
@hashed_once
@dataclass(frozen=True)
class VariantSort(DeclaredSort):
    """One of several cases, each with a payload of its own (messages of several kinds)."""

    name: str
    cases: tuple[tuple[str, Sort], ...]

    def __post_init__(self) -> None:
        if not self.cases:
            raise SortError(f"variant {self.name} needs at least one case")
        _require_different(f"case of {self.name}", self.cases)

    def case(self, tag: str) -> Sort:
        """The payload sort of a case; SortError with the nearest names when there is none."""
        for known, sort in self.cases:
            if known == tag:
                return sort
        raise SortError(
            f"{self.name} has no case {tag!r}: {suggest(tag, [c for c, _ in self.cases])}"
        )

    def __str__(self) -> str:
        return self.name


def Variant(name: str, /, **cases: Sort) -> VariantSort:
    """A variant sort; a case without data holds an EnumSort of one name."""
    return VariantSort(name, tuple(cases.items()))


@final
@hashed_once
@dataclass(frozen=True)
class MapSort(DeclaredSort):
    """A total map from a finite sort."""

    key: Sort
    value: Sort

    def __post_init__(self) -> None:
        require_enumerable(self.key, "a map's key", sets=True)

    @property
    def name(self) -> str:  # type: ignore[override]
        """``[Key -> Value]``, as TLA+ writes it."""
        return f"[{self.key.name} -> {self.value.name}]"

    def __str__(self) -> str:
        return f"[{self.key} -> {self.value}]"


@final
@hashed_once
@dataclass(frozen=True)
class SetSort(DeclaredSort):
    """A set over a finite sort: a bit an element."""

    element: Sort

    def __post_init__(self) -> None:
        require_enumerable(self.element, "a set's element", sets=True)

    @property
    def name(self) -> str:  # type: ignore[override]
        """``SUBSET Element``, as TLA+ writes it."""
        return f"SUBSET {self.element.name}"

    def __str__(self) -> str:
        return f"SUBSET {self.element}"


@final
@hashed_once
@dataclass(frozen=True)
class KeyedSetSort(DeclaredSort):
    """A set of records in which a field identifies the record.

    It is held as a map from that field. Adding a second record under a taken key is reported
    like a bound that is too small, so that nothing is proven on top of a wrong declaration.
    """

    element: RecordSort
    key: str

    def __post_init__(self) -> None:
        if not isinstance(self.element, RecordSort):
            raise SortError(
                f"{self.element} is no record, and a field of a record is the key: write "
                'KeyedSetSort(record_sort, "key"), or SetSort(elements) without keys'
            )
        require_enumerable(self.key_sort, f"the key {self.key} of a set")

    @property
    def key_sort(self) -> Sort:
        """The sort of the identifying field."""
        return self.element.field(self.key)

    @property
    def name(self) -> str:  # type: ignore[override]
        """The element's name and the key."""
        return f"SUBSET {self.element.name} BY {self.key}"

    def __str__(self) -> str:
        return self.name


@final
@hashed_once
@dataclass(frozen=True)
class SequenceSort(DeclaredSort):
    """At most ``capacity`` elements in order: a log, or a first-in-first-out queue."""

    element: Sort
    capacity: Bound

    @property
    def name(self) -> str:  # type: ignore[override]
        """``Seq(Element)``, as TLA+ writes it."""
        return f"Seq({self.element.name})"

    def __str__(self) -> str:
        return f"Seq({self.element}, {self.capacity})"


def Sequence(element: Sort, capacity: BoundLike) -> SequenceSort:
    """A bounded sequence sort."""
    return SequenceSort(element, Bound.of(capacity))


@final
@hashed_once
@dataclass(frozen=True)
class BoundedSetSort(DeclaredSort):
    """At most ``capacity`` elements out of a domain too large for a bit an element (messages).

    It is held in slots, in the element's canonical order, so equal sets are equal states.
    """

    element: Sort
    capacity: Bound

    @property
    def name(self) -> str:  # type: ignore[override]
        """``SUBSET Element``, with its capacity."""
        return f"SUBSET[{self.capacity}] {self.element.name}"

    def __str__(self) -> str:
        return self.name


def BoundedSet(element: Sort, capacity: BoundLike) -> BoundedSetSort:
    """A bounded set sort, for messages."""
    return BoundedSetSort(element, Bound.of(capacity))


def _require_different(what: str, parts: tuple[tuple[str, Sort], ...]) -> None:
    """SortError where two parts have one name: who tells them by it takes one for the other."""
    names = [name for name, _ in parts]
    for name in names:
        if names.count(name) > 1:
            raise SortError(f"two have the name {name!r}, and a {what} is told by its name")


Scalar = BoolSort | IntSort | EnumSort | Scalarset
"""The sorts whose values have no parts."""

AnySet = SetSort | KeyedSetSort | BoundedSetSort
"""The kinds of sets; their values are frozensets of ``element``."""

BitSet = SetSort
"""The sets that are held with a bit for each possible element."""

CountedSet = BoundedSetSort
"""The sets that hold a number of elements, which first-order logic cannot say."""

Collection = MapSort | AnySet | SequenceSort
"""The sorts whose values hold values of one sort, as many as the parameters say."""

Sort = Scalar | OptionSort | RecordSort | VariantSort | Collection
"""Every sort there is."""


def unknown_sort(sort: Never) -> NoReturn:
    """Raise UnknownSort: the end of a ``match`` that has a case for every sort of the union.

    Like :func:`typing.assert_never`, with an error that says what to do.
    """
    raise UnknownSort(
        f"{_called(sort)} is no sort of the language: build it with the classes of bmc.lang, "
        "or add its class to the union bmc.lang.sorts.Sort"
    )


def require_sort(value: object, what: str) -> None:
    """UnknownSort unless ``what`` is given a sort; the message says what to write.

    ``Integer("N", 0, 3)`` for a range, ``Scalarset("Server", n)`` for members that differ in their
    names only, BOOL, ``EnumSort("Color", ("red", …))``.
    """
    if isinstance(value, Sort):
        return
    if isinstance(value, range):
        remedy = f'write Integer("Name", {value.start}, {value.stop - 1})'
    elif value is bool:
        remedy = "write BOOL"
    elif isinstance(value, str):
        remedy = f"name the sort itself, {value}, without quotes"
    else:
        remedy = 'write Integer("Name", 0, n), Scalarset("Name", n), BOOL or another of bmc.lang'
    raise UnknownSort(f"{what} ranges over sorts, and {_called(value)} is none: {remedy}")


def _called(value: object) -> str:
    """A value in an error message: a class by its name, never by its address."""
    if isinstance(value, type):
        return value.__name__
    # Not by its attributes: those of a term are fields.
    name = getattr(value, "__dict__", {}).get("name")
    return name if isinstance(name, str) and name and not isinstance(value, str) else repr(value)


def require_enumerable(sort: Sort, what: str, sets: bool = False) -> None:
    """SortError unless the sort's values can be listed: numbers, names, and records of them.

    ``sets`` allows what has more values too: sets (n elements have 2^n), variants, maps and
    sequences, which a map's key, an element of a set or a bound variable can still run over where
    they are small. An argument is read and renamed as a name.
    """
    match sort:
        case OptionSort(inner):
            require_enumerable(inner, what, sets)
        case RecordSort(_, fields):
            for _, inner in fields:
                require_enumerable(inner, what, sets)
        case _ if sets and isinstance(sort, BitSet):
            require_enumerable(sort.element, what, sets)
        case VariantSort(_, cases) if sets:
            for _, inner in cases:
                require_enumerable(inner, what, sets)
        case SequenceSort(inner, _) | MapSort(_, inner) if sets:
            require_enumerable(inner, what, sets)
        case IntSort() if not sort.bounded:
            raise SortError(f"{what} must have a range: use a declared integer sort")
        case BoolSort() | IntSort() | EnumSort() | Scalarset():
            pass
        case _ if isinstance(sort, VariantSort | Collection):
            some = "scalars, sets of scalars, maps, sequences, variants" if sets else "scalars"
            raise SortError(f"{what} cannot be {sort}: use {some}, options or records of them")
        case _:
            unknown_sort(sort)


def parts(sort: Sort) -> tuple[Sort, ...]:
    """Return the sorts that a sort is made of directly."""
    match sort:
        case OptionSort(inner):
            return (inner,)
        case RecordSort(_, named) | VariantSort(_, named):
            return tuple(part for _, part in named)
        case MapSort(key, value):
            return key, value
        case _ if isinstance(sort, AnySet | SequenceSort):
            return (sort.element,)
        case BoolSort() | IntSort() | EnumSort() | Scalarset():
            return ()
        case _:
            unknown_sort(sort)
