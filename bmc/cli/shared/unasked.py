"""Whether what a user's file declares is part of something that can be asked.

A claim or an action that stands beside its class, in a list or in the default of an argument is no
part of a protocol, and nobody would be told of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType

from bmc.lang.declared import Declaration
from bmc.lang.errors import LanguageError
from bmc.lang.model import Source
from bmc.lang.properties import PropertyDeclaration
from bmc.lang.protocol import ActionDeclaration, Follow, History, Protocol, Variable
from bmc.lang.ranking import RankingDeclaration
from bmc.lang.slips import bound_by, read_by
from bmc.lang.suite import Suite
from bmc.lang.temporal import TemporalDeclaration

_ASKED = (ActionDeclaration, Follow, PropertyDeclaration, RankingDeclaration, TemporalDeclaration)


def require_asked(
    made: Iterable[Declaration], main: ModuleType, others: Iterable[ModuleType]
) -> None:
    """Raise LanguageError with file and line where a file has what is declared and part of nothing.

    ``made`` is all that was declared while ``main``, the module of the file, was loaded, and
    ``others`` are those that it imports from its own folder.
    """
    known = [value for module in (main, *others) for value in vars(module).values()]
    parts = {id(one) for owner in _classes(known) for one in vars(owner).values()}
    for suite in _suites(known, 2):
        listed = (suite.properties, suite.lemmas, suite.temporal, suite.rankings)
        parts.update(id(one) for claims in listed for one in claims)
    imported: list[Declaration] = []
    for one in made:
        if isinstance(one, Variable) and not one.name and one.line.file == main.__file__:
            variable = LanguageError(
                "a variable is declared here and has no name in a class, so it would be part of no "
                "state: write it in the body of its class, x = Variable(...)"
            )
            variable.place = one.line.file, one.line.number
            raise variable
        if isinstance(one, _ASKED) and id(one) not in parts:
            source = Source.of(one.function)
            if source.file == main.__file__:
                error = LanguageError(
                    f"{one.function.__name__} is declared and part of no protocol, so it would be "
                    "asked nowhere: write it in the body of its class, under a name, or list it in "
                    "a Suite of this file"
                )
                error.place = source.file, source.line
                raise error
            imported.append(one)
    if imported and not hasattr(main, "__all__"):
        _require_read(imported, main)
    for said in ("Constraint", "terminated"):
        _require_said(said, main)


def _require_read(declared: Iterable[Declaration], main: ModuleType) -> None:
    """Raise LanguageError where a file imports by name what is part of nothing, and leaves it."""
    parts_of_nothing = {id(one) for one in declared}
    tree = ast.parse(Path(str(main.__file__)).read_bytes())
    read = {name for one in tree.body for name in read_by(one)}
    for statement in tree.body:
        for name in bound_by(statement) if isinstance(statement, ast.ImportFrom) else ():
            if name not in read and id(vars(main).get(name)) in parts_of_nothing:
                error = LanguageError(
                    f"{name} is imported here and part of no protocol, so it would be asked "
                    "nowhere: list it in a Suite of this file, or leave it out"
                )
                error.place = str(main.__file__), statement.lineno
                raise error


def _require_said(said: str, main: ModuleType) -> None:
    """Raise LanguageError where a method that all protocols may have stands beside them."""
    classes = [one for one in vars(main).values() if isinstance(one, type)]
    protocols = [one for one in classes if issubclass(one, Protocol) and one is not Protocol]
    # Where a class says it, what stands beside it may be what it calls.
    if not protocols or any(getattr(p, said) is not getattr(Protocol, said) for p in protocols):
        return
    beside = vars(main).get(said)
    found = [beside, *(vars(one).get(said) for one in classes if one.__module__ == main.__name__)]
    for one in found:
        if isinstance(one, FunctionType) and not _is_named(said, main):
            source = Source.of(one)
            error = LanguageError(
                f"{said} stands beside the protocols of this file and is part of none: write it in "
                "the body of its class, or call a helper otherwise"
            )
            error.place = source.file, source.line
            raise error


def _is_named(said: str, main: ModuleType) -> bool:
    """Return whether a function of a file speaks of a name, as of a helper."""
    tree = ast.parse(Path(str(main.__file__)).read_bytes())
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.Lambda)]
    parts = [part for one in functions for part in ast.walk(one)]
    return any(
        isinstance(part, ast.Name | ast.Attribute)
        and (part.id if isinstance(part, ast.Name) else part.attr) == said
        for part in parts
    )


def _classes(known: Iterable[object]) -> Iterator[type]:
    """Yield all classes of protocols and histories there are, their bases, and those of a file."""
    waiting = [Protocol, History, *(one for one in known if isinstance(one, type))]
    while waiting:
        owner = waiting.pop()
        yield from owner.__mro__
        waiting += type.__subclasses__(owner) if issubclass(owner, Protocol | History) else ()


def _suites(values: Iterable[object], deep: int) -> Iterator[Suite]:
    for one in values:
        if isinstance(one, Suite):
            yield one
        elif deep and isinstance(one, dict):
            yield from _suites(one.values(), deep - 1)
        elif deep and isinstance(one, list | tuple | set):
            yield from _suites(one, deep - 1)
