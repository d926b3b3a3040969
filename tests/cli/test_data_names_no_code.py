"""What a file says is data: no code runs because a certificate, a trace or a lock names it."""

import json
import os
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared.catalogue import NamesCode
from bmc.cli.shared.locked_protocols import LockedProtocols
from tests.cli.running import Answered, bmc

MODEL = """
from pathlib import Path

Path({mark!r}).write_text("was run")

from bmc.lang import *


class Counter(Protocol):
    n = Variable(Integer("N", 0, 3))

    @action()
    def Init(self, s):
        s.n = 0

    @action()
    def Add(self, s):
        s.require(s.n < 3)
        s.n = s.n + 1

    Next = one_of(Add)

    @invariant("small")
    def Small(self, s):
        return s.n <= 3

    @invariant("smaller")
    def Smaller(self, s):
        return s.n < 2
"""


class Place:
    """A folder with a protocol that leaves a mark when it is run, and what bmc wrote of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = folder / "mark"
        self.model = folder / "model.py"
        self.model.write_text(MODEL.format(mark=str(self.mark)))
        self.name = f"{self.model}:Counter"
        self.proof, self.trace = folder / "proof.json", folder / "trace.json"
        self.itf, self.lock = folder / "trace.itf.json", folder / "bmc.lock"
        written = ("--certificate", str(self.proof))
        said = bmc("prove", self.name, "-P", "Small", *written)
        assert said.code == 0
        self.advised = said.out
        found = bmc("check", self.name, "-P", "Smaller", "--json").document
        self.trace.write_text(json.dumps(found))
        self.mark.unlink()

    def ran(self) -> bool:
        """Whether the model's file was run since the last time."""
        found = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("place"))


def refused(answered: Answered, *words: str) -> None:
    assert answered.code == 2
    for word in ("bmc runs no file because data names it", *words):
        assert word in answered.out + answered.err


COMMANDS = {
    "certify": ("certify", "{proof}"),
    "replay": ("trace", "replay", "{trace}"),
    "show": ("trace", "show", "{trace}"),
    "export": ("trace", "export", "{trace}", "--to", "{folder}/out.txt"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_data_names_is_shown_and_not_run(place: Place, command: str) -> None:
    words = [word.format(**vars(place)) for word in COMMANDS[command]]
    refused(bmc(*words), place.name, f"--protocol {place.name}")
    assert not place.ran()
    assert bmc(*words, "--protocol", place.name).code in (0, 1)
    assert place.ran()


def test_the_command_that_checks_a_certificate_is_said_in_full(place: Place) -> None:
    assert f"`bmc certify {place.proof} --protocol {place.name}`" in place.advised


def test_a_file_that_begins_with_a_dash_is_no_option_in_a_command_that_is_said(
    place: Place,
) -> None:
    with chdir(place.folder):
        told = bmc("prove", place.name, "-P", "Small", "--certificate", "-proof.json").out
        bmc("check", place.name, "-P", "Smaller", "--trace", "-trace.json")
        assert "`bmc certify ./-proof.json --protocol" in told
        place.mark.unlink()
        refused(bmc("certify", "--", "-proof.json"), "`bmc certify ./-proof.json --protocol")
        refused(bmc("trace", "replay", "--", "-trace.json"), "`bmc trace replay ./-trace.json ")


def test_the_command_that_was_given_is_said_with_the_protocol(place: Place) -> None:
    """Whoever exports a certificate was told how to judge it."""
    words = ("certificate", "export", str(place.proof), "--smtlib", str(place.folder / "smt"))
    refused(bmc(*words), f"`bmc {' '.join(words)} --protocol {place.name}`")
    assert not place.ran()


@pytest.mark.parametrize("command", ["replay", "show", "export"])
def test_the_command_that_reads_a_trace_is_said_with_the_protocol(
    place: Place, command: str
) -> None:
    """Whoever shows or exports a trace was told how to replay it."""
    options = ("--to", f"{place.folder}/out.txt") if command == "export" else ()
    words = ("trace", command, *options, str(place.trace))
    refused(bmc(*words), f"`bmc {' '.join(words)} --protocol {place.name}`")


def altered(file: Path, to: Path, **changes: Any) -> Path:
    document = json.loads(file.read_text())
    document.update(changes)
    to.write_text(json.dumps(document))
    return to


@pytest.mark.parametrize("name", ["./model.py:Counter", "..\\model.py:Counter", "a/b", "model.py"])
def test_no_spelling_of_a_path_is_run(place: Place, name: str, tmp_path: Path) -> None:
    file = altered(place.proof, tmp_path / "proof.json", protocol=name)
    with chdir(place.folder):
        refused(bmc("certify", str(file)))
    assert not place.ran()


@pytest.mark.parametrize("name", ["Gone.tla@Other.cfg,N=2", "gone.py:Counter"])
def test_a_file_that_is_not_there_is_told_as_that(place: Place, name: str, tmp_path: Path) -> None:
    """To name it as the certificate does would be of no help."""
    file = altered(place.proof, tmp_path / "proof.json", protocol=name)
    gone = name.split(":")[0].split("@")[0]
    refused(bmc("certify", str(file)), f"from here there is no {gone}", "--protocol PATH")


def test_a_name_cannot_steer_the_terminal(place: Place, tmp_path: Path) -> None:
    name = "\x1b[2J\x1b]0;owned\x07/model.py:Counter"
    answered = bmc("certify", str(altered(place.proof, tmp_path / "p.json", protocol=name)))
    refused(answered)
    assert "\x1b" not in answered.err


def test_a_lock_runs_files_of_its_own_project_only(place: Place, tmp_path: Path) -> None:
    lock = ("--baseline", str(place.lock), "--jobs", "1")
    with chdir(place.folder):
        assert bmc("regress", *lock, "--update", "--protocol", place.name).code == 0
        place.ran()
        assert bmc("regress", *lock).code == 0
        assert place.ran()
    with chdir(tmp_path):
        refused(bmc("regress", *lock))
        assert not place.ran()
        assert bmc("regress", *lock, "--protocol", place.name).code == 0
        assert place.ran()


def test_a_lock_of_the_working_directory_reaches_no_other(place: Place, tmp_path: Path) -> None:
    outside = f"{os.path.relpath(place.model, tmp_path)}:Counter"
    with chdir(tmp_path), pytest.raises(NamesCode):
        LockedProtocols(tmp_path).find(outside)
    assert not place.ran()
    with chdir(tmp_path):
        assert LockedProtocols(tmp_path, [place.name]).find(outside).name == outside
