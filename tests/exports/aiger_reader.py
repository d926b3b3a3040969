"""A reader and simulator of AIGER 1.9 files, written from the format's definition alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import networkx


@dataclass(frozen=True)
class Aiger:
    """A circuit: literals as in the file. ``latches`` are (literal, next, first value)."""

    inputs: list[int]
    latches: list[tuple[int, int, int]]
    bad: list[int]
    constraints: list[int]
    ands: list[tuple[int, int, int]]
    symbols: dict[str, str]
    justice: list[list[int]] = field(default_factory=list)
    fairness: list[int] = field(default_factory=list)

    def run(self, state: Sequence[int], choice: Sequence[int]) -> tuple[tuple[int, ...], list[int]]:
        """The next state, and the values of the bad outputs followed by the constraints."""
        value = {0: 0}
        value.update((lit, bit) for lit, bit in zip(self.inputs, choice, strict=True))
        value.update((lat[0], bit) for lat, bit in zip(self.latches, state, strict=True))

        def of(literal: int) -> int:
            return value[literal & ~1] ^ (literal & 1)

        for left, a, b in self.ands:
            value[left] = of(a) & of(b)
        outputs = [of(lit) for lit in (*self.bad, *self.constraints)]
        return tuple(of(following) for _, following, _ in self.latches), outputs

    def reachable(self) -> tuple[set[tuple[int, ...]], dict[str, int]]:
        """All states, and by the name of each bad output the first depth at which it is true."""
        level = {tuple(first for _, _, first in self.latches)}
        found: dict[str, int] = {}
        seen, depth = set(level), 0
        while level:
            following = set()
            for state in level:
                for choice in product((0, 1), repeat=len(self.inputs)):
                    after, outputs = self.run(state, choice)
                    following.add(after)
                    assert all(outputs[len(self.bad) :])
                    for number, value in enumerate(outputs[: len(self.bad)]):
                        if value:
                            found.setdefault(self.symbols[f"b{number}"], depth)
            level = following - seen
            seen |= level
            depth += 1
        return seen, found

    def recurs(self, number: int) -> bool:
        """Whether a run sees all of a justice property, and all fairness, infinitely often.

        On a finite graph it does so if a component that one can go round in has a state for each
        of them: literals that are asked for here read latches only.
        """
        states, edges = self.reachable()[0], set()
        for state in states:
            for choice in product((0, 1), repeat=len(self.inputs)):
                edges.add((state, self.run(state, choice)[0]))
        graph = networkx.DiGraph(list(edges))
        wanted = [*self.justice[number], *self.fairness]
        places = {latch[0]: place for place, latch in enumerate(self.latches)}
        for component in networkx.strongly_connected_components(graph):
            turns = any((one, other) in edges for one in component for other in component)
            if turns and all(
                any(self._latched(literal, state, places) for state in component)
                for literal in wanted
            ):
                return True
        return False

    def _latched(self, literal: int, state: tuple[int, ...], places: dict[int, int]) -> bool:
        """The value of a literal in a state, whatever the inputs; they must not matter."""
        value = {0: 0, **{latch: state[place] for latch, place in places.items()}}
        for left, a, b in self.ands:
            known = [
                None if lit & ~1 not in value else value[lit & ~1] ^ (lit & 1) for lit in (a, b)
            ]
            if 0 in known:
                value[left] = 0
            elif None not in known:
                value[left] = 1
        return bool(value[literal & ~1] ^ (literal & 1))


def read_aiger(content: bytes) -> Aiger:
    """Read a binary or ASCII file."""
    position = 0

    def line() -> list[str]:
        nonlocal position
        end = content.index(b"\n", position)
        words = content[position:end].decode().split()
        position = end + 1
        return words

    def delta() -> int:
        nonlocal position
        value, shift = 0, 0
        while True:
            byte = content[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    kind, *counts = line()
    numbers = [*map(int, counts), 0, 0]
    most, inputs, latches, outputs, ands, bad, constraints, justice, fairness = numbers[:9]
    assert outputs == 0
    text = kind == "aag"
    assert text or most == inputs + latches + ands
    read_inputs = [int(line()[0]) if text else 2 * i for i in range(1, inputs + 1)]
    read_latches = []
    for i in range(latches):
        words = [int(word) for word in line()]
        if not text:
            words.insert(0, 2 * (inputs + i + 1))
        read_latches.append((words[0], words[1], words[2] if len(words) > 2 else 0))
    read_bad = [int(line()[0]) for _ in range(bad)]
    read_constraints = [int(line()[0]) for _ in range(constraints)]
    sizes = [int(line()[0]) for _ in range(justice)]
    read_justice = [[int(line()[0]) for _ in range(size)] for size in sizes]
    read_fairness = [int(line()[0]) for _ in range(fairness)]
    gates = []
    for i in range(ands):
        if text:
            left, a, b = map(int, line())
        else:
            left = 2 * (inputs + latches + i + 1)
            a = left - delta()
            b = a - delta()
        assert left > a >= b >= 0
        gates.append((left, a, b))
    symbols = {}
    while position < len(content) and (words := line()) != ["c"]:
        symbols[words[0]] = " ".join(words[1:])
    return Aiger(
        read_inputs,
        read_latches,
        read_bad,
        read_constraints,
        gates,
        symbols,
        read_justice,
        read_fairness,
    )
