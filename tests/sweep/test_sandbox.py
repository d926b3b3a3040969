"""Limits hold inside native code, and nothing outlives whoever asked for it."""

import ctypes
import faulthandler
import gc
import multiprocessing
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bmc.sweep import sandbox

ARRAY = 300 * 2**20
"""Large beside what a kernel with many processors is wrong by when it counts resident pages."""


def test_an_answer_and_its_cost() -> None:
    def work() -> int:
        np.ones(ARRAY, dtype=np.uint8).sum()
        return 42

    found = sandbox.run(work, 30, 1024)
    assert (found.answer, found.error, found.timed_out) == (42, None, False)
    assert found.peak_mb is not None
    assert found.grown_mb is not None
    assert 220 < found.grown_mb < found.peak_mb


def test_garbage_it_inherits_hides_no_growth() -> None:
    def work() -> None:
        gc.collect()
        np.ones(ARRAY, dtype=np.uint8).sum()

    garbage: list[Any] = [np.ones(ARRAY // 2, dtype=np.uint8)]
    garbage.append(garbage)
    gc.disable()
    try:
        del garbage
        found = sandbox.run(work, 30, 1024)
    finally:
        gc.enable()
    assert found.grown_mb is not None
    assert found.grown_mb > 220


def test_an_error_comes_back() -> None:
    def work() -> None:
        raise KeyError("no")

    found = sandbox.run(work, 30, 1024)
    assert isinstance(found.error, KeyError)


def test_an_answer_that_cannot_travel_is_an_error() -> None:
    found = sandbox.run(lambda: lambda: 1, 30, 1024)
    assert isinstance(found.error, RuntimeError)


def test_time_ends_inside_native_code() -> None:
    # A regular expression that takes centuries, in one call that never looks at a signal.
    assert sandbox.run(lambda: re.match(r"(a+)+$", "a" * 60 + "b"), 0.5, 1024).timed_out


def test_memory_ends_inside_native_code() -> None:
    def work() -> int:
        return len(np.ones(2_000_000_000, dtype=np.uint8))

    found = sandbox.run(work, 30, 256)
    assert isinstance(found.error, MemoryError)


@pytest.mark.parametrize(
    ("work", "code"),
    [
        (lambda: ctypes.string_at(0), -signal.SIGSEGV),
        (lambda: os.abort(), -signal.SIGABRT),
        (lambda: os._exit(7), 7),
    ],
)
def test_a_crash_is_an_outcome(work: Callable[[], Any], code: int) -> None:
    def crashing() -> Any:
        # pytest would print where.
        faulthandler.disable()
        return work()

    found = sandbox.run(crashing, 30, 1024)
    assert (found.answer, found.error, found.exit) == (None, None, code)


def _sleeper(notes: Path) -> None:
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
    child.start()
    notes.write_text(f"{os.getpid()} {child.pid}")
    time.sleep(60)


def _gone(pids: list[int]) -> bool:
    def runs(pid: int) -> bool:
        try:
            status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
        except OSError:
            return False
        return status.rpartition(")")[2].split()[0] != "Z"

    end = time.monotonic() + 60
    while any(runs(pid) for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _noted(notes: Path) -> list[int]:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if notes.exists() and (words := notes.read_text().split()):
            return [int(word) for word in words]
        time.sleep(0.05)
    raise AssertionError("the work did not begin")


def test_what_it_started_dies_with_it(tmp_path: Path) -> None:
    notes = tmp_path / "pids"
    for seconds in (1, 10, 50):
        assert sandbox.run(lambda: _sleeper(notes), seconds, 1024).timed_out
        # On a busy machine it may not have come to start anything.
        if notes.exists():
            break
    assert _gone(_noted(notes))


def test_an_executor_that_is_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    notes = tmp_path / "pids"
    executor = multiprocessing.get_context("fork").Process(
        target=lambda: sandbox.run(lambda: _sleeper(notes), 60, 1024)
    )
    executor.start()
    pids = _noted(notes)
    executor.kill()
    executor.join()
    assert _gone(pids)
