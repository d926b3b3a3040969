"""Which traces somebody would rather have, of those that are equally short."""

from __future__ import annotations

from dataclasses import dataclass

from bmc.engines.task import OptionError


@dataclass(frozen=True)
class TracePreference:
    """How many traces of each property are wanted, and the order in which equals are tried.

    Raises OptionError for less than one trace.
    """

    traces: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.traces < 1:
            raise OptionError(f"--max-traces must be 1 or more, you gave {self.traces}")
