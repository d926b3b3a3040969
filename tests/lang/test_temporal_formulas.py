"""A temporal formula is a claim of its own: no part of an invariant, and no truth value."""

from __future__ import annotations

from typing import Any

import pytest

from bmc.lang import (
    Integer,
    LanguageError,
    Protocol,
    Step,
    Suite,
    Variable,
    action,
    invariant,
    one_of,
)
from bmc.lang.errors import DecidedByPython
from bmc.lang.temporal import always, eventually, temporal

Count = Integer("Count", 0, 4)


class Machine(Protocol):
    """A counter."""

    x = Variable(Count)

    @action()
    def Init(self, s: Step) -> None:
        s.x = 0

    @action()
    def Act(self, s: Step) -> None:
        s.x = 1

    Next = one_of(Act)


def test_an_invariant_holds_no_temporal_formula() -> None:
    class Claimed(Machine):
        @invariant("in the end")
        def Ends(self, s: Any) -> Any:
            return eventually(s.x == 3)

    suite = Suite.of(Claimed, "claimed")
    with pytest.raises(LanguageError, match="declared with @temporal"):
        suite.describe(suite.find("Ends"), suite.model(False))


def test_a_temporal_formula_is_neither_dropped_nor_a_truth_value() -> None:
    class Claimed(Machine):
        @temporal()
        def Dropped(self, s: Any) -> Any:
            always(s.x < 3)
            return eventually(s.x == 3)

        @temporal()
        def Anded(self, s: Any) -> Any:
            claims: list[Any] = [always(s.x < 3), eventually(s.x == 3)]
            return claims[0] and claims[1]

    suite = Suite.of(Claimed, "claimed")
    model = suite.model(False)
    with pytest.raises(DecidedByPython, match="its value goes nowhere"):
        suite.describe_temporal("Dropped", model)
    with pytest.raises(LanguageError, match="no truth value"):
        suite.describe_temporal("Anded", model)
