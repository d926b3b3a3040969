"""A panel: several processes of one judge, each asking its share of the same questions.

Every process goes through the whole list of questions, and asks a question only if nobody has
taken it before: they count on a number that they share. So they need not wait for each other, and
a hard question holds up one of them only.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import count
from time import monotonic
from typing import Any, assert_never

from bmc.evidence.certificate import CertificateError
from bmc.evidence.path import SymbolicPath
from bmc.readings.circuit import Node
from bmc.running.child import Channel
from bmc.running.room import has_no_place, has_no_room
from bmc.running.supervisor import Failed, Lost, Reply, Said, Supervisor
from bmc.solving.interface import Answer, Handle

Progress = Callable[[str], None]


HEAD_START = 1.5
"""Processor seconds for which the first judge is alone.

Every other one has to build the path anew, and to learn of it what the first one knows.
"""

_BETWEEN_LOOKS = 0.1
_EARLY = 0.05
"""Seconds by which a solver may end before the time that it was given."""


class NotDecided(CertificateError):
    """The second solver could not decide a condition in time: neither accepted nor refuted."""


class Refuted(CertificateError):
    """The second solver found that a condition does not hold."""


class Inquiry:
    """The questions of a judge, of which this process asks those that it takes.

    ``take`` gives the number of the next question that nobody has taken; ``end`` is a time of the
    monotonic clock. ``total`` counts all questions, ``asked`` those that were asked here;
    ``remarks`` are what those found that is worth saying and refutes nothing.
    """

    def __init__(
        self, take: Callable[[], int], progress: Progress, end: float | None = None
    ) -> None:
        self.total = 0
        self.asked = 0
        self.remarks: list[str] = []
        self.progress = progress
        self._take = take
        self._end = end
        self._mine = take()

    def always(self, path: SymbolicPath, node: Node, complaint: str) -> None:
        """Ask whether a formula holds in every last state of the path.

        Raises Refuted with the complaint when it does not, NotDecided when the solver gives up or
        time runs out.
        """
        if self._is_mine():
            self._refute(path, path.read(node), complaint)

    def after(self, path: SymbolicPath, rules: Collection[int], node: Node, complaint: str) -> None:
        """Ask whether a formula holds in every last state that one of some rules leads to.

        The rules are given by their positions; raises likewise.
        """
        if self._is_mine():
            otherwise = path.solver.negation(path.last_by(rules))
            self._refute(path, path.solver.any([otherwise, path.read(node)]), complaint)

    def steps_to_states(self, path: SymbolicPath) -> None:
        """Ask of each rule whether it leads from the path's last state to a state.

        That is in range, and canonical; raises likewise. Rule by rule takes a quarter of the time
        that one question of all of them takes.
        """
        for rule in path.system.rules:
            if self._is_mine():
                self._refute(
                    path, path.into_a_state(rule), "a step leads outside the variables' sorts"
                )

    def across(self, path: SymbolicPath, formula: Handle, complaint: str) -> None:
        """Ask whether a formula over several states holds; raises likewise."""
        if self._is_mine():
            self._refute(path, formula, complaint)

    def exists(self, paths: Iterable[SymbolicPath], complaint: str) -> None:
        """Ask whether there is one of the paths; raises likewise."""
        if self._is_mine() and not self._is_one(paths, complaint):
            raise Refuted(complaint)

    def notices(self, paths: Iterable[SymbolicPath], remark: str) -> None:
        """Ask whether there is one of the paths, and remark upon it when there is none.

        Raises NotDecided when the solver gives up or time runs out.
        """
        if self._is_mine() and not self._is_one(paths, remark):
            self.remarks.append(remark)

    def _is_one(self, paths: Iterable[SymbolicPath], otherwise: str) -> bool:
        for path in paths:
            answer = path.solver.check([], self._left())
            if answer is Answer.UNKNOWN:
                raise self._unanswered(path, otherwise)
            if answer is Answer.SAT:
                return True
        return False

    def _left(self) -> float | None:
        left = None if self._end is None else self._end - monotonic()
        if left is not None and left <= 0:
            raise NotDecided("the time limit passed before the certificate was re-checked")
        return left

    def _unanswered(self, path: SymbolicPath, of: str) -> NotDecided:
        """Return what to say of a question without an answer: time ended, or the solver gave up."""
        name = path.solver.name
        if self._end is not None and monotonic() >= self._end - _EARLY:
            return NotDecided(f"the time limit passed before {name} decided whether {of}")
        return NotDecided(f"{name} could not decide whether {of}")

    def _is_mine(self) -> bool:
        number, self.total = self.total, self.total + 1
        if number != self._mine:
            return False
        self._mine = self._take()
        self.asked += 1
        return True

    def _refute(self, path: SymbolicPath, formula: Handle, complaint: str) -> None:
        answer = path.solver.check([path.solver.negation(formula)], self._left())
        if answer is Answer.SAT:
            raise Refuted(complaint)
        if answer is Answer.UNKNOWN:
            raise self._unanswered(path, complaint)


Work = Callable[[Inquiry], None]
"""Goes through all questions in the same order, whoever runs it."""


class Sitting(Enum):
    """Which list of questions about a certificate is gone through.

    INTERCHANGE: that names of members do not matter. REPRESENTATIVES, after that was shown: that it
    is a proof, asked of one instance of each orbit. EVERY_INSTANCE: the same of all of them.
    """

    INTERCHANGE = "interchange"
    REPRESENTATIVES = "representatives"
    EVERY_INSTANCE = "every instance"


@dataclass(frozen=True)
class Tally:
    """How many questions were asked, and what was remarked on the way."""

    questions: int
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class JudgeShare:
    """What one judge says at the end: how many questions there are, and how many of them it asked.

    ``remarks`` are those of the questions that it asked.
    """

    total: int
    asked: int
    remarks: tuple[str, ...] = ()

    @staticmethod
    def of(inquiry: Inquiry) -> JudgeShare:
        """Return what the questions came to."""
        return JudgeShare(inquiry.total, inquiry.asked, tuple(inquiry.remarks))


Panel = Callable[[Sitting, Work, Progress, "float | None"], Tally]
"""Whoever has all questions of a list asked; see :func:`inquire`, which does so in processes."""


def every_question(shares: Iterable[JudgeShare]) -> Tally:
    """Put together what judges say who had a share each.

    Raises CertificateError unless every question was asked by exactly as many as there are.
    """
    said = tuple(shares)
    asked = sum(share.asked for share in said)
    totals = {share.total for share in said}
    if totals != {asked}:
        raise CertificateError(f"of {totals} questions {asked} were asked: this is a bug in bmc")
    return Tally(asked, tuple(remark for share in said for remark in share.remarks))


def inquire(work: Work, judges: int, progress: Progress, end: float | None) -> Tally:
    """Ask all questions of ``work`` in so many processes.

    Raises what a question raises, in whichever process. Processes are forked, so that the circuits
    need not be sent. All but the first start after :data:`HEAD_START`, if it has not finished then.
    Where the system lets none start, or has no place for what they share, this process asks alone.
    """
    taken = _shared_count() if judges > 1 else None
    if taken is None:
        return _alone(work, progress, end)

    def take() -> int:
        with taken.get_lock():
            taken.value += 1
            return int(taken.value) - 1

    def judge(channel: Channel) -> JudgeShare:
        inquiry = Inquiry(take, channel.send, end)
        work(inquiry)
        return JudgeShare.of(inquiry)

    said: list[JudgeShare] = []
    with Supervisor() as panel:
        if not _join(panel, judge, 1):
            return _alone(work, progress, end)
        (first,) = panel.children
        started = monotonic()
        while panel.children:
            worked = first.worked()
            if (monotonic() - started if worked is None else worked) >= HEAD_START:
                _join(panel, judge, judges - 1)
                break
            _hear(panel, said, progress, _BETWEEN_LOOKS)
        while panel.children:
            _hear(panel, said, progress)
    return every_question(said)


def _shared_count() -> Any:
    """Return a number that processes share; None where the system has no place for one."""
    context: Any = multiprocessing.get_context("fork")
    try:
        return context.Value("Q", 0)
    except OSError as error:
        if not has_no_place(error):
            raise
        return None


def _alone(work: Work, progress: Progress, end: float | None) -> Tally:
    """Ask all questions of ``work`` in this process."""
    inquiry = Inquiry(count().__next__, progress, end)
    work(inquiry)
    return Tally(inquiry.total, tuple(inquiry.remarks))


def _join(panel: Supervisor, judge: Callable[[Channel], JudgeShare], more: int) -> bool:
    """Start as many more judges as the system lets, and return whether those are all.

    Fewer ask all questions, too.
    """
    try:
        for _ in range(more):
            panel.start(judge, "a judge")
    except OSError as error:
        if not has_no_room(error):
            raise
        return False
    return True


def _hear(
    panel: Supervisor, said: list[JudgeShare], progress: Progress, seconds: float | None = None
) -> None:
    """Take in what a judge says next, if one says something within so many seconds."""
    found = panel.next(seconds)
    if found is None:
        return
    _, event = found
    match event:
        case Said(text):
            progress(text)
        case Failed(error):
            raise error
        case Lost(code):
            raise NotDecided(f"a process of the re-check ended without an answer (exit {code})")
        case Reply(JudgeShare() as share):
            said.append(share)
        case Reply():
            raise CertificateError(f"a judge answered {event.content!r}: this is a bug in bmc")
        case _:
            assert_never(event)
