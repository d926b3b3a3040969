"""States are headed as TLC heads them: the action, its definition's arguments, its place.

The headings are those that TLC prints of the same texts.
"""

from pathlib import Path

import pytest

from tests.cli.running import ROOT, bmc

BACKUP = ROOT / "docs" / "examples" / "Backup.tla"

PAIRS = """---- MODULE Pairs ----
EXTENDS Naturals
CONSTANT S
VARIABLES x, y
Init == x = 0 /\\ y = {}
Move(a, n) ==
  \\/ x' = n /\\ y' = {a}
  \\/ /\\ x > 5
     /\\ UNCHANGED <<x, y>>
Late(n) == x' = n /\\ y' = y
Next == (\\E a \\in S : Move(<<a, 1>>, 7)) \\/ \\E n \\in {x} : Late(n + 1)
Short == x # 8
====
"""


def headings(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.startswith("State ")]


def test_an_action_has_the_arguments_of_its_definition_and_its_place() -> None:
    answer = bmc(
        "check",
        str(BACKUP),
        "--config",
        str(BACKUP.with_name("Careless.cfg")),
        "--format",
        "tla",
    )
    assert headings(answer.out) == [
        "State 1: <Initial predicate>",
        "State 2: <Elect(s1) line 26, col 5 to line 30, col 38 of module Backup>",
        "State 3: <Write line 33, col 5 to line 35, col 45 of module Backup>",
        "State 4: <Confirm line 43, col 5 to line 46, col 42 of module Backup>",
        "State 5: <Elect(s2) line 26, col 5 to line 30, col 38 of module Backup>",
    ]
    assert "/\\ stored = (s1 :> 1 @@ s2 :> 0 @@ s3 :> 0)" in answer.out


def test_arguments_that_are_made_of_others_are_written_and_a_state_s_are_not(
    tmp_path: Path, pairs: str
) -> None:
    file = tmp_path / "t.json"
    bmc("check", pairs, "--trace", str(file))
    answer = bmc("trace", "show", str(file), "--protocol", pairs, "--format", "tla")
    assert headings(answer.out)[1:] == [
        "State 2: <Move(<<a, 1>>,7) line 7, col 6 to line 7, col 23 of module Pairs>",
        "State 3: <Next line 11, col 45 to line 11, col 70 of module Pairs>",
    ]


def test_an_action_chosen_for_what_the_state_holds_has_its_definition_s_name(pairs: str) -> None:
    listed = bmc("list", pairs).out.split()
    assert "Late" in listed or any(word.startswith("Late(") for word in listed)
    assert "  2  Late" in bmc("check", pairs).out


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    (tmp_path / "Pairs.tla").write_text(PAIRS)
    (tmp_path / "Pairs.cfg").write_text("CONSTANT S = {a, b} INIT Init NEXT Next INVARIANT Short")
    return str(tmp_path / "Pairs.tla")
