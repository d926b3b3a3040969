"""How much memory there is, and how much was taken."""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOMEM
from pathlib import Path

from bmc.running.unloaded import LIMIT_TO_RAISE, lacked_memory_to_load

MEGABYTE = 1 << 20
"""Bytes in what limits are given in."""

_CGROUP = Path("/sys/fs/cgroup")
_SHARE_OF_A_SEARCH = 0.8
_NOTHING_SAID = ("error return without exception set", "without setting an exception")


def available_bytes() -> int:
    """Return the bytes this process may still take, as the machine and its container say.

    Where neither says, the machine's whole memory.
    """
    found = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for line in _text(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):
            found.append(int(line.split()[1]) * 1024)
    limit, taken = _text(_CGROUP / "memory.max"), _text(_CGROUP / "memory.current")
    if limit.isdigit() and taken.isdigit():
        found.append(max(0, int(limit) - int(taken)))
    return min(found)


def room_of_a_search() -> int:
    """Return the bytes that a search holds at most where nobody says: a fifth is left to others."""
    return int(_SHARE_OF_A_SEARCH * available_bytes())


def peak_megabytes() -> float:
    """Return the most memory this process has held at any time since it started, in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def resident_bytes(process: int | None = None) -> int:
    """Return the bytes a process (None: this one) holds now; 0 where the system does not tell."""
    pages = _text(Path(f"/proc/{process or 'self'}/statm")).split()[1:2]
    return int(pages[0]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def give_back() -> None:
    """Give memory that is free inside this process back to the system, where that can be asked."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


def unwritten_is_free() -> bool:
    """Return whether this process may ask for memory that it does not write: Linux takes it from
    the machine when it is written, but a limit counts what was asked for."""
    return sys.platform == "linux" and not is_limited()


def is_limited() -> bool:
    """Return whether this process has a limit of memory, by whomever."""
    kinds = resource.RLIMIT_AS, resource.RLIMIT_DATA
    return any(resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in kinds)


def lacked_memory(error: BaseException) -> bool:
    """Return whether an exception says that the process got no memory, in whatever words."""
    if lacked_memory_to_load(error):
        # A solver is loaded when it is needed.
        return True
    match error:
        case OSError() if error.errno == ENOMEM:
            return True
        case SystemError() if is_limited() and any(words in str(error) for words in _NOTHING_SAID):
            # Python says so where it gets no memory for its next frame, and native code where it
            # does not look at what it was not given. Without a limit it may be any mistake there.
            return True
    # Native code tells of an internal error, a package that its install is broken, and bmc that a
    # solver is not installed, each with the cause.
    return error.__cause__ is not None and lacked_memory(error.__cause__)


def limit_to_raise() -> str:
    """Return what is to be done about a lack of memory, to be put behind it; "" without a limit."""
    return f"; {LIMIT_TO_RAISE}" if is_limited() else ""


@contextmanager
def loading(space_mb: int = 0, data_mb: int = 0) -> Iterator[None]:
    """Let the block load libraries beyond a soft limit of memory; what they took counts afterwards.

    Some try for ever, or end the process, where they get no memory as they are loaded: scipy's
    OpenBLAS asks for its first table again and again. Raises MemoryError where the hard limit
    leaves less than ``space_mb`` of address space, or ``data_mb`` of data.
    """
    kinds = resource.RLIMIT_AS, resource.RLIMIT_DATA
    before = [(kind, resource.getrlimit(kind)) for kind in kinds]
    for kind, (_, hard) in before:
        resource.setrlimit(kind, (hard, hard))
    try:
        if is_limited():
            _require(space_mb, mmap.PROT_READ)
            _require(data_mb, mmap.PROT_READ | mmap.PROT_WRITE)
        yield
    finally:
        for kind, limits in before:
            resource.setrlimit(kind, limits)


def address_space_bytes() -> int:
    """Return the size of this process's address space; 0 where the system does not tell."""
    pages = _text(Path("/proc/self/statm")).split()[:1]
    return int(pages[0]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def _require(megabytes: int, protection: int) -> None:
    # Only what can be written counts as data.
    if megabytes:
        private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        try:
            mmap.mmap(-1, megabytes * MEGABYTE, flags=private, prot=protection).close()
        except OSError as error:
            raise MemoryError from error


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError:
        return ""
