"""What an engine is asked, and whom it tells how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Protocol

from bmc.evidence.verdict import Result
from bmc.lang.errors import BmcError, suggest
from bmc.lang.properties import Kind, Property
from bmc.lang.protocol import Model, parameter_values
from bmc.lang.suite import Suite
from bmc.solving.factory import NAMES


class OptionError(BmcError):
    """An option's value is outside what the engine can use."""


class OutOfTime(BmcError):
    """The time limit has passed; what is not decided yet is unknown."""


@dataclass(frozen=True)
class Task:
    """Decide ``properties`` of a suite at given parameters.

    ``bound`` is the greatest induction depth or search depth, in steps; ``timeout`` is in
    seconds for the whole task, None for none; ``lemmas`` allows the suite's strengthening;
    ``solver`` is one of :data:`bmc.solving.factory.NAMES`.
    Raises ParameterError, UnknownName or OptionError when a value cannot be used.
    """

    suite: Suite
    parameters: Mapping[str, int]
    properties: tuple[str, ...]
    bound: int = 10
    timeout: float | None = None
    lemmas: bool = True
    solver: str = "cadical"

    def __post_init__(self) -> None:
        values = parameter_values(self.suite.protocol, self.parameters)
        object.__setattr__(self, "parameters", values)
        for name in self.properties:
            self.suite.find(name)
        if self.bound < 0:
            raise OptionError(f"the depth must be 0 or more, you gave {self.bound}")
        if self.solver not in NAMES:
            raise OptionError(f"there is no solver {self.solver!r}: {suggest(self.solver, NAMES)}")
        if self.timeout is not None and self.timeout <= 0:
            raise OptionError(f"the timeout must be positive, you gave {self.timeout:g} seconds")

    def model(self, ghosts: bool) -> Model:
        """The suite's model, with or without the ghosts of its history."""
        return self.suite.model(ghosts)

    def stated(self, model: Model) -> tuple[Property, ...]:
        """The properties to decide, over a model's variables."""
        return tuple(self.suite.describe(self.suite.find(n), model) for n in self.properties)

    def strengthening(self, model: Model) -> tuple[Property, ...]:
        """The suite's lemmas, or nothing when they are not allowed."""
        if not self.lemmas:
            return ()
        return tuple(self.suite.describe(d, model) for d in self.suite.declared(Kind.LEMMA))


class Observer(Protocol):
    """Is told what happens, so that a long run is never silent and an interrupted one not lost."""

    def phase(self, text: str) -> None:
        """What is being done now, in a few words."""

    def fact(self, text: str) -> None:
        """Something that is known from now on, worth saying after an interruption."""

    def decided(self, result: Result) -> None:
        """A verdict that will not change any more."""


class Silent:
    """An observer that listens to nothing."""

    def phase(self, text: str) -> None:
        """Ignore it."""

    def fact(self, text: str) -> None:
        """Ignore it."""

    def decided(self, result: Result) -> None:
        """Ignore it."""


SILENT = Silent()


class Deadline:
    """A point in time after which an engine stops; seconds from now, None for never."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else monotonic() + seconds

    def remaining(self) -> float | None:
        """Seconds left, never negative; None when there is no limit."""
        return None if self._end is None else max(0.0, self._end - monotonic())

    def check(self) -> None:
        """Raise OutOfTime once the limit has passed."""
        if self._end is not None and monotonic() > self._end:
            raise OutOfTime("the time limit has passed")
