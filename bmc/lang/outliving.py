"""What the files of a protocol hold, so that it is seen whether reading its methods changes it.

A method that counts its calls, or leaves a note for another one, says something else as soon as it
is read once more or in another order: it is no text of a protocol.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import (
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

from bmc.lang.declared import Declaration
from bmc.lang.errors import LanguageError
from bmc.lang.whose import is_bmcs

_CONTAINERS = (tuple, list, set, frozenset, deque)
_ATOMS = (str, int, float, bytes)
_LIBRARY = frozenset({"collections", "functools", "types"})
"""The modules of Python's whose objects hold what is put into them under names."""
_PYTHONS_OWN = frozenset({"_value2member_map_", "_abc_impl"})
"""What Python itself fills in a class whose members are used."""


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
            if id(one) in self._found or isinstance(one, _ATOMS):
                continue
            parts = self._parts(one)
            if parts is None or not _alike(parts, self._parts(one)):
                # Looking at some iterators of Python makes new ones each time.
                continue
            names = self._names_in(one)
            self._found[id(one)] = _Found(one, module, name, names, parts)
            waiting.extend((part, name) for part in parts)
            waiting.extend((part, called) for called, part in (names or {}).items())

    def require_unchanged(self) -> None:
        """Raise LanguageError with file and line where something is not as it was."""
        for found in self._found.values():
            if not _alike(found.parts, self._parts(found.value)):
                now = self._names_in(found.value)
                name = (now and _first_other(found.names or {}, now)) or found.name
                raise LanguageError(
                    f"{_line(found.module, name)}: {name} is changed while methods are read, so "
                    "they would say something else when they are read again: keep nothing from one "
                    "method to another, and make what is filled in the method that fills it"
                )

    def _parts(self, value: object) -> list[object] | None:
        """Return what something holds, under names or without; None if it can hold nothing."""
        names, parts = self._names_in(value), _without_names(value, self._names)
        if names is None:
            return parts
        return [*(parts or ()), *(part for item in names.items() for part in item)]

    def _names_in(self, value: object) -> dict[str, object] | None:
        """Return what something of a user's has under names, None where it is none."""
        if isinstance(value, ModuleType | type):
            name = value.__name__ if isinstance(value, ModuleType) else value.__module__
            return _written(vars(value)) if name in self._names else None
        module = type(value).__module__
        if module in self._names or module in _LIBRARY or isinstance(value, Declaration):
            slots = {} if module in _LIBRARY else _in_slots(value)
            return {**_written(getattr(value, "__dict__", {})), **slots}
        return None


def _without_names(value: object, known: frozenset[str]) -> list[object] | None:
    match value:
        case dict() | MappingProxyType():
            return [part for item in value.items() for part in item]
        case FunctionType():
            if value.__module__ not in known:
                return None
            cells = [_content(cell) for cell in value.__closure__ or ()]
            return [value.__defaults__, value.__kwdefaults__, vars(value), *cells]
        case MethodType():
            return [value.__self__, value.__func__]
        case partial():
            return [value.func, value.args, value.keywords]
        case property():
            return [value.fget]
        case staticmethod() | classmethod():
            return [value.__func__]
        case GeneratorType():
            frame = value.gi_frame
            return [] if frame is None else [frame.f_lasti, *frame.f_locals.values()]
    if isinstance(value, _CONTAINERS):
        return list(value)
    return _of_iterator(value) if hasattr(type(value), "__next__") else None


def _first_other(was: dict[str, object], now: dict[str, object]) -> str | None:
    """Return the first name that stands for something else, None where none does."""
    return next((n for n in {**now, **was} if not _alike([was.get(n)], [now.get(n)])), None)


def _written(held: Mapping[str, Any]) -> dict[str, object]:
    """Return what is held under names that a user has written."""
    return {n: v for n, v in held.items() if not (n[:2] == "__" == n[-2:] or n in _PYTHONS_OWN)}


def _in_slots(value: object) -> dict[str, object]:
    declared = [item for base in type(value).__mro__ for item in vars(base).items()]
    names = [name for name, slot in declared if isinstance(slot, MemberDescriptorType)]
    return _written({n: getattr(value, n) for n in names if hasattr(value, n)})


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _of_iterator(value: Any) -> list[object] | None:
    with warnings.catch_warnings():
        # Python 3.14 has no such copies any more.
        warnings.simplefilter("ignore")
        try:
            made: tuple[object, ...] = value.__reduce__()
        except TypeError:
            return None
    return [p for part in made for p in (part if isinstance(part, tuple) else (part,))]


def _alike(before: list[object], now: list[object] | None) -> bool:
    return now is not None and len(before) == len(now) and all(map(_is_same, before, now))


def _is_same(one: object, other: object) -> bool:
    atoms = isinstance(one, _ATOMS) and type(one) is type(other)
    return one is other or (atoms and one == other)


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
