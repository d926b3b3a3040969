"""Sorts whose values have no parts: truth values, integers, names and identities.

Integers carry an identity (their ``name``): an Epoch and an Offset do not mix, though both
are integers. :mod:`bmc.lang.sorts` has what is made of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn, TypeVar, final

from bmc.lang.bounds import Bound, BoundLike
from bmc.lang.errors import LanguageError, SortError


class DeclaredSort:
    """What every sort of the union :data:`Sort` shares."""

    name: str

    def __iter__(self) -> NoReturn:
        raise LanguageError(
            f"{self} is a sort and cannot be iterated in Python: use forall, exists or filtered"
        )

    def __getstate__(self) -> dict[str, object]:
        # Another process hashes strings in another way.
        return {name: value for name, value in vars(self).items() if name != _HASH}


_HASH = "_hash"
_S = TypeVar("_S", bound=DeclaredSort)


def hashed_once(sort: type[_S]) -> type[_S]:
    """Keep a sort's hash, which is made of all its parts': each term that is made asks for it."""
    made = sort.__hash__

    def kept(self: object) -> int:
        known = self.__dict__
        if _HASH not in known:
            known[_HASH] = made(self)
        found: int = known[_HASH]
        return found

    sort.__hash__ = kept  # type: ignore[method-assign]
    return sort


@final
@hashed_once
@dataclass(frozen=True)
class BoolSort(DeclaredSort):
    """Truth values."""

    name: str = "Bool"

    def __str__(self) -> str:
        return self.name


BOOL = BoolSort()


@final
@hashed_once
@dataclass(frozen=True)
class IntSort(DeclaredSort):
    """Integers of one identity, ``low .. high`` inclusive.

    An intermediate result (``offset + 1``) has an identity but no range; a number literal has
    neither. A value is checked against a range where it is stored, indexed with or passed on.
    """

    name: str
    low: Bound | None = None
    high: Bound | None = None

    @property
    def bounded(self) -> bool:
        """Whether the sort is a range of integers rather than an intermediate result."""
        return self.low is not None and self.high is not None

    def range(self) -> tuple[Bound, Bound]:
        """The ends of the range; SortError for an intermediate result, which has none."""
        if self.low is None or self.high is None:
            raise SortError(f"{self} has no range: use a declared integer sort here")
        return self.low, self.high

    def to(self, high: BoundLike) -> IntSort:
        """The same identity with another upper end (``Offsets \\union {LogSize}``)."""
        return IntSort(self.name, self.low, Bound.of(high))

    def __str__(self) -> str:
        return f"{self.name}[{self.low}..{self.high}]" if self.bounded else self.name or "Int"


def Integer(name: str, low: BoundLike, high: BoundLike) -> IntSort:
    """A bounded integer sort with its own identity."""
    if not name:
        raise SortError("an integer sort needs a name: it is its identity")
    return IntSort(name, Bound.of(low), Bound.of(high))


@final
@hashed_once
@dataclass(frozen=True)
class EnumSort(DeclaredSort):
    """A fixed list of named values."""

    name: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values or len(set(self.values)) != len(self.values):
            raise SortError(f"{self.name} needs at least one value and no value twice")
        given: object = self.values
        if not isinstance(given, tuple) or not all(isinstance(one, str) for one in given):
            raise SortError(
                f"the values of {self.name} are a tuple of names, and this is {given!r}: write "
                f'EnumSort("{self.name}", ("first", "second")), a single one as ("only",)'
            )

    def __str__(self) -> str:
        return self.name


@final
@hashed_once
@dataclass(frozen=True)
class Scalarset(DeclaredSort):
    """``size`` interchangeable identities (replicas, clients).

    The language offers neither constants nor an order on them, so every protocol is symmetric
    in them by construction (Ip and Dill, *Better verification through symmetry*, 1996).
    """

    name: str
    size: Bound

    def __init__(self, name: str, size: BoundLike) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "size", Bound.of(size))

    def __str__(self) -> str:
        return self.name
