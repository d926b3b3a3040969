"""`bmc new` makes a protocol, `bmc step` walks through it, `--watch` follows its changes."""

import importlib.util
import io
import json
import os
import sys
from pathlib import Path

import pytest

from bmc.cli.shared import watching
from tests.cli.running import ROOT, Answered, bmc

BACKUP = str(ROOT / "docs" / "examples" / "Backup.tla")


def walked(monkeypatch: pytest.MonkeyPatch, *words: str, said: str) -> Answered:
    monkeypatch.setattr(sys, "stdin", io.StringIO(said))
    return bmc("step", *words)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert bmc("new", "LeaseTable").code == 0
    return tmp_path / "lease_table.py"


def spoil(made: Path) -> None:
    """Let the server hand out what it does not have."""
    text = made.read_text(encoding="utf-8")
    assert text.count("s.require(s.free)") == 1
    made.write_text(text.replace("s.require(s.free)", "pass"), encoding="utf-8")


def test_what_is_made_passes_its_own_test(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(made.parent)
    test = made.with_name("test_lease_table.py")
    spec = importlib.util.spec_from_file_location("made_test", test)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tests = [value for name, value in vars(module).items() if name.startswith("test_")]
    assert len(tests) == 3
    for one in tests:
        one()


def test_what_is_made_notices_a_fault(made: Path) -> None:
    spoil(made)
    assert bmc("check", "lease_table.py:LeaseTable", "--depth", "4").code == 1


def test_nothing_is_overwritten(made: Path) -> None:
    before = made.read_bytes()
    refused = bmc("new", "lease_table")
    assert refused.code == 2
    assert "is there already" in refused.err
    assert made.read_bytes() == before


def test_where_pytest_is_missing_it_is_installed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "  pytest test_seats.py  " in bmc("new", "seats").out
    # As `./run` and `pip install .` leave it.
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    said = bmc("new", "places").out
    assert "  .venv/bin/python -m pip install pytest  " in said
    assert "  .venv/bin/python -m pytest test_places.py  " in said


@pytest.mark.parametrize("name", ["7up", "a b", "class", "../nowhere/x", "bmc", ""])
def test_names_that_no_file_can_have(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert bmc("new", name).code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["seats"], ["--example", "Backup"]], ids=" ".join)
def test_a_list_of_examples_makes_nothing(words: list[str]) -> None:
    """It was listed, and the protocol that was asked for not made, without a word."""
    said = bmc("new", "--examples", *words)
    assert (said.code, said.out) == (2, "")
    assert "--examples lists what there is, and makes nothing: give it alone" in said.err


def test_a_walk_goes_on_and_back_and_is_kept(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"{made.name}:LeaseTable"
    said = walked(monkeypatch, name, said="2\n1\nb\n1\nt\nw way.itf.json\nw way.json\nq\n")
    assert said.code == 0
    assert "Grant(client=c2)" in said.out
    states = json.loads(Path("way.itf.json").read_text(encoding="utf-8"))["states"]
    assert len(states) == 3
    steps = json.loads(Path("way.json").read_text(encoding="utf-8"))["trace"]
    assert [one["action"] for one in steps] == [None, "Grant", "Enter"]
    assert steps[-1]["state"]["inside"] == ["c2"]
    assert bmc("trace", "replay", "way.json", "--protocol", name).code == 0


def test_a_walk_names_the_claims_that_are_false(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(made)
    name = f"{made.name}:LeaseTable"
    # Two are granted the lock; the first enters, then the second.
    assert "is false" not in walked(monkeypatch, name, said="1\n2\n4\n").out
    said = walked(monkeypatch, name, said="1\n2\n4\n4\n").out
    assert said.count("MutualExclusion is false") == 1


def test_what_is_not_enabled_is_refused_and_the_walk_goes_on(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = walked(monkeypatch, f"{made.name}:LeaseTable", said="9\nb\nw way.gif\nwhat\n1\n")
    assert said.code == 0
    assert "there is no step 9" in said.out
    assert "no step to take back" in said.out
    assert "does not say its form" in said.out
    assert "begin again" in said.out
    assert "Enter(client=c1)" in said.out


@pytest.mark.parametrize("name", [BACKUP, "id-sequence"])
def test_a_walk_through_any_protocol(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = walked(monkeypatch, name, said="1\n")
    assert said.code == 0
    assert "\n  1  " in said.out


def test_a_changed_file_is_noticed(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[list[str]] = []

    class Run:
        def __init__(self, words: list[str], **_: object) -> None:
            runs.append(words[4:])

        def wait(self) -> int:
            return len(runs)

    def tick(seconds: float) -> None:
        if len(runs) == 3:
            raise KeyboardInterrupt
        made.write_text(made.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")

    monkeypatch.setattr(watching.subprocess, "Popen", Run)
    monkeypatch.setattr(watching.time, "sleep", tick)
    watched = bmc("prove", "lease_table.py:LeaseTable", "--watch", "--json")
    assert watched.code == 3
    assert runs == [["prove", "lease_table.py:LeaseTable", "--json"]] * 3


def test_a_file_of_the_same_time_and_length_is_noticed(made: Path) -> None:
    text, kept = made.read_text(encoding="utf-8"), made.stat()
    before = watching.stamps([made.parent])
    made.write_text(text.swapcase(), encoding="utf-8")
    os.utime(made, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert watching.stamps([made.parent]) != before


def test_a_watched_folder_may_be_moved_and_come_back(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[bool] = []
    home, away = made.parent.resolve(), made.parent.resolve().with_name("away")

    class Run:
        def __init__(self, words: list[str], **_: object) -> None:
            runs.append(home.exists())

        def wait(self) -> int:
            return 0

    def tick(seconds: float) -> None:
        if len(runs) == 3:
            raise KeyboardInterrupt
        (home if home.exists() else away).rename(away if home.exists() else home)

    monkeypatch.setattr(watching.subprocess, "Popen", Run)
    monkeypatch.setattr(watching.time, "sleep", tick)
    assert bmc("prove", "lease_table.py:LeaseTable", "--watch").code == 0
    assert runs == [True, False, True]


def test_nothing_to_watch_is_bad_usage() -> None:
    refused = bmc("prove", "kafka", "--watch")
    assert refused.code == 2
    assert "file" in refused.err


def test_a_specification_comes_with_its_configurations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert bmc("new", "--example", "Backup").code == 0
    # Another specification of that folder has one of its own name.
    assert {one.name for one in tmp_path.iterdir()} == {"Backup.tla", "Backup.cfg", "Careless.cfg"}
    assert bmc("check", "Backup.tla", "--config", "Careless.cfg").code == 1


@pytest.mark.parametrize("said", ["9" * 5000, f"i {'9' * 5000}"])
def test_a_number_of_any_length_is_a_step_or_none(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python reads no number of some thousand digits: the walk was lost."""
    told = walked(monkeypatch, "id-sequence", said=f"{said}\n1\nt\n")
    assert (told.code, "internal failure" in told.err) == (0, False)
    assert "NUMBER" in told.out
    assert told.out.count("  1  ") > 1
