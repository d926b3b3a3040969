"""What an induction may assume, and of which states: written once, for finder and judge.

Both build a path of some steps, assert conjuncts of the states that are listed here, and ask for
others of the last state. If one of them assumed more than the other, a proof that is right would be
rejected, or one that is wrong would be accepted.

Let ``C`` be the conjunction that a certificate holds. ``Init`` establishes it in the first ``k``
states, and :func:`consecution` keeps it (Sheeran, Singh and Stålmarck, *Checking safety properties
using induction and a SAT-solver*, 2000). From then on ``C`` is known of *every* reachable state,
so it may be assumed of each state that a claim speaks of: of the one state of an invariant
(:data:`IN_ONE_STATE`), and of both states of a step invariant (:data:`OF_A_STEP`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Assumptions:
    """A path of ``steps`` steps and the positions of its states of which conjuncts are assumed.

    ``candidates`` are the positions of conjuncts that are only now being proven, ``proven`` those
    of conjuncts that are known already, by themselves, to hold in every reachable state.
    """

    steps: int
    candidates: tuple[int, ...]
    proven: tuple[int, ...]

    @property
    def shown(self) -> int:
        """The position of the last state, of which the goals are shown."""
        return self.steps


def consecution(k: int) -> Assumptions:
    """``k`` states in a row that satisfy the candidates, and the one that follows them."""
    return Assumptions(k, tuple(range(k)), tuple(range(k + 1)))


IN_ONE_STATE = Assumptions(steps=0, candidates=(), proven=(0,))
"""An invariant that the proven conjuncts imply: no step is involved."""

OF_A_STEP = Assumptions(steps=1, candidates=(), proven=(0, 1))
"""A step invariant that the proven conjuncts imply: both its states are reachable."""
