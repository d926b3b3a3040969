"""Processes are as many as asked for, answer in order, and never stay behind."""

import os
import select
import signal
import subprocess
import sys
import time
from errno import EAGAIN
from functools import partial

import pytest

from bmc.engines.task import SILENT, Observer
from bmc.lang.errors import BmcError
from bmc.regress.pool import Died, in_parallel
from tests.cli.running import ROOT


def test_every_answer_comes_with_its_number() -> None:
    def work(number: int, observer: Observer) -> int:
        time.sleep(0.05 * (4 - number))
        return number * number

    found: dict[int, object] = {}
    works = {str(n): partial(work, n) for n in range(5)}
    in_parallel(works, 3, SILENT, found.__setitem__)
    assert found == {n: n * n for n in range(5)}


def test_a_process_that_dies_is_an_answer() -> None:
    def die(observer: Observer) -> int:
        os._exit(7)

    found: dict[int, object] = {}
    in_parallel({"dies": die, "lives": lambda observer: 1}, 1, SILENT, found.__setitem__)
    assert isinstance(found[0], Died)
    assert found[0].why == "the process that judged it ended without an answer (exit 7)"
    assert found[1] == 1


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_a_process_that_the_system_refuses_costs_no_answer(
    monkeypatch: pytest.MonkeyPatch, allowed: int
) -> None:
    """Fewer run at a time; where none may, each work has its answer, with what to raise."""
    fork, running = os.fork, set[int]()

    def limited() -> int:
        if len(running) >= allowed:
            raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))
        if pid := fork():
            running.add(pid)
        return pid

    def ended(number: int, answer: object) -> None:
        found[number] = answer
        running.clear()

    found: dict[int, object] = {}
    monkeypatch.setattr(os, "fork", limited)
    in_parallel({str(n): partial(_told, n) for n in range(4)}, 3, SILENT, ended)
    if allowed:
        assert found == {n: n for n in range(4)}
    else:
        assert len(found) == 4
        for answer in found.values():
            assert isinstance(answer, Died)
            assert "the system refuses a process" in answer.why
            assert "raise the limits of `ulimit -a`" in answer.why


def _told(number: int, observer: Observer) -> int:
    return number


def test_what_a_work_raises_is_raised_and_nobody_goes_on() -> None:
    # A pipe is at its end when nobody who could write into it lives.
    read, write = os.pipe()

    def fail(observer: Observer) -> int:
        os.read(read, 1)
        raise BmcError("no")

    def linger(observer: Observer) -> int:
        os.write(write, b"!")
        time.sleep(600)
        return 0

    with pytest.raises(BmcError, match="no"):
        in_parallel({"lingers": linger, "fails": fail}, 2, SILENT, lambda n, a: None)
    os.close(write)
    assert select.select([read], [], [], 0)[0] == [read]
    assert os.read(read, 1) == b""
    os.close(read)


LINGERING = """
import os, signal, time
from bmc.engines.task import SILENT
from bmc.regress.pool import in_parallel

# Whoever starts the tests in the background may have had the interruption ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

def work(observer):
    os.write(1, b"!")
    time.sleep(600)

in_parallel({"a": work, "b": work}, 2, SILENT, print)
"""


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_nobody_outlives_the_run(blow: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", LINGERING],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.read(2) == b"!!"
        process.send_signal(blow)
        # Its output ends when the last of them has ended; to wait for it is the test.
        assert process.communicate(timeout=300) == (b"", None)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
