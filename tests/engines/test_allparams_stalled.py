"""Where the search for instances stalls, either solver with quantifiers can show it the way."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from bmc.encodings.id_sequence import IdSequence

from bmc.engines.allparams import condition
from bmc.engines.allparams.condition import Decider
from bmc.engines.allparams.instantiation import Refutation
from bmc.lang.describe import model_of
from bmc.readings.quantified.clauses import Universal
from bmc.system.parametric import BOUNDS, Name, ParametricSystem


@pytest.mark.parametrize("silent", ["first_order_z3", "first_order_cvc5"])
def test_either_solver_with_quantifiers_helps_where_the_search_stalls(
    silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the first search, among all formulas, is kept from ending."""
    system = ParametricSystem(model_of(IdSequence), (), ())
    decider = Decider(system, 20.0)
    name = Name(BOUNDS, "NextId")
    whole = decider.search.refute
    asked: list[int] = []

    def stalls(formulas: Sequence[Universal], seconds: float) -> Refutation:
        asked.append(len(formulas))
        return Refutation(None, 0, "stalled") if len(asked) == 1 else whole(formulas, seconds)

    monkeypatch.setattr(decider.search, "refute", stalls)
    monkeypatch.setattr(getattr(condition, silent), "quantified_core", lambda *_: None)
    assert decider.decide(name).closed
    assert asked[1] <= asked[0]
