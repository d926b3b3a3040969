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


@pytest.mark.parametrize("given", [["no-such"], ["--no-such", "list"], ["--help", "list"]])
def test_where_no_command_stands_first_all_are_loaded(given: list[str]) -> None:
    assert _imported(given) == {place.partition(":")[0] for place, _ in COMMANDS.values()}


@pytest.mark.parametrize("given", [[], ["--help"], ["--version"]])
def test_the_list_of_all_commands_is_said_without_any(given: list[str]) -> None:
    assert _imported(given) == set()
    listed: Any = typer.main.get_command(loaded(given))
    outlines = [
        one.get_help(one.make_context("bmc", [], resilient_parsing=True)) for one in (listed, ALL)
    ]
    assert outlines[0] == outlines[1] != ""


def test_a_shell_that_completes_a_command_line_is_told_of_what_commands_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("_BMC_COMPLETE", "complete_bash")
    whole: Any = typer.main.get_command(loaded([]))
    assert len(whole.commands["prove"].params) == len(ALL.commands["prove"].params) > 1


def test_a_command_imports_no_other() -> None:
    assert _imported(["list"]) == {"list"}


@pytest.mark.parametrize("form", ["--json", "--verbose"])
def test_a_proof_loads_nothing_that_it_does_not_use(form: str) -> None:
    """Numpy and networkx took a seventh of the processor time of the proofs of Kafka."""
    told = (
        "import sys; from bmc.cli.app import run; code = run(sys.argv[1:]);"
        "sys.exit(code or 10 * bool({'numpy', 'networkx'} & set(sys.modules)))"
    )
    sizes = ("replicas=2", "log_size=1", "max_records=1", "max_leader_epoch=1")
    words = ["prove", "kafka", "-P", "TypeOk", form, *(f"-p{size}" for size in sizes)]
    done = subprocess.run(
        [sys.executable, "-c", told, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "proved" in done.stdout


def _imported(given: list[str]) -> set[str]:
    """Return the modules of those commands that a command line loads, in a process of its own."""
    told = f"import sys; from bmc.cli.app import loaded; loaded({given}); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=60
    )
    modules = {place.partition(":")[0] for place, _ in COMMANDS.values()}
    prefix = "bmc.cli.commands."
    return modules & {
        one.removeprefix(prefix) for one in done.stdout.split() if one.startswith(prefix)
    }
