"""The and-inverter graph: conjunctions of two literals and negations, with structural hashing.

Variable 1 is the constant; inputs and gates are numbered as they are made, so a gate's number is
greater than those of what it reads. Integers are in the order encoding
(:mod:`bmc.readings.order`). Equal gates are one gate, and what two levels of gates already
decide is simplified (Brummayer and Biere, *Local two-level and-inverter graph minimization
without blowup*, 2006, the part of it that never adds a gate).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bmc.readings.circuit import Node
from bmc.readings.order import TRUE, OrderEncoding, Unary, read_gates


class Gates(OrderEncoding):
    """A growing and-inverter graph."""

    def __init__(self) -> None:
        self.inputs: list[int] = []
        self._gates: dict[tuple[int, int], int] = {}
        self._reads: dict[int, tuple[int, int]] = {}
        self._last = TRUE

    def __len__(self) -> int:
        """How many gates there are."""
        return len(self._gates)

    def input(self) -> int:
        """A new input's literal."""
        self._last += 1
        self.inputs.append(self._last)
        return self._last

    def integer(self, low: int, high: int) -> Unary:
        """New inputs for an integer; nothing here says that their order is one."""
        return Unary(low, tuple(self.input() for _ in range(high - low)))

    def conjunction(self, literals: Sequence[int]) -> int:
        """The conjunction, as a balanced tree over literals in the order of their numbers."""
        kept = sorted({lit for lit in literals if lit != TRUE}, key=lambda lit: (abs(lit), lit))
        while len(kept) > 1:
            pairs = range(0, len(kept) - 1, 2)
            paired = [self.both(kept[i], kept[i + 1]) for i in pairs]
            kept = paired + kept[2 * len(paired) :]
        return kept[0] if kept else TRUE

    def both(self, a: int, b: int) -> int:
        """The conjunction of two literals."""
        if abs(a) > abs(b):
            a, b = b, a
        if a == -TRUE or a == -b:
            return -TRUE
        if a in (TRUE, b):
            return b
        inside = self._reads.get(b)
        if inside is not None:
            if a in inside:
                return b
            if -a in inside:
                return -TRUE
        outside = self._reads.get(-b)
        if outside is not None:
            if -a in outside:
                return a
            if a in outside:
                return self.both(a, -(outside[0] if outside[1] == a else outside[1]))
        gate = self._gates.get((a, b))
        if gate is None:
            self._last += 1
            gate = self._gates[a, b] = self._last
            self._reads[gate] = a, b
        return gate

    def read(self, roots: Sequence[Node], variables: Sequence[int | Unary]) -> list[int | Unary]:
        """Circuit nodes as literals and integers, where variable ``i`` is ``variables[i]``."""
        found: list[int | Unary] = read_gates(self, roots, variables, {})
        return found

    def below(self, roots: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """The gates that the roots depend on, each with its two literals, in order of number."""
        seen: set[int] = set()
        stack = [abs(root) for root in roots]
        while stack:
            number = stack.pop()
            if number in self._reads and number not in seen:
                seen.add(number)
                stack.extend(abs(lit) for lit in self._reads[number])
        for number in sorted(seen):
            yield (number, *self._reads[number])


def simulate(gates: Gates, roots: Sequence[int], inputs: Sequence[bool]) -> list[bool]:
    """The values of literals where ``gates.inputs`` have these values."""
    value = {TRUE: True, **dict(zip(gates.inputs, inputs, strict=True))}

    def of(literal: int) -> bool:
        return value[abs(literal)] == (literal > 0)

    for number, a, b in gates.below(roots):
        value[number] = of(a) and of(b)
    return [of(root) for root in roots]
