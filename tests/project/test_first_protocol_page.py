"""The walk of docs/first-protocol.md: each edit is made, each command says what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from textwrap import indent

import pytest

from tests.cli.running import bmc
from tests.project.pages import not_said, said

PAGE = (Path(__file__).parents[2] / "docs" / "first-protocol.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(
    r"^```(python|console)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)
METHOD = r"(?:    @.*\n)?    def {}\(.*\n(?:        .*\n|\n(?=        ))*\n?"


def edited(text: str, methods: str) -> str:
    """The file with methods written again, or put before what the protocol's next step is."""
    for found in re.finditer(METHOD.format(r"(\w+)"), indent(methods, " " * 4)):
        written = found[0].rstrip("\n") + "\n\n"
        known = re.search(METHOD.format(found[1]), text)
        start, end = known.span() if known else (text.index("    Next = "),) * 2
        text = text[:start] + written + text[end:]
    return text


def test_edits_replace_methods_and_add_new_ones() -> None:
    kinds, texts = zip(*BLOCKS, strict=True)
    start = texts[0]
    assert kinds[0] == "python"
    again = edited(start, texts[kinds.index("python", 1)])
    assert again.count("def Elect(") == 1
    assert "voters" in again
    assert again.index("def is_behind(") < again.index("Next = ") < again.index("NothingLost")


def test_each_command_says_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "log.py"
    commands = 0
    for kind, text in BLOCKS:
        if kind == "python":
            file.write_text(edited(file.read_text(), text) if file.exists() else text)
            continue
        command, *shown = said(text)
        program, *arguments = shlex.split(command.removeprefix("$ "))
        assert program == "bmc"
        answered = bmc(*arguments)
        assert not_said(shown, answered.out) is None, f"{command}\n{answered.out}"
        violated = any(" violated " in line for line in shown)
        assert answered.code == (1 if violated else 0), command
        commands += 1
    assert commands == 11
    assert (tmp_path / "lost.html").exists()
