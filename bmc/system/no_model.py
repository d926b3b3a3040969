"""What says that a protocol is no model at the parameters it is asked at."""

from collections.abc import Mapping

from bmc.lang.errors import BoundTooSmall, LanguageError
from bmc.lang.model import Model
from bmc.layout.affordable import TooLarge
from bmc.layout.inhabited import EmptySort
from bmc.system.transition import NoInitialState

NO_MODEL = (BoundTooSmall, EmptySort, LanguageError, NoInitialState, TooLarge)
"""Failures that are no fault of bmc: who judges several models has them cost this one alone."""


def no_initial_state(model: Model, parameters: Mapping[str, int]) -> NoInitialState:
    """Return the refusal of a model that has no initial state at these parameters."""
    at = ", ".join(f"{name}={value}" for name, value in parameters.items())
    return NoInitialState(
        f"{model.initial.source}: no state satisfies Init and the state constraint"
        f"{f' at {at}' if at else ''}, and everything would hold: mend them"
        f"{', or choose other parameters' if at else ''}"
    )
