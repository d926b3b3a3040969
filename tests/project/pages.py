"""The pages of the project, as a reader goes through them: blocks of code, commands, outputs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONTINUED = re.compile(r"\\\n\s*")
CUT = "…"
"""What stands for lines, and for the end of a line, that a page leaves out."""


@dataclass(frozen=True)
class Block:
    """A block of code: fenced, in a language, or indented."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def is_output(self) -> bool:
        return self.text.startswith("$ ")

    @property
    def command(self) -> str:
        """The command of an output."""
        first = CONTINUED.sub("", self.text).splitlines()[0]
        return re.sub(r"^\$ (?:bmc|\./run) ", "", first)

    @property
    def shown(self) -> list[str]:
        """What a page shows of the output of its command."""
        return said(CONTINUED.sub("", self.text))[1:]


@cache
def blocks(page: Path) -> tuple[Block, ...]:
    """Return the blocks of code of a page, in its order."""
    found = []
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type in ("fence", "code_block"):
            assert token.map is not None
            found.append(Block(page.name, token.map[0] + 1, token.info, token.content))
    return tuple(found)


def block(page: str, mark: str) -> str:
    """The text of the one block of a page that has the mark in it."""
    (path,) = [path for path in PAGES if path.name == page]
    (found,) = [one.text for one in blocks(path) if mark in one.text]
    return found


def said(text: str) -> list[str]:
    """The lines of an output, without what is another one on another machine.

    That is how long it took, which release of a solver was asked, when memory ended, and whether
    IC3 or an exploration beside it was first.
    """
    text = re.sub(r"  \d+\.\d s$", "", text, flags=re.MULTILINE)
    text = re.sub(r"(bitwuzla|cvc5) \d[.\d]*", r"\1 N", text)
    first = r"for every depth, by IC3.*|in every reachable state, looked at again by.*"
    text = re.sub(rf"  proved  (?:{first})", "  proved  by whoever was first", text)
    text = re.sub(r"on disk after \d+ levels, in [^,]*", "on disk after N levels, in F", text)
    return [line.rstrip() for line in text.splitlines()]


def not_said(shown: list[str], printed: str) -> str | None:
    """The first line shown that is not printed behind the one before; None where all are."""
    behind = iter(said(printed))
    for line in shown:
        if line in ("", CUT):
            continue
        wanted = re.compile(".+".join(re.escape(part) for part in line.split(CUT)))
        if not any(wanted.fullmatch(one) for one in behind):
            return line
    return None
