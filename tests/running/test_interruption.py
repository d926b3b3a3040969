"""A limit ends work that looks at no clock, wherever Python is when it passes."""

import signal
import subprocess
import sys
from time import monotonic, process_time
from weakref import WeakValueDictionary

import pytest

from bmc.running import interruption
from bmc.running.interruption import LimitMet, interrupted


class Term:
    """Something that is held weakly, as the language's terms are."""


def without_end(what: str, seconds: float, key: object = 0) -> None:
    held: WeakValueDictionary[object, Term] = WeakValueDictionary()
    with interrupted(what, seconds):
        while True:
            held[key] = Term()


def test_it_names_what_was_under_way() -> None:
    began = process_time()
    with pytest.raises(LimitMet, match="the count is unknown: the time limit has passed"):
        without_end("the count", 0.2)
    assert process_time() - began < 5


def test_nothing_is_printed_where_it_comes_in_the_middle_of_a_weak_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A callback of weakref prints what is raised in it, and goes on."""
    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    monkeypatch.setattr(interruption, "_SECONDS_BETWEEN_LOOKS", 0.001)
    for _ in range(100):
        with pytest.raises(LimitMet):
            without_end("the terms", 0.0)
    assert not ignored


class Key:
    """A key whose hash is made in Python, slowly."""

    def __hash__(self) -> int:
        return sum(range(2_000))


def test_nothing_is_printed_where_a_callback_of_a_weak_reference_hashes_in_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    monkeypatch.setattr(interruption, "_SECONDS_BETWEEN_LOOKS", 0.0005)
    for _ in range(50):
        with pytest.raises(LimitMet):
            without_end("the terms", 0.0, Key())
    assert not ignored


def test_an_alarm_that_was_set_goes_on() -> None:
    """A test of a user's project has a limit of its own that way."""
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(LimitMet):
            without_end("the count", 0.1)
        assert not rung
        end = monotonic() + 5
        while not rung and monotonic() < end:
            pass
        assert rung == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_an_alarm_that_was_set_rings_before_a_limit_that_is_later() -> None:
    """It waited for the end of the work, and a project's own limit of a test did not end it."""
    rung: list[float] = []

    class Rung(Exception):
        pass

    def ring(number: int, frame: object) -> None:
        rung.append(monotonic())
        if len(rung) == 2:
            raise Rung

    before = signal.signal(signal.SIGALRM, ring)
    try:
        began = monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.2, 0.3)
        with pytest.raises(Rung):
            without_end("the count", 30)
        assert len(rung) == 2
        assert monotonic() - began < 20
        assert signal.getitimer(signal.ITIMER_REAL)[1] == pytest.approx(0.3, abs=0.05)
        assert signal.getsignal(signal.SIGALRM) is ring
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_an_alarm_that_nobody_hears_ends_the_process_in_time() -> None:
    """`signal.alarm` without a handler is how a script is ended."""
    text = (
        "import signal\nfrom bmc.running.interruption import interrupted\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.2)\n"
        "with interrupted('the count', 30):\n    while True:\n        pass\n"
    )
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, timeout=25)
    assert ended.returncode == -signal.SIGALRM
