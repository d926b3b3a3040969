"""A folder that is removed when whoever made it has ended, however it ended.

A process that is killed removes nothing, and tasks of a cluster are killed whenever the search
loses another one or is interrupted. So a process of its own waits for the end of the one that made
the folder, and removes it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

_PREFIX = "bmc-states-"
_REMOVER = "import shutil, sys; sys.stdin.read(); shutil.rmtree(sys.argv[1], ignore_errors=True)"


@contextmanager
def scratch(place: Path) -> Iterator[Path]:
    """Make a folder in ``place``, which is made as well; it lasts as long as the block.

    Raises OSError.
    """
    place.mkdir(parents=True, exist_ok=True)
    folder = Path(mkdtemp(prefix=_PREFIX, dir=place)).absolute()
    # In a session of its own: what ends the process may end its group, too.
    remover = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _REMOVER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )
    try:
        yield folder
    finally:
        remover.communicate()
