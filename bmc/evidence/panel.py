"""A panel: several processes of one judge, each asking its share of the same questions.

Every process goes through the whole list of questions, and asks a question only if nobody has
taken it before: they count on a number that they share. So they need not wait for each other, and
a hard question holds up one of them only.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from itertools import count
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any

from bmc.evidence.certificate import CertificateError
from bmc.evidence.children import die_with_parent, end_if_orphaned
from bmc.evidence.path import Path
from bmc.readings.circuit import Node
from bmc.solving.interface import Answer, Handle

Progress = Callable[[str], None]


class NotDecided(CertificateError):
    """The second solver could not decide a condition in time: neither accepted nor refuted."""


class Refuted(CertificateError):
    """The second solver found that a condition does not hold."""


class Inquiry:
    """The questions of a judge, of which this process asks those that it takes.

    ``take`` gives the number of the next question that nobody has taken; ``end`` is a time of the
    monotonic clock. ``total`` counts all questions, ``asked`` those that were asked here.
    """

    def __init__(
        self, take: Callable[[], int], progress: Progress, end: float | None = None
    ) -> None:
        self.total = 0
        self.asked = 0
        self.progress = progress
        self._take = take
        self._end = end
        self._mine = take()

    def always(self, path: Path, node: Node, complaint: str) -> None:
        """Ask whether a formula holds in every last state of the path.

        Raises Refuted with the complaint when it does not, NotDecided when the solver gives up or
        time runs out.
        """
        if self._is_mine():
            self._refute(path, path.read(node), complaint)

    def stays_a_state(self, path: Path) -> None:
        """Ask whether the path's last state is one, in range and canonical; raises likewise."""
        if self._is_mine():
            self._refute(path, path.is_state(), "a step leads outside the variables' sorts")

    def across(self, path: Path, formula: Handle, complaint: str) -> None:
        """Ask whether a formula over several states holds; raises likewise."""
        if self._is_mine():
            self._refute(path, formula, complaint)

    def _is_mine(self) -> bool:
        number, self.total = self.total, self.total + 1
        if number != self._mine:
            return False
        self._mine = self._take()
        self.asked += 1
        return True

    def _refute(self, path: Path, formula: Handle, complaint: str) -> None:
        left = None if self._end is None else self._end - monotonic()
        if left is not None and left <= 0:
            raise NotDecided("the time limit passed before the certificate was re-checked")
        answer = path.solver.check([path.solver.negation(formula)], left)
        if answer is Answer.SAT:
            raise Refuted(complaint)
        if answer is Answer.UNKNOWN:
            raise NotDecided(f"{path.solver.name} could not decide whether {complaint}")


Work = Callable[[Inquiry], None]
"""Goes through all questions in the same order, whoever runs it."""


def inquire(work: Work, judges: int, progress: Progress, end: float | None) -> int:
    """Ask all questions of ``work`` in so many processes; how many there were.

    Raises what a question raises, in whichever process. Processes are forked, so that the circuits
    need not be sent.
    """
    if judges < 2:
        alone = Inquiry(count().__next__, progress, end)
        work(alone)
        return alone.total
    context: Any = multiprocessing.get_context("fork")
    taken = context.Value("Q", 0)

    def take() -> int:
        with taken.get_lock():
            taken.value += 1
            return int(taken.value) - 1

    running = [_Judge(work, take, end) for _ in range(judges)]
    try:
        return _collect(running, progress)
    finally:
        for one in running:
            one.stop()


def _collect(running: list[_Judge], progress: Progress) -> int:
    totals: set[int] = set()
    asked = 0
    open_ = {one.pipe for one in running}
    while open_:
        for pipe in wait(list(open_)):
            assert isinstance(pipe, Connection)
            try:
                kind, content = pipe.recv()
            except EOFError:
                raise NotDecided("a process of the re-check ended without an answer") from None
            match kind:
                case "progress":
                    progress(content)
                case "failed":
                    raise content
                case "done":
                    total, share = content
                    totals.add(total)
                    asked += share
                    open_.remove(pipe)
    if totals != {asked}:
        raise CertificateError(f"of {totals} questions {asked} were asked: this is a bug in bmc")
    return asked


class _Judge:
    """A forked process that goes through the questions."""

    def __init__(self, work: Work, take: Callable[[], int], end: float | None) -> None:
        self.pipe, theirs = multiprocessing.Pipe(duplex=False)
        parent = os.getpid()
        # multiprocessing's own processes may not be children of an engine's, which is a daemon.
        self._pid = os.fork()
        if self._pid == 0:
            self.pipe.close()
            _answer(work, take, end, theirs, parent)
        theirs.close()
        self._ended = False

    def stop(self) -> None:
        """End the process, whatever it does."""
        if not self._ended:
            self._ended = True
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self.pipe.close()


def _answer(
    work: Work, take: Callable[[], int], end: float | None, pipe: Connection, parent: int
) -> None:
    def take_alive() -> int:
        end_if_orphaned(parent)
        return take()

    try:
        die_with_parent()
        end_if_orphaned(parent)
        inquiry = Inquiry(take_alive, lambda text: pipe.send(("progress", text)), end)
        work(inquiry)
        pipe.send(("done", (inquiry.total, inquiry.asked)))
    except KeyboardInterrupt:
        pass
    except MemoryError:
        pass
    except Exception as error:
        pipe.send(("failed", error))
    finally:
        pipe.close()
        os._exit(0)
