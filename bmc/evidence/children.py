"""Forked children that do not outlive their parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_SET_PARENT_DEATH_SIGNAL = 1


def die_with_parent() -> None:
    """End this process when its parent ends. Only Linux does so, see :func:`end_if_orphaned`."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def end_if_orphaned(parent: int) -> None:
    """End this process if ``parent`` is not its parent any more."""
    if os.getppid() != parent:
        os._exit(1)
