"""A folder that is removed whatever becomes of the process that made it."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from bmc.running.scratch import scratch

MAKES = """
import sys, time
from pathlib import Path
from bmc.running.scratch import scratch
with scratch(Path(sys.argv[1])) as folder:
    (folder / "inner").mkdir()
    (folder / "inner" / "file").write_text("content")
    print(folder, flush=True)
    time.sleep(100)
"""


def test_it_lasts_as_long_as_the_block(tmp_path: Path) -> None:
    place = tmp_path / "not" / "made"
    with scratch(place) as folder:
        (folder / "file").write_text("content")
        assert folder.parent == place
    assert place.is_dir()
    assert not folder.exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_it_does_not_outlast_a_process_that_is_killed(
    number: signal.Signals, tmp_path: Path
) -> None:
    words = [sys.executable, "-c", MAKES, str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, process_group=0) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert (folder / "inner" / "file").exists()
        os.killpg(process.pid, number)
    end = monotonic() + 120
    while folder.exists():
        assert monotonic() < end
        sleep(0.02)
