"""A locale that has no letters for a file's name: it is said so, and the name is left alone."""

import os
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import COUNTER
from tests.cli.running import ROOT, bmc


def in_ascii(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    return subprocess.run(
        [sys.executable, "-m", "bmc", *words],
        env={**os.environ, **ascii_only, "PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_name_that_the_locale_does_not_understand_is_not_to_be_changed(tmp_path: Path) -> None:
    file = tmp_path / "über.py"
    file.write_text(COUNTER)
    ended = in_ascii(ROOT, "check", f"{file}:Counter")
    assert ended.returncode == 2
    assert "names are ascii in this locale" in ended.stderr
    assert "PYTHONUTF8=1" in ended.stderr


def test_a_name_in_a_lock_that_the_locale_does_not_understand_is_refused(tmp_path: Path) -> None:
    (tmp_path / "über.py").write_text(COUNTER)
    lock = str(tmp_path / "bmc.lock")
    file = f"{tmp_path / 'über.py'}:Counter"
    assert bmc("regress", "--update", "--baseline", lock, "--protocol", file).code == 0
    ended = in_ascii(tmp_path, "regress")
    assert ended.returncode == 2
    assert "names are ascii in this locale" in ended.stdout
