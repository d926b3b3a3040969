"""CHOOSE takes what TLC takes, or says that it cannot tell, whether or not a claim is judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run

BLOCKS = """---- MODULE Blocks ----
EXTENDS Naturals, FiniteSets
VARIABLES board
Init == board = {{1, 2}, {4}, {6, 7, 8}}
Long == CHOOSE b \\in board : Cardinality(b) > 1
Near == 5 \\notin Long /\\ board' = (board \\ {Long}) \\union {{i + 1 : i \\in Long}}
Far ==
    /\\ 13 \\notin Long
    /\\ board' = (board \\ {Long}) \\union {{i + 1 : i \\in Long} \\intersect (1 .. 13)}
Pair == Cardinality(Long) = 2
Some == board # {}
Three == Cardinality(board) < 3
====
"""


def _explored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], config: str
) -> tuple[int, str, str]:
    (tmp_path / "Blocks.tla").write_text(BLOCKS)
    (tmp_path / "Blocks.cfg").write_text(f"INIT Init\nCHECK_DEADLOCK FALSE\n{config}\n")
    code = run(["explore", str(tmp_path / "Blocks.tla")])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_of_several_sets_the_first_in_tlc_s_order_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = _explored(tmp_path, capsys, "NEXT Near")
    assert code == 0
    assert "4 distinct states in 4 levels" in out


def test_a_step_that_takes_one_of_several_large_sets_leaves_the_bounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = _explored(tmp_path, capsys, "NEXT Far")
    assert code == 3
    assert "incomplete: a bound is too small" in out


def test_a_claim_about_one_of_several_large_sets_has_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = _explored(tmp_path, capsys, "NEXT Far\nINVARIANT Pair")
    assert code == 2
    assert "Pair is true at a trace's end, and its translation has no value there" in err
    assert "violated" not in out


@pytest.mark.parametrize(
    ("command", "code", "others"),
    [
        (("explore",), 1, {"Some": "unknown", "Three": "violated"}),
        (("explore", "--continue"), 1, {"Some": "unknown", "Three": "violated"}),
        (("check", "--depth", "2", "--continue"), 1, {"Some": "unknown", "Three": "violated"}),
        (("prove",), 1, {"Three": "violated"}),
        (("explore", "-P", "Pair", "-P", "Some"), 3, {"Some": "unknown"}),
        (("check", "--depth", "0", "-P", "Pair", "-P", "Some"), 3, {"Some": "unknown"}),
    ],
)
def test_other_claims_are_not_lost_where_one_has_no_value(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
    code: int,
    others: dict[str, str],
) -> None:
    (tmp_path / "Blocks.tla").write_text(BLOCKS)
    config = "INIT Init\nNEXT Far\nCHECK_DEADLOCK FALSE\nINVARIANTS Pair Some Three\n"
    (tmp_path / "Blocks.cfg").write_text(config)
    name, *words = command
    assert run([name, str(tmp_path / "Blocks.tla"), *words, "--json"]) == code
    results = {one["property"]: one for one in json.loads(capsys.readouterr().out)["results"]}
    assert results["Pair"]["verdict"] == "unknown"
    assert "its translation has no value there" in results["Pair"]["reason"]
    assert {name: results[name]["verdict"] for name in others} == others
    assert "Pair is violated" not in {one.get("reason") for one in results.values()}


def test_a_deadlock_that_no_state_decides_is_refused_with_the_place_of_the_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ended as an internal failure: no claim of the text has this name."""
    (tmp_path / "Blocks.tla").write_text(BLOCKS)
    (tmp_path / "Blocks.cfg").write_text("INIT Init\nNEXT Far\n")
    assert run(["explore", str(tmp_path / "Blocks.tla")]) == 2
    said = capsys.readouterr().err
    assert "Blocks.cfg:2:6: Deadlock is true at a trace's end, and its translation has no" in said
    assert "write CHECK_DEADLOCK FALSE to leave it out" in said


FUNCTIONS = """---- MODULE Functions ----
EXTENDS Naturals
CONSTANT Server
VARIABLES up, vote
Init == up = {} /\\ vote = [s \\in Server |-> 0]
Start == \\E s \\in Server \\ up : up' = up \\union {s} /\\ UNCHANGED vote
Vote == \\E v \\in [up -> 1 .. 2], all \\in [Server -> {0, 3}] :
            /\\ vote' = [s \\in Server |-> IF s \\in up THEN v[s] ELSE all[s]]
            /\\ UNCHANGED up
Next == Start \\/ Vote
Inv == \\E s \\in Server : vote[s] # 2
====
"""


@pytest.mark.parametrize("command", ["explore", "check"])
def test_a_step_that_chooses_functions_is_shown_in_a_trace(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A trace is made simpler by what its steps' arguments name: of functions it asked in vain."""
    (tmp_path / "Functions.tla").write_text(FUNCTIONS)
    config = "CONSTANT Server = {s1, s2}\nINIT Init\nNEXT Next\nINVARIANT Inv\n"
    (tmp_path / "Functions.cfg").write_text(config)
    assert run([command, str(tmp_path / "Functions.tla")]) == 1
    said = capsys.readouterr().out
    assert "Inv is violated after step 3" in said
    assert "Vote(" in said


TAKEN = """---- MODULE Taken ----
EXTENDS Naturals
CONSTANT Proc
VARIABLE busy
Take(p) == busy' = [busy EXCEPT ![p] = TRUE]
Init == busy = [p \\in Proc |-> FALSE]
Next == \\E p \\in {q \\in Proc : ~busy[q]} : Take(p)
Free == \\E p \\in Proc : ~busy[p]
====
"""


def test_who_is_chosen_from_a_filter_has_the_name_that_the_choice_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Taken.tla").write_text(TAKEN)
    config = "CONSTANT Proc = {p1}\nINIT Init\nNEXT Next\nINVARIANT Free\n"
    (tmp_path / "Taken.cfg").write_text(config)
    assert run(["explore", str(tmp_path / "Taken.tla")]) == 1
    said = capsys.readouterr().out
    assert "(p=p1)" in said
    assert "q=" not in said
