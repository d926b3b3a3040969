"""That a proof at all parameter values is about something: small sizes have an initial state.

A protocol without initial states satisfies every condition of an induction. No finite question
says that there is an initial state at *every* size, so the least sizes are looked at, where ranges
are most likely to be empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bmc.lang.model import Model
from bmc.lang.parameters import Parameter
from bmc.solving.interface import Answer, Solver
from bmc.system.no_model import no_initial_state
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Unrolling

_SIZES = 2


def least_sizes(parameters: Sequence[Parameter]) -> Iterator[dict[str, int]]:
    """The least parameter values, and those one larger."""
    seen = []
    for step in range(_SIZES):
        found = {p.name: min(p.low + step, p.high) for p in parameters}
        if found not in seen:
            seen.append(found)
            yield found


def require_start(model: Model, parameters: Mapping[str, int], solver: Solver) -> None:
    """Show that there is an initial state at these parameters.

    Raises NoInitialState when there is none, EmptySort when there is no state at all, BoundTooSmall
    when Init does not fit into the sorts.
    """
    unrolling = Unrolling(TransitionSystem(model, parameters), solver)
    unrolling.start()
    # No limit is set, so whatever is not SAT is no initial state that anybody has seen.
    if solver.check([], None) is not Answer.SAT:
        raise no_initial_state(model, parameters)
