"""Scalar formulas as literals, integers in the order encoding.

A literal is an integer that is not 0, its negation the negative of it; ``TRUE`` is always true.
An integer of range ``low .. high`` is the list of literals "at least low+1", …, "at least
high", each implying the one before (Crawford and Baker, 1994; Tamura et al., *Compiling finite
linear CSP into SAT*, 2009). Adding a constant shifts ``low`` and costs nothing, and a comparison
is a clause a number.

All is said by conjunctions, so whoever knows how to build one (clauses for a solver, gates of an
and-inverter graph) has every operator of a circuit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bmc.readings.circuit import Node, cone

TRUE = 1


@dataclass(frozen=True)
class Unary:
    """An integer; ``bits[j]`` is the literal of "at least low + 1 + j"."""

    low: int
    bits: tuple[int, ...]

    @property
    def high(self) -> int:
        """The greatest value."""
        return self.low + len(self.bits)

    def at_least(self, bound: int) -> int:
        """The literal of "this is at least ``bound``"."""
        if bound <= self.low:
            return TRUE
        return -TRUE if bound > self.high else self.bits[bound - self.low - 1]


def bound_pairs(a: Unary, b: Unary) -> list[tuple[int, int]]:
    """Two integers, bound by bound: they are equal if the literals of each pair are."""
    bounds = range(min(a.low, b.low) + 1, max(a.high, b.high) + 1)
    return [(a.at_least(v), b.at_least(v)) for v in bounds]


class OrderEncoding(ABC):
    """Every operator of a circuit, by conjunctions of literals."""

    @abstractmethod
    def conjunction(self, literals: Sequence[int]) -> int:
        """A literal equivalent to the conjunction."""

    def disjunction(self, literals: Sequence[int]) -> int:
        """A literal equivalent to the disjunction."""
        return -self.conjunction([-lit for lit in literals])

    def same(self, a: int, b: int) -> int:
        """A literal equivalent to the equality of two literals."""
        return self.conjunction([self.disjunction([-a, b]), self.disjunction([a, -b])])

    def choice(self, condition: int, then: int, otherwise: int) -> int:
        """A literal equivalent to one literal or another."""
        if then == otherwise:
            return then
        return self.conjunction(
            [self.disjunction([-condition, then]), self.disjunction([condition, otherwise])]
        )

    def same_number(self, a: Unary, b: Unary) -> int:
        """A literal equivalent to the equality of two integers."""
        return self.conjunction([self.same(left, right) for left, right in bound_pairs(a, b)])

    def gate(self, op: str, args: Sequence[Any]) -> Any:
        """An operator of the circuit on literals and integers."""
        match op:
            case "not":
                return -args[0]
            case "and":
                return self.conjunction(args)
            case "or":
                return self.disjunction(args)
            case "iff":
                return self.same(args[0], args[1])
            case "eq":
                return self.same_number(args[0], args[1])
            case "le":
                return self._le(args[0], args[1])
            case "ite":
                return self._ite(args[0], args[1], args[2])
            case "add":
                return self._sum(args[0], args[1])
        right = args[1]
        negated = Unary(-right.high, tuple(-bit for bit in reversed(right.bits)))
        return self._sum(args[0], negated)

    def _le(self, a: Unary, b: Unary) -> int:
        return self.conjunction(
            [self.disjunction([-left, right]) for left, right in bound_pairs(a, b)]
        )

    def _ite(self, condition: int, then: Unary, otherwise: Unary) -> Unary:
        low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
        bounds = range(low + 1, high + 1)
        return Unary(
            low,
            tuple(self.choice(condition, then.at_least(v), otherwise.at_least(v)) for v in bounds),
        )

    def _sum(self, a: Unary, b: Unary) -> Unary:
        if not a.bits or not b.bits:
            return Unary(a.low + b.low, a.bits or b.bits)
        low, high = a.low + b.low, a.high + b.high
        bits = []
        for total in range(low + 1, high + 1):
            # Below the first of these b would have to exceed its highest value; beyond the last a
            # is asked for more, and b can give no less than its lowest.
            shares = range(max(a.low, total - b.high), min(a.high, total - b.low) + 1)
            ways = [self.conjunction([a.at_least(x), b.at_least(total - x)]) for x in shares]
            bits.append(self.disjunction(ways))
        return Unary(low, tuple(bits))


def read_gates(
    encoding: OrderEncoding, roots: Sequence[Node], variables: Sequence[Any], known: dict[int, Any]
) -> list[Any]:
    """Circuit nodes as literals and integers, where variable ``i`` is ``variables[i]``.

    ``known`` maps the nodes read before (by ``uid``) to what they are, and is added to.
    """
    for node in cone(roots):
        if node.uid in known:
            continue
        match node.op:
            case "const":
                known[node.uid] = TRUE if node.data else -TRUE
            case "num":
                known[node.uid] = Unary(node.data, ())
            case "var" | "ivar":
                known[node.uid] = variables[node.data]
            case op:
                known[node.uid] = encoding.gate(op, [known[a.uid] for a in node.args])
    return [known[root.uid] for root in roots]
