"""Failures of the language, each named, each saying what its reader does next."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from typing import ClassVar


class BmcError(Exception):
    """Base of every failure that bmc reports by name; its message is meant for a person."""


class LanguageError(BmcError):
    """A protocol, term or property is written wrongly; the message names the place to mend.

    ``place`` is the file and the line of the method or class that was being read, where known, and
    ``within`` the name of the action or claim.
    """

    place: tuple[str, int] | None = None
    within: str = ""

    def __init__(self, *said: object) -> None:
        super().__init__(*said)
        if (refused := _refused.get()) is not None:
            refused.append(self)


class SortError(LanguageError):
    """A term was used where its sort does not fit."""


class UnknownSort(SortError):
    """A value was given as a sort whose class is not one of the language's."""


class DecidedByPython(LanguageError):
    """Python decides in a protocol's text what should be decided in a state."""


class TextUnknown(LanguageError):
    """A function of a protocol has no text in which to look for what Python decides."""


class OutOfScope(LanguageError):
    """A term is used where its names mean something else, or nothing."""


class UnknownVariable(LanguageError):
    """A state was asked for a variable of the name ``variable``, which it does not have."""

    def __init__(self, said: str, variable: str = "") -> None:
        # What comes from another process is made of the message alone, and given the rest behind.
        super().__init__(said)
        self.variable = variable


class DependsOnMonitor(LanguageError):
    """The protocol would depend on what a monitor remembers."""


class DeclaredTwice(LanguageError):
    """A name of a protocol would mean two things."""


class AssignedTwice(LanguageError):
    """An assignment would take back one before it."""


class ParameterError(BmcError):
    """A parameter is unknown or its value is outside the declared range."""


class UnknownName(BmcError):
    """A protocol, property or parameter name that nothing answers to."""


class ClaimWithoutValue(BmcError):
    """A claim has no value where a trace says that it is false: nothing is known of it then."""


def said_of(error: ClaimWithoutValue) -> str:
    """Return what it says, with its place, in a line."""
    return ": ".join(line.strip() for line in str(error).splitlines())


class ClaimUndefined(ClaimWithoutValue):
    """The text itself gives a claim, or Init, no value at a trace's end: the path there is told."""


class BoundTooSmall(BmcError):
    """A value left its sort, a container was full, or a partial operator met no value.

    It is an event of the *model*, not of the protocol: the bounds that were chosen cannot
    represent what the protocol does next. ``title`` says which of them it is.
    """

    title: ClassVar[str] = "a bound is too small"


class NothingThere(BoundTooSmall):
    """A partial operator met no value, as the head of an empty sequence: no bound helps there."""

    title = "a value is read that is not there"


_refused: ContextVar[list[LanguageError] | None] = ContextVar("refused", default=None)


@contextmanager
def none_swallowed() -> Iterator[None]:
    """Raise what the language refused in here, also where the text catches it and goes on.

    A text that swallows a refusal would be judged without what was refused.
    """
    refused: list[LanguageError] = []
    before = _refused.set(refused)
    try:
        yield
    finally:
        _refused.reset(before)
    if refused:
        raise refused[0]


@contextmanager
def asked() -> Iterator[None]:
    """Let refusals in here be caught, formulas be made for nothing, and Python be used as it is.

    For a program that writes protocols and asks what fits.
    """
    before = _refused.set(None)
    try:
        yield
    finally:
        _refused.reset(before)


def is_asked() -> bool:
    """Return whether what is made here is only asked about, and no protocol's text."""
    return _refused.get() is None


@contextmanager
def placed(file: str, line: int, within: str = "") -> Iterator[None]:
    """Give what the language refuses in here this place, unless it has a nearer one."""
    try:
        yield
    except LanguageError as error:
        error.place = error.place or (file, line)
        error.within = error.within or within
        raise


def suggest(word: object, known: Iterable[str]) -> str:
    """A sentence offering the names nearest to ``word``, or listing all when none is near."""
    names = sorted(known)
    near = get_close_matches(str(word), names, n=3, cutoff=0.5)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"known: {', '.join(names)}" if names else "there are none"
