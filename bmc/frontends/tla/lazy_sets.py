"""Sets that are not written out: infinite ones, and finite ones too large to list before need.

`x \\in SUBSET S` asks for x \\subseteq S, and `[S -> T]` is asked function by function. Membership
needs no list; iteration is in TLC's order (`values.order_key`), and refuses infinite sets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import combinations, islice, product
from math import prod
from typing import Any, TypeAlias

from .values import (
    Function,
    domain_of,
    is_interval_from_one,
    listed_in_order,
    members_of,
    ordered,
    show,
)

LARGEST_SET = 1_000_000  # members, as in TLC


class NotEnumerable(Exception):
    """An infinite set was to be listed; name a finite one."""


class SetTooLarge(Exception):
    """A set of more than `LARGEST_SET` members was to be built; constrain it."""


class NotASet(Exception):
    """A value that is no set stands where a set is expected."""


class LazySet(ABC):
    """A set known by its membership; `members` writes it out where it is finite."""

    __slots__ = ()

    @abstractmethod
    def __contains__(self, value: object) -> bool: ...

    def __iter__(self) -> Iterator[Any]:
        raise NotEnumerable(f"the set {self} is infinite")

    @property
    def is_finite(self) -> bool:
        """Whether `members` can write it out, given time and memory."""
        return False

    @property
    def size(self) -> int:
        """The number of members."""
        return sum(1 for _ in self)

    @property
    def at_most(self) -> int:
        """A number that `size` is no larger than, told without a look at each member."""
        return self.size

    def members(self) -> frozenset[Any]:
        """Return the set written out; raise NotEnumerable, SetTooLarge."""
        if self.is_finite and self.size > LARGEST_SET:
            raise SetTooLarge(f"the set {self} has more than {LARGEST_SET:,} members")
        return frozenset(self)


AnySet: TypeAlias = "frozenset[Any] | LazySet"


def members(value: Any) -> frozenset[Any]:
    """Return a set written out; raise NotASet, NotEnumerable, SetTooLarge."""
    if type(value) is frozenset:
        return value
    if isinstance(value, LazySet):
        return value.members()
    raise NotASet(f"{show(value)} is no set")


def iterate(value: Any) -> Iterator[Any] | tuple[Any, ...]:
    """Return a set's members in order, one by one; raise NotASet, NotEnumerable."""
    if type(value) is frozenset:
        return ordered(value)
    if isinstance(value, LazySet):
        return iter(value)
    raise NotASet(f"{show(value)} is no set")


def contains(value: Any, member: Any) -> bool:
    """Tell whether `member` is in the set `value`; raise NotASet."""
    if type(value) is frozenset or isinstance(value, LazySet):
        return member in value
    raise NotASet(f"{show(value)} is no set")


def is_finite(value: Any) -> bool:
    """Tell whether the set can be written out; raise NotASet."""
    if type(value) is frozenset:
        return True
    if isinstance(value, LazySet):
        return value.is_finite
    raise NotASet(f"{show(value)} is no set")


def known_finite(value: Any) -> bool:
    """Tell whether a set is finite; raise NotASet, and NotEnumerable where that is not plain.

    A set that cannot be written out may be finite: `{n \\in Nat : n < 3}`, `[{} -> Nat]`.
    """
    if is_finite(value):
        return True
    if isinstance(value, _Named):
        return False
    raise NotEnumerable(f"whether {show(value)} is finite cannot be told")


def size_of(value: Any) -> int:
    """Return the number of members of a finite set; raise NotASet, NotEnumerable."""
    if type(value) is frozenset:
        return len(value)
    if isinstance(value, LazySet):
        return value.size
    raise NotASet(f"{show(value)} is no set")


class _Named(LazySet):
    """An infinite set with a name: Nat, Int, STRING, Any."""

    __slots__ = ("_accepts", "_name")

    def __init__(self, name: str, accepts: Callable[[object], bool]) -> None:
        self._name = name
        self._accepts = accepts

    def __contains__(self, value: object) -> bool:
        return self._accepts(value)

    def __str__(self) -> str:
        return self._name


NATURALS = _Named("Nat", lambda value: type(value) is int and value >= 0)
INTEGERS = _Named("Int", lambda value: type(value) is int)
REALS = _Named("Real", lambda value: type(value) is int)
STRINGS = _Named("STRING", lambda value: isinstance(value, str))
ANYTHING = _Named("Any", lambda value: True)


class Sequences(LazySet):
    """`Seq(S)`."""

    __slots__ = ("element",)

    def __init__(self, element: AnySet) -> None:
        self.element = element

    def __contains__(self, value: object) -> bool:
        return type(value) is tuple and all(item in self.element for item in value)

    def __str__(self) -> str:
        return f"Seq({show(self.element)})"


class Subsets(LazySet):
    """`SUBSET S`, iterated by size."""

    __slots__ = ("base",)

    def __init__(self, base: AnySet) -> None:
        self.base = base

    def __contains__(self, value: object) -> bool:
        if isinstance(value, LazySet):
            value = value.members()
        if type(value) is not frozenset:
            return False
        if type(self.base) is frozenset:
            return value <= self.base
        return all(member in self.base for member in value)

    def __iter__(self) -> Iterator[Any]:
        base = ordered(members(self.base))
        for size in range(len(base) + 1):
            yield from map(frozenset, combinations(base, size))

    @property
    def is_finite(self) -> bool:
        return is_finite(self.base)

    @property
    def size(self) -> int:
        return 1 << size_of(self.base)

    def __str__(self) -> str:
        return f"SUBSET {show(self.base)}"


class Functions(LazySet):
    """`[S -> T]`."""

    __slots__ = ("codomain", "domain")

    def __init__(self, domain: AnySet, codomain: AnySet) -> None:
        self.domain = domain
        self.codomain = codomain

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, tuple) or members_of(value) != members(self.domain):
            return False
        items = value[1:] if isinstance(value, Function) else value
        return all(item in self.codomain for item in items)

    def __iter__(self) -> Iterator[Any]:
        keys = members(self.domain)
        choices = ordered(members(self.codomain)) if keys else ()
        if is_interval_from_one(keys):
            yield from product(choices, repeat=len(keys))
        else:
            domain = domain_of(keys)
            for items in product(choices, repeat=len(keys)):
                yield Function((domain, *items))

    @property
    def is_finite(self) -> bool:
        return is_finite(self.domain) and is_finite(self.codomain)

    @property
    def size(self) -> int:
        return int(size_of(self.codomain) ** size_of(self.domain))

    def __str__(self) -> str:
        return f"[{show(self.domain)} -> {show(self.codomain)}]"


class Tuples(LazySet):
    """`S1 \\X S2 \\X …`."""

    __slots__ = ("factors",)

    def __init__(self, factors: tuple[AnySet, ...]) -> None:
        self.factors = factors

    def __contains__(self, value: object) -> bool:
        return (
            type(value) is tuple
            and len(value) == len(self.factors)
            and all(item in factor for item, factor in zip(value, self.factors, strict=True))
        )

    def __iter__(self) -> Iterator[Any]:
        return product(*(ordered(members(factor)) for factor in self.factors))

    @property
    def is_finite(self) -> bool:
        return all(map(is_finite, self.factors))

    @property
    def size(self) -> int:
        return prod(map(size_of, self.factors))

    def __str__(self) -> str:
        return " \\X ".join(map(show, self.factors))


class Records(LazySet):
    """`[a : S, b : T]`."""

    __slots__ = ("domain", "factors", "names")

    def __init__(self, names: tuple[str, ...], factors: tuple[AnySet, ...]) -> None:
        self.domain = domain_of(frozenset(names))
        by_name = dict(zip(names, factors, strict=True))
        self.names = self.domain.keys
        self.factors = tuple(by_name[name] for name in self.names)

    def __contains__(self, value: object) -> bool:
        return (
            isinstance(value, Function)
            and value.domain is self.domain
            and all(item in factor for item, factor in zip(value[1:], self.factors, strict=True))
        )

    def __iter__(self) -> Iterator[Any]:
        for items in product(*(ordered(members(factor)) for factor in self.factors)):
            yield Function((self.domain, *items))

    @property
    def is_finite(self) -> bool:
        return all(map(is_finite, self.factors))

    @property
    def size(self) -> int:
        return prod(map(size_of, self.factors))

    def __str__(self) -> str:
        fields = zip(self.names, self.factors, strict=True)
        return "[" + ", ".join(f"{name}: {show(factor)}" for name, factor in fields) + "]"


class Selection(LazySet):
    """The members of a base that a Python predicate accepts: `{x \\in Nat : x > 2}`, `Int \\ S`.

    They are listed as far as somebody asks for them, each once.
    """

    __slots__ = ("_accepts", "_base", "_listed", "_others")

    def __init__(self, base: AnySet, accepts: Callable[[Any], bool]) -> None:
        self._base = base
        self._accepts = accepts
        self._listed: list[Any] = []
        self._others: Iterator[Any] | None = None

    def __contains__(self, value: object) -> bool:
        return value in self._base and self._accepts(value)

    def __iter__(self) -> Iterator[Any]:
        at = 0
        while at < len(self._listed) or self._lists_another():
            yield self._listed[at]
            at += 1

    def _lists_another(self) -> bool:
        if self._others is None:
            found = filter(self._accepts, iterate(self._base))
            self._others = islice(found, len(self._listed), None)
        try:
            self._listed.append(next(self._others))
        except StopIteration:
            return False
        except BaseException:
            # An iterator that raised says that it is at its end from then on.
            self._others = None
            raise
        return True

    @property
    def is_finite(self) -> bool:
        return is_finite(self._base)

    @property
    def at_most(self) -> int:
        base = self._base
        return base.at_most if isinstance(base, LazySet) else len(base)

    def members(self) -> frozenset[Any]:
        # Each member of the base is asked about once: counted first, it would be twice.
        found = list(islice(self, LARGEST_SET + 1))
        if len(found) > LARGEST_SET:
            raise SetTooLarge(f"the set {self} has more than {LARGEST_SET:,} members")
        return listed_in_order(found)

    def __str__(self) -> str:
        return f"a selection of {show(self._base)}"


class Union(LazySet):
    """The union of sets of which one is lazy, as in `Nat \\cup {-1}`."""

    __slots__ = ("_sets",)

    def __init__(self, sets: tuple[AnySet, ...]) -> None:
        self._sets = sets

    def __contains__(self, value: object) -> bool:
        return any(contains(each, value) for each in self._sets)

    def __iter__(self) -> Iterator[Any]:
        return iter(ordered(frozenset().union(*map(members, self._sets))))

    @property
    def is_finite(self) -> bool:
        return all(map(is_finite, self._sets))

    def __str__(self) -> str:
        return "(" + " \\cup ".join(map(show, self._sets)) + ")"
