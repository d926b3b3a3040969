"""A specification at its configuration as a suite, which is what every command works on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from bmc.lang.errors import BmcError
from bmc.lang.ready import ReadySuite

from .assumptions import require_assumptions
from .chosen import with_constants
from .config import read_config
from .errors import Span, TlaError, TlaUnsupported, TlaWithoutMeaning
from .load import load
from .modules import Library
from .origin import Text
from .samples import Samples
from .specification import Specification, expressions
from .survey import unsupported
from .translate.model import translate

_NAMED = 5
"""Configurations that are named when the one of the specification's name is missing."""


def suite_of(
    name: str,
    path: Path,
    config: Path | None = None,
    lemmas: Sequence[str] = (),
    bounds: Mapping[str, tuple[int, int]] | None = None,
    constants: Mapping[str, int] | None = None,
    partly: bool = False,
) -> ReadySuite:
    """Return the suite of a .tla file at a configuration, under the name it was asked for by.

    `constants` replace what the configuration gives them: numbers, and how many model values a
    set of them has. With `partly` the suite names the claims that cannot be translated, as long as
    there are others. Raises TlaError.
    """
    specification = specification_of(path, config, lemmas, bounds, constants)
    specification = replace(specification, partly=partly)
    with showing_the_line(path):
        try:
            suite = Text.translated(name, path.name, specification, Samples(specification))
        except TlaUnsupported as error:
            _offer_the_text(error)
            raise
    for refusal in suite.refused:
        with suppress(TlaError), showing_the_line(path):
            _offer_the_text(refusal)
            raise refusal
    return suite


def _offer_the_text(error: BmcError) -> None:
    """Let a refusal name the search that needs no model, where that could take the text."""
    if isinstance(error, TlaUnsupported) and not isinstance(error, TlaWithoutMeaning):
        error.hint = f"{error.hint}; " if error.hint else ""
        error.hint += "`bmc explore --on-text` searches the text as it is, without a model"


def specification_of(
    path: Path,
    config: Path | None = None,
    lemmas: Sequence[str] = (),
    bounds: Mapping[str, tuple[int, int]] | None = None,
    constants: Mapping[str, int] | None = None,
) -> Specification:
    """Return what a .tla file says at a configuration; see :func:`suite_of`. Raises TlaError."""
    read = read_config(config or _configuration(path))
    with showing_the_line(path):
        return load(path, with_constants(read, constants or {}), lemmas, bounds)


@contextmanager
def showing_the_line(path: Path) -> Iterator[None]:
    """Give an error that passes the line of the text that it speaks of."""
    try:
        yield
    except TlaError as error:
        if error.line is None:
            error.line = Library(path.parent).line_of(error.span)
        raise


def constants_of(path: Path, config: Path | None = None) -> frozenset[str]:
    """Return the names of the constants that a configuration gives values. Raises TlaError."""
    read = read_config(config or _configuration(path))
    return frozenset(one.name.text for one in read.assignments)


def _files(folder: Path, pattern: str) -> list[Path]:
    """Return what may be named in place of what is missing: no folder, and no link to nothing."""
    return [one for one in folder.glob(pattern) if one.is_file()]


def _configuration(path: Path) -> Path:
    """Return the configuration of a specification's name. Raises TlaError: one is missing."""
    start = Span(str(path), 1, 1, 1, 1)
    folder = path.parent
    if not path.is_file():
        near = get_close_matches(path.name, [one.name for one in _files(folder, "*.tla")], 1)
        hint = f"did you mean {folder / near[0]}?" if near else "name a .tla file that is there"
        raise TlaError(start, "there is no such file", hint)
    config = path.with_suffix(".cfg")
    if not config.is_file():
        model = folder / f"MC{path.stem}.tla"
        if model.is_file() and model.with_suffix(".cfg").is_file():
            hint = f"its model seems to be {model}"
        else:
            others = sorted(map(str, _files(folder, "*.cfg")))[:_NAMED]
            there = f"; there are {', '.join(others)}" if others else ""
            hint = f"write it, or name another with --config FILE.cfg{there}"
        raise TlaError(start, f"it has no configuration {config.name} beside it", hint)
    return config


class Complaints(NamedTuple):
    """All that keeps a specification from being checked, and what else its user has to know."""

    unsupported: tuple[BmcError, ...]
    notes: tuple[str, ...]


def complaints(
    path: Path,
    config: Path | None = None,
    lemmas: Sequence[str] = (),
    bounds: Mapping[str, tuple[int, int]] | None = None,
    constants: Mapping[str, int] | None = None,
) -> Complaints:
    """Return what keeps a specification from being checked, in the order of the text.

    They are the constructs that have no meaning here, wherever the configuration reaches them; if
    there is none, the first thing that cannot be translated. Raises TlaError for a text that
    cannot be read at all, and for what is given beside it and is not of it.
    """
    specification = specification_of(path, config, lemmas, bounds, constants)
    library = Library(path.parent)
    found = [
        TlaUnsupported(
            one.span, f"{one.what} is not supported", one.hint, library.line_of(one.span)
        )
        for one in unsupported(expressions(specification))
    ]
    if found:
        return Complaints(tuple(found), specification.edited)
    try:
        require_assumptions(specification)
        translate(specification, samples=Samples(specification))
    except TlaError as error:
        if error.line is None:
            error.line = library.line_of(error.span)
        return Complaints((error,), specification.edited)
    return Complaints((), specification.edited)
