"""Processes are as many as asked for, answer in order, and never stay behind."""

import os
import signal
import subprocess
import sys
import time
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
    assert found[0].exit_code == 7
    assert found[1] == 1


def test_what_a_work_raises_is_raised_and_nobody_goes_on() -> None:
    def fail(observer: Observer) -> int:
        raise BmcError("no")

    def linger(observer: Observer) -> int:
        time.sleep(60)
        return 0

    before = time.monotonic()
    with pytest.raises(BmcError, match="no"):
        in_parallel({"lingers": linger, "fails": fail}, 2, SILENT, lambda n, a: None)
    assert time.monotonic() - before < 10


LINGERING = """
import os, sys, time
from bmc.engines.task import SILENT
from bmc.regress.pool import in_parallel

def work(observer):
    print(os.getpid(), flush=True)
    time.sleep(60)

in_parallel({"a": work, "b": work}, 2, SILENT, print)
"""


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_nobody_outlives_the_run(blow: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", LINGERING],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    pids = [int(process.stdout.readline()) for _ in range(2)]
    process.send_signal(blow)
    process.wait(timeout=20)
    end = time.monotonic() + 20
    while any(_runs(pid) for pid in pids):
        assert time.monotonic() < end
        time.sleep(0.1)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # Where nobody reaps an orphan, it stays in the table without running.
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True
