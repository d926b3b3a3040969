"""The step as a template: its clauses over two frames, copied to others by renumbering.

Translating a step costs as much for every frame, though only the numbers of variables differ. So
it is translated once, into a store of its own, and copied. The store knows no other frame and
nothing else that a solver was told, so every variable of the template belongs to one of three
blocks: the frame before, the frame after, and the step's own gates, which are new in each copy. A
property's gates in a frame are therefore never those of a step, whose clauses may not be there yet
when the property is asked about.
"""

from __future__ import annotations

from collections.abc import Sequence

from bmc.readings.order import TRUE
from bmc.solving.sat_solver import SatSolver


class StepTemplate:
    """Clauses over ``TRUE``, two frames of ``frame`` variables each and ``own`` more, in order.

    ``selectors`` are literals among them, of which a copy says what they became.
    """

    def __init__(
        self, clauses: Sequence[Sequence[int]], frame: int, own: int, selectors: Sequence[int]
    ) -> None:
        self.frame = frame
        self._own = own
        self._selectors = selectors
        self._clauses = clauses

    def copy(self, solver: SatSolver, here: int, there: int) -> list[int]:
        """Assert the step between the frames whose variables begin there; returns the selectors."""
        own = solver.reserve(self._own)
        blocks = ((here, self.frame), (there, self.frame), (own, self._own))
        new = [TRUE, *(n for first, size in blocks for n in range(first, first + size))]
        # A negative literal counts from the end.
        of = [0, *new, *(-n for n in reversed(new))]
        solver.add_clauses([[of[literal] for literal in clause] for clause in self._clauses])
        return [of[selector] for selector in self._selectors]
