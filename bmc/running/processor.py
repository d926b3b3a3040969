"""How much processor time was taken, and whether the system ended a process for it."""

from __future__ import annotations

import os
import resource
import signal
from contextlib import suppress
from pathlib import Path

_SHARE_THAT_MEANS_LIMIT = 0.7
"""The system counts by its ticks what it holds against the limit: more, mostly, than was taken."""


def worked_seconds(process: int) -> float | None:
    """Return the processor time that a process has taken; None where the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        said = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
        # The second field is a name in parentheses, which may have spaces itself.
        fields = said[said.rindex(")") + 1 :].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return None


def limit_met(exit_code: int | None, usage: resource.struct_rusage) -> int | None:
    """Return the limit of processor seconds that ended a child, None where something else did.

    ``exit_code`` is negative for a signal, and ``usage`` what the child took. The limit is the one
    of this process (`ulimit -t`), which the child had from it.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_CPU)
    # Where the hard limit is the same, as `ulimit -t` has it, the child is killed without a word.
    if soft == resource.RLIM_INFINITY or exit_code not in (-signal.SIGXCPU, -signal.SIGKILL):
        return None
    taken = usage.ru_utime + usage.ru_stime
    return soft if taken >= _SHARE_THAT_MEANS_LIMIT * soft else None


def said_of_limit(seconds: int) -> str:
    """Return that a limit of processor time was met, and what to do."""
    return (
        f"the system's limit of {seconds} s of processor time (`ulimit -t`) is reached; "
        "raise it, or give a `--timeout` below it, which ends with what is known by then"
    )
