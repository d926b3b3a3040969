"""Products as repeated sums, quotients by counting multiples."""

from __future__ import annotations

from bmc.evidence.independent.formula import Formula, Formulas
from bmc.evidence.independent.universe import NotRead

_MOST = 4096
"""The most formulas that one product or quotient is made of."""


def product(f: Formulas, left: Formula, right: Formula) -> Formula:
    """Return ``left * right``; NotRead where each operand has very many values."""
    few, many = sorted((left, right), key=lambda one: one.high - one.low)
    _require_few(few)
    found = _times(f, few.high, many)
    for value in range(few.low, few.high):
        found = f.choose(f.same(few, f.number(value)), _times(f, value, many), found)
    return found


def division(f: Formulas, dividend: Formula, divisor: Formula) -> tuple[Formula, Formula]:
    """Return the quotient, rounded down, and the remainder; anything for a divisor below one.

    NotRead where there are very many multiples of divisors to count.
    """
    last = max(1, divisor.high)
    whole, left = _by(f, dividend, last)
    for value in range(max(1, divisor.low), last):
        here = f.same(divisor, f.number(value))
        quotient, remainder = _by(f, dividend, value)
        whole, left = f.choose(here, quotient, whole), f.choose(here, remainder, left)
        if value > _MOST:
            raise NotRead("a divisor has too many values")
    return whole, left


def _by(f: Formulas, dividend: Formula, divisor: int) -> tuple[Formula, Formula]:
    """Return quotient and remainder: as many multiples as there are up to the dividend."""
    least, most = dividend.low // divisor, dividend.high // divisor
    if most - least > _MOST:
        raise NotRead("a quotient has too many values")
    multiples = (f.number(times * divisor) for times in range(least + 1, most + 1))
    above = f.count(f.at_most(multiple, dividend) for multiple in multiples)
    whole = f.plus(f.number(least), above)
    return whole, f.minus(dividend, _times(f, divisor, whole))


def _times(f: Formulas, factor: int, one: Formula) -> Formula:
    """Return ``factor * one`` by adding and doubling."""
    if factor < 0:
        return f.minus(f.number(0), _times(f, -factor, one))
    if factor == 0:
        return f.number(0)
    half = _times(f, factor // 2, one)
    double = f.plus(half, half)
    return f.plus(double, one) if factor % 2 else double


def _require_few(one: Formula) -> None:
    if one.high - one.low > _MOST:
        raise NotRead("both operands of a product have too many values")
