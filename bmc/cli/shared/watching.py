"""`--watch`: the same command again whenever one of its files has changed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from bmc.cli.shared import outcome
from bmc.lang.text_names import text_parted
from bmc.running import orphans
from bmc.running.files import real
from bmc.running.signals import raise_interruptions

WORD = "--watch"
_EVERY = 0.3
"""Seconds between two looks at the files."""
_ENDINGS = (".py", ".tla", ".cfg")

Stamps = dict[Path, tuple[int, int, int]]


def watch(given: Sequence[str]) -> int:
    """Run a command line again and again, and return its last exit code when Ctrl-C ends it.

    Each run is a process of its own, so that changed files are read anew. Watched are the files of
    the words' folders that a protocol can be made of.
    """
    folders = folders_of(given)
    if not folders:
        _say(f"{WORD} needs a file to look at: path/to/file.py:ClassName or Spec.tla")
        return outcome.USAGE
    raise_interruptions()
    watching = os.getpid()
    while True:
        before = stamps(folders)
        # Without -P the folder that it is run in would come before Python's own modules.
        running = subprocess.Popen(
            [sys.executable, "-P", "-m", "bmc.cli.main", *given],
            # Who is killed, or ended by SIGQUIT, passes nothing on.
            preexec_fn=partial(orphans.die_with_parent, watching),
        )
        try:
            code = running.wait()
        except KeyboardInterrupt:
            running.send_signal(signal.SIGINT)
            return _code(running.wait())
        _say("waiting for a change; Ctrl-C ends it")
        try:
            while stamps(folders) == before:
                time.sleep(_EVERY)
        except KeyboardInterrupt:
            return _code(code)


def folders_of(given: Sequence[str]) -> list[Path]:
    """Return the folders of the files that a command line names as protocols."""
    found = []
    for word in given:
        name = text_parted(word)[0]
        if not name.endswith(".tla"):
            name = name.rpartition(":")[0]
        path = Path(name)
        if path.suffix in _ENDINGS and path.is_file():
            found.append(real(path).parent)
    return list(dict.fromkeys(found))


def stamps(folders: Sequence[Path]) -> Stamps:
    """Return when each file that matters was last written and put there, and how long it is.

    A folder or a file that is not there has none: what is moved or removed may come back.
    """
    found: Stamps = {}
    for folder in folders:
        with suppress(OSError):
            for path in folder.iterdir():
                # An editor replaces a file by removing it first.
                with suppress(OSError):
                    if path.suffix in _ENDINGS:
                        kept = path.stat()
                        # What is copied with its time (cp -p, rsync, tar) may have the old one.
                        found[path] = (kept.st_mtime_ns, kept.st_ctime_ns, kept.st_size)
    return found


def _code(left: int) -> int:
    return left if left in outcome.CODES else outcome.UNKNOWN


def _say(text: str) -> None:
    sys.stderr.write(f"bmc: {text}\n")
    sys.stderr.flush()
