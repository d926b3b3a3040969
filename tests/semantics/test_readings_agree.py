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


@effort(300)
@given(cases())
def test_values_belong_to_their_sort(case: Case) -> None:
    value = by_value(case)
    if value is TOO_SMALL:
        return
    if isinstance(case.term.sort, IntSort) and not case.term.sort.bounded:
        assert type(value) is int
    else:
        assert case.world.domains.contains(case.term.sort, value)


@effort(400)
@given(cases())
def test_expansion_over_constants_agrees(case: Case) -> None:
    assert by_constants(case) == by_value(case)


@effort(400)
@given(cases())
def test_expansion_over_variables_agrees(case: Case) -> None:
    assert by_variables(case, python) == [by_value(case)]


@effort(150)
@given(cases())
def test_numpy_agrees(case: Case) -> None:
    assert by_variables(case, vectors) == [by_value(case)]


@effort(60)
@given(cases())
def test_z3_agrees(case: Case) -> None:
    assert by_variables(case, solved_by(lambda: create("z3"))) == [by_value(case)]


@effort(60)
@given(cases())
def test_bitwuzla_agrees(case: Case) -> None:
    assert by_variables(case, solved_by(lambda: create("bitwuzla"))) == [by_value(case)]


@effort(100)
@given(cases())
def test_cadical_agrees(case: Case) -> None:
    assert by_variables(case, solved_by(lambda: create("cadical"))) == [by_value(case)]
