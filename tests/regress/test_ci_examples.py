"""What docs/ci.md tells a user to copy works in a project that is not this repository.

Its blocks are taken from the page, and its commands are run by a shell as they stand there. Only
what reaches out is replaced: pip, and GitHub's command line.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.cli.running import ROOT
from tests.regress.project import MODEL, WITHOUT_A_GUARD

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("ci examples")

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
SCHEDULED = "${{ github.event_name == 'schedule' && '--from-scratch --timeout 900' || '' }}"
RECORD = '#!/bin/sh\necho "$0 $*" >> "$RECORD"\n'


def block(language: str, mark: str) -> str:
    """The one block of the page in a language that has ``mark`` in it."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (found,) = [text for text in blocks if mark in text]
    return str(found)


class User:
    """A user's repository: a model in a file, and a package that announces another."""

    def __init__(self, folder: Path, tools: Path) -> None:
        self.folder = folder
        self.tools = tools
        self.model = folder / "model" / "lift.py"
        self.model.parent.mkdir(parents=True)
        self.model.write_text(MODEL)
        (folder / "their_hoist.py").write_text(MODEL.replace("class Lift(", "class Hoist("))
        announced = folder / "their_hoist-1.0.dist-info"
        announced.mkdir()
        (announced / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: their-hoist\nVersion: 1.0\n"
        )
        (announced / "entry_points.txt").write_text(
            "[bmc.protocols]\ntheir-hoist = their_hoist:Hoist\n"
        )
        tools.mkdir()
        self.tool("bmc", f'exec {sys.executable} -m bmc "$@"\n')
        self.tool("pip", "")
        self.tool("gh", "")
        # Makes no environment, but one that has these tools.
        self.tool("python3", f'mkdir -p "$3/bin" && ln -sf {tools}/pip {tools}/bmc "$3/bin"\n')

    def tool(self, name: str, script: str) -> None:
        file = self.tools / name
        file.write_text(RECORD + script)
        file.chmod(0o755)

    @property
    def record(self) -> str:
        """Every call of a tool, a line each."""
        return (self.tools / "record").read_text()

    def sh(self, script: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=self.folder,
            env={
                "PATH": f"{self.tools}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": f"{ROOT}{os.pathsep}{self.folder}",
                "RECORD": str(self.tools / "record"),
                "BMC": "a wheel",
                **environment,
            },
            capture_output=True,
            text=True,
        )


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> User:
    """The repository with the lock that the page's first commands make."""
    folder = tmp_path_factory.mktemp("user")
    user = User(folder / "repository", folder / "tools")
    commands = [
        line.split("  ")[0]
        for line in re.findall(r"^    (bmc regress .*)$", PAGE.split("## ")[0], re.MULTILINE)
    ]
    assert len(commands) == 4
    made = user.sh(
        "\n".join([commands[0], commands[1], "bmc regress --update --protocol their-hoist"])
    )
    assert made.returncode == 0, made.stdout + made.stderr
    checked = user.sh("\n".join(commands[2:]))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "as expected in 3 models" in checked.stdout
    return user


@pytest.fixture
def user(locked: User, tmp_path: Path) -> User:
    user = User(tmp_path / "repository", tmp_path / "tools")
    shutil.copytree(locked.folder, user.folder, dirs_exist_ok=True)
    return user


def steps(user: User, expressions: dict[str, str]) -> dict[str, int]:
    """Run the workflow's commands as GitHub would; the exit code of each by its name."""
    workflow: dict[Any, Any] = yaml.safe_load(block("yaml", "jobs:"))
    # YAML reads the word `on` as true, and GitHub does not mind.
    assert set(workflow) == {"name", True, "env", "permissions", "jobs"}
    assert set(workflow[True]) == {"pull_request", "push", "schedule"}
    codes = {}
    for step in workflow["jobs"]["regress"]["steps"]:
        assert ("uses" in step) != ("run" in step)
        if "run" not in step:
            continue
        script = step["run"]
        for expression, value in expressions.items():
            script = script.replace(expression, value)
        assert "${{" not in script
        given = dict.fromkeys(step.get("env", {}), "a token")
        done = user.sh(script, GITHUB_STEP_SUMMARY=str(user.folder / "summary"), **given)
        codes[step.get("name", "install")] = done.returncode
        if "::error" in done.stdout:
            (user.folder / "messages").write_text(done.stdout)
    return codes


def test_the_workflow_on_a_pull_request(user: User) -> None:
    expressions = {SCHEDULED: "", "${{ github.event.number }}": "7"}
    codes = steps(user, expressions)
    assert codes == {"install": 0, "What is proven stays proven": 0, "Summary": 0, "Comment": 0}
    assert "pip install a wheel" in user.record
    assert "gh pr comment 7 --edit-last --create-if-none --body-file bmc-comment.md" in user.record
    assert "✅" in (user.folder / "summary").read_text()
    ElementTree.parse(user.folder / "bmc-junit.xml")
    user.model.write_text(MODEL.replace(*WITHOUT_A_GUARD))
    codes = steps(user, expressions)
    assert codes["What is proven stays proven"] == 1
    assert codes["Summary"] == codes["Comment"] == 0
    messages = (user.folder / "messages").read_text()
    assert "::error file=model/lift.py,line=" in messages
    assert "Safe was proved, is violated by a trace of 3 states" in messages


@pytest.mark.nightly
def test_the_workflow_at_night(user: User) -> None:
    expressions = {SCHEDULED: "--from-scratch --timeout 900", "${{ github.event.number }}": ""}
    assert steps(user, expressions)["What is proven stays proven"] == 0
    assert "--from-scratch --timeout 900" in user.record


@pytest.mark.parametrize(
    ("edit", "code", "said"),
    [
        (("", ""), 0, "all as expected"),
        (WITHOUT_A_GUARD, 1, "see bmc-comment.md"),
        (("class Lift(", "class Elevator("), 2, "cannot be used"),
    ],
)
def test_the_shell_script(user: User, edit: tuple[str, str], code: int, said: str) -> None:
    if edit[0]:
        user.model.write_text(MODEL.replace(*edit))
    done = user.sh(block("sh", "#!/bin/sh"))
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout
    assert "pip install --quiet a wheel" in user.record
    ElementTree.parse(user.folder / "bmc-junit.xml")


def test_the_hook_before_a_commit(user: User) -> None:
    hooks = yaml.safe_load(block("yaml", "repos:"))
    (hook,) = hooks["repos"][0]["hooks"]
    assert hooks["repos"][0]["repo"] == "local"
    assert {"id", "name", "entry", "language"} <= set(hook)
    watched = [name for name in ("model/lift.py", "bmc.lock") if re.search(hook["files"], name)]
    assert watched == ["model/lift.py", "bmc.lock"]
    assert not re.search(hook["files"], "README.md")
    assert user.sh(hook["entry"]).returncode == 0
    user.model.write_text(MODEL.replace(*WITHOUT_A_GUARD))
    assert user.sh(hook["entry"]).returncode == 1
