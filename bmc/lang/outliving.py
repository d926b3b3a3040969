"""What the files of a protocol hold, so that it is seen whether reading its methods changes it.

A method that counts its calls, or leaves a note for another one, says something else as soon as it
is read once more or in another order: it is no text of a protocol.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import (
    FunctionType,
    ModuleType,
)

from bmc.lang.contents import ATOMS, alike, in_slots, parts_without_names, under_written_names
from bmc.lang.declared import Declaration
from bmc.lang.errors import LanguageError
from bmc.lang.whose import is_bmcs

_LIBRARY = frozenset({"collections", "functools", "types"})
"""The modules of Python's whose objects hold what is put into them under names."""


@dataclass(frozen=True)
class _Found:
    """Something that is held, the name it is come to by, and what it held when it was looked at."""

    value: object
    module: ModuleType
    name: str
    names: dict[str, object] | None
    parts: list[object]


class Keeping:
    """What some modules hold under their names, as it is when this is made."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        listed = list(modules)
        self._names = frozenset(one.__name__ for one in listed)
        self._found: dict[int, _Found] = {}
        for module in listed:
            self._look(module)

    def _look(self, module: ModuleType) -> None:
        waiting: list[tuple[object, str]] = [(module, "")]
        while waiting:
            one, name = waiting.pop()
            if id(one) in self._found or isinstance(one, ATOMS):
                continue
            parts = self._parts(one)
            if parts is None or not alike(parts, self._parts(one)):
                # Looking at some iterators of Python makes new ones each time.
                continue
            names = self._names_in(one)
            self._found[id(one)] = _Found(one, module, name, names, parts)
            waiting.extend((part, name) for part in parts)
            waiting.extend((part, called) for called, part in (names or {}).items())

    def require_unchanged(self) -> None:
        """Raise LanguageError with file and line where something is not as it was."""
        for found in self._found.values():
            if not alike(found.parts, self._parts(found.value)):
                now = self._names_in(found.value)
                name = (now and _first_other(found.names or {}, now)) or found.name
                raise LanguageError(
                    f"{_line(found.module, name)}: {name} is changed while methods are read, so "
                    "they would say something else when they are read again: keep nothing from one "
                    "method to another, and make what is filled in the method that fills it"
                )

    def _parts(self, value: object) -> list[object] | None:
        """Return what something holds, under names or without; None if it can hold nothing."""
        names, parts = self._names_in(value), parts_without_names(value, self._names)
        if names is None:
            return parts
        return [*(parts or ()), *(part for item in names.items() for part in item)]

    def _names_in(self, value: object) -> dict[str, object] | None:
        """Return what something of a user's has under names, None where it is none."""
        if isinstance(value, ModuleType | type):
            name = value.__name__ if isinstance(value, ModuleType) else value.__module__
            return under_written_names(vars(value)) if name in self._names else None
        module = type(value).__module__
        if module in self._names or module in _LIBRARY or isinstance(value, Declaration):
            slots = {} if module in _LIBRARY else in_slots(value)
            return {**under_written_names(getattr(value, "__dict__", {})), **slots}
        return None


def _first_other(was: dict[str, object], now: dict[str, object]) -> str | None:
    """Return the first name that stands for something else, None where none does."""
    return next((n for n in {**now, **was} if not alike([was.get(n)], [now.get(n)])), None)


def _line(module: ModuleType, name: str) -> str:
    """Return the line of a function of a module that speaks of a name, or its file alone."""
    file = Path(getattr(module, "__file__", None) or "?")
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return file.name
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.Lambda)]
    for part in (part for one in functions for part in ast.walk(one)):
        match part:
            case ast.Name(said) | ast.Attribute(_, said) if said == name or (
                # Python puts the name of its class before such a one.
                said.startswith("__") and name.endswith(said)
            ):
                return f"{file.name}:{part.lineno}"
    return file.name


def modules_of(written: Iterable[object]) -> list[ModuleType]:
    """Return the modules of some classes and functions, and those that they have names from.

    What is installed is left out, unless it is of a package that one of them is in.
    """
    names = [one.__module__ for one in written if isinstance(one, type | FunctionType)]
    packages = frozenset(name.partition(".")[0] for name in names)
    found: dict[str, ModuleType] = {}
    while names:
        name = names.pop()
        module = sys.modules.get(name)
        if name in found or module is None or not _is_a_users(module, packages):
            continue
        found[name] = module
        for value in vars(module).values():
            if isinstance(value, ModuleType):
                names.append(value.__name__)
            elif isinstance(value, type | FunctionType):
                names.append(value.__module__)
    return list(found.values())


def _is_a_users(module: ModuleType, packages: frozenset[str]) -> bool:
    top = module.__name__.partition(".")[0]
    if top == "bmc":
        return not is_bmcs(module.__name__)
    installed = "-packages" in str(getattr(module, "__file__", ""))
    return top not in sys.stdlib_module_names and (top in packages or not installed)
