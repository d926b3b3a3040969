"""One update at a time: the evidence folder is held while a lock is brought up to date."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bmc.regress.errors import LockBusy
from bmc.regress.folder import LockFolder


@contextmanager
def exclusive(folder: LockFolder) -> Iterator[None]:
    """Hold the lock's folder against other updates, also those of other processes.

    The system lets go of it when this process and those it started have ended, in whatever way:
    a kill leaves nothing to clear away. Raises LockBusy at once when another update holds it,
    UnwritableLock when nothing could be stored anyway.
    """
    while (held := _hold(folder)) is None:
        pass
    try:
        yield
    finally:
        # Before it is let go of, so that nobody else's is removed.
        if _is_at(held, folder.evidence) and not any(folder.evidence.iterdir()):
            folder.evidence.rmdir()
        os.close(held)


def _hold(folder: LockFolder) -> int | None:
    """The descriptor by which the folder is held; None where it was removed meanwhile.

    An update that stored nothing removes the folder it made: who holds that one holds nothing.
    """
    folder.require_writable()
    try:
        held = os.open(folder.evidence, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        raise LockBusy(
            f"another update of {folder.path} is under way: wait for its end, then try again"
        ) from None
    if _is_at(held, folder.evidence):
        return held
    os.close(held)
    return None


def _is_at(held: int, place: Path) -> bool:
    """Whether what is held is what stands at a place."""
    try:
        return os.path.samestat(os.fstat(held), place.stat())
    except OSError:
        return False
