"""`./run` changes its environment alone, and says what it installs."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = f"""#!/bin/sh
# Stands for Python: it makes environments of itself, and pip writes a diary.
here=$(dirname "$0")
case "$*" in
  "-m venv "*)
    for to; do :; done
    mkdir -p "$to/bin" && cp "$0" "$to/bin/python"
    printf '%s\\n' '#!/bin/sh' 'echo began >>"$DIARY"' \\
      'while [ ! -e "$1" ]; do sleep 0.05; done' 'echo ended >>"$DIARY"' >"$to/bin/bmc"
    chmod +x "$to/bin/bmc" ;;
  "-m pip --version") ;;
  "-m pip install "*)
    echo "Collecting numpy>=2 (from bmc==0)"
    echo "  Downloading numpy-2.whl.metadata (1 kB)"
    echo "  Downloading numpy-2.whl (9 MB)"
    echo installed >>"$DIARY"; sleep 0.3
    [ ! -e "$DIARY.broken" ] ;;
  *) exec {sys.executable} "$@" ;;
esac
"""


class Checkout:
    """A folder with `run` in it and a Python that installs nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.diary = folder / "diary"
        self.go = folder / "go"
        shutil.copy(ROOT / "run", folder / "run")
        self.needs("one")
        python = folder / "python"
        python.write_text(PYTHON)
        python.chmod(0o755)

    def needs(self, what: str) -> None:
        """Change what has to be installed."""
        (self.folder / "pyproject.toml").write_text(what)

    def start(self) -> "subprocess.Popen[str]":
        """Start a run that ends when there is a file `go`."""
        python, diary = str(self.folder / "python"), str(self.diary)
        return subprocess.Popen(
            [self.folder / "run", self.go],
            env={**os.environ, "PYTHON": python, "DIARY": diary},
            stderr=subprocess.PIPE,
            text=True,
        )

    def written(self) -> list[str]:
        """What was done so far, in order."""
        return self.diary.read_text().split() if self.diary.exists() else []

    def until(self, *lines: str) -> None:
        """Wait for the diary to be this."""
        end = time.monotonic() + 60
        while self.written() != list(lines):
            assert time.monotonic() < end, self.written()
            time.sleep(0.05)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_two_runs_at_once_install_once(checkout: Checkout) -> None:
    checkout.go.touch()
    runs = [checkout.start(), checkout.start()]
    said = [run.communicate(timeout=60)[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert checkout.written().count("installed") == 1
    (installer,) = [text for text in said if "installing bmc" in text]
    assert "run:   numpy>=2\n" in installer
    assert "run:   downloading numpy-2.whl (9 MB)\n" in installer
    assert "metadata" not in installer


def test_nothing_is_installed_while_another_run_uses_the_environment(checkout: Checkout) -> None:
    first = checkout.start()
    checkout.until("installed", "began")
    checkout.needs("two")
    second = checkout.start()
    assert second.stderr is not None
    assert "waiting for another ./run" in second.stderr.readline()
    checkout.go.touch()
    for run in (first, second):
        run.communicate(timeout=60)
        assert run.returncode == 0
    assert checkout.written() == ["installed", "began", "ended", "installed", "began", "ended"]


def test_runs_that_change_nothing_wait_for_nobody(checkout: Checkout) -> None:
    first = checkout.start()
    checkout.until("installed", "began")
    second = checkout.start()
    checkout.until("installed", "began", "began")
    checkout.go.touch()
    assert [run.wait(timeout=60) for run in (first, second)] == [0, 0]


def test_a_failed_installation_is_no_verdict(checkout: Checkout) -> None:
    checkout.go.touch()
    checkout.diary.with_name("diary.broken").touch()
    run = checkout.start()
    said = run.communicate(timeout=60)[1]
    assert (run.returncode, "the installation failed" in said) == (4, True)
    assert "began" not in checkout.written()
