"""Modules that lie in the folder where bmc is run are not run, whatever process it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from numpy.linalg._umath_linalg import __file__ as some_library

from bmc.cli.shared import watching
from bmc.solving.z3_library import found_there, own_library
from bmc.sweep import java
from bmc.sweep.spark import Cluster, SparkError, SparkExecutors
from tests.cli.running import ROOT, bmc

MACHINE = """
from bmc.lang import *

class Machine(Protocol):
    x = Variable(Integer("Count", 0, 3))

    @action()
    def Init(self, s):
        s.x = 0

    Next = one_of(Init)

    @invariant("it is small")
    def Small(self, s):
        return s.x < 3
"""


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is there when a module called json has been run in this folder."""
    found = tmp_path / "run"
    (tmp_path / "json.py").write_text(f"open({str(found)!r}, 'w')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return found


def run(python: Sequence[str]) -> None:
    """Run a module with this interpreter and its options, as workers are."""
    subprocess.run([*python, "-m", "json.tool"], input="{}", text=True, check=False)


def test_the_folder_of_the_command_is_no_place_of_modules(trap: Path) -> None:
    run([sys.executable])
    assert trap.exists()


def test_a_watched_command_runs_nothing_of_its_folder(
    trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Run:
        def __init__(self, words: list[str], **_: object) -> None:
            run(words[: words.index("-m")])

        def wait(self) -> int:
            return 0

    def ended(seconds: float) -> None:
        raise KeyboardInterrupt

    watched = trap.with_name("watched.py")
    watched.touch()
    monkeypatch.setattr(watching, "subprocess", SimpleNamespace(Popen=Run))
    monkeypatch.setattr(watching.time, "sleep", ended)
    assert bmc("prove", f"{watched}:Watched", "--watch").code == 0
    assert not trap.exists()


def test_workers_of_spark_run_nothing_of_the_folder(
    trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def launch(conf: Any, options: object) -> None:
        asked.append(conf.get("spark.executorEnv.PYTHONSAFEPATH"))
        run([os.environ["PYSPARK_PYTHON"]])
        raise OSError("there is no Java")

    monkeypatch.setattr("pyspark.java_gateway.launch_gateway", launch)
    monkeypatch.setattr(java, "find", lambda: java.Java(Path("java"), "17", "PATH"))
    with (
        pytest.raises(SparkError, match="there is no Java"),
        SparkExecutors(Cluster("local[1]", False, trap.with_name("log"))),
    ):
        pass
    assert asked == ["1"]
    assert not trap.exists()
    assert "PYTHONSAFEPATH" not in os.environ


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("copy", "Python's own module copy"),
        ("random", "Python's own module random"),
        ("numpy", "the package numpy that is installed"),
        ("typer", "the package typer that is installed"),
    ],
)
def test_a_file_that_hides_a_module_is_named_and_no_bug(
    name: str, what: str, tmp_path: Path
) -> None:
    hiding = tmp_path / f"{name}.py"
    hiding.touch()
    file = tmp_path / "machine" / "machine.py"
    file.parent.mkdir()
    file.write_text(MACHINE, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "bmc", "explore", f"{file}:Machine"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        cwd=file.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert f"{hiding} hides {what}, which bmc needs" in ended.stderr
    assert "bug" not in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("loads", ["bmc.solving.z3_library", "bmc.cli.shared.installation"])
def test_a_library_of_the_folder_is_not_taken_for_z3(loads: str, tmp_path: Path) -> None:
    """z3's package looks for its library there first."""
    library = own_library()
    assert library is not None
    (tmp_path / library.name).symlink_to(some_library)
    asks = f"import {loads} as it; getattr(it, 'examine', str)(); import z3; z3.Context()"
    asks += "; print('asked')"
    ran = subprocess.run(
        [sys.executable, "-c", asks],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout == "asked\n", ran.stderr


def test_a_library_that_cannot_be_loaded_is_not_replaced(tmp_path: Path) -> None:
    """The system's, of another version, was taken where memory was short."""
    library = tmp_path / "libz3.so"
    library.write_text("cut short", encoding="utf-8")
    with pytest.raises(ImportError), found_there(library):
        pytest.fail("another one would be looked for")
