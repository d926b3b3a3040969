"""The beginning of a thread, whatever a limit of memory leaves it."""

import mmap
import resource
from threading import Thread, stack_size

_BEGINNING = 4 << 20
"""Bytes that the first call of a thread takes at most, beside its stack."""


def begin(thread: Thread) -> None:
    """Start a thread.

    Raises MemoryError where a limit of memory leaves it none to begin in.
    """
    kinds = resource.RLIMIT_AS, resource.RLIMIT_DATA
    if any(resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in kinds):
        _require_room_to_begin()
    thread.start()


def _require_room_to_begin() -> None:
    stack = stack_size() or resource.getrlimit(resource.RLIMIT_STACK)[0]
    size = _BEGINNING + (0 if stack == resource.RLIM_INFINITY else stack)
    # Python waits for ever for the beginning of a thread whose first call gets no memory.
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError as error:
        raise MemoryError from error
