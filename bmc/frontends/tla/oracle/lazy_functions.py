"""Functions that are applied without being written out: `f[n \\in Nat] == … f[n - 1] …`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..lazy_sets import AnySet, LazySet, contains, members
from ..values import function, show


class LazyFunction:
    """A function of which values are found when they are asked for, and remembered."""

    __slots__ = ("_apply", "_known", "domain")

    def __init__(self, domain: AnySet, apply: Callable[[Any], Any]) -> None:
        self.domain = domain
        self._apply = apply
        self._known: dict[Any, Any] = {}

    def at(self, argument: Any) -> Any:
        """Return the value at `argument`; raise KeyError outside of the domain."""
        known = self._known
        if argument in known:
            return known[argument]
        if not contains(self.domain, argument):
            raise KeyError(argument)
        value = known[argument] = self._apply(argument)
        return value

    def written_out(self) -> tuple[Any, ...]:
        """Return the function as a value; raise NotEnumerable for an infinite domain."""
        return function({key: self.at(key) for key in members(self.domain)})

    def __str__(self) -> str:
        return f"a function on {show(self.domain)}"


class PartialFunction(LazyFunction):
    """A finite one that is no recursion and lacks some value: TLC gives it no DOMAIN."""

    __slots__ = ()


def written_out(value: Any) -> Any:
    """Return `value` with a lazy set or function written out; raise NotEnumerable, SetTooLarge."""
    if isinstance(value, LazySet):
        return value.members()
    if isinstance(value, LazyFunction):
        return value.written_out()
    return value
