"""The memory of a process and of all that it starts, at its most, by Linux's /proc.

A page that several processes hold is shared out among them (PSS), so that it counts once. Where
the system does not tell a process's share, all that it holds counts (RSS).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic, thread_time

PROC = "/proc"
OFTEN = 0.02
"""Seconds between two looks at first."""
SELDOM = 1 / 500
"""Of the time that has passed: the longer a run goes on, the less a look more can say."""
SHARE = 0.1
"""Of a processor at most: looks that take longer are fewer."""


class Most:
    """The largest number that was seen so far."""

    def __init__(self) -> None:
        self.seen = 0.0

    def see(self, number: float) -> None:
        """Look at one more."""
        self.seen = max(self.seen, number)


@contextmanager
def most(look: Callable[[], float], every: float = OFTEN) -> Iterator[Most]:
    """Look again and again beside the block, and at its end; yield the most that was seen."""
    found, ended = Most(), Event()

    def watch() -> None:
        started, pause = monotonic(), 0.0
        while not ended.wait(pause):
            before = thread_time()
            found.see(look())
            cost, passed = thread_time() - before, monotonic() - started
            pause = max(every, cost / SHARE, passed * SELDOM)

    watching = Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield found
    finally:
        ended.set()
        watching.join()
        found.see(look())


def tree_bytes(root: int) -> int:
    """Return the bytes that a process, its session and their descendants hold now.

    Raises FileNotFoundError where there is no /proc.
    """
    return sum(map(_held, tree(root)))


def tree(root: int) -> set[int]:
    """Return the processes that ``root`` has started, at any remove, with itself.

    One whose parent has ended is found by its session. Raises FileNotFoundError where there is no
    /proc.
    """
    parents: dict[int, int] = {}
    found = {root}
    for process in map(int, filter(str.isdigit, os.listdir(PROC))):
        # A name may have blanks and brackets in it; what follows it has none.
        fields = _said(process, "stat").rpartition(b")")[2].split()
        if fields:
            parents[process] = int(fields[1])
            if int(fields[3]) == root:
                found.add(process)
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _held(process: int) -> int:
    share = re.search(rb"^Pss: +(\d+) kB$", _said(process, "smaps_rollup"), re.MULTILINE)
    if share:
        return int(share[1]) * 1024
    pages = _said(process, "statm").split()[1:2]
    return int(pages[0]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def _said(process: int, name: str) -> bytes:
    """What the system says of a process; nothing where it has ended, or is another user's."""
    try:
        with open(f"{PROC}/{process}/{name}", "rb", buffering=0) as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""
