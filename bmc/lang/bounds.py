"""Sizes and ends of sorts: integer expressions over a protocol's parameters.

A bound stays symbolic, so that one description serves every parameter value; a reading
evaluates it with :meth:`Bound.at`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn, Union

from bmc.lang.errors import LanguageError, ParameterError

if TYPE_CHECKING:
    pass

BoundLike = Union["Bound", "Arithmetic", int]


@dataclass(frozen=True)
class Bound:
    """A polynomial ``constant + Σ coefficient · parameter · parameter · …``.

    Two bounds are equal when they are the same polynomial: sorts rely on it. A protocol computes
    with :class:`Arithmetic`, whose comparisons are formulas.
    """

    constant: int = 0
    coefficients: tuple[tuple[tuple[str, ...], int], ...] = ()

    def __bool__(self) -> NoReturn:
        raise LanguageError(_NO_VALUE)

    @staticmethod
    def of(value: BoundLike) -> Bound:
        """Return an integer, a parameter or a sum of them as a bound."""
        if isinstance(value, Bound):
            return value
        if isinstance(value, Arithmetic):
            return value.polynomial()
        return Bound(int(value))

    def __add__(self, other: BoundLike) -> Bound:
        # A term on the other side knows how to add a bound; a bound knows nothing of terms.
        if not isinstance(other, Bound | Arithmetic | int):
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
        if not isinstance(other, Bound | Arithmetic | int):
            return NotImplemented
        return self + Bound.of(other) * -1

    def __rsub__(self, other: int) -> Bound:
        return Bound.of(other) - self

    def at(self, parameters: Mapping[str, int]) -> int:
        """The number this bound is at the given parameter values."""
        return self.constant + sum(
            factor * prod(parameters[name] for name in names) for names, factor in self.coefficients
        )

    def __str__(self) -> str:
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


_NO_VALUE = "a parameter has no value while a protocol is read: use implies(...) or ite(...)"


class Arithmetic(ABC):
    """What a protocol computes with its parameters before they have values.

    Every comparison is a formula, that of two sums of parameters too: Python must decide none
    while it reads a class.
    """

    @abstractmethod
    def polynomial(self) -> Bound:
        """Return the bound this stands for."""

    @property
    def bound(self) -> Amount:
        """The same, apart from a parameter's name and range."""
        return Amount(self.polynomial())

    def __eq__(self, other: object) -> Any:
        return _expr(self) == _operand(other)

    def __ne__(self, other: object) -> Any:
        return _expr(self) != _operand(other)

    def __lt__(self, other: object) -> Any:
        return _expr(self) < _operand(other)

    def __le__(self, other: object) -> Any:
        return _expr(self) <= _operand(other)

    def __gt__(self, other: object) -> Any:
        return _expr(self) > _operand(other)

    def __ge__(self, other: object) -> Any:
        return _expr(self) >= _operand(other)

    def __hash__(self) -> int:
        return hash(self.polynomial())

    def __bool__(self) -> NoReturn:
        raise LanguageError(_NO_VALUE)

    def __add__(self, other: BoundLike) -> Amount:
        if not isinstance(other, Bound | Arithmetic | int):
            return NotImplemented
        return Amount(self.polynomial() + other)

    __radd__ = __add__

    def __sub__(self, other: BoundLike) -> Amount:
        if not isinstance(other, Bound | Arithmetic | int):
            return NotImplemented
        return Amount(self.polynomial() - other)

    def __rsub__(self, other: int) -> Amount:
        if not isinstance(other, Bound | int):
            return NotImplemented
        return Amount(Bound.of(other) - self.polynomial())

    def __mul__(self, factor: BoundLike) -> Amount:
        if not isinstance(factor, Bound | Arithmetic | int):
            return NotImplemented
        return Amount(self.polynomial() * factor)

    __rmul__ = __mul__


def _expr(value: Arithmetic) -> Any:
    from bmc.lang.terms import Handle, lift

    return Handle(lift(value))


def _operand(value: object) -> Any:
    return _expr(value) if isinstance(value, Arithmetic) else value


@dataclass(frozen=True, eq=False)
class Amount(Arithmetic):
    """A sum or product of parameters and numbers."""

    of: Bound

    def polynomial(self) -> Bound:
        """Return the bound this stands for."""
        return self.of

    def __str__(self) -> str:
        return str(self.of)


@dataclass(frozen=True, eq=False)
class Parameter(Arithmetic):
    """A protocol's constant, named as in the specification but in snake case.

    ``low`` and ``high`` are inclusive. ``about`` is one line for ``bmc list``. ``monotone`` says
    that every execution at one value is one at every larger value, and violates the same
    properties there; sweeps may then imply violations. ``ends`` says what no execution does at
    the value, though the protocol would go on: verdicts lean on it, so it is reported with them.
    It is empty where the parameter cuts nothing off, or the state constraint says so.
    """

    name: str
    default: int
    low: int
    high: int
    about: str
    monotone: bool = False
    ends: str = ""

    def __post_init__(self) -> None:
        if not self.low <= self.default <= self.high:
            raise ParameterError(
                f"{self.name}: the default {self.default} is outside {self.low}..{self.high}: "
                "give a default inside the range"
            )

    def polynomial(self) -> Bound:
        """Return the parameter as a bound."""
        return Bound(0, (((self.name,), 1),))

    def check(self, value: object) -> int:
        """``value`` if it is an integer inside the range.

        Raises ParameterError with the range otherwise.
        """
        if isinstance(value, bool) or not isinstance(value, int):
            raise ParameterError(f"{self.name} must be an integer, you gave {value!r}")
        if not self.low <= value <= self.high:
            raise ParameterError(
                f"{self.name} must be between {self.low} and {self.high}, you gave {value}"
            )
        return value
