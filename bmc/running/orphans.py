"""Forked children that end when their parent ends, however it ends.

On Linux the kernel does it (``PR_SET_PDEATHSIG``), also inside native code. Elsewhere a thread of
the child reads from a pipe whose other end only the parent holds: when the parent is gone, for
whatever reason, the pipe is at its end.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading

_SET_PARENT_DEATH_SIGNAL = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None
_held: tuple[int, int] | None = None
"""This process's pipe: both ends, of which its children keep the first one."""
_watched: int | None = None
"""The end of the parent's pipe that this process inherited."""


def prepare() -> None:
    """Open the pipe that tells the children forked from now on that this process is gone."""
    global _held
    if _held is None:
        _held = os.pipe()


def _inherit() -> None:
    global _held, _watched
    if _watched is not None:
        os.close(_watched)
        _watched = None
    if _held is not None:
        _watched, writing = _held
        # Held by anybody but the parent, the pipe would outlive it.
        os.close(writing)
        _held = None


os.register_at_fork(after_in_child=_inherit)


def die_with_parent(parent: int, by_kernel: bool = _libc is not None) -> None:
    """End this process, and whatever it forks, when the process ``parent`` that forked it ends.

    Call it first in a child of a process that has called :func:`prepare`. Without ``by_kernel``
    the child notices as soon as Python runs in it again.
    """

    def leave_no_orphan() -> None:
        if by_kernel and _libc is not None:
            _libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        elif _watched is not None:
            threading.Thread(target=_end_after, args=(_watched,), daemon=True).start()

    leave_no_orphan()
    # The parent may have ended before this process could ask to be told.
    if os.getppid() != parent:
        os._exit(1)
    os.register_at_fork(before=prepare, after_in_child=leave_no_orphan)


def _end_after(pipe: int) -> None:
    os.read(pipe, 1)
    os.kill(os.getpid(), signal.SIGKILL)
