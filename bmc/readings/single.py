"""A mapping of one key, in a fifth of a dictionary's memory.

A rule that sends a message writes one scalar and has one argument out of a set, and there are as
many such rules as there are possible messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class _Single(Mapping[K, V], Generic[K, V]):
    __slots__ = ("_key", "_value")

    def __init__(self, key: K, value: V) -> None:
        self._key = key
        self._value = value

    def __getitem__(self, key: object) -> V:
        if key == self._key:
            return self._value
        raise KeyError(key)

    def __iter__(self) -> Iterator[K]:
        yield self._key

    def __len__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return repr(dict(self))


def compact(mapping: Mapping[K, V]) -> Mapping[K, V]:
    """Return a mapping that will not change, smaller where it has one key."""
    if len(mapping) != 1:
        return mapping
    ((key, value),) = mapping.items()
    return _Single(key, value)
