"""From the numbers of states in a table to traces that have been replayed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from bmc.engines.packed.kept import FoundStates
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.quotient import Quotient
from bmc.engines.packed.successors import BeyondBounds, Expansion
from bmc.evidence.replay import (
    holds_at_end,
    overflowing_action,
    reached_at_end,
    replay,
    require_violation,
)
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Contradiction
from bmc.lang.properties import Kind, Property
from bmc.readings.value import ConcreteState, Interpreter
from bmc.system.transition import TransitionSystem


class Paths:
    """Shortest paths to the states of a table that was filled breadth-first.

    Every trace is replayed by the value reading before it is returned; Contradiction is raised
    when that reading takes another view. With a ``quotient`` the table holds representatives,
    and a path goes through states of the same orbits instead.
    """

    def __init__(
        self,
        system: TransitionSystem,
        packing: Packing,
        table: FoundStates,
        quotient: Quotient | None = None,
    ) -> None:
        self._system = system
        self._packing = packing
        self._table = table
        self._quotient = quotient
        self._interpreter = Interpreter(system.model, system.domains)

    def read_from(self, table: FoundStates) -> None:
        """Take states, and the numbers that they have from now on, from another table."""
        self._table = table

    def to(self, number: int) -> Trace:
        """A shortest trace to a state of the table."""
        return replay(self._interpreter, self._states(number))

    def of(self, rows: Rows) -> Trace:
        """The trace through these states, each one a step after the one before it."""
        return replay(self._interpreter, [self._decode(row) for row in rows])

    def through(self, number: int, row: Rows, stated: Property) -> Trace:
        """A shortest trace to a state of the table, and on by a step that decides ``stated``.

        ``row`` has the state after that step, or one of its orbit.
        """
        rows = self._rows(number)
        for last in self._alike(rows[-1], row):
            trace = replay(self._interpreter, [self._decode(r) for r in (*rows, last)])
            if self._quotient is None or not holds_at_end(self._interpreter, trace, stated):
                return trace
        raise Contradiction(f"no step of the orbit that violates {stated.name} does")

    def judge(self, trace: Trace, stated: Property) -> None:
        """Contradiction unless the trace's end decides the property.

        That is: it violates it, or if it is a witness, is one.
        """
        if stated.kind is not Kind.WITNESS:
            require_violation(self._interpreter, trace, stated)
        elif not reached_at_end(self._interpreter, trace, stated):
            raise Contradiction(f"a trace to {stated.name} does not reach it when it is replayed")

    def why_beyond_bounds(self, trace: Trace) -> str:
        """What leaves the model's bounds in a step out of a trace's last state."""
        reason = overflowing_action(self._interpreter, trace.steps[-1].state)
        if reason is None:
            raise Contradiction("a state that leaves the model's bounds does not on replay")
        return reason

    @cached_property
    def _expansion(self) -> Expansion:
        # Of its own, because the search reads a block's steps while it asks for traces; and only
        # when a trace is asked for, because compiling it takes as long as grounding does.
        return Expansion(self._system, self._packing)

    def _states(self, number: int) -> list[ConcreteState]:
        return [self._decode(row) for row in self._rows(number)]

    def _rows(self, number: int) -> list[Rows]:
        """The states of a path, each one a step after the one before it."""
        found: list[Rows] = []
        for n in self._table.path(number):
            row = self._table.rows(n, n + 1)[0]
            found.append(next(self._alike(found[-1], row)) if found else row)
        return found

    def _alike(self, before: Rows, after: Rows) -> Iterator[Rows]:
        """The states one step after ``before`` in the orbit of ``after``, or ``after`` itself."""
        if self._quotient is None:
            yield after
            return
        steps = self._expansion.steps(before.reshape(1, -1))
        if isinstance(steps, BeyondBounds):
            raise Contradiction("an image of a state within bounds leaves them")
        rows = steps.rows.copy()
        wanted = self._quotient.representatives(after.reshape(1, -1))
        yield from rows[(self._quotient.representatives(rows) == wanted).all(axis=1)]

    def _decode(self, row: Rows) -> ConcreteState:
        return self._system.decode(self._packing.numbers(row))
