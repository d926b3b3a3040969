"""Sequences that vary are sorted as TLC sorts them, and sets become sequences in TLC's order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run

TEXT = """---- MODULE M ----
EXTENDS Integers, FiniteSets, SequencesExt, TLC
CONSTANT Clients
VARIABLES members, calls, odd, names
Init == members = {} /\\ calls = <<>> /\\ odd = <<>> /\\ names = {}
Next == Len(calls) < 3 /\\ \\E x \\in 1..4, c \\in Clients :
    /\\ members' = members \\union {x}
    /\\ calls' = SortSeq(Append(calls, [at |-> x % 3, by |-> c]), LAMBDA a, b : a.at < b.at)
    /\\ odd' = SortSeq(Append(odd, x), LAMBDA a, b : a + b < 6)
    /\\ names' = names \\union {c}
Shared == LET q == SetToSortSeq(members, >) IN [p \\in 0..3 |-> q[1 + (p % Len(q))]]
"""

CLAIMS = {
    "Down": "LET q == SetToSortSeq(members, >) IN \\A i \\in 2..Len(q) : q[i - 1] > q[i]",
    "All": "ToSet(SetToSortSeq(members, <)) = members",
    "Up": "LET q == SetToSeq(members) IN \\A i \\in 2..Len(q) : q[i - 1] < q[i]",
    "Turns": "members # {} => {Shared[p] : p \\in 0..3} = members",
    "Stable": "\\A i \\in 2..Len(calls) : calls[i - 1].at <= calls[i].at",
    # What is no order leaves a sequence so.
    "Odd": "~(odd = <<3, 4, 1>>)",
    "Named": "Len(SetToSeq(names)) = Cardinality(names)",
}


def _explored(folder: Path, definitions: str, names: str) -> int:
    (folder / "M.tla").write_text(f"{TEXT}{definitions}====\n")
    configuration = f"INIT Init NEXT Next INVARIANTS {names} CONSTANT Clients = {{c1, c2}}"
    (folder / "M.cfg").write_text(f"{configuration} CHECK_DEADLOCK FALSE\n")
    return run(["explore", str(folder / "M.tla"), "--continue", "--json"])


def test_what_varies_is_sorted_as_tlc_sorts_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    definitions = "".join(f"{name} == {claim}\n" for name, claim in CLAIMS.items())
    code = _explored(tmp_path, definitions, " ".join(CLAIMS))
    found = json.loads(capsys.readouterr().out)
    # TLC's states, and the one claim that it finds false.
    assert (code, found["distinct_states"]) == (1, 529)
    told = {one["property"]: one["verdict"] for one in found["results"]}
    assert told == dict.fromkeys(CLAIMS, "proved") | {"Odd": "violated"}


def test_the_length_of_what_has_no_order_has_no_value(tmp_path: Path) -> None:
    unlike = "Unlike == Len(SortSeq(calls, LAMBDA a, b : a.at < b.by)) = Len(calls)\n"
    assert _explored(tmp_path, unlike, "Unlike") in (2, 3)


def test_of_more_elements_than_can_be_sorted_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many = "Many == Len(SortSeq([i \\in 1..13 |-> Len(calls)], <)) = 13\n"
    assert _explored(tmp_path, many, "Many") == 2
    said = capsys.readouterr().err
    assert "SortSeq of more than 12 elements that vary is not translated" in said
    assert "--on-text" in said


def test_a_set_of_many_members_becomes_a_sequence(tmp_path: Path) -> None:
    """Step by step there was a formula for each way to get to a place: twelve took a minute."""
    text = TEXT.replace("1..4", "1..20").replace("x % 3", "1")
    kept = "All == ToSet(SetToSeq(members)) = members\n" + (
        "Up == Len(calls) = 2 /\\ Cardinality(members) = 2 =>"
        " SetToSeq(members)[1] < SetToSeq(members)[2]\n"
    )
    text = text.replace("EXTENDS ", "EXTENDS FiniteSetsExt, ").replace(
        "Len(calls) < 3", "Len(calls) < 2"
    )
    (tmp_path / "M.tla").write_text(f"{text}{kept}====\n")
    configuration = "INIT Init NEXT Next INVARIANTS All Up CONSTANT Clients = {c1}"
    (tmp_path / "M.cfg").write_text(f"{configuration} CHECK_DEADLOCK FALSE\n")
    assert run(["explore", str(tmp_path / "M.tla"), "--timeout", "60"]) == 0
