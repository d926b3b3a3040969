"""A reader and simulator of AIGER 1.9 files, written from the format's definition alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True)
class Aiger:
    """A circuit: literals as in the file. ``latches`` are (literal, next, first value)."""

    inputs: list[int]
    latches: list[tuple[int, int, int]]
    bad: list[int]
    constraints: list[int]
    ands: list[tuple[int, int, int]]
    symbols: dict[str, str]

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
        seen, found, depth = set(level), {}, 0
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
    most, inputs, latches, outputs, ands, bad, constraints = map(int, counts)
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
    return Aiger(read_inputs, read_latches, read_bad, read_constraints, gates, symbols)
