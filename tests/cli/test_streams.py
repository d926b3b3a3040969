"""The exit code is the answer's whatever becomes of the streams, and 1 means violated only."""

import os
import subprocess
import sys
from pathlib import Path
from resource import RLIMIT_FSIZE, getrlimit, setrlimit

import pytest

from tests.cli.running import ROOT

FLAG = """
import os
from bmc.lang import *


class Flag(Protocol):
    up = Variable(BOOL)

    @action()
    def Init(self, s):
        s.up = False

    @action()
    def Raise(self, s):
        s.up = True

    Next = one_of(Raise)

    @invariant("never up: false")
    def Down(self, s):
        return ~s.up
"""

LEAVES = FLAG.replace("class Flag", "os._exit(1)\n\nclass Flag")


def bmc(*words: str, streams: str) -> int:
    """Return the exit code of a command line, with a shell's words for its streams."""
    return subprocess.run(
        ["/bin/sh", "-c", f'"$@" {streams}', "sh", sys.executable, "-m", "bmc", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=120,
        check=False,
    ).returncode


def protocol(folder: Path, text: str) -> str:
    (folder / "flag.py").write_text(text)
    return f"{folder}/flag.py:Flag"


@pytest.mark.parametrize(
    "streams",
    ["2>/dev/full", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", "2>&1 >/dev/full"],
)
def test_no_answer_is_no_violation_where_it_cannot_be_told(streams: str, tmp_path: Path) -> None:
    named = protocol(tmp_path, LEAVES)
    assert bmc("prove", named, streams=streams) == 4
    assert bmc("check", named, "--json", streams=streams) == 4


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_costs_no_answer(closed: str, tmp_path: Path) -> None:
    named, out = protocol(tmp_path, FLAG), tmp_path / "trace.json"
    assert bmc("check", named, "--trace", str(out), streams=closed) == 1
    assert out.read_text().startswith("{")
    assert bmc("prove", "id-sequence", "--json", streams=closed) == 0


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_half_a_document_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unbuffered: str
) -> None:
    """As on a disk that fills; containers mostly have Python buffer nothing."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    out = tmp_path / "out"

    def limit() -> None:
        setrlimit(RLIMIT_FSIZE, (500, getrlimit(RLIMIT_FSIZE)[1]))

    with out.open("w") as stdout:
        ended = subprocess.run(
            [sys.executable, "-m", "bmc", "list", "id-sequence", "--json"],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=stdout,
            stderr=subprocess.DEVNULL,
            preexec_fn=limit,
            timeout=120,
            check=False,
        )
    assert (ended.returncode, out.stat().st_size) == (4, 500)


@pytest.mark.parametrize("words", [["--version"], ["step", "id-sequence"]])
def test_what_is_no_verdict_goes_on_without_streams(words: list[str]) -> None:
    assert bmc(*words, streams="<&- >&- 2>&-") == 0


NO_ROOM = """
import errno, os, sys
from bmc.cli.main import main

def fork():
    raise OSError(errno.EAGAIN, "no room")

os.fork = fork
sys.argv = ["bmc", "prove", "id-sequence"]
main()
"""


BEGINS = """
import sys
from bmc.cli.main import main
sys.argv = ["bmc", "list"]
main()
"""


def test_where_no_process_can_begin_nothing_is_violated() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", NO_ROOM],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "could not begin (no room)" in ended.stderr


@pytest.mark.parametrize("files", [5, 6])
def test_where_no_file_can_be_opened_that_is_said(files: int) -> None:
    """Not even those of bmc itself, which tell of it otherwise."""
    ended = subprocess.run(
        ["/bin/sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", sys.executable, "-c", BEGINS],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode in (3, 4)
    assert ended.stdout == ""
    assert "Nothing is proved and nothing violated" in ended.stderr
