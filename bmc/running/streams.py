"""The streams that every process is said to have, where whoever started it closed some of them."""

from __future__ import annotations

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
