"""Every command that a page shows ends in an answer, or is stopped and says what it knows.

Nightly: they take a quarter of an hour. What the tutorials' commands print is compared every day.
"""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.test_written_commands import INCOMPLETE, PAGES, ROOT, commands, options_of

pytestmark = pytest.mark.nightly

SECONDS = 60
FILES = re.compile(r"[\w./-]+\.(?:py|tla|cfg|json|toml|ndjson)")
FILLED_IN = re.compile(r"\b[A-Z]{3,}\b|^model/|^results$")
"""What stands for something of the reader's, or was made by the commands before."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, since some commands write files and the lock."""
    copy = tmp_path_factory.mktemp("commands") / "checkout"
    left = shutil.ignore_patterns(".*", "__pycache__", "tests")
    shutil.copytree(ROOT, copy, ignore=left)
    return copy


def is_the_readers(command: str, checkout: Path) -> bool:
    """Whether it names what a reader has and a checkout does not, or is a part of a command."""
    words = shlex.split(command)
    try:
        options_of(words)
    except Exception as error:
        # Typer's usage errors have no public class in all of its versions.
        return type(error).__name__ in INCOMPLETE
    return any(
        FILLED_IN.search(word) or any(not (checkout / f).exists() for f in FILES.findall(word))
        for word in words
    )


@pytest.mark.parametrize("command", sorted({c for page in PAGES for c in commands(page)}))
def test_it_ends_in_an_answer(command: str, checkout: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "bmc", *shlex.split(command)],
        cwd=checkout,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        said, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.terminate()
        said, _ = process.communicate(timeout=SECONDS)
    assert "Traceback" not in said
    readers = is_the_readers(command, checkout)
    assert process.returncode in ((0, 1, 2, 3) if readers else (0, 1, 3)), said
    assert said or process.returncode == 0
