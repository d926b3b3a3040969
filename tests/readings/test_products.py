"""Products and quotients as circuits: TLA+'s values, tables no larger than they need to be."""

import pytest

from bmc.lang.terms import literal, make
from bmc.layout.affordable import TooLarge
from bmc.readings.circuit import Circuit, cone, evaluate
from bmc.readings.expand.products import MOST_PAIRS, product, quotient, remainder

TERM = make("mul", (literal(1), literal(1)), literal(1).sort)


@pytest.mark.parametrize(("low", "high"), [(0, 7), (-5, 4), (3, 3)])
def test_every_pair_of_operands_has_tlas_value(low: int, high: int) -> None:
    c = Circuit()
    x, y = c.integer_variable(0, low, high), c.integer_variable(1, -2, 5)
    made = [product(c, x, y, TERM), quotient(c, x, y, TERM), remainder(c, x, y, TERM)]
    for a in range(low, high + 1):
        for b in range(-2, 6):
            times, whole, left = evaluate(made, [a, b])
            assert times == a * b
            if b > 0:
                # The definition of \div and % in the TLA+ module Integers.
                assert a == b * whole + left
                assert 0 <= left < b


def test_a_quotient_is_as_large_as_it_has_values() -> None:
    c = Circuit()
    halves = quotient(c, c.integer_variable(0, 0, 3999), c.number(1000), TERM)
    assert (halves.low, halves.high) == (0, 3)
    assert sum(node.op == "ite" for node in cone([halves])) == 3


def test_a_factor_that_is_a_number_has_no_limit() -> None:
    c = Circuit()
    wide = c.integer_variable(0, -9, MOST_PAIRS)
    for factor in (-3, 0, 1, 11):
        assert evaluate([product(c, c.number(factor), wide, TERM)], [4000]) == [factor * 4000]


def test_too_many_pairs_are_refused_with_their_number() -> None:
    c = Circuit()
    wide = c.integer_variable(0, 0, 99)
    with pytest.raises(TooLarge, match=r"1 \* 1 has operands of 100 and 100 values"):
        product(c, wide, wide, TERM)
