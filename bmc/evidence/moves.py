"""What renamings do to a list of instances and rules, and which of them undo each other's work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Permutation = tuple[int, ...]
"""By position, the position of the image."""


@dataclass(frozen=True)
class Move:
    """Where one renaming takes the instances of each family, and the rules."""

    instances: tuple[Permutation, ...]
    rules: Permutation

    def before(self, other: Move) -> Move:
        """Return what this renaming and then the other one do."""
        pairs = zip(self.instances, other.instances, strict=True)
        return Move(
            tuple(_after(first, then) for first, then in pairs), _after(self.rules, other.rules)
        )

    def inverse(self) -> Move:
        """Return what takes everything back."""
        return Move(tuple(map(_inverse, self.instances)), _inverse(self.rules))

    @property
    def is_exchange(self) -> bool:
        """Whether it takes everything back itself."""
        return all(_after(one, one) == tuple(range(len(one))) for one in self._parts())

    def _parts(self) -> Iterable[Permutation]:
        return (*self.instances, self.rules)


def exchanges(moves: Sequence[Move]) -> tuple[Move, ...]:
    """Return the exchanges among some moves, and what these make of them for other members.

    From the exchange of two members and the turn of all come the exchanges of any two.
    """
    found = dict.fromkeys(one for one in moves if one.is_exchange)
    left = list(found)
    while left:
        exchange = left.pop()
        for move in moves:
            elsewhere = move.inverse().before(exchange).before(move)
            if elsewhere not in found:
                found[elsewhere] = None
                left.append(elsewhere)
    return tuple(found)


def orbits(size: int, permutations: Iterable[Permutation]) -> list[list[int]]:
    """Return the positions below ``size`` in groups of which one reaches the others."""
    steps = tuple(permutations)
    found: list[list[int]] = []
    seen: set[int] = set()
    for start in range(size):
        if start in seen:
            continue
        orbit = [start]
        seen.add(start)
        for one in orbit:
            for step in steps:
                if step[one] not in seen:
                    seen.add(step[one])
                    orbit.append(step[one])
        found.append(orbit)
    return found


def _after(first: Permutation, then: Permutation) -> Permutation:
    return tuple(map(then.__getitem__, first))


def _inverse(one: Permutation) -> Permutation:
    found = [0] * len(one)
    for position, image in enumerate(one):
        found[image] = position
    return tuple(found)
