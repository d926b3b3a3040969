"""The order encoding: sums are those of integers, and cost what their parts differ by."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from bmc.readings.order import TRUE, OrderEncoding, Unary


class _Known(OrderEncoding):
    """Literals whose truth is known; it counts the conjunctions that are asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def conjunction(self, literals: Sequence[int]) -> int:
        self.asked += 1
        return TRUE if all(one == TRUE for one in literals) else -TRUE


def _number(low: int, high: int, value: int) -> Unary:
    return Unary(low, tuple(TRUE if value >= v else -TRUE for v in range(low + 1, high + 1)))


@pytest.mark.parametrize("first", [(0, 3), (-2, 1), (5, 5)])
@pytest.mark.parametrize("second", [(0, 1), (-3, 2), (4, 8)])
def test_a_sum_is_the_sum_of_every_two_values(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    ranges = [range(low, high + 1) for low, high in (first, second)]
    for a, b in product(*ranges):
        for op, result in (("add", a + b), ("sub", a - b)):
            found = _Known().gate(op, [_number(*first, a), _number(*second, b)])
            at_most = [v for v in range(found.low, found.high + 1) if found.at_least(v) == TRUE]
            assert max(at_most) == result


def test_a_hundred_truth_values_are_counted_without_asking_a_million_questions() -> None:
    gates = _Known()
    total = Unary(0, ())
    for _ in range(100):
        total = gates.gate("add", [total, _number(0, 1, 1)])
    assert max(v for v in range(101) if total.at_least(v) == TRUE) == 100
    assert gates.asked < 20_000
