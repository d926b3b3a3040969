"""Tokens one after the other: what may come next, and what is said when something else does.

The parsers of expressions (`ranges`, `references`, `bracketed`, `expressions`, one upon the other)
and of modules (`syntax`) stand on it. A token that is not to the right of the bullet of the
junction list around it ends the list's item, so a parser inside the item does not see it
(Specifying Systems, section 15.2.2).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .errors import Span, TlaLimit, TlaSyntaxError
from .lexer import Kind, Token

DEEPEST = 250
"""Levels of nesting that are read; no specification that people wrote has a fifth of it."""


class Parser:
    """A place in a list of tokens."""

    def __init__(self, found: Sequence[Token], text: str, file: str) -> None:
        self.tokens = found
        self.file = file
        self.lines = text.split("\n")
        self.at = 0
        self.floor = 0
        """The column of the innermost bullet: an item's tokens stand to the right of it."""
        self.depth = 0

    @property
    def raw(self) -> Token:
        """The next token, wherever it stands."""
        return self.tokens[self.at]

    @property
    def hidden(self) -> bool:
        """Whether the next token is beyond the item that is being read."""
        return self.raw.column <= self.floor

    def sees(self, *texts: str) -> bool:
        """Whether the next token is one of these signs or words."""
        token = self.tokens[self.at]
        return (
            token.text in texts
            and (token.kind is Kind.SIGN or token.kind is Kind.WORD or token.kind is Kind.RULE)
            and token.column > self.floor
        )

    def sees_kind(self, kind: Kind) -> bool:
        """Whether the next token is of this kind."""
        return self.raw.kind is kind and not self.hidden

    def follows(self, text: str, distance: int = 1) -> bool:
        """Whether the sign or word stands `distance` tokens further on."""
        if self.at + distance >= len(self.tokens):
            return False
        token = self.tokens[self.at + distance]
        return token.text == text and token.kind in (Kind.SIGN, Kind.WORD)

    def take(self) -> Token:
        """The next token; the place moves on."""
        token = self.raw
        if token.kind is not Kind.END:
            self.at += 1
        return token

    def accept(self, *texts: str) -> bool:
        """Take the next token if it is one of these."""
        if self.sees(*texts):
            self.at += 1
            return True
        return False

    def expect(self, text: str, why: str = "") -> Token:
        """Take this sign or word. Raises TlaSyntaxError."""
        if not self.sees(text):
            raise self.unexpected(f"expected {text}{' ' + why if why else ''}")
        return self.take()

    def expect_name(self, what: str = "a name") -> Token:
        """Take a name. Raises TlaSyntaxError."""
        if not self.sees_kind(Kind.NAME):
            raise self.unexpected(f"expected {what}")
        return self.take()

    def unexpected(self, expected: str) -> TlaSyntaxError:
        """The error that something else than the next token was expected."""
        token = self.raw
        if token.kind is Kind.END:
            found = "the file ends"
        elif self.hidden:
            found = f"and the list's item ends before {token.text}"
            hint = (
                "everything in an item of a list of /\\ or \\/ stands to the right of its bullet: "
                "indent this line further, or close what is open"
            )
            return TlaSyntaxError(self.place(token), f"{expected}, {found}", hint, self.line(token))
        elif token.kind is Kind.STRING:
            found = "found a string"
        else:
            found = f"found {token.text}"
        return TlaSyntaxError(self.place(token), f"{expected}, {found}", "", self.line(token))

    def error(self, token: Token, message: str, hint: str = "") -> TlaSyntaxError:
        """An error at a token."""
        return TlaSyntaxError(self.place(token), message, hint, self.line(token))

    def line(self, token: Token) -> str:
        """The line of the text that the token is on."""
        return self.lines[token.line - 1].rstrip("\r")

    def place(self, token: Token) -> Span:
        """The span of a token."""
        return Span(self.file, token.line, token.column, token.line, token.end_column)

    def since(self, first: Token) -> Span:
        """The span from a token to the last one taken."""
        last = self.tokens[max(self.at - 1, 0)]
        return Span(self.file, first.line, first.column, last.line, last.end_column)

    def from_span(self, first: Span) -> Span:
        """The span from the beginning of another one to the last token taken."""
        last = self.tokens[max(self.at - 1, 0)]
        return Span(self.file, first.line, first.column, last.line, last.end_column)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Read one level further in. Raises TlaLimit beyond `DEEPEST`."""
        self.depth += 1
        self.limit(self.depth)
        try:
            yield
        finally:
            self.depth -= 1

    def limit(self, depth: int) -> None:
        """Raise TlaLimit if `depth` levels are too many."""
        if depth > DEEPEST:
            token = self.raw
            raise TlaLimit(
                self.place(token),
                f"this is nested deeper than {DEEPEST} levels",
                "give parts of it a name of their own",
            )

    @contextmanager
    def right_of(self, column: int) -> Iterator[None]:
        """Read an item of a junction list whose bullet stands in `column`."""
        outer, self.floor = self.floor, max(self.floor, column)
        try:
            yield
        finally:
            self.floor = outer
