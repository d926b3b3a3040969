"""Long work shows that it goes on; short work is silent."""

import contextlib
import signal
import threading

import pytest

from bmc.cli.shared.progress import PATIENCE, PLAIN_EVERY, Progress
from bmc.evidence.verdict import Result, Unanswered, Verdict, Why
from bmc.running.child import Lost
from tests.running.cramped import said_without_room_to_begin_a_thread


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def watched(terminal: bool) -> tuple[Progress, Clock, list[str]]:
    clock, written = Clock(), list[str]()
    return Progress(terminal=terminal, write=written.append, clock=clock), clock, written


def test_a_terminal_sees_the_phase_after_two_seconds() -> None:
    progress, clock, written = watched(terminal=True)
    progress.phase("searching depth 3")
    clock.now += PATIENCE - 0.1
    progress.tick()
    assert written == []
    clock.now += 0.2
    progress.tick()
    assert "searching depth 3" in written[-1]
    assert written[-1].startswith("\r")
    assert "\n" not in "".join(written)


def test_the_status_line_is_wiped_away_at_the_end() -> None:
    progress, clock, written = watched(terminal=True)
    with progress:
        clock.now += 5
        progress.tick()
    assert written[-1] == "\r\x1b[K"


def test_without_a_terminal_there_is_a_line_now_and_then() -> None:
    progress, clock, written = watched(terminal=False)
    progress.phase("searching depth 3")
    for _ in range(25):
        clock.now += 1
        progress.tick()
    assert written == [
        f"bmc: searching depth 3 ({PLAIN_EVERY:.0f} s)\n",
        f"bmc: searching depth 3 ({2 * PLAIN_EVERY:.0f} s)\n",
    ]


def test_short_work_writes_nothing() -> None:
    progress, _, written = watched(terminal=True)
    with progress:
        progress.phase("building")
    assert written == []


def test_phases_are_added_up() -> None:
    progress, clock, _ = watched(terminal=True)
    progress.phase("building")
    clock.now += 1
    progress.phase("searching")
    clock.now += 3
    progress.phase("building")
    clock.now += 1
    assert progress.spent()[:2] == [("searching", 3.0), ("building", 2.0)]


def test_what_is_known_when_work_stops() -> None:
    progress, _, _ = watched(terminal=True)
    progress.decided(Result("One", Verdict.PROVED, "kinduction", 0.1))
    stopped = Unanswered(Why.INTERRUPTED, "interrupted")
    one, other = progress.known(["One", "Other"], stopped, "kinduction")
    assert one.verdict is Verdict.PROVED
    assert (other.verdict, other.reason) == (Verdict.UNKNOWN, "interrupted")


def test_a_ctrl_c_that_a_callback_swallowed_comes_back() -> None:
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals arrive in the main thread only")
    progress, _, _ = watched(terminal=True)
    before = signal.getsignal(signal.SIGINT)
    with progress:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            progress.phase("the next condition")
    assert signal.getsignal(signal.SIGINT) is before


def test_a_status_line_that_gets_no_memory_to_begin_in_is_not_waited_for() -> None:
    """Python waits for ever for the beginning of a thread whose first call gets no memory."""

    def work() -> None:
        with Progress():
            pass

    end = said_without_room_to_begin_a_thread(work)
    assert isinstance(end, Lost)
    assert end.out_of_memory
