"""Text to tokens: comments go, every sign gets its one spelling. Linear in the text."""

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from .errors import Span, TlaLimit, TlaSyntaxError
from .signs import INFIX, SAME, UNICODE

LARGEST = 2_000_000
"""Characters of the largest file that is read."""


class Kind(Enum):
    """What a token is; the value is how it is named in a message."""

    NAME = "a name"
    NUMBER = "a number"
    STRING = "a string"
    SIGN = "a sign"
    WORD = "a word of the language"
    MODULE = "the head of a module"
    RULE = "a line ----"
    STEP = "a step of a proof"
    END = "the end of the text"


class Token(NamedTuple):
    """A token; `text` is its one spelling, a string's without quotes, a module head's its name."""

    kind: Kind
    text: str
    line: int
    column: int
    end_column: int
    starts_line: bool


def _words(text: str) -> list[str]:
    return text.split()


WORDS = frozenset(
    _words(
        """ASSUME ASSUMPTION AXIOM CASE CHOOSE CONSTANT CONSTANTS DOMAIN ELSE ENABLED EXCEPT EXTENDS
        IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE OTHER PROPOSITION COROLLARY RECURSIVE SUBSET
        THEN THEOREM UNCHANGED UNION VARIABLE VARIABLES WITH PROOF BY OBVIOUS OMITTED QED USE HIDE
        PROVE TRUE FALSE SF_ WF_"""
    )
)
_BACKSLASHED = {sign for sign in (*INFIX, *SAME) if sign.startswith("\\") and len(sign) > 1} | {
    "\\A",
    "\\E",
    "\\AA",
    "\\EE",
}
_SIGNS = sorted(
    (
        *(s for s in (*INFIX, *SAME) if not re.fullmatch(r"\\(\w+)?", s)),
        *_words("-. ' ^+ ^* ^# ~ [] <> == <- -> |-> << >> >>_ ]_ ( ) [ ] { } , : :: . ! @ _ ;"),
    ),
    key=len,
    reverse=True,
)
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\f\v]+)"
    r"|(?P<newline>\n)"
    r"|(?P<line_comment>\\\*[^\n]*)"
    r"|(?P<open>\(\*)"
    r"|(?P<module>-{4,}[ \t]*MODULE\s+(?P<module_name>\w+)\s*-{4,})"
    r"|(?P<rule>-{4,})"
    r"|(?P<step><(?:[0-9]+|[*+])>)"
    r"|(?P<end>={4,})"
    r'|"(?P<string>(?:[^"\\\n]|\\.)*)"'
    r"|(?P<fair>(?:WF|SF)_)"
    r"|(?P<based>\\[bB][01]+|\\[oO][0-7]+|\\[hH][0-9a-fA-F]+)"
    r"|(?P<name>(?!_(?![A-Za-z0-9_]))[0-9]*[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<backslashed>\\[A-Za-z]+)"
    r"|(?P<slash>\\/)"
    rf"|(?P<sign>{'|'.join(map(re.escape, _SIGNS))}|\\)"
    rf"|(?P<unicode>[{''.join(UNICODE)}])"
)
_LESS = re.compile("<")
_COMMENT_EDGE = re.compile(r"\(\*|\*\)")
_ESCAPES = {"t": "\t", "n": "\n", "f": "\f", "r": "\r"}


def module_head(text: str, name: str | None = None) -> int | None:
    """Return where the module of this name, or the first of any, begins in a text."""
    wanted = r"\w+" if name is None else re.escape(name)
    found = re.search(r"-{4,}[ \t]*MODULE\s+" + wanted + r"\s*-{4,}", text)
    return None if found is None else found.start()


def tokens(text: str, file: str, name: str | None = None) -> list[Token]:
    """Return the tokens of the module of this name, or the first of any, ending with END.

    What stands before `---- MODULE Name ----` and after its `====` is no TLA+ and is skipped.
    Raises TlaSyntaxError where no token begins, TlaLimit for a text above `LARGEST` characters.
    """
    if len(text) > LARGEST:
        raise TlaLimit(
            Span(file, 1, 1, 1, 1),
            f"the file has {len(text)} characters, and {LARGEST} are read",
            "split it into modules",
        )
    begin = module_head(text, name)
    if begin is None:
        raise TlaSyntaxError(
            Span(file, 1, 1, 1, 1), "there is no module here", "begin with ---- MODULE Name ----"
        )
    return list(_Scanner(text, file).scan(begin))


class _Scanner:
    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file

    def scan(self, position: int) -> Iterator[Token]:
        text = self.text
        line = text.count("\n", 0, position) + 1
        start = text.rfind("\n", 0, position) + 1
        fresh = True
        modules = 0
        while position < len(text):
            found = _TOKEN.match(text, position)
            column = position - start + 1
            if found is None:
                raise self.error(line, column, self.complaint(position))
            group = found.lastgroup
            if group == "step" and not fresh:
                found = _LESS.match(text, position)
                assert found is not None
                group = "sign"
            if group == "module_name":
                group = "module"
            end = found.end()
            if group == "open":
                end = self.comment_end(position, line, column)
            elif group not in ("space", "newline", "line_comment"):
                kind, spelling = self.classify(str(group), found, line, column)
                yield Token(kind, spelling, line, column, column + end - position, fresh)
                fresh = False
                modules += (kind is Kind.MODULE) - (spelling == "====" and kind is Kind.SIGN)
                if modules == 0:
                    column += end - position
                    break
            breaks = text.count("\n", position, end)
            if breaks:
                line += breaks
                start = text.rfind("\n", position, end) + 1
                fresh = True
            position = end
        else:
            column = position - start + 1
        yield Token(Kind.END, "", line, column, column, True)

    def classify(
        self, group: str, found: re.Match[str], line: int, column: int
    ) -> tuple[Kind, str]:
        text = found.group()
        match group:
            case "module":
                return Kind.MODULE, found["module_name"]
            case "step":
                return Kind.STEP, text
            case "rule":
                return Kind.RULE, "----"
            case "end":
                return Kind.SIGN, "===="
            case "string":
                return Kind.STRING, _unescaped(found["string"])
            case "fair":
                return Kind.WORD, text
            case "based" | "number":
                return Kind.NUMBER, text
            case "name":
                return (Kind.WORD if text in WORDS else Kind.NAME), text
            case "backslashed":
                if text not in _BACKSLASHED:
                    raise self.error(line, column, f"{text} is no operator of TLA+")
                return Kind.SIGN, SAME.get(text, text)
            case "slash" | "sign":
                return Kind.SIGN, SAME.get(text, text)
            case _:
                spelling = UNICODE[text]
                return (Kind.NAME if spelling.isalpha() else Kind.SIGN), spelling

    def comment_end(self, position: int, line: int, column: int) -> int:
        depth = 0
        while True:
            edge = _COMMENT_EDGE.search(self.text, position)
            if edge is None:
                raise self.error(line, column, "this comment has no end: close it with *)")
            depth += 1 if edge.group() == "(*" else -1
            position = edge.end()
            if depth == 0:
                return position

    def complaint(self, position: int) -> str:
        if self.text[position] == '"':
            return "this string has no end on its line"
        return f"{self.text[position]!r} begins nothing in TLA+"

    def error(self, line: int, column: int, message: str) -> TlaSyntaxError:
        source = self.text.split("\n")[line - 1]
        return TlaSyntaxError(Span(self.file, line, column, line, column + 1), message, "", source)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text)
