"""The streams that every process is said to have, and that take what is written or say that not."""

from __future__ import annotations

import io
import os
import sys


def open_closed() -> None:
    """Let each standard stream that is closed lead to where nothing is kept and nothing comes from.

    Python has None in its place, which no writer expects, and the next file that is opened would
    get its number, and with it what a solver or a child prints.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def whole_lines() -> None:
    """Let stdout take whole lines, or raise, where Python was told to buffer nothing.

    Of a line for which a disk has no room it then writes the beginning, and forgets the rest.
    """
    given = sys.stdout
    if isinstance(given.buffer, io.RawIOBase):
        number, form, errors = given.fileno(), given.encoding, given.errors
        sys.stdout = open(number, "w", 1, form, errors, closefd=False)  # noqa: SIM115
