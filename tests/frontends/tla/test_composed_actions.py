"""Steps composed by \\cdot: what is between them is hidden, also in what comes from elsewhere.

The counts and depths are TLC's, where ``tlc2.tool.impl.Tool.cdot`` is "true".
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.load import load

BASE = """---- MODULE Base ----
EXTENDS Naturals
VARIABLES x, y
Plus(n) == n + 1
A == x' = Plus(x) % 4 /\\ y' = y
B == x' \\in {0, 2} /\\ x' = (x * 2) % 4 /\\ y' = (y + 1) % 3
Init == x = 0 /\\ y = 0
Next == (A \\cdot B) \\/ (B \\cdot A)
====
"""

MINE = """---- MODULE M ----
EXTENDS Base
MyPlus(n) == n + 2 + y
MyA == x' = 3 /\\ y' = 1
MyB == x' \\in {1, 3} /\\ y' = 1
NotThree == x # 3
NotTwo == x # 2
Low == y # 2
====
"""

REPLACED = {
    # The y between the two is meant, and not the one before both.
    "Plus <- MyPlus": (6, {"NotThree": 1, "NotTwo": 2, "Low": 2}),
    "A <- MyA": (3, {"NotThree": 1, "NotTwo": 1, "Low": 1}),
    "B <- MyB": (5, {"NotThree": 1, "NotTwo": 1}),
}


@pytest.mark.parametrize("replaced", REPLACED)
def test_what_the_configuration_replaces_reads_the_state_between(
    replaced: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Base.tla").write_text(BASE)
    (tmp_path / "M.tla").write_text(MINE)
    (tmp_path / "M.cfg").write_text(
        f"INIT Init NEXT Next CONSTANT {replaced} INVARIANTS NotThree NotTwo Low\n"
        "CHECK_DEADLOCK FALSE\n"
    )
    run(["explore", str(tmp_path / "M.tla"), "--continue", "--json"])
    said = json.loads(capsys.readouterr().out)
    found = {r["property"]: len(r["trace"]) - 1 for r in said["results"] if r.get("trace")}
    assert (said["distinct_states"], found) == REPLACED[replaced]


def test_a_conjunct_behind_composed_actions_is_of_the_whole_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TLC takes no step where one stands behind, and these where it stands before."""
    (tmp_path / "M.tla").write_text(
        """---- MODULE M ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 2 /\\ y = 1
Set(n) == x' = x - n /\\ y' \\in {n, 2 * n}
Next == x > 1 /\\ (Set(1) \\cdot Set(1)) /\\ y' = 2
Inv == y # 2
====
"""
    )
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE\n")
    run(["explore", str(tmp_path / "M.tla"), "--continue", "--json"])
    said = json.loads(capsys.readouterr().out)
    assert said["distinct_states"] == 2
    assert [len(one["trace"]) for one in said["results"] if one.get("trace")] == [2]


FROM_ELSEWHERE = {
    "around a nested module": """
---- MODULE Inner ----
Twice == Up(1) \\cdot Up(2)
====
I == INSTANCE Inner
Next == I!Twice
""",
    "in the place of a constant": """
I == INSTANCE Lib WITH Op <- Up
Next == I!Twice
""",
}


@pytest.mark.parametrize("where", FROM_ELSEWHERE)
def test_an_action_that_is_not_the_modules_own_is_not_composed(where: str, tmp_path: Path) -> None:
    """Both of its steps were one and the same: x' = x + 1 and x' = x + 2, which is none."""
    (tmp_path / "Lib.tla").write_text(
        "---- MODULE Lib ----\nCONSTANT Op(_)\nTwice == Op(1) \\cdot Op(2)\n====\n"
    )
    head = "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE x\nUp(n) == x' = (x + n) % 4\n"
    (tmp_path / "M.tla").write_text(f"{head}Init == x = 0\n{FROM_ELSEWHERE[where]}\n====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    with pytest.raises(TlaUnsupported, match="comes from outside of its module") as refused:
        load(tmp_path / "M.tla")
    assert refused.value.span.line == 4
