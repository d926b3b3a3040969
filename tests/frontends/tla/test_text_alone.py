"""What the text's evaluator alone gives no value: its claim is unknown, and the others are told."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.app import run
from bmc.engines.engine import engine
from bmc.engines.task import SILENT, Task
from bmc.frontends.tla.oracle.code import Frame, Run
from bmc.frontends.tla.suite import suite_of

KEPT = """---- MODULE Kept ----
EXTENDS Integers
VARIABLES n, d
Init == n = 0 /\\ d = [i \\in {1} |-> 2]
Next == n' = 1 - n /\\ d' = [i \\in {1} \\ DOMAIN d |-> 2]
Spec == Init /\\ [][Next]_<<n, d>> /\\ WF_<<n, d>>(Next)
RECURSIVE Counted(_, _)
Counted(k, unread) == IF k = 0 THEN 0 ELSE 1 + Counted(k - 1, unread)
Unread == Counted(1, d[1]) = 1
RECURSIVE Last(_, _)
Last(k, read) == IF k = 0 THEN read ELSE Last(k - 1, read)
ReadLate == Last(1, d[1]) = 2
Passed == Last(0, LET unread == d[1] IN Counted(2, unread)) = 2
Fine == n < 2
Step == [][Counted(2, d'[1]) = 2]_n
Goes == <>(n = 1)
====
"""


@pytest.fixture
def _an_eager_evaluator(monkeypatch: pytest.MonkeyPatch) -> None:
    """The evaluator asks for an argument's value where its operator does not read it."""

    def values_of(runs: Iterable[Run], frame: Frame) -> list[Any]:
        return [run(frame) for run in runs]

    monkeypatch.setattr("bmc.frontends.tla.oracle.calls.values_of", values_of)


def test_an_argument_that_a_recursive_operator_does_not_read_need_not_have_a_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # TLC says the same of each.
    text = tmp_path / "Kept.tla"
    text.write_text(KEPT)
    config = "SPECIFICATION Spec\nPROPERTY Step\nINVARIANTS Unread Fine Passed"
    for read_late, code in (("", 0), ("ReadLate", 3)):
        text.with_suffix(".cfg").write_text(f"{config} {read_late}")
        assert run(["explore", str(text)]) == code
    assert "ReadLate  unknown" in capsys.readouterr().out


@pytest.mark.usefixtures("_an_eager_evaluator")
@pytest.mark.parametrize("command", ["explore", "prove", "prove --engine ic3", "infer"])
def test_a_claim_that_the_text_alone_gives_no_value_takes_no_verdict_from_others(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Kept.tla").write_text(KEPT)
    (tmp_path / "Kept.cfg").write_text("SPECIFICATION Spec\nINVARIANTS Unread Fine PROPERTY Step")
    name, *options = command.split()
    assert run([name, str(tmp_path / "Kept.tla"), *options, "--json"]) == 3
    results = {one["property"]: one for one in json.loads(capsys.readouterr().out)["results"]}
    verdicts = {name: one["verdict"] for name, one in results.items()}
    open_ones = {"Unread": "unknown", "Step": "unknown"}
    assert verdicts == {**open_ones, "Fine": "proved", "Deadlock": "proved"}
    for name, place in {"Unread": "9:22", "Step": "15:23"}.items():
        assert f"Kept.tla:{place}: 1 is not in the domain of <<>>" in results[name]["reason"]


@pytest.mark.usefixtures("_an_eager_evaluator")
def test_a_certificate_of_what_the_text_gives_no_value_is_not_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The judge of a certificate asks the model alone, which has a value for it.
    (tmp_path / "Kept.tla").write_text(KEPT)
    (tmp_path / "Kept.cfg").write_text("SPECIFICATION Spec\nINVARIANTS Unread Fine")
    text = str(tmp_path / "Kept.tla")
    suite = suite_of("Kept", tmp_path / "Kept.tla")
    for name, code in (("Unread", 3), ("Fine", 0)):
        (found,) = engine("kinduction").prove(Task(replace(suite, name=text), {}, (name,)), SILENT)
        assert found.certificate is not None
        found.certificate.write(tmp_path / f"{name}.json")
        command = ["certify", str(tmp_path / f"{name}.json"), "--protocol", text]
        assert run(command) == code, capsys.readouterr()
    assert "Unread has no value in a state of the text" in capsys.readouterr().err


@pytest.mark.usefixtures("_an_eager_evaluator")
def test_what_the_text_alone_gives_no_value_is_neither_locked_nor_certified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Kept.tla").write_text(KEPT)
    (tmp_path / "Kept.cfg").write_text("SPECIFICATION Spec\nINVARIANTS Unread Fine PROPERTY Goes")
    text, lock, proof = str(tmp_path / "Kept.tla"), tmp_path / "bmc.lock", tmp_path / "proof.json"
    assert run(["regress", text, "--baseline", str(lock), "--update"]) == 2
    assert "Unread of Kept.tla has no value in a state" in capsys.readouterr().err
    assert not lock.exists()
    assert run(["prove", text, "-P", "Unread", "--certificate", str(proof)]) == 3
    assert not proof.exists()
    assert run(["prove", text, "-P", "Goes"]) == 0
