"""A fold over a set that varies takes its members as its text says: the chosen one outermost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.errors import NothingToChoose
from bmc.frontends.tla.oracle.machine import Machine

TEXT = """---- MODULE M ----
EXTENDS Integers, Sequences, FiniteSets, FiniteSetsExt, SequencesExt, Apalache, Bags, BagsExt
VARIABLES s
Take(op(_, _), choose(_)) == MapThenFoldSet(op, 0, LAMBDA e : e, choose, s)
First(t) == CHOOSE e \\in t : TRUE
Ten(a, b) == a + 10 * b
Init == s = {}
Next == s' \\in SUBSET {1, 2, 3}
"""

CLAIMS = {
    "Chosen": "s = {1, 2, 3} => Take(Ten, First) = 321",
    "Largest": "s = {1, 3} => Take(Ten, LAMBDA t : Max(t)) = 13",
    "Image": "s = {1, 3} => MapThenFoldSet(Ten, 0, LAMBDA e : 2 * e, First, s) = 62",
    "Folded": "s = {1, 2} => FoldSet(Ten, 0, s) = 21",
    "Reduced": "s = {1, 2} => ReduceSet(Ten, s, 0) = 21",
    "Function": "s = {1, 2} => FoldFunction(Ten, 0, [e \\in s |-> e]) = 21",
    "Sequence": "s = {1, 2} => FoldSeq(Ten, 0, SetToSeq(s)) = 21",
    "Bag": "s = {1, 2} => FoldBag(LAMBDA b, a : Ten(a, b), 0, SetToBag(s)) = 21",
    "Apalaches": "s = {1, 3} => ApaFoldSet(LAMBDA b, a : Ten(a, b), 0, s) = 13",
}


def _checked(folder: Path, definitions: str, names: str) -> int:
    (folder / "M.tla").write_text(f"{TEXT}{definitions}====\n")
    (folder / "M.cfg").write_text(f"INIT Init NEXT Next INVARIANTS {names}\n")
    return run(["explore", str(folder / "M.tla"), "--json"])


def test_every_fold_takes_the_members_as_its_module_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stated = "".join(f"{name} == {claim}\n" for name, claim in CLAIMS.items())
    _checked(tmp_path, stated, " ".join(CLAIMS))
    found = json.loads(capsys.readouterr().out)
    verdicts = {one["property"]: one["verdict"] for one in found["results"]}
    assert verdicts == dict.fromkeys([*CLAIMS, "Deadlock"], "proved")


def test_what_another_order_keeps_is_violated(tmp_path: Path) -> None:
    """Of 1 and 2 it is -1 with 1 outermost, and 1 with 2 outermost."""
    assert _checked(tmp_path, "J == Take(LAMBDA a, b : a - b, First) # -1\n", "J") == 1


def test_an_order_that_is_not_the_same_for_all_subsets_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which of two members comes first depends on how many there are."""
    odd = "Odd(t) == IF Cardinality(t) = 3 THEN Max(t) ELSE Min(t)\n"
    assert _checked(tmp_path, odd + "J == Take(Ten, Odd) < 1000\n", "J") == 2
    said = capsys.readouterr().err
    assert "M.tla:4" in said
    assert "CHOOSE x" in said


def test_a_choice_outside_of_the_set_has_no_value(tmp_path: Path) -> None:
    """It took the same one for ever."""
    start = "s = {MapThenFoldSet(Ten, 0, First, LAMBDA t : 7, {1})}"
    (tmp_path / "M.tla").write_text(TEXT.replace("s = {}", start) + "====\n")
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next\n")
    with pytest.raises(NothingToChoose, match="7 is chosen"):
        Machine(load(tmp_path / "M.tla")).initial_states()


@pytest.mark.parametrize("unread", [True, False])
@pytest.mark.parametrize("members", ["{x \\in Nat : x > Cardinality(s)}", "Seq(s)", "SUBSET Nat"])
def test_a_fold_over_what_has_no_end_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], members: str, unread: bool
) -> None:
    """Of an operator that reads no member it was proved what comes of the numbers that are met."""
    folded = "7" if unread else "a + b"
    claim = f"I == FoldSet(LAMBDA a, b : {folded}, 0, {members}) # 8\n"
    assert _checked(tmp_path, claim, "I") == 2
    assert "a fold over a set without end has no value" in capsys.readouterr().err
