"""docs/signatures.md, from the language: `python -m bmc.cli.signatures > docs/signatures.md`."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import MISSING
from typing import Any

from bmc import lang
from bmc.lang import drawing, ranking, temporal

_HEAD = """\
# Signatures

Every word that a protocol, its claims and its drawing are written with: the names of its arguments,
their types and defaults. An argument before `/` is given by position, one behind `*` by name.
[The language](language.md) says what they mean beside TLA+, and [From Python](python.md) what a
notebook calls. This page is written by `python -m bmc.cli.signatures`; a test compares it with the
program.
"""

_PLUMBING = frozenset(
    {"Amount", "Bound", "Expr", "Operand", "Protocol", "Sort", "State", "Step", "Term"}
)
"""What words are given and give back: nobody calls it."""

_OF_TIME = (
    *("temporal", "eventually", "always", "leads_to", "until", "never", "happens", "every_step"),
    *("both", "either_of", "entails", "Specification", "weak", "strong"),
)
_OF_RANKS = ("ranking", "rank", "helpful")
_OF_DRAWINGS = (
    *("Drawing", "lifeline", "lifelines", "Card", "Log", "logs", "Inbox", "Messages", "channels"),
)


def signatures() -> str:
    """Return the page, in Markdown."""
    words = [n for n in lang.__all__ if n not in _PLUMBING and n not in _OF_DRAWINGS]
    callable_ = {n: w for n in words if callable(w := getattr(lang, n)) and not _is_error(w)}
    declared = {n for n, w in callable_.items() if _is_declared(w)}
    sections = (
        ("In a class", "bmc.lang", {n: callable_[n] for n in sorted(declared)}),
        ("Expressions", "bmc.lang", {n: w for n, w in callable_.items() if n not in declared}),
        ("A step, and the methods of a protocol", "", _methods()),
        ("Temporal claims", "bmc.lang.temporal", {n: getattr(temporal, n) for n in _OF_TIME}),
        ("Rankings", "bmc.lang.ranking", {n: getattr(ranking, n) for n in _OF_RANKS}),
        ("Drawings", "bmc.lang.drawing", {n: getattr(drawing, n) for n in _OF_DRAWINGS}),
    )
    return "\n".join([_HEAD, *(line for one in sections for line in _section(*one))])


def _is_error(word: Any) -> bool:
    return isinstance(word, type) and issubclass(word, BaseException)


def _is_declared(word: Any) -> bool:
    """Whether a class's body says it: a sort, a variable, a decorator."""
    return isinstance(word, type) or not word.__module__.endswith((".build", ".terms"))


def _methods() -> dict[str, Any]:
    step = {f"s.{name}": getattr(lang.Step, name) for name in ("require", "either")}
    return step | {n: getattr(lang.Protocol, n) for n in ("Constraint", "terminated", "drawn")}


def _section(title: str, room: str, words: dict[str, Any]) -> Iterator[str]:
    yield f"## {title}\n"
    if room:
        yield f"Of `{room}`.\n"
    yield "| | |\n|---|---|"
    for name, word in words.items():
        yield f"| `{_cell(name + _arguments(word))}` | {_cell(_about(word))} |"
    yield ""


def _arguments(word: Any) -> str:
    given = inspect.signature(word).parameters.values()
    # What @action without parentheses is given, to be refused.
    taken = [one for one in given if one.name != "misplaced"]
    shown: list[str] = []
    for number, one in enumerate(taken):
        before = taken[number - 1].kind if number else None
        if before is one.POSITIONAL_ONLY and one.kind is not one.POSITIONAL_ONLY:
            shown.append("/")
        if one.kind is one.KEYWORD_ONLY and before not in (one.VAR_POSITIONAL, one.KEYWORD_ONLY):
            shown.append("*")
        if one.name != "self" or number:
            shown.append(_argument(one))
    if taken and taken[-1].kind is inspect.Parameter.POSITIONAL_ONLY:
        shown.append("/")
    return f"({', '.join(shown)})"


def _argument(one: inspect.Parameter) -> str:
    stars = "**" if one.kind is one.VAR_KEYWORD else "*" if one.kind is one.VAR_POSITIONAL else ""
    typed = "" if one.annotation is one.empty else f": {inspect.formatannotation(one.annotation)}"
    text = f"{stars}{one.name}{typed.replace(chr(39), '')}"
    if one.default is one.empty:
        return text
    if one.default is MISSING or " at 0x" in repr(one.default) or "factory" in repr(one.default):
        return f"{text} = …"
    return f"{text} = {one.default!r}"


def _about(word: Any) -> str:
    text = (inspect.getdoc(word) or "").partition("\n\n")[0]
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"`\1`", text)
    return text.replace("``", "`")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(signatures())
