"""CHOOSE takes what TLC takes, or says that it cannot tell, whether or not a claim is judged."""

from __future__ import annotations

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
