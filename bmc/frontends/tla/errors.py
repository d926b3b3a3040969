"""Where in a specification something is, and what is said when it cannot be used."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bmc.lang.errors import BmcError, ClaimUndefined, ClaimWithoutValue

LIBRARY = Path(__file__).parent / "library"
"""The standard and community modules that are written in TLA+, and shipped."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a file; lines and columns count from 1, the end column is past the last sign."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def is_shipped(self) -> bool:
        """Whether it is in a module that no user has written."""
        return _is_shipped(self.file)


@cache
def _is_shipped(file: str) -> bool:
    return Path(file).parent == LIBRARY


_WIDTH = 120
"""Characters of a line of text that an error shows."""


def _window(line: str, column: int) -> tuple[str, int]:
    """Return what is shown of a line, and where in it stands what had ``column`` before it."""
    start = 0 if len(line) <= _WIDTH else max(0, min(column - _WIDTH // 3, len(line) - _WIDTH))
    front = "…" if start else ""
    back = "…" if start + _WIDTH < len(line) else ""
    return front + line[start : start + _WIDTH] + back, column - start + len(front)


class TlaError(BmcError):
    """Says what of a specification cannot be used, where, and what to do about it.

    `hint` is the remedy, a sentence; `line` the text's line for the caret, where it is known.
    """

    def __init__(self, span: Span, message: str, hint: str = "", line: str | None = None) -> None:
        super().__init__(span, message, hint)
        self.span = span
        self.message = message
        self.hint = hint
        self.line = line

    def tell_at(self, call: Span, called: str) -> None:
        """Have it told where a user's text calls an operator, if it is about a shipped one."""
        if self.span.is_shipped and not call.is_shipped:
            self.message = f"{self.message}, in {called} ({Path(self.span.file).name})"
            self.span = call
            self.args = (self.span, self.message, self.hint)

    def __str__(self) -> str:
        lines = [f"{self.span}: {self.message}"]
        if self.line is not None and self.line.strip():
            width = 1
            if self.span.end_line == self.span.line:
                width = max(1, self.span.end_column - self.span.column)
            width = max(1, min(width, len(self.line) - self.span.column + 1))
            shown, before = _window(self.line, self.span.column - 1)
            lines += [f"  {shown}", "  " + " " * before + "^" * min(width, len(shown) - before)]
        if self.hint:
            lines.append(f"  {self.hint}")
        return "\n".join(lines)


def of_no_state(initial: Span) -> TlaError:
    """Return the refusal of a specification without initial states, at their predicate."""
    return TlaError(
        initial,
        "no state satisfies the initial predicate",
        "mend it (what it reads of a variable stands behind what gives that its value), or choose "
        "other constants: of no state everything holds",
    )


class TlaSyntaxError(TlaError):
    """A text that is not TLA+, or a configuration that is not TLC's."""


class TlaNameError(TlaError):
    """A name that means nothing where it stands, or two things at once."""


class TlaLevelError(TlaError):
    """An expression of a higher level (state, action, temporal) than its place allows."""


class TlaUnsupported(TlaError):
    """A construct of TLA+ that this front end does not translate."""


def nested_too_deeply(span: Span) -> TlaUnsupported:
    """Return the refusal of what would take more calls of Python than it has room for."""
    return TlaUnsupported(
        span,
        "this is nested too deeply",
        "split what is nested most deeply into definitions, or end the recursion sooner",
    )


class TlaWithoutValue(TlaUnsupported, ClaimWithoutValue):
    """A claim whose translation has no value at the end of a trace."""


class TlaWithoutMeaning(TlaUnsupported):
    """A construct that the evaluator of the text refuses as well: only another text helps."""


class TlaLimit(TlaError):
    """A text that is larger or nested deeper than is read."""


class TlaUndefined(TlaError, ClaimUndefined):
    """A claim has no value in a state that a path leads to: TLC stops there with this error."""
