"""The initial states, packed: where explorations and random walks begin."""

from __future__ import annotations

from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing, Rows
from bmc.readings.circuit import evaluate
from bmc.system.transition import NoInitialState, TransitionSystem


def initial_rows(system: TransitionSystem, packing: Packing, constraint: Formulas) -> Rows:
    """The initial states inside the state constraint; NoInitialState when there is none."""
    leaves = range(len(system.leaves))
    states = [evaluate([values[i] for i in leaves], []) for _, values in system.starts]
    rows = packing.pack(states)
    (inside,) = constraint.evaluate(rows)
    if not inside.any():
        raise NoInitialState(
            f"{system.model.name} has no initial state"
            + (" inside its state constraint" if len(rows) else "")
            + " at these parameters: choose others, or mend Init"
        )
    started: Rows = rows[inside]
    return started
