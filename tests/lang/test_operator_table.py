"""One table of operators: nothing is built that it does not have, and no reading forgets one."""

from __future__ import annotations

from typing import Any, cast

import pytest

from bmc.lang import BOOL, LanguageError
from bmc.lang.operator_table import BINDERS, OPERATORS, SymmetryRule, require_rules
from bmc.lang.terms import make, truth
from bmc.readings import expand, value
from bmc.readings.quantified import RULES as FIRST_ORDER


def test_every_reading_has_a_rule_for_every_operator_it_reads() -> None:
    assert set(value.RULES) == set(expand.RULES) == set(OPERATORS)
    assert set(FIRST_ORDER) == {name for name, row in OPERATORS.items() if row.first_order}


def test_a_reading_that_forgets_an_operator_is_refused() -> None:
    rules = {name for name in OPERATORS if name != "take"}
    with pytest.raises(LanguageError, match="the value reading has no rule for take"):
        require_rules("value", rules, OPERATORS.keys())


def test_a_rule_for_no_operator_is_refused() -> None:
    with pytest.raises(LanguageError, match="a rule for average, which"):
        require_rules("value", {*OPERATORS, "average"}, OPERATORS.keys())


def test_a_term_of_no_operator_is_refused() -> None:
    with pytest.raises(LanguageError, match="no operator 'average'"):
        make(cast(Any, "average"), (), BOOL)


@pytest.mark.parametrize(("op", "count"), [("not", 2), ("eq", 1), ("forall", 4), ("bool", 1)])
def test_a_term_with_too_many_or_too_few_arguments_is_refused(op: Any, count: int) -> None:
    with pytest.raises(LanguageError, match=f"{op} is given {count} arguments"):
        make(op, [truth(True)] * count, BOOL)


def test_what_breaks_symmetry_is_said_in_the_table() -> None:
    """A constant and a choice among values are all that could tell a scalarset's members apart."""
    by_effect = {s: {n for n, row in OPERATORS.items() if row.symmetry is s} for s in SymmetryRule}
    assert by_effect[SymmetryRule.CONSTANT] == {"int", "bound", "enum", "narrow"}
    assert by_effect[SymmetryRule.CHOICE] == {"choose", "first", "last"}
    assert by_effect[SymmetryRule.CHOICE] <= BINDERS
