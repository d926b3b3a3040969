"""Sums that keep their ranges, and products and quotients by a table."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from bmc.frontends.tla.translate.application import Application
from bmc.frontends.tla.translate.kinds import (
    Untranslatable,
    integer,
)
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    Lazy,
)
from bmc.lang import build
from bmc.lang.sorts import (
    IntSort,
)
from bmc.lang.terms import Expr, Term, term_of

MOST_PAIRS = 4096
"""The most pairs of operands that a product is tabulated over."""


class Arithmetic(Application):
    """Computes with numbers."""

    def plus(self, left: Lazy, right: Lazy, sign: int = 1) -> Lazy:
        """Return ``left + right``, or with ``sign`` -1 ``left - right``."""
        left, right = self.number(left), self.number(right)
        if isinstance(left, int) and isinstance(right, int):
            return left + sign * right
        if isinstance(right, int):
            if right == 0:
                return left
            assert isinstance(left, Term)
            shifted = self._shifted(left, sign * right)
            if shifted is not None:
                return shifted
        if isinstance(left, int) and left == 0 and sign == 1:
            return right
        a, b = integer(left), integer(right)
        return a + b if sign == 1 else a - b

    def _shifted(self, left: Term, by: int) -> Term | None:
        """Return ``left + by`` where ``left`` is itself a sum with a number."""
        if left.op in ("add", "sub") and left.args[1].op == "int":
            data: Any = left.args[1].data
            total = (data if left.op == "add" else -data) + by
            base = left.args[0]
            if total == 0:
                return base
            return term_of(base + total if total > 0 else base - (-total))
        return None

    def tabulated_arithmetic(
        self, left: Lazy, right: Lazy, function: Callable[[int, int], int | None]
    ) -> Lazy:
        """Return a product, quotient or remainder, as a table over the operands' ranges if need be.

        By a positive number, operators of the language say it.
        """
        left, right = self.number(left), self.number(right)
        if isinstance(left, int) and isinstance(right, int):
            settled = function(left, right)
            return UNDEFINED if settled is None else settled
        if isinstance(left, int) and function is scaled:
            left, right = right, left
        if isinstance(right, int) and right > 0 and function in _BY_A_NUMBER:
            a, b = self.range(left)
            if function is not scaled and b - a + 1 > MOST_PAIRS:
                raise Untranslatable(
                    f"the number that is divided here has {b - a + 1:,} values, and {MOST_PAIRS:,} "
                    "are the most that a model divides: bound it by smaller constants, a "
                    "CONSTRAINT or --bound"
                )
            return term_of(_BY_A_NUMBER[function](integer(left), right))
        (a, b), (low, high) = self.range(left), self.range(right)
        if (b - a + 1) * (high - low + 1) > MOST_PAIRS:
            raise Untranslatable("the operands of this product have too many values")
        nothing = self.undefined(self._whole(a, b, low, high, function))

        def over(x: int) -> Lazy:
            return table(right, low, high, lambda y: function(x, y))

        def table(operand: Lazy, least: int, most: int, image: Callable[[int], Any]) -> Lazy:
            if isinstance(operand, int):
                return image(operand)
            found: Lazy = image(most)
            for at in range(most - 1, least - 1, -1):
                here = image(at)
                one = nothing if here is None else here
                other = nothing if found is None else found
                if isinstance(one, int) and isinstance(other, int) and one == other:
                    found = one
                    continue
                found = build.ite(self.term(self.equal(operand, at)), integer(one), integer(other))
            return found

        found = table(left, a, b, over)
        return nothing if found is None else found

    def _whole(
        self, a: int, b: int, low: int, high: int, function: Callable[[int, int], int | None]
    ) -> IntSort:
        from bmc.frontends.tla.forms import integer_sort

        values = [function(x, y) for x in range(a, b + 1) for y in range(low, high + 1)]
        numbers = [n for n in values if n is not None] or [0]
        return integer_sort(min(numbers), max(numbers))


def scaled(left: int, right: int) -> int | None:
    """Return the product."""
    return left * right


def quotient(left: int, right: int) -> int | None:
    """Return the quotient rounded down, of a negative divisor too, as in TLC; None of zero."""
    return left // right if right else None


def remainder(left: int, right: int) -> int | None:
    """Return the remainder; None where the divisor is not positive, as in TLC."""
    return left % right if right > 0 else None


def raised(left: int, right: int) -> int | None:
    """Return the power; None of a negative exponent, and of 0^0, which TLA+ leaves open."""
    return int(left**right) if 0 <= right <= 64 and (left or right) else None


def functions_between(codomain: int, domain: int) -> int | None:
    """Return how many functions there are between sets of these sizes: one from the empty set."""
    return raised(codomain, domain) if domain else 1


_BY_A_NUMBER: dict[Callable[[int, int], int | None], Callable[[Term, int], Expr]] = {
    scaled: operator.mul,
    quotient: operator.floordiv,
    remainder: operator.mod,
}
"""Where both agree: the language's divisors are positive."""
