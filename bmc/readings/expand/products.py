"""Products, quotients and remainders as circuits: tables over the operands' intervals.

Circuits add and compare, and so do all that read them. A table is a balanced tree of comparisons
with a number at each leaf; ``x // k`` has as many leaves as it has values.
"""

from __future__ import annotations

from collections.abc import Callable

from bmc.lang.terms import Term
from bmc.layout.affordable import TooLarge
from bmc.readings.circuit import Circuit, Node

MOST_PAIRS = 4096
"""The most pairs of operands that are tabulated."""


def product(c: Circuit, left: Node, right: Node, term: Term) -> Node:
    """Return ``left * right``; TooLarge, which names ``term``, where there are too many pairs."""
    for one, other in ((left, right), (right, left)):
        if one.op == "num" and _width(other) > MOST_PAIRS:
            return _times(c, one.data, other)
    return _tabulated(c, left, right, lambda a, b: a * b, term)


def quotient(c: Circuit, dividend: Node, divisor: Node, term: Term) -> Node:
    """Return ``dividend // divisor``, rounded down; any number where the divisor is not positive.

    Raises TooLarge, which names ``term``, where there are too many pairs.
    """
    return _tabulated(c, dividend, divisor, lambda a, b: a // max(b, 1), term)


def remainder(c: Circuit, dividend: Node, divisor: Node, term: Term) -> Node:
    """Return ``dividend % divisor``, never negative; any number for a divisor not positive.

    Raises TooLarge, which names ``term``, where there are too many pairs.
    """
    return _tabulated(c, dividend, divisor, lambda a, b: a % max(b, 1), term)


def _times(c: Circuit, factor: int, node: Node) -> Node:
    """``factor * node`` by doubling, for a node of any width."""
    if factor < 0:
        return c.sub(c.number(0), _times(c, -factor, node))
    total, power = c.number(0), node
    while factor:
        if factor % 2:
            total = c.add(total, power)
        factor //= 2
        power = c.add(power, power) if factor else power
    return total


def _tabulated(
    c: Circuit, left: Node, right: Node, function: Callable[[int, int], int], term: Term
) -> Node:
    pairs = _width(left) * _width(right)
    if pairs > MOST_PAIRS:
        raise TooLarge(
            f"{term!r} has operands of {_width(left):,} and {_width(right):,} values, and "
            f"{MOST_PAIRS:,} pairs of them are the most that bmc computes with: give them smaller "
            "sorts, or choose smaller parameters"
        )
    # The comparisons with the wider operand stand inside, where equal leaves meet.
    if _width(left) < _width(right):
        return _table(c, left, lambda a: _table(c, right, lambda b: c.number(function(a, b))))
    return _table(c, right, lambda b: _table(c, left, lambda a: c.number(function(a, b))))


def _width(node: Node) -> int:
    return node.high - node.low + 1


def _table(c: Circuit, node: Node, image: Callable[[int], Node]) -> Node:
    """Return what ``image`` gives for the value of a node."""
    runs: list[tuple[int, Node]] = []
    for value in range(node.low, node.high + 1):
        found = image(value)
        if runs and runs[-1][1] is found:
            runs.pop()
        runs.append((value, found))
    return _tree(c, node, runs)


def _tree(c: Circuit, node: Node, runs: list[tuple[int, Node]]) -> Node:
    """Return a choice among runs of values, each with the last of its values."""
    if len(runs) == 1:
        return runs[0][1]
    middle = len(runs) // 2
    below = c.le(node, c.number(runs[middle - 1][0]))
    return c.ite(below, _tree(c, node, runs[:middle]), _tree(c, node, runs[middle:]))
