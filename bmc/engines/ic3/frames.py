"""Frames: cubes that no execution reaches within a number of steps.

A cube is a conjunction of literals, blocked by the clause that denies it. Frame ``i`` is kept
as what it has beyond frame ``i+1``: the clauses whose highest frame is ``i``. A cube stands for
its whole orbit, so that every frame is closed under renaming.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Cube = frozenset[int]


@dataclass(frozen=True, eq=False)
class Orbit:
    """A blocked cube with all its images under symmetry, itself first.

    ``kinds`` is a set, as bits, of what its literals are up to renaming.
    """

    cube: Cube
    images: tuple[Cube, ...]
    kinds: int

    def covers(self, cube: Cube, kinds: int) -> bool:
        """Whether an image contains all states of a cube."""
        # Most pairs have nothing to do with each other: their kinds say so at once.
        if self.kinds & ~kinds or len(self.cube) > len(cube):
            return False
        return any(image <= cube for image in self.images)


class Frames:
    """Blocked orbits by level, 1 and up; level 0 is the initial states and has no clauses.

    ``always`` are orbits that are blocked whatever the level: inductive by themselves.
    """

    def __init__(self, always: Sequence[Orbit] = ()) -> None:
        self.always = tuple(always)
        self._levels: list[list[Orbit]] = [[]]

    @property
    def last(self) -> int:
        """The highest frame."""
        return len(self._levels) - 1

    def open(self) -> None:
        """Begin one more frame, without clauses."""
        self._levels.append([])

    def at(self, level: int) -> list[Orbit]:
        """What the frame has beyond the next one."""
        return self._levels[level]

    def upward(self, level: int) -> Iterator[Orbit]:
        """All that is blocked in a frame."""
        for found in self._levels[level:]:
            yield from found

    def add(self, orbit: Orbit, level: int) -> None:
        """Block an orbit up to a level, and forget what this makes superfluous."""
        for below in range(1, level + 1):
            self._levels[below] = [
                old for old in self._levels[below] if not orbit.covers(old.cube, old.kinds)
            ]
        self._levels[level].append(orbit)

    def push(self, orbit: Orbit, level: int) -> None:
        """Block an orbit of a level in the next one too."""
        self._levels[level].remove(orbit)
        above = self._levels[level + 1]
        above[:] = [old for old in above if not orbit.covers(old.cube, old.kinds)]
        above.append(orbit)

    def blocks(self, cube: Cube, kinds: int, level: int) -> bool:
        """Whether a clause of the frame denies the whole cube."""
        return any(orbit.covers(cube, kinds) for orbit in self.upward(level))
