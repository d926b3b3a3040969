"""All readings agree on every term, in every state, on its value and on whether it has one."""

from hypothesis import given

from bmc.lang.sorts import IntSort
from bmc.solving.factory import create
from tests.semantics.outcomes import (
    TOO_SMALL,
    by_constants,
    by_value,
    by_variables,
    python,
    solved_by,
    vectors,
)
from tests.strategies import Case, cases, effort


@effort(1500)
@given(cases())
def test_expansion_agrees(case: Case) -> None:
    """Over constants, over variables, and read lane by lane."""
    value = by_value(case)
    assert by_constants(case) == value
    assert by_variables(case, python, vectors) == [value, value]


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


@effort(80)
@given(cases())
def test_z3_agrees(case: Case) -> None:
    assert by_variables(case, solved_by(lambda: create("z3"))) == [by_value(case)]


@effort(80)
@given(cases())
def test_bitwuzla_agrees(case: Case) -> None:
    assert by_variables(case, solved_by(lambda: create("bitwuzla"))) == [by_value(case)]


@effort(100)
@given(cases())
def test_cadical_agrees(case: Case) -> None:
    assert by_variables(case, solved_by(lambda: create("cadical"))) == [by_value(case)]
