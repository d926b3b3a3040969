"""Constants that take long are worked out once, and only where they mean the same everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bmc.frontends.tla import core as c
from bmc.frontends.tla.errors import TlaError
from bmc.frontends.tla.lazy_sets import Records, Selection
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.code import Code, constant
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.specification import Specification
from bmc.frontends.tla.translate.constant_sets import Environment
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.model import translate
from bmc.frontends.tla.translated_model import TranslatedModel
from bmc.frontends.tla.values import TRUE, in_order, ordered
from bmc.frontends.tla.walk import children


def subexpressions(node: c.Expression) -> Iterator[c.Expression]:
    """Yield an expression and all its parts, and those of the definitions that it calls."""
    yield node
    called = [node.definition.body] if isinstance(node, c.Call) else []
    for part in (*children(node), *called):
        yield from subexpressions(part)


def specification(folder: Path, definitions: str, init: str) -> Specification:
    """Return the specification of a module with variables x and y that do not change."""
    (folder / "M.tla").write_text(
        "---- MODULE M ----\nEXTENDS Naturals, FiniteSets\nVARIABLES x, y\n"
        f"{definitions}\nInit == {init}\nNext == UNCHANGED <<x, y>>\n====\n"
    )
    (folder / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    return load(folder / "M.tla")


def test_a_large_set_is_asked_once_about_each_member_and_is_in_order() -> None:
    numbers = frozenset(range(12))
    base = Records(("a", "b"), (numbers, numbers))
    asked: list[Any] = []

    def accepts(member: Any) -> bool:
        asked.append(member)
        return sum(member[1:]) % 3 == 0

    found = Selection(base, accepts).members()
    assert len(asked) == len(set(asked)) == 144
    assert len(found) == 48
    assert list(ordered(found)) == in_order(found)


def test_a_constant_set_is_worked_out_for_the_first_machine_only(tmp_path: Path) -> None:
    text = specification(tmp_path, "", "x \\in {m \\in 0..9 : m * m = 9} /\\ y = 0")
    folded: dict[c.Node, Code] = {}
    assert Machine(text, folded=folded).initial_states() == [(3, 0)]
    (node,) = folded
    folded[node] = constant(frozenset({7}))
    assert Machine(text, folded=folded).initial_states() == [(7, 0)]


def test_a_set_that_reads_what_is_around_it_is_another_one_at_each_place(tmp_path: Path) -> None:
    text = specification(
        tmp_path,
        "Below(n) == {m \\in 0..5 : m < n}\n"
        "Few(k) == LET limit == k IN Cardinality({m \\in 0..5 : m > limit})",
        "x \\in Below(1) \\cup Below(2) /\\ y \\in {Few(2), Few(3)}",
    )
    folded: dict[c.Node, Code] = {}
    for _ in range(2):
        found = Machine(text, folded=folded).initial_states()
        assert sorted(found) == [(0, 2), (0, 3), (1, 2), (1, 3)]
    model = TranslatedModel(translate(text))
    assert sorted(model.initial_states()) == sorted(found)


def test_a_definition_that_reads_nothing_around_it_is_evaluated_once(tmp_path: Path) -> None:
    text = specification(
        tmp_path,
        "Middle == CHOOSE m \\in 0..9 : m * m = 25\n"
        "Sums == {n + Middle : n \\in 1..8}\n"
        "Above(n) == LET own == n + 1 IN {own + k : k \\in 1..2}",
        "x \\in Sums /\\ y \\in Above(1) \\cup Above(4)",
    )
    evaluated = 0

    class Counting(Constants):
        def _value(self, node: c.Expression, env: Environment) -> Any:
            nonlocal evaluated
            evaluated += isinstance(node, c.Choose)
            return super()._value(node, env)

    constants = Counting(text)
    assert text.init is not None
    assert isinstance(text.init, c.Call)
    whole = text.init.definition.body
    assert isinstance(whole, c.Builtin)
    sets = [one.arguments[1] for one in whole.arguments if isinstance(one, c.Builtin)]
    assert [constants.value(one, {}) for one in sets] == [
        frozenset(range(6, 14)),
        frozenset({3, 4, 6, 7}),
    ]
    assert evaluated == 1


def test_the_union_of_one_set_of_functions_is_not_listed(tmp_path: Path) -> None:
    text = specification(
        tmp_path,
        'Sets == UNION {[0..12 -> SUBSET {"a", "b", "c"}]}\n'
        'Own(s) == UNION {[0..12 -> SUBSET (s \\cup {"b"})]}',
        'x = [i \\in 0..12 |-> IF i > 6 THEN {"a"} ELSE {}]'
        " /\\ y = (x \\in Sets /\\ x \\in Own(x[9]))",
    )
    model = TranslatedModel(translate(text))
    found = Machine(text).initial_states()
    assert [truth for _, truth in found] == [TRUE]
    assert list(model.initial_states()) == found


def test_sets_of_members_that_a_condition_allows_are_made_of_these(tmp_path: Path) -> None:
    """Each of 2^20 sets was asked for its members; the text's evaluator asks them at 2^5."""
    text = specification(
        tmp_path,
        "Sets(S, n) == {E \\in SUBSET S : \\A e \\in E : e % n = 0}\n"
        "Itself(S) == {E \\in SUBSET S : \\A e \\in E : e <= Cardinality(E)}\n"
        "Pairs == {<<a, b>> \\in {1, 2} \\X {2} : \\A e \\in {a} : e = b}",
        "x \\in Sets(1..5, 2) \\cup Itself(1..3) /\\ y \\in Sets(1..3, 3) \\cup Pairs",
    )
    model = TranslatedModel(translate(text))
    assert set(model.initial_states()) == set(Machine(text).initial_states())
    large = specification(tmp_path, "", "x \\in {E \\in SUBSET (1..20) : \\A e \\in E : e > 18}")
    assert large.init is not None
    (filtered,) = [one for one in subexpressions(large.init) if isinstance(one, c.SetFilter)]
    found = Constants(large).value(filtered, {})
    assert list(ordered(found)) == [frozenset(s) for s in ((), (19,), (20,), (19, 20))]


def test_a_condition_without_a_value_for_some_member_has_none(tmp_path: Path) -> None:
    text = specification(
        tmp_path, "", "x \\in {E \\in SUBSET {0, 1} : \\A e \\in E : 1 \\div e = 1} /\\ y = 0"
    )
    assert text.init is not None
    (filtered,) = [one for one in subexpressions(text.init) if isinstance(one, c.SetFilter)]
    with pytest.raises(TlaError):
        Constants(text).value(filtered, {})
