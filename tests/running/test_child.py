"""A child ends with its parent, by the kernel or by its pipe, and is never taken for an answer."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from errno import ENOMEM
from types import FrameType
from typing import Any

import pytest

from bmc.lang.errors import BmcError
from bmc.running import memory, orphans
from bmc.running.child import Channel, Child, ChildError, Failed, Lost, ProcessLimits, Reply, Said
from bmc.running.memory import MEGABYTE, loading
from bmc.running.signals import interrupt
from bmc.running.supervisor import Supervisor


@pytest.mark.parametrize("by_kernel", [True, False])
def test_it_ends_with_a_parent_that_is_killed(by_kernel: bool) -> None:
    ours, theirs = os.pipe()
    parent = os.fork()
    if parent == 0:
        os.close(ours)
        orphans.prepare()
        asking = os.getpid()
        for _ in range(2):
            if os.fork() == 0:
                orphans.die_with_parent(asking, by_kernel)
                os.write(theirs, b"!")
                time.sleep(600)
                os._exit(0)
        time.sleep(600)
    os.close(theirs)
    assert [os.read(ours, 1), os.read(ours, 1)] == [b"!", b"!"]
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    # The pipe is at its end when both of them have ended.
    assert os.read(ours, 1) == b""
    os.close(ours)


def leave(channel: Channel) -> None:
    sys.exit(0)


def run_out(channel: Channel) -> int:
    return len(bytearray(1 << 40))


@pytest.mark.parametrize(
    ("work", "end"),
    [
        (lambda channel: os._exit(0), Lost(0)),
        (lambda channel: os._exit(7), Lost(7)),
        (lambda channel: os.kill(os.getpid(), signal.SIGKILL), Lost(-signal.SIGKILL)),
        (lambda channel: 3, Reply(3)),
    ],
)
def test_how_it_ended_is_known(work: Callable[[Channel], object], end: object) -> None:
    assert Child(work).next() == end


def test_how_long_it_worked_is_known_and_waiting_is_no_work() -> None:
    def work(channel: Channel) -> None:
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass
        channel.send("worked")
        time.sleep(600)

    child = Child(work)
    assert child.next() == Said("worked")
    worked = child.worked()
    assert worked is not None
    assert 0.2 <= worked <= 1
    child.stop()
    assert child.worked() is None


def test_what_is_loaded_may_meet_a_limit_of_memory_and_counts_afterwards() -> None:
    """A library that gets no memory as it is loaded may try for ever."""

    def work(channel: Channel) -> int:
        with loading():
            taken = bytearray(64 * MEGABYTE)
        channel.send(len(taken))
        return len(bytearray(64 * MEGABYTE))

    child = Child(work, limits=ProcessLimits(more_mb=32))
    assert child.next() == Said(64 * MEGABYTE)
    end = child.next()
    assert isinstance(end, Lost)
    assert end.out_of_memory


def test_scipy_is_not_loaded_without_room_for_it() -> None:
    """It asked for its first table for ever: so did each command that looks at behaviours."""
    loads = """
import resource
import bmc.engines.liveness.graph
from bmc.running.memory import MEGABYTE, address_space_bytes
limit = address_space_bytes() + 80 * MEGABYTE
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    import bmc.engines.liveness.fair_cycles
except MemoryError:
    print("no room")
"""
    ran = subprocess.run(
        [sys.executable, "-c", loads],
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )
    assert ran.stdout == "no room\n", ran.stderr


def test_leaving_python_is_a_failure_and_ends_nobody_else() -> None:
    found = Child(leave).next()
    assert isinstance(found, Failed)
    assert isinstance(found.error, ChildError)
    assert "SystemExit" in str(found.error)


def test_a_lack_of_memory_has_a_name() -> None:
    found = Child(run_out, limits=ProcessLimits(more_mb=256)).next()
    assert isinstance(found, Lost)
    assert found.out_of_memory


def test_a_lack_of_memory_that_native_code_met_has_the_same_name() -> None:
    def work(channel: Channel) -> None:
        raise SystemError("<built-in> returned a result with an exception set") from MemoryError()

    found = Child(work).next()
    assert isinstance(found, Lost)
    assert found.out_of_memory


@pytest.mark.parametrize(
    "error",
    [
        ImportError("solver.so: failed to map segment from shared object"),
        ImportError("solver.so: cannot allocate memory in static TLS block"),
        OSError(ENOMEM, "Cannot allocate memory"),
    ],
)
def test_a_lack_of_memory_that_the_system_tells_has_the_same_name(error: Exception) -> None:
    def work(channel: Channel) -> None:
        raise error

    found = Child(work).next()
    assert isinstance(found, Lost)
    assert found.out_of_memory


@pytest.mark.parametrize(
    "said", [ImportError("The install seems to be broken"), BmcError("solver x is not installed")]
)
def test_a_lack_of_memory_that_a_package_calls_something_else_has_the_same_name(
    said: Exception,
) -> None:
    def work(channel: Channel) -> None:
        raise said from ImportError("solver.so: failed to map segment from shared object")

    found = Child(work).next()
    assert isinstance(found, Lost)
    assert found.out_of_memory


@pytest.mark.parametrize(
    "said",
    ["error return without exception set", "<built-in> returned NULL without setting an exception"],
)
def test_what_python_says_under_a_limit_where_it_got_no_frame_is_a_lack_of_memory(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(channel: Channel) -> None:
        raise SystemError(said)

    found = Child(work, limits=ProcessLimits(data_mb=4000)).next()
    assert isinstance(found, Lost)
    assert found.out_of_memory
    monkeypatch.setattr(memory, "is_limited", lambda: False)
    assert isinstance(Child(work).next(), Failed)


def test_a_call_for_which_python_gets_no_frame_is_a_lack_of_memory() -> None:
    def deeper(level: int) -> int:
        return deeper(level + 1)

    def work(channel: Channel) -> None:
        sys.setrecursionlimit(10_000_000)
        deeper(0)

    found = Child(work, limits=ProcessLimits(more_mb=4)).next()
    assert isinstance(found, Lost)
    # Since 3.13 Python itself may crash there, which says nothing of memory.
    crashed = sys.version_info >= (3, 13) and found.exit == -signal.SIGSEGV
    assert found.out_of_memory or crashed


def test_a_module_that_is_missing_is_no_lack_of_memory() -> None:
    def work(channel: Channel) -> None:
        raise ImportError("No module named 'solver'")

    assert isinstance(Child(work).next(), Failed)


class Awkward(Exception):
    """Can be pickled, and cannot be made again."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__("awkward")


def test_an_error_that_cannot_travel_comes_in_words() -> None:
    def work(channel: Channel) -> None:
        channel.send("before")
        raise Awkward(1, 2)

    child = Child(work)
    assert child.next() == Said("before")
    found = child.next()
    assert isinstance(found, Failed)
    assert isinstance(found.error, ChildError)
    assert "awkward" in str(found.error)


def test_interruptions_are_for_the_parent() -> None:
    def work(channel: Channel) -> str:
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(os.getpid(), number)
        return "still here"

    assert Child(work).next() == Reply("still here")


def waits(channel: Channel) -> None:
    time.sleep(60)


def has_ended(child: Child) -> bool:
    """Whether a child was waited for; one that runs on is ended."""
    try:
        os.kill(child._pid, signal.SIGKILL)
    except ProcessLookupError:
        return True
    return False


def test_an_interruption_while_children_are_stopped_leaves_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A program that asks from Python goes on behind it, and so did they."""
    wait, blows = os.wait4, [signal.SIGINT]

    def struck(pid: int, options: int) -> object:
        if blows and options == 0:
            blows.pop()
            raise KeyboardInterrupt
        return wait(pid, options)

    running = Supervisor()
    children = [running.start(waits) for _ in range(3)]
    monkeypatch.setattr("os.wait4", struck)
    with pytest.raises(KeyboardInterrupt):
        running.__exit__()
    assert [has_ended(child) for child in children] == [True] * 3


@pytest.mark.parametrize("handler", [signal.default_int_handler, interrupt])
def test_an_interruption_while_a_child_is_started_leaves_none(
    monkeypatch: pytest.MonkeyPatch, handler: Callable[[int, FrameType | None], Any]
) -> None:
    fork, started = os.fork, []

    def struck() -> int:
        if pid := fork():
            started.append(pid)
            # To this thread: another one of the program would let it in.
            signal.raise_signal(signal.SIGINT)
        return pid

    monkeypatch.setattr("os.fork", struck)
    signal.signal(signal.SIGINT, handler)

    def starts() -> None:
        with Supervisor() as running:
            running.start(waits)
            # A handler may wait for a place where what it raises is not lost.
            time.sleep(10)

    with pytest.raises(KeyboardInterrupt):
        starts()
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], signal.SIGKILL)
