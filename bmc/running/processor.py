"""How much processor time was taken."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def worked_seconds(process: int) -> float | None:
    """Return the processor time that a process has taken; None where the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        said = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
        # The second field is a name in parentheses, which may have spaces itself.
        fields = said[said.rindex(")") + 1 :].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return None
