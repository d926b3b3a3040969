"""Lemmas that are mined for a specification are text of that specification, or say they are not."""

import json
from pathlib import Path

import pytest

from bmc.cli.app import run

LOCK = """---- MODULE Lock ----
EXTENDS Naturals
CONSTANT Process
VARIABLES owner, inside
vars == <<owner, inside>>
Init == owner = "nobody" /\\ inside = {}
Take(p) == owner = "nobody" /\\ owner' = p /\\ UNCHANGED inside
Enter(p) == owner = p /\\ inside' = inside \\cup {p} /\\ UNCHANGED owner
Leave(p) == p \\in inside /\\ inside' = inside \\ {p} /\\ owner' = "nobody"
Next == \\E p \\in Process : Take(p) \\/ Enter(p) \\/ Leave(p)
Spec == Init /\\ [][Next]_vars
Alone == \\A p, q \\in inside : p = q
====
"""
CONFIG = """SPECIFICATION Spec CONSTANT Process = {p1, p2, p3} INVARIANT Alone
CHECK_DEADLOCK FALSE
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "Lock.tla"
    file.write_text(LOCK)
    file.with_suffix(".cfg").write_text(CONFIG)
    return file


def test_a_mined_lemma_can_be_pasted_and_proves_the_claim(
    lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    induction = ("--engine", "kinduction", "--k", "1", "--json")
    assert run(["prove", str(lock), *induction]) == 3
    capsys.readouterr()
    assert run(["mine", str(lock), "--arguments", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "Alone" in found["inductive"]
    needed = [one for one in found["lemmas"] if one["needed"]]
    assert needed
    pasted = "".join(one["text"] for one in needed)
    lock.write_text(LOCK.replace("====\n", pasted + "====\n"))
    offered = [word for one in needed for word in ("--lemma", one["name"])]
    assert run(["prove", str(lock), *induction, *offered]) == 0


def test_a_failed_induction_shows_a_lemma_in_the_words_of_the_text(
    lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prove", str(lock), "--engine", "kinduction", "--k", "1"]) == 3
    said = capsys.readouterr().out
    assert "candidate_1 == \\A process \\in Process : " in said
    assert "None" not in said.partition("The first, as text:")[2]
