"""Equality of what holds terms, whose own ``==`` makes a formula and says nothing of the two."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from bmc.lang.undecided import NoValue


class ByParts:
    """A base of dataclasses that hold terms: equal are two with equal parts, and the same terms.

    Terms with the same parts are one node. What `dataclass` writes asks ``==`` of each part, and
    up to Python 3.12 of those only that are not one object.
    """

    __slots__ = ()

    def __init_subclass__(cls, **given: Any) -> None:
        """Give a class the equality that `dataclass` then leaves as it is."""
        super().__init_subclass__(**given)
        cls.__eq__ = _equal  # type: ignore[method-assign]


def _equal(self: Any, other: Any) -> bool:
    if type(other) is not type(self):
        return False
    compared = (one.name for one in fields(self) if one.compare)
    return all(_same(getattr(self, name), getattr(other, name)) for name in compared)


def _same(one: object, other: object) -> bool:
    if one is other:
        return True
    if isinstance(one, NoValue) or isinstance(other, NoValue):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
