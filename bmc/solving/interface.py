"""The contract of a solver backend.

Handles are opaque: a backend's own terms. With ``b`` Bool handles and ``i`` integer handles,

- ``boolean()`` and ``integer(low, high)`` make fresh variables; an integer never leaves its
  range in any model;
- the operators mean what their names say, on numbers without overflow;
- ``add(b)`` asserts for good; ``check(assumptions)`` asks for a model of all that was added and
  of the assumptions; after SAT, ``value(h)`` is a handle's number in that model (a Bool is 0
  or 1);
- whatever is not a definite yes or no is UNKNOWN: never an answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import Any

from bmc.lang.errors import BmcError
from bmc.layout.affordable import TooLarge
from bmc.readings.circuit import Node, cone

Handle = Any


class SolverError(BmcError):
    """A solver is missing, or was used outside its contract."""


WIDTH = 16
"""Bits of an integer in the bit-vector backends. Every backend refuses what does not fit."""


def require_width(low: int, high: int) -> None:
    """TooLarge unless all of ``low .. high`` are numbers of :data:`WIDTH` bits."""
    limit = 2 ** (WIDTH - 1)
    if low < -limit or high >= limit:
        raise TooLarge(
            f"numbers from {low} to {high} do not fit into the {WIDTH} bits that a solver computes "
            "with: choose smaller parameters and numbers nearer to 0, or `bmc explore`"
        )


class Answer(Enum):
    """What a solver says."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


class Solver(ABC):
    """An incremental solver over Booleans and small integers."""

    name: str
    version: str
    interruptible: bool = True
    """Whether :meth:`check` stops at its time limit. Where it does not, whoever needs the limit to
    hold runs the backend in a process that can be stopped."""

    @abstractmethod
    def boolean(self) -> Handle:
        """A fresh Bool variable."""

    @abstractmethod
    def integer(self, low: int, high: int) -> Handle:
        """A fresh integer variable within ``low .. high``."""

    @abstractmethod
    def constant(self, value: bool) -> Handle:
        """TRUE or FALSE."""

    @abstractmethod
    def number(self, value: int) -> Handle:
        """An integer constant."""

    @abstractmethod
    def apply(self, op: str, node: Node, args: Sequence[Handle]) -> Handle:
        """An operator of the circuit on handles; ``node`` gives the interval of the result."""

    @abstractmethod
    def add(self, formula: Handle) -> None:
        """Assert a Bool handle for good."""

    @abstractmethod
    def at_most_one(self, formulas: Sequence[Handle]) -> None:
        """Assert that no two of these hold."""

    @abstractmethod
    def check(
        self,
        assumptions: Sequence[Handle] = (),
        timeout: float | None = None,
        conflicts: int | None = None,
    ) -> Answer:
        """Return whether there is a model under the assumptions.

        It is UNKNOWN after ``timeout`` seconds if the backend is :attr:`interruptible`; any other
        asks nothing when no time is left, and may take longer than it was given. After so many
        ``conflicts`` it is UNKNOWN as well, which is the same on every machine; a backend that
        does not count them goes on. Raises KeyboardInterrupt when the user interrupts.
        """

    @abstractmethod
    def value(self, handle: Handle) -> int:
        """A handle's number in the last model."""

    def clause(self, *formulas: Handle) -> None:
        """Assert that one of these holds."""
        self.add(self.any(formulas))

    @abstractmethod
    def any(self, formulas: Sequence[Handle]) -> Handle:
        """The disjunction of Bool handles."""

    @abstractmethod
    def negation(self, formula: Handle) -> Handle:
        """The negation of a Bool handle."""

    @abstractmethod
    def equal(self, left: Handle, right: Handle, boolean: bool) -> Handle:
        """Equality of two handles of one kind."""

    def add_equal(
        self, left: Handle, right: Handle, boolean: bool, unless: Sequence[Handle]
    ) -> None:
        """Assert that two handles of one kind are equal unless one of these holds."""
        self.clause(*unless, self.equal(left, right, boolean))


class Translation:
    """Circuit nodes as a solver's handles, for one assignment of variables to handles."""

    def __init__(self, solver: Solver, variables: Sequence[Handle]) -> None:
        self.solver = solver
        self.variables = variables
        self._known: dict[int, Handle] = {}

    def __call__(self, node: Node) -> Handle:
        """The handle of a node; shared nodes are translated once."""
        known = self._known
        if node.uid in known:
            return known[node.uid]
        for inner in cone_outside(node, known):
            match inner.op:
                case "const":
                    handle = self.solver.constant(bool(inner.data))
                case "num":
                    handle = self.solver.number(inner.data)
                case "var" | "ivar":
                    handle = self.variables[inner.data]
                    if handle is None:
                        raise SolverError(
                            f"scalar {inner.data} is read, which is outside the cone of influence"
                        )
                case op:
                    handle = self.solver.apply(op, inner, [known[a.uid] for a in inner.args])
            known[inner.uid] = handle
        return known[node.uid]


def cone_outside(node: Node, known: dict[int, Handle]) -> list[Node]:
    """The nodes below ``node`` that have no handle yet, arguments first."""
    if not known:
        return list(cone([node]))
    found: list[Node] = []
    stack = [(node, False)]
    seen: set[int] = set()
    while stack:
        current, ready = stack.pop()
        if ready:
            found.append(current)
        elif current.uid not in known and current.uid not in seen:
            seen.add(current.uid)
            stack.append((current, True))
            stack.extend((child, False) for child in current.args)
    return found
