"""Terms whose parts are shared are read once for each part, not once for each way to it."""

from __future__ import annotations

import pytest

from bmc.lang import Expr, Integer, Term
from bmc.lang.build import forall, ite, minimum
from bmc.lang.state import state_variable
from bmc.lang.terms import term_of
from bmc.layout.domain import Domains
from bmc.readings.value import Evaluator

N = Integer("N", 0, 7)
VARIABLE = state_variable("n", N)
WAYS = 60
"""As many turns as double the ways to the variable: whoever takes all of them never ends."""


def doubled(start: Expr) -> Term:
    """Return a value that a helper makes of itself twice in each turn, as loops and LETs do."""
    for _ in range(WAYS):
        start = minimum(start + start, 5)
    return term_of(start)


@pytest.mark.parametrize(("n", "value"), [(0, 0), (1, 5), (7, 5)])
def test_a_value_that_is_shared(n: int, value: int) -> None:
    assert Evaluator(Domains({})).evaluate(doubled(VARIABLE), {"n": n}) == value


def test_what_is_remembered_is_of_these_values_of_bound_variables() -> None:
    term = forall(N, lambda k: ite(k == 0, 0, 5) == doubled(k))
    assert Evaluator(Domains({})).evaluate(term_of(term), {"n": 0}) is True
    term = forall(N, lambda k: doubled(k) == doubled(VARIABLE))
    assert Evaluator(Domains({})).evaluate(term_of(term), {"n": 1}) is False


def test_one_evaluation_is_of_one_state() -> None:
    asked = Evaluator(Domains({}))
    assert [asked.evaluate(doubled(VARIABLE), {"n": n}) for n in (1, 0, 2)] == [5, 0, 5]
