"""Judges share the questions: each is asked once, and one that is lost is never an answer."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from errno import EAGAIN, ENOSPC
from pathlib import Path as File

import pytest
from bmc.properties.kafka import KAFKA_KIP320

from bmc.evidence import panel
from bmc.evidence.panel import Inquiry, NotDecided, Refuted, inquire
from bmc.evidence.path import SymbolicPath
from bmc.solving.factory import create
from bmc.solving.interface import Answer
from bmc.system.transition import TransitionSystem

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
QUESTIONS = 40


def _nothing(text: str) -> None:
    pass


def work(said: Callable[[int], None], false_one: int | None = None) -> Callable[[Inquiry], None]:
    """Forty questions, of which one may have the wrong answer; ``said`` hears of those asked."""
    system = TransitionSystem(KAFKA_KIP320.model(ghosts=False), SMALL)

    def ask(inquiry: Inquiry) -> None:
        path = SymbolicPath(system, create("bitwuzla"))
        for number in range(QUESTIONS):
            before = inquiry.asked
            answer = system.circuit.constant(number != false_one)
            inquiry.always(path, answer, f"number {number} is false")
            if inquiry.asked > before:
                said(number)

    return ask


@pytest.mark.usefixtures("nobody_waits")
@pytest.mark.parametrize("judges", [1, 2, 3])
def test_every_question_is_asked_exactly_once(judges: int, tmp_path: File) -> None:
    def said(number: int) -> None:
        time.sleep(0.001)
        with (tmp_path / str(number)).open("a") as file:
            file.write(f"{os.getpid()}\n")

    assert inquire(work(said), judges, _nothing, None).questions == QUESTIONS
    lines = [file.read_text().splitlines() for file in tmp_path.iterdir()]
    assert len(lines) == QUESTIONS
    assert all(len(each) == 1 for each in lines)


def test_a_system_without_a_place_for_a_shared_count_has_one_judge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A folder /dev/shm that is full or missing takes no proof with it."""

    def refuses(*arguments: object, **more: object) -> None:
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    monkeypatch.setattr("multiprocessing.context.ForkContext.Value", refuses)
    asked: list[int] = []
    assert inquire(work(asked.append), 2, _nothing, None).questions == QUESTIONS
    assert asked == list(range(QUESTIONS))


def test_where_the_system_starts_no_judge_every_question_is_asked_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An engine that was started before the limit on processes was met has found a proof."""

    def refuse() -> int:
        raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))

    monkeypatch.setattr(os, "fork", refuse)
    asked: list[int] = []
    assert inquire(work(asked.append), 2, _nothing, None).questions == QUESTIONS
    assert asked == list(range(QUESTIONS))


@pytest.mark.parametrize("judges", [2, 3])
def test_little_is_left_to_the_first_judge_and_much_is_shared(judges: int, tmp_path: File) -> None:
    def asked_by(seconds: float) -> set[str]:
        told = tmp_path / str(seconds)

        def said(number: int) -> None:
            with told.open("a") as file:
                file.write(f"{os.getpid()}\n")
            end = time.process_time() + seconds
            while time.process_time() < end and len(set(told.read_text().split())) < judges:
                pass

        assert inquire(work(said), judges, _nothing, None).questions == QUESTIONS
        lines = told.read_text().splitlines()
        assert len(lines) == QUESTIONS
        return set(lines)

    assert len(asked_by(0)) == 1
    assert len(asked_by(0.5)) == judges


@pytest.fixture
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every judge starts at once, however little there is to ask."""
    monkeypatch.setattr(panel, "HEAD_START", 0)


@pytest.mark.usefixtures("nobody_waits")
@pytest.mark.parametrize("judges", [1, 2])
@pytest.mark.parametrize("number", [0, 17, QUESTIONS - 1])
def test_one_wrong_answer_is_everybodys(judges: int, number: int) -> None:
    with pytest.raises(Refuted, match=f"number {number} is false"):
        inquire(work(lambda n: None, number), judges, _nothing, None)


@pytest.mark.usefixtures("nobody_waits")
@pytest.mark.parametrize("code", [0, 1])
def test_a_judge_that_is_lost_leaves_all_undecided(code: int, tmp_path: File) -> None:
    def said(number: int) -> None:
        if number == 5:
            os._exit(code)

    with pytest.raises(NotDecided, match="without an answer"):
        inquire(work(said), 2, _nothing, None)


def test_no_time_is_no_answer() -> None:
    with pytest.raises(NotDecided, match="time limit"):
        inquire(work(lambda n: None), 2, _nothing, time.monotonic())


@pytest.mark.parametrize(("given", "said"), [(0.8, "time limit passed"), (60.0, "could not")])
def test_a_question_without_an_answer_says_whether_time_ended(
    given: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]

    def check(self: object, assumed: object, seconds: float) -> Answer:
        clock[0] += seconds if seconds < 1 else 0
        return Answer.UNKNOWN

    monkeypatch.setattr(panel, "monotonic", lambda: clock[0])
    monkeypatch.setattr(type(create("bitwuzla")), "check", check)
    with pytest.raises(NotDecided, match=f"{said}.*bitwuzla|bitwuzla {said}"):
        inquire(work(lambda n: None), 1, _nothing, given)


def test_judges_end_with_their_engine(tmp_path: File) -> None:
    def said(number: int) -> None:
        (tmp_path / str(number)).touch()
        time.sleep(0.5)

    ours, theirs = os.pipe()
    engine = os.fork()
    if engine == 0:
        os.close(ours)
        inquire(work(said), 2, _nothing, None)
        os._exit(0)
    os.close(theirs)
    while len(list(tmp_path.iterdir())) < 2:
        time.sleep(0.01)
    os.kill(engine, signal.SIGKILL)
    os.waitpid(engine, 0)
    # The other end of the pipe is closed when the last of the judges has ended.
    assert select.select([ours], [], [], 60)[0]
    assert os.read(ours, 1) == b""
    os.close(ours)
    assert len(list(tmp_path.iterdir())) < QUESTIONS / 2
