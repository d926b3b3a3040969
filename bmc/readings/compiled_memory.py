"""Values of terms that are kept as long as one state is asked of, and which terms are worth it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from bmc.lang.operator_table import BINDERS
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState

Made = Callable[..., Value]


class Memory:
    """The values that functions had in one state, and in one step out of it."""

    def __init__(self) -> None:
        self._state: ConcreteState | None = None
        self._after: ConcreteState | None = None
        self._values: dict[tuple[Any, ...], Value] = {}
        self._numbers = count()

    def keeping(self, made: Made) -> Made:
        """Return a function that keeps what it said of this state; an exception is not kept."""
        values, number = self._values, next(self._numbers)

        def kept(state: ConcreteState, after: ConcreteState | None, *free: Value) -> Value:
            if state is not self._state or after is not self._after:
                # Both are held, so that no other state can come to be at their places.
                self._state, self._after = state, after
                values.clear()
            key = (number, *free)
            try:
                return values[key]
            except KeyError:
                pass
            found = values[key] = made(state, after, *free)
            return found

        return kept


class Repeated:
    """The terms whose value is asked for again and again in one state.

    They are parts of several terms, or of one that is read for each value of a variable which they
    do not read. A term that loops is kept; of any other what it is made of.
    """

    def __init__(self) -> None:
        self.terms: set[Term] = set()
        self._met: set[Term] = set()

    def look(self, terms: Sequence[Term], arguments: int) -> list[Term]:
        """Return those that are added by terms which are read for values of so many arguments."""
        found: list[Term] = []
        pending = [(term, len(term.free) < arguments) for term in terms]
        while pending:
            whole, repeated = pending.pop()
            new = whole not in self._met
            self._met.add(whole)
            added = (repeated or not new) and whole not in self.terms
            if added:
                self.terms.add(whole)
                found.append(whole)
            if not new and not added:
                continue
            inherited = added and whole.op not in BINDERS
            if new or inherited:
                free = len(whole.free)
                pending.extend((one, inherited or len(one.free) < free) for one in whole.args[:-1])
                body = whole.args[-1:]
                free += whole.op in BINDERS
                pending.extend((one, inherited or len(one.free) < free) for one in body)
        return found
