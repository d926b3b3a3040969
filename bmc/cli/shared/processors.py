"""How many processors a command may use by itself."""

from __future__ import annotations

import os


def usable() -> int:
    """The processors that this process is allowed to run on."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def judges(memory: int | None) -> int:
    """The processes that re-check a proof; one alone where a limit of ``memory`` holds for all."""
    return usable() if memory is None else 1
