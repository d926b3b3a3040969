"""The entry point: `bmc COMMAND …`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

from bmc.cli.shared import outcome


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    # `kill` is to lose no more than Ctrl-C does: what was learnt is told, and every child ends.
    signal.signal(signal.SIGTERM, _interrupt)
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        # Here, so that Ctrl-C while it loads ends like any other.
        from bmc.cli.app import run

        code = run(given)
    except KeyboardInterrupt:
        code = outcome.UNKNOWN
    # A Ctrl-C inside exec("…"), which dataclasses use, leaves a mark in the interpreter, and it
    # would end as killed in spite of the exit code; running a text again wipes the mark away.
    exec("")
    sys.exit(code)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
