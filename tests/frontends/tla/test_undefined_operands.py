"""A claim has a value where the evaluator of the text finds one, and the same; elsewhere none.

Four thousand claims: each operator at each of its operands, with each way to lose a value, decided
by sorts and ranges alone if the operand is not read. The interpreter reads what they are translated
to in two states, before and after the operand has lost its value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.errors import EvaluationError
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.model import translate
from bmc.frontends.tla.translated_model import TranslatedModel
from bmc.lang.errors import BoundTooSmall
from tests.frontends.tla.models import explored
from tests.frontends.tla.symmetric_operands import SYMMETRIC
from tests.frontends.tla.undefined_operands import CONFIG, PLAIN, TEXT, Claimed

LOST = {
    "Len(@Q)",
    "SubSeq(@Q, 1, 1)",
    "SubSeq(@Q, 2, 1)",
    "[r EXCEPT !.a = @N]",
    "[f EXCEPT ![1] = @N]",
    "[q EXCEPT ![1] = @N]",
}
"""What may have no value where the text has one: sequences that are strings, of which TLC has no
SubSeq either, and functions that are given a value which their sort has no room for."""


def differences(folder: Path, step: int = 1, claimed: Claimed = PLAIN) -> Counter[tuple[str, str]]:
    """Return how often claims of a template differ, and how, in the states before and after."""
    asked = list(claimed.claims())[::step]
    lines = "".join(f"C{i} == {claim}\n" for i, (_, claim) in enumerate(asked))
    (folder / "M.tla").write_text(f"---- MODULE M ----\n{claimed.text}{lines}====\n")
    (folder / "M.cfg").write_text(claimed.config)
    specification = load(folder / "M.tla", lemmas=[f"C{i}" for i in range(len(asked))])
    machine = Machine(specification)
    before = machine.initial_states()
    after = [state for first in before for state in machine.successors(first)]
    translation = translate(specification)
    model = TranslatedModel(translation)
    terms = {one.name: one.body for one in translation.properties}
    found: Counter[tuple[str, str]] = Counter()
    for (template, _), lemma in zip(asked, specification.lemmas, strict=True):
        body = terms.get(lemma.name)
        if body is None:
            found["refused", template] += 1
            continue
        judge = model._compiler.function(body)
        for state in (*before, *after):
            text = value_of(partial(machine.holds, lemma.expression, state))
            translated = value_of(partial(judge, model._held(state), None))
            if text is None and translated is not None:
                found["proved without a value", template] += 1
            elif text is not None and translated is None:
                found["lost", template] += 1
            elif text is not translated:
                found["another value", template] += 1
    return found


def value_of(truth: Callable[..., Any]) -> bool | None:
    try:
        return bool(truth())
    except (EvaluationError, BoundTooSmall):
        return None


# By day one in five, which are of all operators; the night asks all.
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.nightly)])
def test_a_claim_has_a_value_where_its_text_has_one(tmp_path: Path, step: int) -> None:
    found = differences(tmp_path, step)
    assert {how for how, _ in found} <= {"lost", "refused"}
    assert {template for how, template in found if how == "lost"} <= LOST
    assert found.total() <= 40


def test_a_claim_of_symmetric_members_has_a_value_where_its_text_has_one(tmp_path: Path) -> None:
    assert not differences(tmp_path, 1, SYMMETRIC)
    assert translate(load(tmp_path / "M.tla")).layout.scalarsets, "somebody names a member"


def test_what_a_claim_reads_is_what_makes_the_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it, claims of many templates are proved where the text has no value."""
    monkeypatch.setattr(Expressions, "may_lose", lambda *_: False)
    for claimed in (PLAIN, SYMMETRIC):
        found = differences(tmp_path, 7, claimed)
        assert sum(n for (how, _), n in found.items() if how == "proved without a value") > 100


@pytest.mark.parametrize(
    "claim",
    [
        "{1} \\in {p \\in SUBSET (1..2) : \\A i \\in p : f[i] = 1}",
        "{1} \\in {p \\in SUBSET (1..9) : \\A i \\in p : f[i] = 1}",
        "{1, 3} \\notin {p \\in SUBSET (1..2) : \\A i \\in p : f[i] = 1}",
        "1 \\in {i \\in Nat : f[i] = 1}",
        "<<1, 2>> \\in {p \\in (1..99) \\X (1..99) : f[p[1]] = 1}",
    ],
)
def test_a_filter_of_a_set_that_is_not_listed_is_asked_for_one_member(
    tmp_path: Path, claim: str
) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{TEXT}Inv == {claim}\n====\n")
    (tmp_path / "M.cfg").write_text(f"{CONFIG} INVARIANT Inv")
    specification = load(tmp_path / "M.tla")
    assert explored(translate(specification)).holds == ("Inv",)
    machine = Machine(specification)
    (before,) = machine.initial_states()
    assert machine.holds(specification.invariants[0].expression, before)


@pytest.mark.parametrize(
    "claim",
    [
        "{f} # {h \\in [{1, 2} -> {0, 1}] : f[h[1]] # 1}",
        "{h \\in [{1, 2} -> {0, 1}] : f[h[1]] # 1} # {f}",
        "<<{f}>> # <<{h \\in [{1, 2} -> {0, 1}] : f[h[1]] # 1}>>",
        "{f} \\notin {{h \\in [{1, 2} -> {0, 1}] : f[h[1]] # 1}}",
        "{f} # ({h \\in [{1, 2} -> {0, 1}] : f[h[1]] # 1} \\cup {g})",
        "({1} \\X {1}) \\cup {p \\in (0..1) \\X {1} : f[p[1]] = 1} # {<<1, 5>>}",
        "(SUBSET {1}) \\cup {p \\in SUBSET {0} : \\A i \\in p : f[i] = 1} # {{5}}",
    ],
)
def test_a_filter_of_a_set_that_is_not_listed_is_asked_for_all_where_it_is_compared(
    tmp_path: Path, claim: str
) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{TEXT}Inv == {claim}\n====\n")
    (tmp_path / "M.cfg").write_text(f"{CONFIG} INVARIANT Inv")
    specification = load(tmp_path / "M.tla")
    assert explored(translate(specification)).holds == ()
    machine = Machine(specification)
    (before,) = machine.initial_states()
    assert value_of(partial(machine.holds, specification.invariants[0].expression, before)) is None


@pytest.mark.parametrize(
    "claim",
    [
        "~D!AreConnectedIn(1, 9, [node |-> DOMAIN f])",
        "~U!AreConnectedIn(1, 9, [node |-> DOMAIN f, edge |-> {{1, 9}}])",
        "U!ConnectedComponents([node |-> DOMAIN f, edge |-> {{1, 9}}]) # {}",
        "~R!ReflexiveTransitiveClosure([p \\in {<<1, 2>>, <<2, 1>>} |-> f[1] > 1], {1, 2})[1, 2]",
    ],
)
def test_operators_of_graphs_and_relations_read_what_their_modules_read(
    tmp_path: Path, claim: str
) -> None:
    """Without an edge's nodes, or a pair of a relation, TLC ends with an error."""
    modules = "D == INSTANCE Graphs\nU == INSTANCE UndirectedGraphs\nR == INSTANCE Relation\n"
    (tmp_path / "M.tla").write_text(
        f"---- MODULE M ----\n{TEXT}{modules}Inv == {claim}\nNot == ~Inv\n====\n"
    )
    (tmp_path / "M.cfg").write_text(f"{CONFIG} INVARIANT Inv Not")
    assert explored(translate(load(tmp_path / "M.tla"))).holds == ()


BEHIND = (
    "\\A i \\in {}, j \\in %s : FALSE",
    "~\\E i \\in {9} \\ {9}, j \\in %s : TRUE",
    "b \\/ \\A i \\in {}, j \\in %s : FALSE",
    "\\A i \\in {}, <<j, l>> \\in %s : FALSE",
)


@pytest.mark.parametrize("claim", BEHIND)
@pytest.mark.parametrize("endless", ["Nat", "STRING", "Seq(S)", "SUBSET Nat", "[a : Nat]"])
def test_a_set_without_an_end_has_no_members_to_run_over_where_one_before_is_empty(
    tmp_path: Path, claim: str, endless: str
) -> None:
    assert _differences_of(tmp_path, claim % endless) == []


@pytest.mark.parametrize("claim", [*BEHIND, "{1 : i \\in {}, j \\in %s} = {}"])
@pytest.mark.parametrize("varied", ["%s", "SUBSET %s", "(S \\X %s)", "[S -> %s]", "[a : %s]"])
def test_a_set_whose_end_the_state_decides_is_refused_where_one_before_is_empty(
    tmp_path: Path, claim: str, varied: str
) -> None:
    asked = claim % varied % "(IF at = 1 THEN S ELSE Nat)"
    assert _differences_of(tmp_path, asked) == [("refused", "")]


@pytest.mark.parametrize(
    "claim",
    [
        "\\A i \\in {}, <<j, l>> \\in {q \\o q} : FALSE",
        "\\A i \\in S \\cap {1}, <<j, l>> \\in {IF at = 1 THEN q ELSE e} : TRUE",
        "{1 : i \\in S \\cap {1}, <<j, l>> \\in {e}} = {} \\/ at = 1",
        "DOMAIN [i \\in S \\cap {1}, <<j, l>> \\in {e} |-> 1] = {} \\/ at = 1",
    ],
)
def test_what_is_no_tuple_is_bound_to_none_where_a_set_before_is_empty(
    tmp_path: Path, claim: str
) -> None:
    assert _differences_of(tmp_path, claim) == []


def _differences_of(folder: Path, claim: str) -> list[tuple[str, str]]:
    return list(differences(folder, claimed=replace(PLAIN, claims=lambda: iter([("", claim)]))))
