"""What the tasks of a cluster do for one proof: items that a service answers one by one.

A service is opened in a process that the executor's Python worker forks, and stays open for the
tasks that come after: what it takes to build a solver's clauses is spent once a worker. The process
can be killed, so a limit holds inside a solver, and a worker that loses it opens another one. An
item whose process ended without an answer is :class:`Unserved`, which is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic, process_time
from typing import Any, Protocol

from bmc.lang.errors import BmcError
from bmc.running.child import Channel, ProcessLimits
from bmc.running.pool import WorkerFailed
from bmc.running.supervisor import Child, Event, Failed, Lost, Reply, Said, Supervisor

Item = Any
"""What a service is asked: anything that can be pickled."""


class Service(Protocol):
    """Answers items. It is sent to executors, and equal services answer alike."""

    def load(self) -> None:
        """Do once what every process that is forked from here can use."""

    def open(self) -> Callable[[Item], Any]:
        """Return what answers an item."""


@dataclass(frozen=True)
class Served:
    """An answer, the seconds of a processor that it took, and those of opening before it."""

    item: Item
    answer: Any
    seconds: float
    opening: float = 0.0


@dataclass(frozen=True)
class Unserved:
    """An item without an answer, and why."""

    item: Item
    reason: str


@dataclass(frozen=True)
class Trouble:
    """What a service raised: nothing can be answered."""

    error: BmcError


Heard = Served | Unserved | Trouble


@dataclass(frozen=True)
class ServiceShare:
    """The items of one task. Each may take ``seconds``, and the service ``memory_mb``."""

    service: Service
    items: tuple[Item, ...]
    seconds: float | None = None
    memory_mb: int | None = None

    def run(self) -> Iterator[Heard]:
        """Yield what is said about each item, in this process and the one it forks."""
        try:
            self.service.load()
        except BmcError as error:
            yield Trouble(error)
            return
        for item in self.items:
            said = _desk(self.service, self.memory_mb).ask(item, self.seconds)
            yield said
            if isinstance(said, Trouble):
                return


class _Desk:
    """The process in which a service is open."""

    def __init__(self, service: Service, memory_mb: int | None) -> None:
        self.about = service, memory_mb
        self._supervisor = Supervisor()
        limits = ProcessLimits(more_mb=memory_mb)
        self._child: Child = self._supervisor.start(self._serve, "a service", limits, leads=True)
        self._is_waiting = False

    def _serve(self, channel: Channel) -> None:
        answer = self.about[0].open()
        channel.send(("open", process_time(), None))
        while True:
            try:
                item = channel.receive()
            except EOFError:
                return
            began = process_time()
            found = answer(item)
            channel.send(("answer", process_time() - began, found))

    def ask(self, item: Item, seconds: float | None) -> Heard:
        """Return what is said about an item; after anything but Served the desk is closed."""
        # It could be given no item before it is open: the limit counts from there.
        end = monotonic() + seconds if self._is_waiting and seconds is not None else None
        self._child.give(item)
        opening = 0.0
        while (event := self._next(end)) is not None:
            match event:
                case Said(("answer", took, found)):
                    return Served(item, found, took, opening)
                case Said(("open", opening, _)):
                    self._is_waiting = True
                    end = None if seconds is None else monotonic() + seconds
                case Failed(error):
                    self.close()
                    if isinstance(error, MemoryError):
                        return Unserved(item, "a limit of memory was met")
                    return Trouble(_ours(error))
                case Lost() if event.out_of_memory:
                    self.close()
                    return Unserved(item, "a limit of memory was met")
                case Lost(code):
                    self.close()
                    return Unserved(item, f"its process ended without an answer (exit {code})")
                case Reply() | Said():
                    self.close()
                    return Unserved(item, "its process ended without an answer")
        self.close()
        return Unserved(item, f"its limit of {seconds:g} seconds passed")

    def _next(self, end: float | None) -> Event | None:
        found = self._supervisor.next(None if end is None else max(0.0, end - monotonic()))
        return None if found is None else found[1]

    @property
    def is_open(self) -> bool:
        """Whether it can be asked."""
        return bool(self._supervisor.children)

    def close(self) -> None:
        """End the process."""
        self._supervisor.__exit__()


_desks: list[_Desk] = []


def _desk(service: Service, memory_mb: int | None) -> _Desk:
    """Return the open desk of a service in this process; one of another service is closed."""
    for desk in list(_desks):
        if desk.is_open and desk.about == (service, memory_mb):
            return desk
        desk.close()
        _desks.remove(desk)
    _desks.append(_Desk(service, memory_mb))
    return _desks[0]


def close_desks() -> None:
    """End the processes that services have in this one."""
    while _desks:
        _desks.pop().close()


def _ours(error: Exception) -> BmcError:
    if isinstance(error, BmcError):
        return error
    notes = "\n".join(getattr(error, "__notes__", ()))
    return WorkerFailed(f"{type(error).__name__}: {error}\n{notes}")
