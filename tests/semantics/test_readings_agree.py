"""All readings agree on every term, in every state, on its value and on whether it has one."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given

from bmc.lang.sorts import IntSort
from bmc.solving.factory import create
from tests.semantics.outcomes import (
    TOO_SMALL,
    by_constants,
    by_value,
    by_variables,
    gates,
    python,
    solved_by,
    subterms,
    vectors,
)
from tests.strategies import Case, cases, effort
from tests.strategies.values import Value

Reading = Callable[[Case], list[Value]]


def require_agreement(case: Case, reading: Reading) -> None:
    """Fail, naming the first subterm on which a reading differs from the `value` reading."""
    if agrees(case, reading):
        return
    closed = [t for t in subterms(case.term) if t.free <= set(case.arguments)]
    # Arguments of a term are older than it.
    for term in sorted(closed, key=lambda t: t.uid):
        part = replace(case, term=term)
        if not agrees(part, reading):
            raise AssertionError(f"{part!r}\n  is {by_value(part)!r}, not {reading(part)!r}")


def agrees(case: Case, reading: Reading) -> bool:
    """Whether a reading says the same as the `value` reading."""
    return all(value == by_value(case) for value in reading(case))


@effort(1500)
@given(cases())
def test_expansion_agrees(case: Case) -> None:
    """Over constants, over variables, read lane by lane, and as an and-inverter graph."""
    require_agreement(case, lambda c: [by_constants(c), *by_variables(c, python, vectors, gates)])


@pytest.mark.parametrize("name", ["z3", "bitwuzla", "cadical"])
@effort(80)
@given(case=cases())
def test_solvers_agree(name: str, case: Case) -> None:
    reader = solved_by(lambda: create(name))
    require_agreement(case, lambda c: by_variables(c, reader))


@effort(200)
@given(cases())
def test_values_belong_to_their_sort(case: Case) -> None:
    value = by_value(case)
    if value is TOO_SMALL:
        return
    if isinstance(case.term.sort, IntSort) and not case.term.sort.bounded:
        assert type(value) is int
    else:
        assert case.world.domains.contains(case.term.sort, value)
