"""Several models at once, each in a process of its own, with answers in a fixed order."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from time import sleep
from typing import Any, Generic, TypeVar

from bmc.engines.task import Observer
from bmc.evidence.verdict import Result

Answer = TypeVar("Answer")

_PATIENCE = 3.0
"""Seconds a process gets to stop the engines it started before it is killed."""


class Died:
    """The answer of a process that ended without one."""

    def __init__(self, exit_code: int | None) -> None:
        self.exit_code = exit_code


class _Whisper:
    """The observer inside a process: only what is being done goes through the pipe."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def phase(self, text: str) -> None:
        self._pipe.send(("phase", text))

    def fact(self, text: str) -> None:
        """Facts are told with the answer."""

    def decided(self, result: Result) -> None:
        """Verdicts are told with the answer."""


Work = Callable[[Observer], Answer]


class _Running(Generic[Answer]):
    def __init__(self, number: int, name: str, work: Work[Answer]) -> None:
        # A forked process has the suites; protocols and properties are code, not data.
        context: Any = multiprocessing.get_context("fork")
        self.number = number
        self.name = name
        self.pipe, theirs = context.Pipe(duplex=False)
        # Not a daemon: it runs its engines in processes of their own.
        whole = (work, theirs, os.getpid())
        self.process = context.Process(target=_child, args=whole, name=f"bmc {name}")
        self.process.start()
        theirs.close()

    def stop(self) -> None:
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(_PATIENCE)
            self.process.kill()
        self.process.join()
        self.pipe.close()


def _child(work: Work[Answer], pipe: Connection, parent: int) -> None:
    # Terminated or interrupted, it leaves through its engines, so that none of them stays behind.
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGINT, _interrupt)
    threading.Thread(target=_outlive_nobody, args=(parent,), daemon=True).start()
    try:
        pipe.send(("answer", work(_Whisper(pipe))))
    except (KeyboardInterrupt, BrokenPipeError):
        pass
    except Exception as error:
        pipe.send(("failed", _sendable(error)))


def _outlive_nobody(parent: int) -> None:
    """End this process when its parent is gone: killed, that could not stop what it started."""
    while os.getppid() == parent:
        sleep(1.0)
    os.kill(os.getpid(), signal.SIGTERM)
    sleep(_PATIENCE)
    os._exit(1)


def _sendable(error: Exception) -> Exception:
    """The exception, or its words where it cannot leave its process."""
    try:
        pickle.dumps(error)
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def in_parallel(
    works: Mapping[str, Work[Answer]],
    jobs: int,
    observer: Observer,
    answered: Callable[[int, Answer | Died], None],
) -> None:
    """Run every work, at most ``jobs`` at a time, and tell each answer with its number.

    Raises what a work raises. Whenever this is left, no process is left behind.
    """
    waiting: Iterator[tuple[int, tuple[str, Work[Answer]]]] = enumerate(works.items())
    running: dict[Connection, _Running[Answer]] = {}
    done = 0
    try:
        while True:
            while len(running) < max(jobs, 1) and (following := next(waiting, None)):
                number, (name, work) = following
                one = _Running(number, name, work)
                running[one.pipe] = one
            if not running:
                return
            for pipe in _ready(list(running)):
                one = running[pipe]
                kind, content = _received(one)
                if kind == "phase":
                    observer.phase(f"{done} of {len(works)} done; {one.name}: {content}")
                    continue
                one.stop()
                del running[pipe]
                if kind == "failed":
                    raise content
                done += 1
                answered(one.number, content)
    finally:
        for one in running.values():
            one.stop()


def _ready(pipes: Sequence[Connection]) -> list[Connection]:
    return [pipe for pipe in wait(pipes) if isinstance(pipe, Connection)]


def _received(one: _Running[Answer]) -> tuple[str, Any]:
    try:
        kind, content = one.pipe.recv()
        return kind, content
    except EOFError:
        one.process.join()
        return "answer", Died(one.process.exitcode)
