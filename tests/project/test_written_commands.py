"""Every command that a page shows is one that the program takes, about protocols that there are.

What the commands of the tutorials print is compared by the tests of those pages. Here none is run,
but each is read as the command line reads it: its name, its options, and what they take.
"""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from bmc.cli.app import application
from bmc.cli.shared import catalogue

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONTINUED = re.compile(r"\\\n\s*")
SHOWN = re.compile(r"^(?: {4,}|\$ )(?:\$ )?(?:\./run|bmc) +(.*)$", re.MULTILINE)
QUOTED = re.compile(r"`(?:\./run|bmc) ([a-z][^`\n]*)`")
# What follows a command: its meaning after two spaces, where its output goes, a comment.
BEHIND = re.compile(r"\s{2,}.*| [|>&#;].*")
UNSAID = ("…", "...", "[")
"""What stands for something that a reader fills in."""
INCOMPLETE = ("MissingParameter", "BadOptionUsage")
"""What typer calls a command of which a page names a part only, such as an option of it."""


def commands(page: Path) -> Iterator[str]:
    """The commands of a page, without what the page says of them. The reference is generated."""
    text = CONTINUED.sub("", page.read_text(encoding="utf-8"))
    for pattern in (SHOWN, QUOTED) if page.name != "commands.md" else ():
        for words in pattern.findall(text):
            command = BEHIND.sub("", words).strip()
            if command and command != "test" and not any(one in command for one in UNSAID):
                yield command


@cache
def program() -> Any:
    return typer.main.get_command(application())


def options_of(words: list[str]) -> dict[str, Any]:
    """The options of the command that words name; raises what typer does where there is none."""
    command, rest = program(), list(words)
    while inner := getattr(command, "commands", None):
        # A sweep without a further word is run.
        name = rest.pop(0) if rest and rest[0] in inner else "run"
        if name not in inner:
            raise LookupError(f"{command.name} has no command {' '.join(rest)}")
        command = inner[name]
    found: dict[str, Any] = command.make_context(command.name, rest).params
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_it_is_read(page: Path) -> None:
    wrong = []
    for command in commands(page):
        words = shlex.split(command)
        if words == ["--help"] or words[-1] == "--help":
            continue
        try:
            found = options_of(words)
        except Exception as error:
            # Typer's usage errors have no public class in all of its versions.
            if type(error).__name__ not in INCOMPLETE:
                wrong.append(f"bmc {command}: {error}")
            continue
        protocol = found.get("protocol")
        if isinstance(protocol, str) and protocol.islower() and not set(protocol) & set("./:"):
            catalogue.find(protocol)
    assert not wrong


def test_there_are_commands() -> None:
    found = [command for page in PAGES for command in commands(page)]
    assert len(found) > 150
    assert "prove kafka --k 10" in found


SCRIPT = re.compile(r"(?:\bpython |`)(benchmarks/[\w/]+\.py|\w+\.py)((?: +[^`\n]*)?)")
SCRIPTS = {path.name: path for path in (ROOT / "benchmarks").rglob("*.py")}


def scripts(page: Path) -> Iterator[tuple[str, list[str]]]:
    """The scripts of this project that a page names, with their options."""
    for name, words in SCRIPT.findall(CONTINUED.sub("", page.read_text(encoding="utf-8"))):
        # One without a folder may be a file of the reader's.
        if name.startswith("benchmarks/") or name in SCRIPTS:
            options = BEHIND.sub("", words.rstrip()).split()
            yield name, [one.partition("=")[0] for one in options if one.startswith("--")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_script_is_there_and_takes_its_options(page: Path) -> None:
    wrong = []
    for name, options in scripts(page):
        path = ROOT / name if "/" in name else SCRIPTS[name]
        text = path.read_text(encoding="utf-8") if path.is_file() else None
        if text is None:
            wrong.append(f"{name} is not there")
        else:
            wrong += [f"{name} has no {one}" for one in options if f'"{one}"' not in text]
    assert not wrong


def test_there_are_scripts() -> None:
    found = [name for page in PAGES for name, _ in scripts(page)]
    assert len(found) > 40
    assert "benchmarks/prove_kafka.py" in found
