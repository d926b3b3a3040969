"""Inductive generalisation: from a cube that is not entered to one that says less.

Literals are dropped one by one as long as the rest is still not entered and has no initial
state (Bradley, 2011); those that earlier clauses did not need are tried first. Blocking the
states that stand in the way of a literal (Hassan, Bradley and Somenzi, *Better generalization in
IC3*, 2013) was tried and made kafka four times slower.
"""

from __future__ import annotations

from collections import Counter

from bmc.engines.ic3.frames import Cube
from bmc.engines.ic3.queries import Predecessor, States, Steps

CONFLICTS = 1000
"""Limit of a question whose answer only helps: to drop a literal, to push a clause."""


class Generaliser:
    """Finds small cubes, and remembers which literals were of use in them."""

    def __init__(self, states: States, steps: Steps) -> None:
        self._states = states
        self._steps = steps
        self._useful: Counter[int] = Counter()

    def apart_from_start(self, part: Cube, whole: Cube) -> Cube:
        """``part`` with as much of ``whole`` (which has no initial state) as keeps it so."""
        return part if not self._states.is_initial(part) else part | self._states.apart(whole)

    def smaller(self, cube: Cube, level: int) -> Cube:
        """A part of a cube that no step from frame ``level`` enters either."""
        tried: set[int] = set()
        while len(cube) > 1:
            left = cube - tried
            if not left:
                break
            lit = min(left, key=self._rank)
            tried.add(lit)
            cube = self._without(cube, lit, level) or cube
        self._useful.update(cube)
        return cube

    def _rank(self, lit: int) -> tuple[int, int]:
        return self._useful[lit], -lit

    def _without(self, cube: Cube, lit: int, level: int) -> Cube | None:
        part = cube - {lit}
        if self._states.is_initial(part):
            return None
        answer = self._steps.into(part, level, CONFLICTS)
        if answer is None or isinstance(answer, Predecessor):
            return None
        return self.apart_from_start(answer, part)
