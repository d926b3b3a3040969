"""A specification in a lock: what its author changed, and what only its translation did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.engines.liveness import one_by_one
from bmc.frontends.tla.digest import digest
from bmc.frontends.tla.load import load
from bmc.frontends.tla.translate import model
from bmc.running import interruption
from tests.frontends.tla.test_commands import CLOCK, CONSTANTS

WITHOUT_VALUE = CLOCK.replace("clock <= Most", "<<0, 1>>[clock + 1] <= clock")


@pytest.fixture
def clock(tmp_path: Path) -> Path:
    (tmp_path / "Clock.tla").write_text(CLOCK)
    (tmp_path / "Clock.cfg").write_text(f"{CONSTANTS}INVARIANT Bounded")
    return tmp_path / "Clock.tla"


def changed(clock: Path, old: str, new: str) -> bool:
    before = digest(load(clock))
    clock.write_text(CLOCK.replace(old, new))
    assert clock.read_text() != CLOCK
    return digest(load(clock)) != before


@pytest.mark.parametrize(
    ("old", "new", "is_another"),
    [
        ("Tick ==", "\\* a comment\nTick\n ==", False),
        ("Small == clock < 2", "Small == clock < 3", False),  # The configuration reaches it not.
        ("Bounded == clock <= Most", "Bounded == clock < Most", True),
        ("clock + 1", "clock + 2", True),
        ("Tick", "Tock", True),
    ],
)
def test_the_digest_of_a_text_is_that_of_what_it_says(
    clock: Path, old: str, new: str, is_another: bool
) -> None:
    assert changed(clock, old, new) is is_another


def test_the_digest_sees_the_configuration(clock: Path) -> None:
    before = digest(load(clock))
    clock.with_suffix(".cfg").write_text(f"{CONSTANTS}INVARIANT Bounded".replace("3", "2"))
    assert digest(load(clock)) != before


def test_another_translation_is_not_blamed_on_the_text(
    clock: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = ["regress", "--baseline", str(clock.parent / "bmc.lock")]
    assert run([*lock, "--update", "--protocol", str(clock)]) == 0
    capsys.readouterr()
    monkeypatch.setattr(model, "distinct", lambda names: [f"Way{n}" for n in range(len(names))])
    assert run(lock) == 0
    said = capsys.readouterr().out
    assert "translation Clock changed" in said
    assert "action" not in said


def test_a_text_that_is_not_translated_in_time_is_unknown(
    clock: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit was not asked before the text had been read."""
    lock = ["regress", "--baseline", str(clock.parent / "bmc.lock")]
    assert run([*lock, "--update", "--protocol", str(clock)]) == 0
    capsys.readouterr()
    monkeypatch.setattr(interruption, "_SECONDS_BETWEEN_LOOKS", 0.0001)
    assert run([*lock, "--timeout", "0.000001"]) == 3
    assert "Clock.tla means is unknown: the time limit has passed" in capsys.readouterr().out


def test_a_change_of_the_text_is_named_part_by_part(
    clock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = ["regress", "--baseline", str(clock.parent / "bmc.lock")]
    assert run([*lock, "--update", "--protocol", str(clock)]) == 0
    clock.write_text(CLOCK.replace("clock < Most /\\", "clock + 1 < Most /\\"))
    capsys.readouterr()
    assert run(lock) == 0
    said = capsys.readouterr().out
    assert "action Tick changed" in said
    assert "translation" not in said


def test_a_lock_is_asked_about_one_specification_by_its_name(
    clock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = ["--baseline", str(clock.parent / "bmc.lock")]
    assert run(["regress", str(clock), *lock, "--update"]) == 0
    assert run(["regress", str(clock), *lock]) == 0
    assert run(["regress", "id-sequence", *lock]) == 2
    assert "does not hold id-sequence" in capsys.readouterr().err


def test_a_trace_names_a_specification_below_the_working_directory(
    clock: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock.with_suffix(".cfg").write_text(f"{CONSTANTS}INVARIANT Small")
    monkeypatch.chdir(clock.parent)
    assert run(["check", "Clock.tla", "--trace", "found.itf.json"]) == 1
    assert run(["trace", "replay", "found.itf.json"]) == 1
    (clock.parent / "elsewhere").mkdir()
    monkeypatch.chdir(clock.parent / "elsewhere")
    capsys.readouterr()
    assert run(["trace", "replay", "../found.itf.json"]) == 2
    assert "runs no file because data names it" in capsys.readouterr().err


def test_a_folder_may_have_the_sign_in_its_name_that_a_configuration_follows(
    clock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = clock.parent / "job@2"
    folder.mkdir()
    spec, other = folder / clock.name, folder / "Other.cfg"
    clock.rename(spec)
    clock.with_suffix(".cfg").rename(other)
    lock, named = ["regress", "--baseline", str(folder / "bmc.lock")], f"{spec}@{other.name}"
    assert run(["explore", str(spec), "--config", str(other)]) == 0
    assert run([*lock, "--update", "--protocol", named]) == 0
    assert run([*lock, "--protocol", named]) == 0
    assert 'protocol = "Clock.tla@Other.cfg"' in (folder / "bmc.lock").read_text()


def test_a_lock_takes_a_specification_at_constants_that_the_command_line_gives(
    clock: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(clock.parent)
    assert run(["regress", "--update", "--protocol", "Clock.tla", "-p", "Most=5"]) == 0
    assert "Clock.tla@Most=5" in capsys.readouterr().out
    assert 'protocol = "Clock.tla@Most=5"' in (clock.parent / "bmc.lock").read_text()


ROUND = """---- MODULE Round ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Back == x' = (x + 2) % 3
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Comes == []<>(x = 1)
====
"""


def going_round(folder: Path, *more: str) -> Path:
    """A module that is fair to its only action, and to others."""
    module = folder / "Round.tla"
    module.write_text(ROUND.replace("WF_x(Next)", " /\\ ".join(["WF_x(Next)", *more])))
    module.with_suffix(".cfg").write_text("SPECIFICATION Spec PROPERTY Comes")
    return module


def test_what_was_proved_is_not_kept_where_no_behaviour_is_fair_any_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The old certificate still holds, but nothing of it is about a behaviour."""
    module = going_round(tmp_path)
    lock = ["regress", "--baseline", str(tmp_path / "bmc.lock")]
    assert run([*lock, "--update", "--protocol", str(module)]) == 0
    assert 'engine = "monitored"' in (tmp_path / "bmc.lock").read_text()
    module.write_text(ROUND.replace("WF_x(Next)", "WF_x(Next) /\\ WF_x(Back)"))
    capsys.readouterr()
    assert run(lock) == 3
    assert "no behaviour meets the fairness conditions" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (("SF_x(x # 2 /\\ Next)",), 0, "accepted"),
        (("WF_x(Back)",), 2, "is rejected: no behaviour meets the fairness conditions"),
    ],
)
def test_a_certificate_about_no_behaviour_is_rejected(
    more: tuple[str, ...],
    code: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Provers that did not ask for one have written such certificates."""
    monkeypatch.setattr(one_by_one, "why_none_is_known", lambda *given: None)
    module, proof = going_round(tmp_path, *more), tmp_path / "proof.json"
    engine = ("--engine", "monitored", "--certificate", str(proof))
    assert run(["prove", str(module), "-P", "Comes", *engine]) == 0
    capsys.readouterr()
    assert run(["certify", str(proof), "--protocol", str(module)]) == code
    told = capsys.readouterr()
    assert said in told.out + told.err
    # The questions of the export are all answered as they should be: none asks for a behaviour.
    export = ["certificate", "export", str(proof), "--protocol", str(module)]
    assert run([*export, "--smtlib", str(tmp_path / "questions")]) == code
    refused = capsys.readouterr().err
    assert code == 0 or "no behaviour meets the fairness conditions" in refused
    assert (tmp_path / "questions").exists() == (code == 0)
    if code == 0:
        page = " ".join((tmp_path / "questions" / "README.md").read_text().split())
        assert "*Comes* is about behaviours" in page
        assert "That some behaviour is fair is no question here" in page


def test_what_no_lock_can_hold_is_told_with_every_look(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A part of a PROPERTY that is not translated is in no lock, whose look says nothing else."""
    module, summary = going_round(tmp_path), tmp_path / "summary.md"
    lock = ["regress", "--baseline", str(tmp_path / "bmc.lock")]
    assert run([*lock, "--update", "--protocol", str(module)]) == 0
    module.write_text(ROUND.replace("Comes", "Some == \\A i \\in 1..x : <>(x = i)\nComes"))
    module.with_suffix(".cfg").write_text("SPECIFICATION Spec PROPERTIES Comes Some")
    capsys.readouterr()
    assert run([*lock, "--markdown", str(summary), "--json"]) == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    assert [found["name"] for found in model["unjudged"]] == ["Some"]
    assert "Some is NOT checked" in summary.read_text()
    assert run(lock) == 0
    assert "Some is NOT checked" in capsys.readouterr().out
    module.write_text(ROUND.replace("[]<>(x = 1)", "\\A i \\in 1..x : <>(x = i)"))
    module.with_suffix(".cfg").write_text("SPECIFICATION Spec PROPERTY Comes")
    assert run(lock) == 3
    assert "it is NOT checked any more" in capsys.readouterr().out


def test_a_claim_that_the_text_gives_no_value_is_not_violated(
    clock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The lock was told that it is violated, where `check` says that it is unknown."""
    lock = ["regress", "--baseline", str(clock.parent / "bmc.lock")]
    assert run([*lock, "--update", "--protocol", str(clock)]) == 0
    clock.write_text(WITHOUT_VALUE)
    assert run(["check", str(clock), "-P", "Bounded"]) == 3
    capsys.readouterr()
    assert run([*lock, "--json"]) == 3
    assert "3 is not in the domain of <<0, 1>>" in capsys.readouterr().out
    (clock.parent / "bmc.lock").unlink()
    assert run([*lock, "--update", "--protocol", str(clock)]) == 3
    assert 'name = "Bounded"' not in (clock.parent / "bmc.lock").read_text()


def test_a_recorded_trace_is_taken_on_the_text_as_it_is_now(
    clock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clock.write_text(CLOCK.replace("clock <= Most", "clock < 2"))
    lock = ["regress", "--baseline", str(clock.parent / "bmc.lock")]
    assert run([*lock, "--update", "--protocol", str(clock), "-P", "Bounded"]) == 0
    clock.write_text(WITHOUT_VALUE)
    capsys.readouterr()
    assert run([*lock, "--json"]) == 3
    assert "is not in the domain of <<0, 1>>" in capsys.readouterr().out
