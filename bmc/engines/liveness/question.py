"""What is asked of temporal claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bmc.lang.protocol import parameter_values
from bmc.lang.suite import Suite


@dataclass(frozen=True)
class Question:
    """Which temporal claims of a suite to decide, and within what.

    ``timeout`` is in seconds, ``memory`` in megabytes that this process may hold; None for no
    limit. ``depth`` is the most steps to the last state of a lasso, for a search that holds no
    graph. Raises ParameterError when a value cannot be used.
    """

    suite: Suite
    parameters: Mapping[str, int]
    claims: tuple[str, ...]
    timeout: float | None = None
    memory: int | None = None
    max_states: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        values = parameter_values(self.suite.protocol, self.parameters, self.suite.name)
        object.__setattr__(self, "parameters", values)
