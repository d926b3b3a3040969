"""The memory that benchmarks give is that of a process with all that it starts, each page once."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
MB = 2**20
FAMILY = """
import os, sys, time
shared = bytearray(80 << 20)
for alone in (False, True):
    into, out = os.pipe()
    if os.fork() == 0:
        if alone:
            os.setsid()
        own = bytearray(40 << 20)
        os.write(out, b"x")
        time.sleep(60)
        os._exit(0)
    os.read(into, 1)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("tree_memory")


@contextmanager
def family() -> Iterator[int]:
    command = [sys.executable, "-c", FAMILY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            # The one in a session of its own is found as long as its parent lives.
            memory = importlib.import_module("tree_memory")
            for one in memory.tree(process.pid):
                os.kill(one, 9)


def test_what_processes_share_counts_once(memory: ModuleType) -> None:
    with family() as root:
        assert len(memory.tree(root)) == 3
        assert 160 * MB < memory.tree_bytes(root) < 230 * MB
    # Who is killed has its memory until the system has taken it back.
    ended = monotonic() + 20
    while memory.tree_bytes(root) and monotonic() < ended:
        sleep(0.05)
    assert memory.tree_bytes(root) == 0


def entry(proc: Path, process: int, parent: int, session: int, **files: str) -> None:
    (proc / str(process)).mkdir()
    (proc / str(process) / "stat").write_text(f"{process} (a ) S) S {parent} 1 {session} 0 0\n")
    for name, text in files.items():
        (proc / str(process) / name).write_text(text)


def test_descendants_and_the_session_belong_to_the_tree(
    memory: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(memory, "PROC", str(tmp_path))
    share = "1000-2000 ---p 0 00:00 0 [rollup]\nRss:  90 kB\nPss:  {} kB\nPss_Dirty:  7 kB\n"
    entry(tmp_path, 40, 1, 40, smaps_rollup=share.format(10), statm="9 8 7 1 0 1 0")
    entry(tmp_path, 41, 40, 40, smaps_rollup="", statm="9 3 2 1 0 1 0")
    entry(tmp_path, 50, 41, 50, smaps_rollup=share.format(20), statm="9 8 7 1 0 1 0")
    entry(tmp_path, 60, 1, 40, smaps_rollup=share.format(40), statm="9 8 7 1 0 1 0")
    entry(tmp_path, 70, 1, 70, smaps_rollup=share.format(80), statm="9 8 7 1 0 1 0")
    (tmp_path / "80").mkdir()
    (tmp_path / "meminfo").write_text("MemTotal: 1 kB\n")
    assert memory.tree(40) == {40, 41, 50, 60}
    pages = os.sysconf("SC_PAGE_SIZE")
    assert memory.tree_bytes(40) == (10 + 20 + 40) * 1024 + 3 * pages


def test_the_most_that_is_seen_is_kept_and_the_end_is_looked_at(memory: ModuleType) -> None:
    numbers = iter([3.0, 9.0])

    def look() -> float:
        return next(numbers, 4.0)

    with memory.most(look, 0.001) as found:
        while found.seen < 9.0:
            sleep(0.001)
    assert found.seen == 9.0
    with memory.most(lambda: 5.0, 60) as found:
        pass
    assert found.seen == 5.0
