"""`bmc stubs`: editors and type checkers know a protocol's variables and its records' fields."""

import subprocess
import sys
from errno import ENOSPC
from pathlib import Path

import pytest

from tests.cli.running import ROOT, bmc

LOCK = """\
from __future__ import annotations

from typing import TYPE_CHECKING

from bmc.lang import *

if TYPE_CHECKING:
    from lock_state import LockState


class Lock(Protocol):
    n = Parameter("n", 2, 1, 4, "how many servers")
    Server = Scalarset("Server", n)
    Number = Integer("Number", 0, 5)
    Log = Record("Log", end=Number, last=OptionSort(Number))
    count = Variable(Number)
    logs = Variable(MapSort(Server, Log))

    @action()
    def Init(self, s: LockState) -> None:
        s.count = 0
        s.logs = mapping(self.Server, lambda x: record(self.Log, end=0, last=None), self.Log)

    @action(server=Server)
    def Go(self, s: LockState, server: Expr) -> None:
        s.require(s.count < 5, s.logs[server].end == 0)
        with s.either():
            s.count = s.count + 1
        with s.either():
            s.logs[server].end = 1

    Next = one_of(Go)

    @invariant("small")
    def Small(self, s: LockState) -> Expr:
        return forall(self.Server, lambda r: s.logs[r].end < 3)
"""
STUBS = '''\
"""What `s` is in lock.py:Lock: written by `bmc stubs`, for editors, and never run."""

from bmc.lang.typed import Cell, Known, Table, Variables


class Log(Known):
    end = Cell[Known]()
    last = Cell[Known]()


class LockState(Variables):
    count = Cell[Known]()
    logs = Cell[Table[Log]]()
'''

ODD = """\
from bmc.lang import *

N = Integer("N", 0, 1)
A = Record("Entry of log", x=N)
B = Record("Cell", y=N, **{"from": N})
C = Record("class", z=N)
D = Record("2nd", w=N)


class Odd(Protocol):
    a = Variable(A)
    b = Variable(B)
    c = Variable(C)
    d = Variable(D)

    @action()
    def Init(self, s):
        s.a, s.b = record(A, x=0), record(B, y=0, **{"from": 0})
        s.c, s.d = record(C, z=0), record(D, w=0)

    @action()
    def Go(self, s):
        s.a.x = 1

    Next = one_of(Go)
"""

WITHIN = """\
from bmc.lang import *

N = Integer("N", 0, 1)
Vote = Record("Vote", term=N)
Grant = Record("Grant", voter=N)
Entry = Record("Entry", of=N)
Held = Record("Held", until=N)
Message = Variant("Message", vote=Vote, grant=Grant)


class Within(Protocol):
    sent = Variable(BoundedSet(Message, 2))
    log = Variable(Sequence(Entry, 2))
    lock = Variable(OptionSort(Held))

    @action()
    def Init(self, s):
        s.sent, s.log, s.lock = set(), (), None

    @action()
    def Go(self, s):
        s.lock = record(Held, until=1)

    Next = one_of(Go)
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "lock.py"
    file.write_text(LOCK)
    answer = bmc("stubs", f"{file}:Lock")
    assert answer.code == 0, answer.err
    assert "from lock_state import LockState" in answer.out
    return file


def test_a_class_has_the_variables_and_one_each_record_its_fields(lock: Path) -> None:
    stubs = lock.with_name("lock_state.py")
    assert stubs.read_text() == STUBS
    assert bmc("stubs", f"{lock}:Lock").code == 0
    # What is annotated so is read as before.
    assert bmc("explore", f"{lock}:Lock").code == 0


def test_what_somebody_wrote_is_not_replaced(lock: Path) -> None:
    stubs = lock.with_name("lock_state.py")
    stubs.write_text("mine = 1\n")
    answer = bmc("stubs", f"{lock}:Lock")
    assert answer.code == 2
    assert "is there already, and not by bmc stubs" in answer.err
    assert stubs.read_text() == "mine = 1\n"


def test_names_that_are_none_in_python_and_names_twice(tmp_path: Path) -> None:
    file = tmp_path / "odd.py"
    file.write_text(ODD)
    answer = bmc("stubs", f"{file}:Odd", "-o", str(tmp_path / "out.py"))
    assert answer.code == 0, answer.err
    text = (tmp_path / "out.py").read_text()
    compile(text, "out.py", "exec")
    assert "class Entry_of_log(Known):" in text
    assert "class Cell2(Known):\n    y = Cell[Known]()\n\n\n" in text


def test_a_record_inside_a_variant_a_collection_or_an_option_has_its_class(tmp_path: Path) -> None:
    file = tmp_path / "within.py"
    file.write_text(WITHIN)
    answer = bmc("stubs", f"{file}:Within")
    assert answer.code == 0, answer.err
    text = (tmp_path / "within_state.py").read_text()
    for name, field in (("Vote", "term"), ("Grant", "voter"), ("Entry", "of"), ("Held", "until")):
        assert f"class {name}(Known):\n    {field} = Cell[Known]()\n" in text
    assert "    sent = Cell[Known]()\n" in text


@pytest.mark.nightly
def test_mypy_knows_them(lock: Path) -> None:
    wrong = LOCK.replace("s.count < 5", "s.cuont < 5").replace(
        "[server].end = 1", "[server].ned = 1"
    )
    lock.with_name("wrong.py").write_text(wrong.replace("[r].end < 3", "[r].edn < 3"))

    def checked(file: str) -> str:
        command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", file]
        return subprocess.run(
            command,
            cwd=lock.parent,
            env={"MYPYPATH": str(ROOT), "PATH": "/usr/bin"},
            capture_output=True,
            text=True,
        ).stdout

    assert "Success" in checked("lock.py")
    said = checked("wrong.py")
    for missing in ('"LockState" has no attribute "cuont"', '"ned"', '"edn"'):
        assert missing in said
    assert "Found 3 errors" in said


def test_a_place_that_is_no_file_is_refused(lock: Path) -> None:
    """It was an internal failure."""
    for place in (lock.parent, Path("")):
        answer = bmc("stubs", f"{lock}:Lock", "-o", str(place))
        assert answer.code == 2
        assert "it is a directory" in answer.err


def test_stubs_that_cannot_be_written_leave_those_that_are_there(
    lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were removed first, and a link with them."""
    kept, stubs = lock.with_name("kept.py"), lock.with_name("lock_state.py")
    stubs.rename(kept)
    stubs.symlink_to(kept)
    assert bmc("stubs", f"{lock}:Lock").code == 0
    assert stubs.is_symlink()

    def full(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr("bmc.running.files.os.fsync", full)
    assert bmc("stubs", f"{lock}:Lock").code == 4
    assert kept.read_text() == STUBS
