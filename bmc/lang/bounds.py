"""Sizes and ends of sorts: integer expressions over a protocol's parameters.

A bound stays symbolic, so that one description serves every parameter value; a reading
evaluates it with :meth:`Bound.at`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import NoReturn, Union

from bmc.lang.errors import LanguageError, ParameterError
from bmc.lang.places import require_none_asks

NO_VALUE = (
    "a parameter has no value while a protocol is read: use implies(...) or ite(...), and its "
    "name where a text is to speak of it"
)

LONGEST_NUMBER = 1000
"""Digits: Python itself neither reads nor writes a number of some thousand of them."""
_TOO_LONG = 10**LONGEST_NUMBER


def is_too_long(number: int) -> bool:
    """Whether a number has more digits than can be written into any text."""
    return not -_TOO_LONG < number < _TOO_LONG


def require_short(number: int) -> None:
    """Raise LanguageError for a number that no message, trace or document could name."""
    if is_too_long(number):
        raise LanguageError(
            f"a number of more than {LONGEST_NUMBER} digits is not read: write a smaller one"
        )


class Quantity(ABC):
    """What a protocol computes with before its parameters have values."""

    @abstractmethod
    def polynomial(self) -> Bound:
        """Return the bound this stands for."""


BoundLike = Union["Bound", Quantity, int]


@dataclass(frozen=True, eq=False)
class Bound:
    """A polynomial ``constant + Σ coefficient · parameter · parameter · …``.

    Two bounds are equal when they are the same polynomial: sorts rely on it. A protocol, which has
    one from a sort (``Server.size``), computes with it and with
    :class:`~bmc.lang.parameters.Arithmetic`, whose comparisons are formulas.
    """

    constant: int = 0
    coefficients: tuple[tuple[tuple[str, ...], int], ...] = ()

    def __post_init__(self) -> None:
        require_short(self.constant)
        for _, factor in self.coefficients:
            require_short(factor)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Quantity):
            return NotImplemented
        require_none_asks(NO_VALUE)
        return (
            isinstance(other, Bound)
            and self.constant == other.constant
            and self.coefficients == other.coefficients
        )

    def __hash__(self) -> int:
        require_none_asks(NO_VALUE)
        return hash((self.constant, self.coefficients))

    def __bool__(self) -> NoReturn:
        raise LanguageError(NO_VALUE)

    @staticmethod
    def of(value: BoundLike) -> Bound:
        """Return an integer, a parameter or a sum of them as a bound."""
        if isinstance(value, Bound):
            return value
        if isinstance(value, Quantity):
            return value.polynomial()
        if not isinstance(value, int):
            raise LanguageError(
                "a size or an end of a sort is made of numbers and parameters by +, - and *: "
                "of anything else, such as a quotient, make a parameter of its own"
            )
        return Bound(value)

    def __add__(self, other: BoundLike) -> Bound:
        # A term on the other side knows how to add a bound; a bound knows nothing of terms.
        if not isinstance(other, Bound | Quantity | int):
            return NotImplemented
        right = Bound.of(other)
        return Bound._sum(self.constant + right.constant, (*self.coefficients, *right.coefficients))

    __radd__ = __add__

    def __mul__(self, other: BoundLike) -> Bound:
        left, right = (((), self.constant), *self.coefficients), Bound.of(other)
        products = [
            (tuple(sorted((*m, *n))), f * g)
            for m, f in left
            for n, g in (((), right.constant), *right.coefficients)
        ]
        return Bound._sum(0, products)

    __rmul__ = __mul__

    @staticmethod
    def _sum(constant: int, products: Iterable[tuple[tuple[str, ...], int]]) -> Bound:
        merged: dict[tuple[str, ...], int] = {(): constant}
        for names, factor in products:
            merged[names] = merged.get(names, 0) + factor
        constant = merged.pop(())
        return Bound(constant, tuple(sorted((n, f) for n, f in merged.items() if f)))

    def __sub__(self, other: BoundLike) -> Bound:
        if not isinstance(other, Bound | Quantity | int):
            return NotImplemented
        return self + Bound.of(other) * -1

    def __rsub__(self, other: int) -> Bound:
        return Bound.of(other) - self

    def at(self, parameters: Mapping[str, int]) -> int:
        """Return the number this bound is at the given parameter values.

        Raises ParameterError where one has no value: a bound that is read from a file may name any.
        """
        try:
            return self.constant + sum(
                factor * prod(parameters[name] for name in names)
                for names, factor in self.coefficients
            )
        except KeyError as missing:
            raise ParameterError(f"{self} has no value: there is no parameter {missing}") from None

    def __str__(self) -> str:
        require_none_asks(NO_VALUE)
        text = ""
        for names, factor in self.coefficients:
            name = "*".join(names)
            sign = "-" if factor < 0 else "+"
            size = "" if abs(factor) == 1 else f"{abs(factor)}*"
            text += f" {sign} {size}{name}" if text else f"{'-' if factor < 0 else ''}{size}{name}"
        if self.constant or not text:
            if text:
                text += f" {'-' if self.constant < 0 else '+'} {abs(self.constant)}"
            else:
                text = str(self.constant)
        return text
