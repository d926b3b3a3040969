"""Structured values whose scalars are first-order expressions.

A structure mirrors its sort: an expression for a scalar (an enumeration counts its values from
0); :class:`Optional` for an option; :class:`Fields` for a record; :class:`Alternatives` for a
variant; :class:`Function` from the key for a map, from the element to a truth value for a set, from
the key to an optional record for a set with a key; :class:`Indexed` for a sequence. What is absent
is :data:`ABSENT` and never becomes a constant that a quantifier could meet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bmc.lang.errors import LanguageError
from bmc.lang.model import Source
from bmc.lang.sorts import (
    BoolSort,
    Collection,
    EnumSort,
    IntSort,
    OptionSort,
    RecordSort,
    Scalar,
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.readings.quantified.formulas import (
    BOOL,
    FALSE,
    TRUE,
    Expression,
    LogicSort,
    ite,
)


class NotQuantified(LanguageError):
    """Something that has no first-order reading, such as a cardinality; ``why`` says what."""

    def __init__(self, why: str, where: str = "") -> None:
        super().__init__(f"{where}: {why}" if where else why)
        self.why = why

    def at(self, name: str, source: Source) -> NotQuantified:
        """The same failure with the place where the thing is written."""
        return NotQuantified(self.why, f"{name} ({_short(source.file)}:{source.line})")


def _short(file: str) -> str:
    return "/".join(file.replace("\\", "/").split("/")[-3:])


class Absent:
    """The content of what has none; every operation on it gives it back."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()

Structure = Any
"""An :class:`Expression`, one of the classes of this module, or :data:`ABSENT`."""


@dataclass(frozen=True, eq=False)
class Optional:
    """A value that is there where ``present`` holds."""

    present: Expression
    content: Structure


@dataclass(frozen=True, eq=False)
class Fields:
    """A record's parts, in order."""

    parts: tuple[Structure, ...]


@dataclass(frozen=True, eq=False)
class Alternatives:
    """A variant: which case it is, counted from 0, and a content for each."""

    tag: Expression
    contents: tuple[Structure, ...]


class Function:
    """A map, or a set as its predicate: a structure for each key."""

    def __init__(self, apply: Callable[[Structure], Structure]) -> None:
        self._apply = apply
        self._known: dict[object, Structure] = {}

    def __call__(self, key: Structure) -> Structure:
        """What belongs to a key."""
        known = identity(key)
        if known not in self._known:
            self._known[known] = self._apply(key)
        return self._known[known]


@dataclass(frozen=True, eq=False)
class Indexed:
    """A sequence: its length, and the element at each index below it."""

    length: Expression
    element: Function


def identity(structure: Structure) -> object:
    """Something equal for structures that are the same, for remembering results."""
    match structure:
        case Expression():
            return structure.uid
        case Optional(present, content):
            return ("optional", present.uid, identity(content))
        case Fields(parts):
            return tuple(identity(p) for p in parts)
        case Alternatives(tag, contents):
            return (tag.uid, *(identity(c) for c in contents))
        case Indexed(length, element):
            return (length.uid, element)
    return structure


def scalar_sort(sort: Sort) -> LogicSort:
    """The logical sort of a scalar."""
    match sort:
        case BoolSort():
            return BOOL
        case IntSort():
            return LogicSort("Int", sort.name)
        case EnumSort():
            return LogicSort("Int", sort.name)
        case Scalarset():
            # Two scalarsets of one name and different sizes are two.
            return LogicSort("Elem", f"{sort.name}[{sort.size}]")
        case _ if isinstance(sort, OptionSort | RecordSort | VariantSort | Collection):
            raise NotQuantified(f"{sort} is no scalar")
        case _:
            unknown_sort(sort)


def index_sort(sort: SequenceSort) -> LogicSort:
    """Return the logical sort of a sequence's indices."""
    return LogicSort("Int", f"index of {sort.element.name}")


def choose(
    condition: Expression, then: Callable[[], Structure], otherwise: Callable[[], Structure]
) -> Structure:
    """:func:`merge`, reading only what is needed."""
    if condition is TRUE:
        return then()
    if condition is FALSE:
        return otherwise()
    return merge(condition, then(), otherwise())


def merge(condition: Expression, then: Structure, otherwise: Structure) -> Structure:
    """``IF condition THEN then ELSE otherwise``, scalar by scalar."""
    if then is otherwise or condition is TRUE or otherwise is ABSENT:
        return then
    if condition is FALSE or then is ABSENT:
        return otherwise
    match then:
        case Expression():
            return ite(condition, then, otherwise)
        case Optional():
            return Optional(
                ite(condition, then.present, otherwise.present),
                merge(condition, then.content, otherwise.content),
            )
        case Fields():
            pairs = zip(then.parts, otherwise.parts, strict=True)
            return Fields(tuple(merge(condition, a, b) for a, b in pairs))
        case Alternatives():
            pairs = zip(then.contents, otherwise.contents, strict=True)
            return Alternatives(
                ite(condition, then.tag, otherwise.tag),
                tuple(merge(condition, a, b) for a, b in pairs),
            )
        case Function():
            return Function(lambda key: merge(condition, then(key), otherwise(key)))
        case Indexed():
            return Indexed(
                ite(condition, then.length, otherwise.length),
                merge(condition, then.element, otherwise.element),
            )
    raise NotQuantified(f"cannot merge {then!r}")


def unspoken_key(sort: Sort) -> NotQuantified:
    """Return what is said of a set of such values, or a function of them."""
    cases = (
        f": say one for each of its cases ({', '.join(tag for tag, _ in sort.cases)})"
        if isinstance(sort, VariantSort)
        else ": say it of what its values are made of"
    )
    return NotQuantified(f"a set of {sort}, or a function of it, has no first-order reading{cases}")


def require_key(sort: Sort) -> None:
    """NotQuantified unless a value is made of scalars that a function can be of."""
    match sort:
        case OptionSort(inner):
            require_key(inner)
        case RecordSort(_, fields):
            for _, part in fields:
                require_key(part)
        case SetSort():
            raise NotQuantified(f"a set of sets, or a function of a {sort}, is second-order")
        case _ if isinstance(sort, Scalar):
            pass
        case _ if isinstance(sort, VariantSort | Collection):
            raise unspoken_key(sort)
        case _:
            unknown_sort(sort)
