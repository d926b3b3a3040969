"""Tasks meet at one of them, or by Spark's barrier where they cannot reach it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from bmc.sweep import meeting as meetings
from bmc.sweep.meeting import Gather, meeting

HERE = "127.0.0.1"


class Barrier:
    """Spark's own meetings, for tasks that are threads."""

    def __init__(self, tasks: int) -> None:
        self.held: list[list[str]] = []
        self._said = [""] * tasks
        self._all_said = threading.Barrier(tasks, self._hold, timeout=60)
        self._all_read = threading.Barrier(tasks, timeout=60)

    def _hold(self) -> None:
        self.held.append(list(self._said))

    def of(self, me: int) -> Gather:
        def gather(message: str) -> list[str]:
            self._said[me] = message
            self._all_said.wait()
            found = list(self._said)
            self._all_read.wait()
            return found

        return gather


def met(hosts: Sequence[str], barrier: Barrier, task: Callable[[int, Gather], Any]) -> list[Any]:
    """What the tasks return, or raise."""

    def run(me: int) -> Any:
        try:
            with meeting(me, hosts, barrier.of(me)) as gather:
                return task(me, gather)
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(hosts)) as pool:
        return list(pool.map(run, range(len(hosts))))


def talk(me: int, gather: Gather) -> list[list[str]]:
    return [gather(f"{me} says {number}: é" * (number * 10_000 + 1)) for number in range(5)]


def heard(tasks: int) -> list[list[str]]:
    return [
        [f"{me} says {number}: é" * (number * 10_000 + 1) for me in range(tasks)]
        for number in range(5)
    ]


@pytest.mark.parametrize(("tasks", "held"), [(1, 0), (2, 2), (9, 2)])
def test_all_hear_what_each_says_and_spark_is_asked_twice(tasks: int, held: int) -> None:
    barrier = Barrier(tasks)
    assert met([HERE] * tasks, barrier, talk) == [heard(tasks)] * tasks
    assert len(barrier.held) == held


def test_where_one_cannot_reach_the_first_all_go_on_with_spark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = socket.create_connection

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        if threading.current_thread().name.endswith("_2"):
            raise TimeoutError("a firewall")
        return real(address, timeout)

    monkeypatch.setattr(meetings, "_SECONDS_TO_COME", 1.0)
    monkeypatch.setattr(socket, "create_connection", connect)
    barrier = Barrier(3)
    assert met([HERE] * 3, barrier, talk) == [heard(3)] * 3
    assert len(barrier.held) == 2 + 5


def test_where_the_first_cannot_listen_all_go_on_with_spark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*address: object, **options: object) -> socket.socket:
        raise PermissionError("no ports here")

    monkeypatch.setattr(socket, "create_server", refuse)
    barrier = Barrier(2)
    assert met([HERE] * 2, barrier, talk) == [heard(2)] * 2
    assert len(barrier.held) == 2 + 5


@pytest.mark.parametrize(
    "greeting",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff" * 4096,
        (20).to_bytes(8, "big") + b'["no such token", 1]',
        (4).to_bytes(8, "big") + b"null",
        (9).to_bytes(8, "big") + b'["\xc3\xa9", 1]',
    ],
)
def test_a_stranger_who_connects_is_sent_away(
    greeting: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It connects before the others do, and takes nobody's place."""
    real = socket.create_connection
    monkeypatch.setattr(meetings, "_SECONDS_FOR_A_GREETING", 0.2)
    strangers: list[socket.socket] = []

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        strangers.append(real(address, timeout))
        strangers[-1].sendall(greeting)
        return real(address, timeout)

    monkeypatch.setattr(socket, "create_connection", connect)
    barrier = Barrier(3)
    assert met([HERE] * 3, barrier, talk) == [heard(3)] * 3
    assert len(barrier.held) == 2
    for stranger in strangers:
        stranger.settimeout(10)
        with suppress(ConnectionResetError):
            assert stranger.recv(1) == b""
        stranger.close()


@pytest.mark.parametrize("gone", [0, 1])
def test_the_others_hear_of_a_task_that_is_gone(gone: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no error of bmc's: Spark starts again whose executor is lost."""
    monkeypatch.setattr(meetings, "_SECONDS_TO_BE_ENDED", 0.0)

    def die(me: int, gather: Gather) -> list[str]:
        gather("still here")
        if me == gone:
            raise KeyError("it dies")
        return gather("again")

    for me, found in enumerate(met([HERE] * 3, Barrier(3), die)):
        assert type(found) is (KeyError if me == gone else ConnectionError)


def test_who_may_come_in_is_told_by_spark_and_otherwise_each_time() -> None:
    words = set()
    for _ in range(3):
        barrier = Barrier(2)
        met([HERE] * 2, barrier, talk)
        words.add(json.loads(barrier.held[0][0])[1])
    assert len(words) == 3
    assert min(map(len, words)) >= 32
