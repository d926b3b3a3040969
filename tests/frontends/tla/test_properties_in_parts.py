"""A PROPERTY that is taken apart is proved only if all its parts are, whoever asks for it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from bmc import prove
from bmc.cli.app import run
from bmc.frontends.tla.suite import suite_of
from bmc.lang.errors import UnknownName

ABSTRACT = """---- MODULE ByOne ----
EXTENDS Integers
VARIABLE h
Init == h = 0
Next == h' = h + 1
Spec == Init /\\ [][Next]_h
====
"""
STEPS = """---- MODULE Steps ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x < 6 /\\ x' = x + 2
Spec == Init /\\ [][Next]_x
Fair == Spec /\\ WF_x(Next)
Slow == x' < 3
M == INSTANCE ByOne WITH h <- x
Refines == M!Spec
TwoBounds == [](x < 9) /\\ [](x < 2)
Lower(n) == [](x >= 0) /\\ [](x < n)
Below(n, m) == [](x < n) /\\ Lower(n - m)
Bounds == Below(9, 7)
Far(n) == [](n >= 0) /\\ [][n' < 3]_n
OfFar == Far(x)
At(h) == INSTANCE ByOne
RefinesAt == At(x)!Spec
AllOf(F, G) == F /\\ G
Under(n, F) == AllOf([](x < n), F)
OfBoth == Under(9, [](x >= 0) /\\ [][x' < 3]_x)
Local(n) == LET m == n - 7 IN [](x < n) /\\ [][x' < m]_x
OfLocal == Local(9)
Both == TwoBounds /\\ [](x >= 0)
Ends == <>(x = 6) /\\ <>(x = 7)
Mixed == [](x < 9) /\\ <>(x = 7)
Small == [][x' < 3]_x
Unsaid == [](x < 9) /\\ []<<Next>>_x
====
"""


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    (tmp_path / "ByOne.tla").write_text(ABSTRACT)
    (tmp_path / "Steps.tla").write_text(STEPS)
    return tmp_path / "Steps.tla"


def configured(steps: Path, stated: str, *more: str, specification: str = "Spec") -> str:
    lines = [f"SPECIFICATION {specification}", f"PROPERTY {stated}", "CHECK_DEADLOCK FALSE", *more]
    steps.with_suffix(".cfg").write_text("\n".join([*lines, ""]))
    return str(steps)


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = run([*words, "--json"])
    document = json.loads(capsys.readouterr().out)
    return code, {one["property"]: one["verdict"] for one in document.get("results", ())}


# TLC finds each of these properties violated.
IN_PARTS = {
    "Refines": {"Refines_1": "proved", "Refines_2": "violated"},
    "RefinesAt": {"RefinesAt_1": "proved", "RefinesAt_2": "violated"},
    "OfFar": {"OfFar_1": "proved", "OfFar_2": "violated"},
    "Bounds": {"Bounds_1": "proved", "Bounds_2": "proved", "Bounds_3": "violated"},
    "OfBoth": {"OfBoth_1": "proved", "OfBoth_2": "proved", "OfBoth_3": "violated"},
    "OfLocal": {"OfLocal_1": "proved", "OfLocal_2": "violated"},
    "TwoBounds": {"TwoBounds_1": "proved", "TwoBounds_2": "violated"},
    "Both": {"Both_1": "proved", "Both_2": "violated", "Both_3": "proved"},
}


@pytest.mark.parametrize("command", ["prove", "explore"])
@pytest.mark.parametrize("stated", IN_PARTS)
def test_who_asks_for_the_whole_gets_every_part(
    steps: Path, capsys: pytest.CaptureFixture[str], command: str, stated: str
) -> None:
    text = configured(steps, stated)
    code, found = told(capsys, command, text, "-P", stated)
    assert (code, found) == (1, IN_PARTS[stated])
    assert told(capsys, "check", text, "-P", stated)[0] == 1


def test_no_part_has_the_name_of_the_whole(steps: Path) -> None:
    suite = suite_of("Steps", Path(configured(steps, "Refines")))
    with pytest.raises(UnknownName, match="part by part: ask for Refines_1, Refines_2"):
        suite.find("Refines")


def test_python_gets_every_part_too(steps: Path) -> None:
    answered = prove(configured(steps, "Refines"), "Refines")
    assert not answered.proved
    assert len(answered.results) == 2


@pytest.mark.parametrize("stated", ["Refines", "Mixed"])
def test_a_lock_holds_every_part_of_the_whole(
    stated: str, steps: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, lock = configured(steps, stated, specification="Fair"), tmp_path / "bmc.lock"
    words = ["regress", "--baseline", str(lock), "--update", "--protocol", text, "-P", stated]
    assert run(words) == 0
    held = {one["name"] for m in tomllib.loads(lock.read_text())["model"] for one in m["property"]}
    assert held == {f"{stated}_1", f"{stated}_2"}
    assert run(words[:3]) == 0
    capsys.readouterr()


def test_a_lock_holds_nothing_of_a_whole_that_has_a_part_which_nothing_decides(
    steps: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, lock = configured(steps, "Unsaid"), tmp_path / "bmc.lock"
    words = ["regress", "--baseline", str(lock), "--update", "--protocol", text, "-P", "Unsaid"]
    assert run(words) == 2
    assert "Unsaid" in capsys.readouterr().err
    assert not lock.exists()


def test_a_circuit_has_an_output_for_every_part(
    steps: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, circuit = configured(steps, "TwoBounds"), tmp_path / "steps.aag"
    assert run(["export", "aiger", text, "-P", "TwoBounds", "-o", str(circuit)]) == 0
    said = capsys.readouterr().out + circuit.read_text()
    assert "TwoBounds_1" in said
    assert "TwoBounds_2" in said


def test_claims_about_behaviours_are_all_asked_for(
    steps: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = configured(steps, "Ends", specification="Fair")
    code, found = told(capsys, "prove", text, "-P", "Ends")
    assert (code, found) == (1, {"Ends_1": "proved", "Ends_2": "violated"})


def test_parts_of_two_kinds_are_decided_by_one_command(
    steps: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = configured(steps, "Mixed", specification="Fair")
    code, found = told(capsys, "prove", text, "-P", "Mixed")
    assert set(found) == {"Mixed_1", "Mixed_2"}
    alone = [told(capsys, "prove", text, "-P", part) for part in ("Mixed_1", "Mixed_2")]
    assert found == alone[0][1] | alone[1][1]
    assert code == max(one for one, _ in alone)


def test_what_time_is_left_is_that_of_both_kinds(
    steps: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the claims about states have taken all the time, those about behaviours have none."""
    monkeypatch.setattr("bmc.cli.shared.temporal.monotonic", lambda: monotonic() + 3600)
    text = configured(steps, "Mixed", specification="Fair")
    code, found = told(capsys, "prove", text, "-P", "Mixed", "--timeout", "3600")
    assert (code, found) == (3, {"Mixed_1": "proved", "Mixed_2": "unknown"})


def test_steps_that_an_action_constraint_leaves_out_belong_to_the_claim(
    steps: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = configured(steps, "Small", "ACTION_CONSTRAINT Slow")
    code, found = told(capsys, "prove", text, "-P", "Small")
    assert (code, found) == (1, {"Small_taken": "proved", "Small_outside": "violated"})


def test_a_configuration_may_repeat_itself(steps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = told(capsys, "prove", configured(steps, "TwoBounds", "PROPERTY TwoBounds"))
    assert (code, found) == (1, IN_PARTS["TwoBounds"])


def test_a_whole_of_which_nothing_decides_a_part_is_not_decided(
    steps: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prove", configured(steps, "Unsaid"), "-P", "Unsaid"]) == 2
    said = capsys.readouterr().err
    assert "Unsaid_2 of" in said
    assert "is NOT checked" in said
    assert "Steps.tla:" in said


@pytest.mark.parametrize("command", ["prove", "check", "explore"])
def test_what_is_decided_is_told_beside_what_is_not(
    command: str, steps: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What nothing decides kept the answers about other claims and its own other parts back."""
    text = configured(steps, "Unsaid", "INVARIANT Never")
    steps.write_text(steps.read_text().replace("\n====", "\nNever == FALSE\n===="))
    assert run([command, text, "-P", "Never", "-P", "Unsaid"]) == 2
    said = capsys.readouterr()
    assert re.search(r"^  Never +violated", said.out, re.MULTILINE)
    assert re.search(r"^  Unsaid_1 +[a-z]+ ", said.out, re.MULTILINE)
    assert "Unsaid_2 of" in said.err
    assert "is NOT checked" in said.err
