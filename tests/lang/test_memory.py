"""Protocols that nobody holds any more leave nothing behind, and shared parts are walked once."""

from __future__ import annotations

import gc
import time
from typing import Any

from bmc.evidence.sources import variables_of
from bmc.lang import Integer, Protocol, Step, Suite, Variable, action, invariant, one_of, operator
from bmc.lang.build import argument
from bmc.lang.terms import Term, make, subterms
from bmc.readings.quantified.formulas import Expression

FIRST, MORE = 20, 100


@operator
def raised(x: Any) -> Any:
    return x + 1


def small(number: int) -> Suite:
    count = Integer(f"Count{number}", 0, number + 2)

    class Small(Protocol):
        """Counts."""

        x = Variable(count)

        @action()
        def Init(self, s: Step) -> None:
            s.x = 0

        @action()
        def Up(self, s: Step) -> None:
            s.require(s.x < number + 1)
            s.x = raised(s.x)

        Next = one_of(Up)

        @invariant("below the end")
        def Below(self, s: Any) -> Any:
            return s.x <= number + 2

    return Suite.of(Small, f"small-{number}")


def build(numbers: range) -> int:
    """Describe a protocol for each number; return how many nodes there are afterwards."""
    from bmc.system.parametric import ParametricSystem

    for number in numbers:
        suite = small(number)
        model = suite.model(False)
        ParametricSystem(model, [suite.describe(suite.find("Below"), model)], [])
    gc.collect()
    return sum(isinstance(one, Term | Expression) for one in gc.get_objects())


def test_many_protocols_in_one_process_take_the_memory_of_one() -> None:
    after_few = build(range(FIRST))
    assert build(range(FIRST, FIRST + MORE)) <= after_few + 2 * MORE // 10


def test_a_term_with_shared_parts_is_walked_once() -> None:
    whole = argument("x", Integer("N", 0, 3))
    for _ in range(200):
        whole = make("add", (whole, whole), whole.sort)
    start = time.process_time()
    assert len(list(subterms([whole]))) == 201
    assert variables_of([whole]) == frozenset()
    assert time.process_time() - start < 1
