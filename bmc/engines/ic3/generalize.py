"""Inductive generalisation: from a cube that is not entered to one that says less.

Literals are dropped one by one as long as the rest is still not entered and has no initial
state (Bradley, 2011), nor one that is known to be reachable; those that earlier clauses did not
need are tried first. Blocking the states that stand in the way of a literal (Hassan, Bradley and
Somenzi, *Better generalization in IC3*, 2013) was tried and made kafka four times slower.
"""

from __future__ import annotations

from collections import Counter

from bmc.engines.ic3.frames import Cube
from bmc.engines.ic3.queries import States, Steps
from bmc.engines.ic3.sample import Sample

CONFLICTS = 1000
"""Limit of a question whose answer only helps: to drop a literal, to push a clause."""


class Generaliser:
    """Finds small cubes, and remembers which literals were of use in them."""

    def __init__(self, states: States, steps: Steps, sample: Sample) -> None:
        self._states = states
        self._steps = steps
        self._sample = sample
        self._useful: Counter[int] = Counter()

    def apart(self, part: Cube, whole: Cube) -> Cube:
        """``part`` with as much of ``whole`` (which has no initial state) as keeps it so.

        Sampled states are kept out as well, where ``whole`` has none.
        """
        if self._states.is_initial(part):
            part |= self._states.apart(whole)
        return self._sample.apart(part, whole)

    def smaller(self, cube: Cube, level: int) -> Cube:
        """A part of a cube that no step from frame ``level`` enters either."""
        # What has a reachable state already cannot become worse.
        hopeless = self._sample.meets(cube)
        tried: set[int] = set()
        while len(cube) > 1:
            left = cube - tried
            if not left:
                break
            lit = min(left, key=self._rank)
            tried.add(lit)
            part = cube - {lit}
            if self._states.is_initial(part) or (not hopeless and self._sample.meets(part)):
                continue
            cube = self.not_entered(part, level) or cube
        self._useful.update(cube)
        return cube

    def not_entered(self, cube: Cube, level: int) -> Cube | None:
        """A part of a cube that no step from a frame enters, None unless that is easily shown."""
        part = self._steps.keeps_out(cube, level, CONFLICTS)
        return None if part is None else self.apart(part, cube)

    def _rank(self, lit: int) -> tuple[int, int]:
        return self._useful[lit], -lit
