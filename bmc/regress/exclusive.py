"""One update at a time: the evidence folder is held while a lock is brought up to date."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from bmc.regress.errors import LockBusy
from bmc.regress.folder import LockFolder


@contextmanager
def exclusive(folder: LockFolder) -> Iterator[None]:
    """Hold the lock's folder against other updates, also those of other processes.

    The system lets go of it when this process and those it started have ended, in whatever way:
    a kill leaves nothing to clear away. Raises LockBusy at once when another update holds it,
    UnwritableLock when nothing could be stored anyway.
    """
    folder.require_writable()
    held = os.open(folder.evidence, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LockBusy(
                f"another update of {folder.path} is under way: wait for its end, then try again"
            ) from None
        try:
            yield
        finally:
            if not any(folder.evidence.iterdir()):
                folder.evidence.rmdir()
    finally:
        os.close(held)
