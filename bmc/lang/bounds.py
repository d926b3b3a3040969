"""Sizes and ends of sorts: integer expressions over a protocol's parameters.

A bound stays symbolic, so that one description serves every parameter value; a reading
evaluates it with :meth:`Bound.at`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn, Union

from bmc.lang.errors import LanguageError, ParameterError

if TYPE_CHECKING:
    from bmc.lang.terms import Term

BoundLike = Union["Bound", "Parameter", int]


class Comparable:
    """Comparisons of parameters make terms: Python must not decide them while it reads a class."""

    def __lt__(self, other: object) -> Term:
        compared: Term = _term(self) < _operand(other)
        return compared

    def __le__(self, other: object) -> Term:
        compared: Term = _term(self) <= _operand(other)
        return compared

    def __gt__(self, other: object) -> Term:
        compared: Term = _term(self) > _operand(other)
        return compared

    def __ge__(self, other: object) -> Term:
        compared: Term = _term(self) >= _operand(other)
        return compared

    def __bool__(self) -> NoReturn:
        raise LanguageError(
            "a parameter has no value while a protocol is read: use implies(...) or ite(...)"
        )


def _term(value: object) -> Term:
    from bmc.lang.terms import lift

    return lift(value)


def _operand(value: object) -> Any:
    return _term(value) if isinstance(value, Bound | Parameter) else value


@dataclass(frozen=True, eq=False)
class Bound(Comparable):
    """A polynomial ``constant + Σ coefficient · parameter · parameter · …``."""

    constant: int = 0
    coefficients: tuple[tuple[tuple[str, ...], int], ...] = ()

    def __eq__(self, other: object) -> Any:
        # Two bounds are compared by what they are: sorts rely on it. With anything else it is a
        # formula's equality.
        if isinstance(other, Bound):
            return (self.constant, self.coefficients) == (other.constant, other.coefficients)
        return NotImplemented if other is None else _term(self) == _operand(other)

    def __ne__(self, other: object) -> Any:
        if isinstance(other, Bound):
            return not self == other
        return NotImplemented if other is None else _term(self) != _operand(other)

    def __hash__(self) -> int:
        return hash((self.constant, self.coefficients))

    @staticmethod
    def of(value: BoundLike) -> Bound:
        """Read an integer or a parameter as a bound."""
        if isinstance(value, Bound):
            return value
        if isinstance(value, Parameter):
            return value.bound
        return Bound(int(value))

    def __add__(self, other: BoundLike) -> Bound:
        # A term on the other side knows how to add a bound; a bound knows nothing of terms.
        if not isinstance(other, Bound | Parameter | int):
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
        if not isinstance(other, Bound | Parameter | int):
            return NotImplemented
        return self + Bound.of(other) * -1

    def __rsub__(self, other: BoundLike) -> Bound:
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


@dataclass(frozen=True, eq=False)
class Parameter(Comparable):
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

    def __eq__(self, other: object) -> Any:
        return _term(self) == _operand(other)

    def __ne__(self, other: object) -> Any:
        return _term(self) != _operand(other)

    def __hash__(self) -> int:
        return hash(self.name)

    def __post_init__(self) -> None:
        if not self.low <= self.default <= self.high:
            raise ParameterError(
                f"{self.name}: the default {self.default} is outside {self.low}..{self.high}: "
                "give a default inside the range"
            )

    @property
    def bound(self) -> Bound:
        """The parameter as a bound."""
        return Bound(0, (((self.name,), 1),))

    def __add__(self, other: BoundLike) -> Bound:
        return self.bound.__add__(other)

    __radd__ = __add__

    def __sub__(self, other: BoundLike) -> Bound:
        return self.bound.__sub__(other)

    def __rsub__(self, other: BoundLike) -> Bound:
        return Bound.of(other) - self.bound

    def __mul__(self, factor: BoundLike) -> Bound:
        return self.bound * factor

    __rmul__ = __mul__

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
