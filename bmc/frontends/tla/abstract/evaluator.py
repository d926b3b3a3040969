"""What the parts of the evaluation of shapes share, and ask of each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import count
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.context import (
    Context,
    Known,
    Place,
)
from bmc.frontends.tla.abstract.domain import NOTHING, Shape
from bmc.frontends.tla.abstract.memory import Memory
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.free import Free

TRUTHS = d.BOOLEANS
ANYTHING = Known(NOTHING)


@dataclass
class UnderWay:
    """A call of a recursive operator that is being evaluated, and what is known of it so far.

    Of an argument that others may narrow, or that narrows others, ``shared`` says where it stands.
    """

    frame: int
    arguments: tuple[Shape, ...]
    shared: tuple[Place | None, ...]
    guess: Shape = NOTHING
    is_asked: bool = False

    def answers(self, arguments: tuple[Shape, ...], shared: tuple[Place | None, ...]) -> bool:
        """Tell whether a call with these arguments has no value that this one has not."""
        places = zip(self.shared, shared, strict=True)
        return self.arguments == arguments and all(mine in (None, one) for mine, one in places)

    def asked(self) -> Known:
        """Return what is known so far: its values are found once that is all there is to know."""
        self.is_asked = True
        return Known(self.guess)


class Evaluator(ABC):
    """Holds the shapes of a state's variables; its parts are a file for each construct."""

    def __init__(self, constants: Constants, steps: tuple[int, ...]) -> None:
        self.constants = constants
        self.steps = steps
        self._state: dict[str, Shape] = {}
        self.free = Free()
        self.memory = Memory(self.free)
        self.initial = False
        self._fresh = count()
        self._constant: dict[c.Expression, Any] = {}
        self._active: dict[c.Definition, list[UnderWay]] = {}
        self._functions: dict[c.Binding, Shape] = {}
        self._inside = 0
        """Conjunctions that are being read, one inside the other."""

    @property
    def state(self) -> dict[str, Shape]:
        """The shapes of the variables."""
        return self._state

    @state.setter
    def state(self, state: dict[str, Shape]) -> None:
        self._state = state
        self.memory.forget()

    @abstractmethod
    def known(self, node: c.Expression, context: Context) -> Known:
        """Return what is known of an expression's value."""

    @abstractmethod
    def shape(self, node: c.Expression, context: Context) -> Shape:
        """Return the shape of an expression's values."""

    @abstractmethod
    def elements(self, shape: Shape) -> Shape:
        """Return the shape of the members of the sets in a shape."""

    @abstractmethod
    def _settled(self, node: c.Expression, context: Context) -> Known | None:
        """Return a constant expression's value, if there is one that can be listed."""

    @abstractmethod
    def argument(self, node: c.Expression, context: Context, of_step: bool = False) -> Any:
        """Return what a parameter means that this argument is given for.

        Where the operator is `of_step`, its body may prime the parameter.
        """

    @abstractmethod
    def bound(self, bounds: tuple[c.Bound, ...], context: Context) -> Context | None:
        """Return the context inside of a binder; None where a set is empty."""

    @abstractmethod
    def operation(
        self, operator: O, arguments: list[Known], node: c.Expression, context: Context
    ) -> Known:
        """Return what is known of a built-in operator's value."""
