"""Protocols by name: those of bmc, those other packages announce, and a user's own files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from os.path import isfile, lexists
from pathlib import Path
from pkgutil import iter_modules
from shlex import quote

from bmc.analysis.mutants import parted, variant
from bmc.cli.shared import specifications, user_file
from bmc.lang.errors import BmcError, UnknownName, suggest
from bmc.lang.protocol import Protocol
from bmc.lang.suite import Suite
from bmc.lang.text_names import text_parted

GROUP = "bmc.protocols"
"""The entry-point group under which a package announces a Suite or a Protocol class."""


class NoText(UnknownName):
    """A protocol's name holds bytes that are no UTF-8, so that no certificate could name it."""


class NamesCode(BmcError):
    """Data names a Python file as its protocol, and nobody who called bmc did."""


@dataclass(frozen=True)
class Entry:
    """A name of the catalogue: its suite, or why there is none to be had.

    ``alias_of`` is the name it is short for.
    """

    name: str
    suite: Suite | None = None
    alias_of: str | None = None
    unavailable: str | None = None


def anywhere(name: str, folder: Path = Path()) -> str:
    """Return what a name in a folder means in any other one: of a file, with its whole path."""
    if specifications.names_a_specification(name):
        file, at, configured = text_parted(name)
        return f"{(folder / file).absolute()}{at}{configured}"
    path, colon, wanted = name.rpartition(":")
    return f"{(folder / path).absolute()}{colon}{wanted}" if path.endswith(".py") else name


def find_from(folder: Path, find: Callable[[str], Suite], name: str) -> Suite:
    """Return what ``find`` finds under a name in a folder, called so, for who works in another one.

    Mappings and evidence are compared by the name that was asked.
    """
    there = anywhere(name, folder)
    found = find(there)
    return found if there == name else replace(found, name=name)


def find(name: str, partly: bool = False) -> Suite:
    """The suite a name stands for.

    A fault in it, or a lemma that it shall lack, stands behind a ``~``. ``partly`` is as in
    :func:`bmc.cli.shared.specifications.load`. Raises UnknownName with the
    nearest names, NoText, or UserModelError when the code behind it fails.
    """
    require_text(name)
    base, changed = parted(name)
    if changed:
        return variant(find(base, partly), changed)
    if specifications.names_a_specification(name):
        # No other protocol is called so, and none of theirs need be imported.
        return specifications.load(name, partly)
    is_path = user_file.names_a_file(name)
    # No path is the name of a protocol of bmc's own, and of a user's file none need be imported.
    for package in () if is_path else _likeliest_first(name):
        for suite in _suites_of(package):
            if name in (suite.name, *suite.aliases):
                return suite
    if not isfile(name) and isfile(f"{name}.tla"):
        raise UnknownName(f"there is no protocol {name!r}: did you mean {name}.tla?")
    if is_path:
        return user_file.load(name)
    announced = _announced()
    if name in announced:
        return _load_announced(name, announced[name])
    known = [name for suite in built_in().values() for name in (*suite.aliases, suite.name)]
    raise UnknownName(
        f"there is no protocol {name!r}: {suggest(name, [*known, *announced])} "
        "(a protocol of your own is path/to/file.py:ClassName or Spec.tla)"
    )


def require_text(name: str) -> None:
    """Raise NoText for a name that is no text, or one that this locale has no file of."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise NoText(f"the name {printable(name)} {_no_text(name)}") from None
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        # Data says it: in the locale of whoever wrote that there is such a file.
        raise NoText(f"the name {printable(name)} {_not_understood()}") from None


def _no_text(name: str) -> str:
    try:
        name.encode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()).decode("utf-8")
    except UnicodeError:
        return (
            "is no text in UTF-8, so that no certificate, trace or lock could say it: rename the "
            "file or its folder"
        )
    return _not_understood()


def _not_understood() -> str:
    return (
        f"is not understood, since names are {sys.getfilesystemencoding()} in this locale: choose "
        "one with UTF-8 (LC_ALL=C.UTF-8), or set PYTHONUTF8=1"
    )


def named_by_data(name: str, source: str, remedy: str) -> Suite:
    """The suite of the catalogue that a file's content names; a file that it names is not run.

    Certificates, traces and locks are data, perhaps somebody else's: only who calls bmc can name
    code. A specification is text of which nothing is run; one that lies below the working
    directory is read. ``source`` is the file that was read, ``remedy`` the options (perhaps with a
    command) that name the protocol in its place. Raises NamesCode, and what :func:`find` raises.
    """
    require_no_code(name, source, remedy)
    return find(name)


def require_no_code(name: str, source: str, remedy: str) -> None:
    """Raise NamesCode where :func:`named_by_data` does."""
    if specifications.names_a_specification(name):
        refused = not specifications.is_here(name)
    else:
        refused = user_file.names_a_file(name)
    if refused:
        shown = printable(name)
        said = f"{source} says that its protocol is {shown}: bmc runs no file because data names it"
        path = path_of(name)
        if not lexists(path):
            raise NamesCode(
                f"{said}, and from here there is no {printable(path)}: start bmc in the folder in "
                f"which it was named so, or name it by its path from here: `bmc {remedy} "
                "--protocol PATH`"
            )
        raise NamesCode(
            f"{said}. If you trust that file, name it yourself: `bmc {remedy} --protocol "
            f"{quote(shown)}`"
        )


def path_of(name: str) -> str:
    """The file of a protocol's name, which may say a configuration or a class behind it."""
    if specifications.names_a_specification(name):
        return text_parted(name)[0]
    return name.rpartition(":")[0] or name


def printable(text: str) -> str:
    """A text of somebody else's with what could steer a terminal replaced by ``?``."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def entries() -> Iterator[Entry]:
    """Everything that has a name, aliases beside what they are short for."""
    for name, suite in built_in().items():
        for alias in suite.aliases:
            yield Entry(alias, suite, alias_of=name)
        yield Entry(name, suite)
    for name, target in sorted(_announced().items()):
        try:
            yield Entry(name, _load_announced(name, target))
        except user_file.UserModelError as error:
            # One package that fails must not hide the others.
            yield Entry(name, unavailable=str(error))


def built_in() -> dict[str, Suite]:
    """Return the suites that packages of `bmc.properties` define, by name, in a fixed order."""
    return {suite.name: suite for package in _packages() for suite in _suites_of(package)}


def built_in_of(protocol: type[Protocol]) -> Suite | None:
    """Return what bmc itself claims of a protocol's class; None for a class of somebody else's."""
    if not protocol.__module__.startswith("bmc.encodings."):
        return None
    return next((suite for suite in built_in().values() if suite.protocol is protocol), None)


@cache
def is_built_in(name: str) -> bool:
    """Return whether this is the name of a protocol of bmc's own, and of no variant of one."""
    return name in built_in()


def _packages() -> tuple[str, ...]:
    room = import_module("bmc.properties")
    return tuple(sorted(found.name for found in iter_modules(room.__path__) if found.ispkg))


def _likeliest_first(name: str) -> list[str]:
    """The packages, those first that a protocol of that name is likely to lie in.

    A package takes tens of milliseconds to import, and a command needs one of them.
    """
    words = name.replace("-", "_")
    return sorted(
        _packages(),
        key=lambda package: (
            not words.endswith(package),
            not words.startswith(package),
            -len(package),
        ),
    )


@cache
def _suites_of(package: str) -> tuple[Suite, ...]:
    module = import_module(f"bmc.properties.{package}")
    found = {value.name: value for value in vars(module).values() if isinstance(value, Suite)}
    return tuple(found.values())


def _announced() -> dict[str, str]:
    from importlib.metadata import entry_points

    taken = {name for suite in built_in().values() for name in (*suite.aliases, suite.name)}
    found = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    return {n: v for n, v in found.items() if n not in taken}


def _load_announced(name: str, target: str) -> Suite:
    from importlib.metadata import EntryPoint

    where = f"{name} (announced as {target})"
    with user_file.blaming(where):
        found = EntryPoint(name, target, GROUP).load()
        return user_file.checked(user_file.suite_of(found, name, where))
