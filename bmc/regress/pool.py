"""Several models at once, each in a process of its own, with answers in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import TypeVar, assert_never

from bmc.engines.task import Observer
from bmc.evidence.verdict import Result
from bmc.running.child import Channel
from bmc.running.room import said_of_refused_process
from bmc.running.supervisor import Child, Failed, Lost, Reply, Said, Supervisor

Answer = TypeVar("Answer")


class Died:
    """The answer of a process that ended without one, or was never started, and ``why``."""

    def __init__(self, why: str) -> None:
        self.why = why


class _Whisper:
    """The observer inside a process: only what is being done is told."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def phase(self, text: str) -> None:
        self._channel.send(text)

    def fact(self, text: str) -> None:
        """Facts are told with the answer."""

    def decided(self, result: Result) -> None:
        """Verdicts are told with the answer."""


Work = Callable[[Observer], Answer]


def in_parallel(
    works: Mapping[str, Work[Answer]],
    jobs: int,
    observer: Observer,
    answered: Callable[[int, Answer | Died], None],
) -> None:
    """Run every work, at most ``jobs`` at a time, and tell each answer with its number.

    Where the system starts no more processes, fewer run at a time. Raises what a work raises.
    Whenever this is left, no process is left behind.
    """
    waiting: Iterator[tuple[int, tuple[str, Work[Answer]]]] = enumerate(works.items())
    numbers: dict[Child, int] = {}
    done = 0
    with Supervisor() as running:
        while True:
            while len(running.children) < max(jobs, 1) and (following := next(waiting, None)):
                number, (name, work) = following
                try:
                    numbers[running.start(partial(_observed, work), name)] = number
                except OSError as refusal:
                    why = said_of_refused_process(refusal)
                    if running.children:
                        # There may be room again when one of them has ended.
                        waiting = chain([following], waiting)
                        break
                    done += 1
                    answered(number, Died(why))
            if (found := running.next()) is None:
                return
            child, event = found
            match event:
                case Said(text):
                    observer.phase(f"{done} of {len(works)} done; {child.name}: {text}")
                case Failed(error):
                    raise error
                case Reply(content):
                    done += 1
                    answered(numbers[child], content)
                case Lost(code):
                    done += 1
                    why = f"the process that judged it ended without an answer (exit {code})"
                    answered(numbers[child], Died(why))
                case _:
                    assert_never(event)


def _observed(work: Work[Answer], channel: Channel) -> Answer:
    return work(_Whisper(channel))
