"""What a command line loads: one command where it is named, and all of them where it is not."""

import subprocess
import sys
from typing import Any

import pytest
import typer

from bmc.cli.app import COMMANDS, application, loaded

ALL: Any = typer.main.get_command(application())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_alone_says_what_it_says_among_all(name: str) -> None:
    alone: Any = typer.main.get_command(loaded([name, "--help"]))
    assert list(alone.commands) == [name]
    helps = [one.make_context("bmc", [name], resilient_parsing=True) for one in (alone, ALL)]
    texts = [c.command.get_command(c, name).get_help(c) for c in helps]
    assert texts[0] == texts[1] != ""


@pytest.mark.parametrize("given", [[], ["--help"], ["no-such"], ["--no-such", "list"]])
def test_where_no_command_stands_first_all_are_loaded(given: list[str]) -> None:
    assert set(getattr(typer.main.get_command(loaded(given)), "commands", ())) == set(COMMANDS)


def test_a_command_imports_no_other() -> None:
    told = "import sys; from bmc.cli.app import loaded; loaded(['list']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=60
    )
    found = {one for one in done.stdout.split() if one.startswith("bmc.cli.commands.")}
    assert found == {"bmc.cli.commands.list"}
