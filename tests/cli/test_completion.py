"""What shells ask when TAB is pressed, as the scripts of `bmc --show-completion` ask it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ASKED = {
    "bash": {"COMP_WORDS": "bmc pro", "COMP_CWORD": "1"},
    "zsh": {"_TYPER_COMPLETE_ARGS": "bmc pro"},
    "fish": {"_TYPER_COMPLETE_ARGS": "bmc pro", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
}
NO_DETECTION = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}


def bmc(*words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "bmc", *words],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("shell", ASKED)
def test_a_shell_is_told_what_can_stand_next(shell: str) -> None:
    done = bmc(_BMC_COMPLETE=f"complete_{shell}", **ASKED[shell])
    assert "prove" in done.stdout
    assert "explore" not in done.stdout
    # It would be written into the line that is being typed.
    assert (done.stderr, done.returncode) == ("", 0)


def test_fish_is_told_whether_to_ask() -> None:
    asked = {**ASKED["fish"], "_TYPER_COMPLETE_FISH_ACTION": "is-args"}
    assert bmc(_BMC_COMPLETE="complete_fish", **asked).returncode == 0


@pytest.mark.parametrize("shell", ASKED)
def test_the_script_is_shown(shell: str) -> None:
    done = bmc("--show-completion", shell, **NO_DETECTION)
    assert f"complete_{shell}" in done.stdout
    assert (done.stderr, done.returncode) == ("", 0)


def test_it_is_installed(tmp_path: Path) -> None:
    done = bmc("--install-completion", "bash", HOME=str(tmp_path), **NO_DETECTION)
    assert (done.stderr, done.returncode) == ("", 0)
    assert (tmp_path / ".bashrc").is_file()


def test_bash_completes(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    command = tmp_path / "bmc"
    command.write_text(f'#!{bash}\nexec {sys.executable} -m bmc "$@"\n')
    command.chmod(0o755)
    script = tmp_path / "completion"
    script.write_text(bmc("--show-completion", "bash", **NO_DETECTION).stdout)
    pressed = (
        f"source {script}; COMP_WORDS=(bmc explore --gr); COMP_CWORD=2; _bmc_completion {command}; "
        'echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [bash, "--norc", "-c", pressed], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("--graph\n", "")
