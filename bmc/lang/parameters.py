"""Parameters of a protocol, and what it computes with them before they have values."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from operator import index
from typing import Any, NoReturn, SupportsIndex

from bmc.lang.advice import shown
from bmc.lang.bounds import NO_VALUE, Bound, BoundLike, Quantity, is_too_long
from bmc.lang.errors import DecidedByPython, LanguageError, ParameterError
from bmc.lang.instructions import is_membership
from bmc.lang.places import here
from bmc.lang.scope import require_read
from bmc.lang.terms import Handle, lift
from bmc.lang.undecided import Fractionless
from bmc.lang.whose import is_a_users, is_installed, is_loading, module_of

TOLD_APART = (
    "Python knows a parameter's or a term's class, identity and text, not its value: write "
    "ite(...), or decide by a number or a name"
)


class Arithmetic(Fractionless, Quantity):
    """What a protocol computes with its parameters before they have values.

    Every comparison is a formula, that of two sums of parameters too: Python must decide none
    while it reads a class.
    """

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The class, as bmc's own text asks for it: `isinstance` and `match` come here."""
        asker = sys._getframe(1)
        if module_of(asker) == "functools" and asker.f_back is not None:
            # A function of several forms asks which one is meant.
            asker = asker.f_back
        if is_a_users(asker) and not is_installed(asker) and is_loading(asker):
            raise DecidedByPython(f"{here()}: a parameter is told by its class: {TOLD_APART}")
        return type(self)

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
        if is_membership(sys._getframe(1)):
            raise LanguageError(f"{NO_VALUE}; `in` would compare it as it is written")
        require_read("a parameter")
        return hash(self.polynomial())

    def __str__(self) -> str:
        raise DecidedByPython(f"{here()}: `{self.polynomial()}` has no text: {NO_VALUE}")

    def __format__(self, spec: str) -> str:
        return str(self)

    def __bool__(self) -> NoReturn:
        raise LanguageError(NO_VALUE)

    def __index__(self) -> NoReturn:
        name = self.polynomial()
        raise LanguageError(
            f"{name} has no value while the protocol is read, so range({name}) cannot be listed: "
            f'declare Index = Integer("Index", 0, {name} - 1) and write '
            "forall(self.Index, lambda i: …), exists(…) or an action's argument"
        )

    def __neg__(self) -> Amount:
        return Amount(self.polynomial() * -1)

    def __add__(self, other: BoundLike) -> Amount:
        if not isinstance(other, Bound | Quantity | int):
            return NotImplemented
        return Amount(self.polynomial() + other)

    __radd__ = __add__

    def __sub__(self, other: BoundLike) -> Amount:
        if not isinstance(other, Bound | Quantity | int):
            return NotImplemented
        return Amount(self.polynomial() - other)

    def __rsub__(self, other: int) -> Amount:
        if not isinstance(other, Bound | int):
            return NotImplemented
        return Amount(Bound.of(other) - self.polynomial())

    def __mul__(self, factor: BoundLike) -> Amount:
        if not isinstance(factor, Bound | Quantity | int):
            return NotImplemented
        return Amount(self.polynomial() * factor)

    __rmul__ = __mul__

    def __floordiv__(self, divisor: object) -> Any:
        return _expr(self) // _operand(divisor)

    def __rfloordiv__(self, dividend: object) -> Any:
        return _operand(dividend) // _expr(self)

    def __mod__(self, divisor: object) -> Any:
        return _expr(self) % _operand(divisor)

    def __rmod__(self, dividend: object) -> Any:
        return _operand(dividend) % _expr(self)


def _expr(value: Arithmetic) -> Any:
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

    def __repr__(self) -> str:
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
        if not self.name.isidentifier():
            raise ParameterError(f"{self.name!r} is no name of a parameter: write one as Python's")
        for name in ("default", "low", "high"):
            given: object = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, SupportsIndex):
                raise ParameterError(f"{self.name}: {name} must be an integer, you gave {given!r}")
            if is_too_long(index(given)):
                raise ParameterError(f"{self.name}: {name} is {shown(index(given))}: write less")
            object.__setattr__(self, name, index(given))
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
                f"{self.name} must be between {self.low} and {self.high}, you gave {shown(value)}"
            )
        return value
