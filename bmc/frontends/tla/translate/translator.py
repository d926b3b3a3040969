"""What the translation of expressions knows, and what its parts ask of each other."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.layout import Layout
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.free import Free, Recursions
from bmc.frontends.tla.translate.functions import Functions
from bmc.frontends.tla.translate.joining import Joining
from bmc.frontends.tla.translate.lazy import (
    Formula,
    Lazy,
)
from bmc.frontends.tla.translate.losing import Losing
from bmc.frontends.tla.translate.memory import Memory, Place
from bmc.lang.model import Argument
from bmc.lang.sorts import Sort
from bmc.lang.terms import Term


class Translator(Functions):
    """Holds the variables' sorts and the constants; its parts are a file for each construct."""

    def __init__(self, layout: Layout, constants: Constants, sorts: Mapping[str, Sort]) -> None:
        super().__init__(layout, constants)
        self.sorts = dict(sorts)
        self.free = Free()
        self.recursions = Recursions()
        self.memory = Memory(self.free)
        self.joining = Joining(constants, self.free)
        self.losing = Losing(self.sorts, constants)
        self.initial = False
        self.relation = False
        """Whether primed variables are those of the state after the step, not of its updates."""
        self._constant: dict[c.Expression, Any] = {}
        self._depth: dict[c.Definition, int] = {}
        self._most_calls: dict[c.Definition, int] = {}
        """How deep recursions that are under way may go before they have no value."""
        self._calls = 0
        self._cut: set[c.Definition] = set()
        """The recursions that were given up so in the last unrolling of them."""
        self._unrolling = 0
        """Which unrolling of a recursion with such an end is under way; 0 where none is."""
        self._unrollings = itertools.count(1)
        self._given: dict[tuple[c.Definition, int], list[Any]] = {}
        """The arguments of the last call of a recursion at each depth."""
        self.enabled_by: Callable[[c.Expression, Context], Formula] | None = None

    def place(self, context: Context) -> Place:
        """Return what a translation in a context depends on."""
        return Place(
            context.environment,
            context.updates,
            context.primed,
            self.initial,
            self.relation,
            self._unrolling,
        )

    @abstractmethod
    def formula_of(self, node: c.Expression, context: Context) -> Formula:
        """Return the translation of a formula."""

    @abstractmethod
    def value_of(self, node: c.Expression, context: Context) -> Lazy:
        """Return the translation of an expression."""

    @abstractmethod
    def value_read(self, node: c.Expression, context: Context) -> Lazy:
        """Return the value of a body; without one where what the body reads has none."""

    @abstractmethod
    def argument(self, node: c.Expression, context: Context, of_step: bool = False) -> Any:
        """Return what a parameter means that this argument is given for.

        Where the operator is `of_step`, its body may prime the parameter: `Is(v) == v' = 0`.
        """

    @abstractmethod
    def domain(self, bound: c.Bound, context: Context) -> Lazy:
        """Return the set that a bound variable runs over."""

    @abstractmethod
    def binding(self, bound: c.Bound, value: Lazy, context: Context) -> Context:
        """Return the context in which the bound variables have a value."""


@dataclass(frozen=True, eq=False)
class Context:
    """Where an expression is read: what names mean, and the step so far."""

    environment: Mapping[c.Binding, Any]
    arguments: tuple[Argument, ...] = ()
    guards: tuple[Term, ...] = ()
    updates: Mapping[str, Lazy] = field(default_factory=dict)
    primed: bool = False
