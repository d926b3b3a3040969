"""Files of words that are written once, checked by their checksum, and read in parts."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import disk_usage
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bmc.engines.pace import Stopped
from bmc.lang.errors import BmcError
from bmc.running.files import UnwritableFile

PARTIAL = ".part"
"""The ending of what is not complete yet; it is removed when a search begins or goes on."""
LEFT = 1 << 30
"""Bytes that a temporary folder leaves to others on its disk."""
_CHECKED = 1 << 24


class SpillFailed(Stopped):
    """The folder of an exploration cannot be written or read any longer: a full disk, mostly."""


class DamagedSpill(BmcError):
    """A file of an exploration is not as it was written."""


class FolderInUse(BmcError):
    """Another process explores in the folder."""


_KEPT = (
    "The levels that are complete are kept there: mend it, or make room, and go on with --resume"
)
NOT_BEGUN = "Name a folder that can be made and written: --spill DIR"
_REMOVED = "The folder was a temporary one: `bmc explore --spill DIR` keeps the states in DIR"


@contextmanager
def working_in(folder: Path, left: int | None = None, then: str | None = None) -> Iterator[None]:
    """Raise SpillFailed where the system fails.

    With ``left`` the folder is a temporary one, and the disk has to have so many bytes left.
    ``then`` says what becomes of the states, and what to do, where that is not what it is here.
    """
    then = then or (_KEPT if left is None else _REMOVED)
    try:
        if left is not None and (free := disk_usage(folder).free) < left:
            raise SpillFailed(
                f"the disk of {folder} has {free / 2**20:,.0f} MB left, and no more of it is "
                f"taken. {then}"
            )
        yield
    except OSError as error:
        raise SpillFailed(f"{folder} cannot be used: {error.strerror or error}. {then}") from error
    except UnwritableFile as error:
        raise SpillFailed(f"{error}. {then}") from error


def settle(folder: Path) -> None:
    """Wait until what was renamed in a folder is on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def claim(folder: Path, works: str = "explores") -> int:
    """Return a descriptor whose lock keeps others out until it is closed or its process ends.

    ``works`` is what is done there, for who is kept out. Raises FolderInUse.
    """
    held = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        raise FolderInUse(f"another process {works} in {folder}: wait for it") from None
    return held


class WordFile:
    """A file that grows to its end, under a name of its own until it is complete."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.partial = path.with_name(path.name + PARTIAL)
        self.checksum = 0
        self._file = self.partial.open("wb")

    def append(self, array: NDArray[Any]) -> None:
        """Write at the end, and let readers see it."""
        data = np.ascontiguousarray(array).view(np.uint8).reshape(-1).data
        self.checksum = crc32(data, self.checksum)
        self._file.write(data)
        self._file.flush()

    def close(self) -> None:
        """Write no more; the file keeps its partial name.

        What :meth:`append` could not write it has told; closing tries once more, and fails again.
        """
        with suppress(OSError):
            self._file.close()

    def complete(self) -> None:
        """Give the file its name, once its content is on disk."""
        os.fsync(self._file.fileno())
        self._file.close()
        os.replace(self.partial, self.path)


def read_array(path: Path, dtype: type[Any], start: int, count: int) -> NDArray[Any]:
    """Return ``count`` numbers from the ``start``-th on. Raises DamagedSpill if there are fewer."""
    size = np.dtype(dtype).itemsize
    found = np.fromfile(path, dtype, count, offset=start * size)
    if len(found) < count:
        raise DamagedSpill(f"{path} is shorter than it was: {REMEDY}")
    return found


REMEDY = "remove its folder and explore anew"


def require_intact(path: Path, size: int, checksum: int) -> None:
    """Raise DamagedSpill unless a file has this size and checksum."""
    if not path.is_file() or path.stat().st_size != size:
        raise DamagedSpill(f"{path} is not as long as it was: {REMEDY}")
    found = 0
    with path.open("rb") as file:
        while part := file.read(_CHECKED):
            found = crc32(part, found)
    if found != checksum:
        raise DamagedSpill(f"{path} is not as it was written: {REMEDY}")
