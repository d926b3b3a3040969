"""Children that have as little memory as a test says."""

import mmap
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import stack_size

from bmc.running.child import Channel, Event, ProcessLimits
from bmc.running.memory import MEGABYTE
from bmc.running.supervisor import Supervisor


def _taken(size: int) -> mmap.mmap:
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


@contextmanager
def _room_of_a_stack_alone() -> Iterator[None]:
    stack_size(MEGABYTE)
    room = _taken(MEGABYTE + 2 * mmap.PAGESIZE)
    rest = []
    for size in (MEGABYTE, mmap.PAGESIZE):
        with suppress(OSError, MemoryError):
            while True:
                rest.append(_taken(size))
    room.close()
    yield


def said_without_room_to_begin_a_thread(work: Callable[[], object]) -> Event:
    """Return how a child ended in which a thread gets its stack and no memory for its first call.

    Python waits for ever for the beginning of such a thread, so it is an error that none ended.
    """

    def cramped(channel: Channel) -> object:
        with _room_of_a_stack_alone():
            return work()

    with Supervisor() as children:
        children.start(cramped, limits=ProcessLimits(data_mb=400))
        found = children.next(seconds=20)
    assert found is not None, "it waits"
    return found[1]
