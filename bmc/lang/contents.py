"""What values of Python's hold, so that it is seen whether something in them changes."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Container, Mapping
from functools import partial
from types import (
    BuiltinMethodType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
)
from typing import Any

ATOMS = (str, int, float, bytes)
"""What holds nothing, and is the same as another one that is equal."""
_CONTAINERS = (tuple, list, set, frozenset, deque)
_PYTHONS_OWN = frozenset({"_value2member_map_", "_abc_impl"})
"""What Python itself fills in a class whose members are used."""


def parts_without_names(value: object, known: Container[str]) -> list[object] | None:
    """Return what a value holds under no names of its own, None if it can hold nothing.

    ``known`` has the names of the modules whose functions are looked into.
    """
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
        case BuiltinMethodType():
            return [value.__self__]
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


def under_written_names(held: Mapping[str, Any]) -> dict[str, object]:
    """Return what is held under names that a user has written."""
    return {n: v for n, v in held.items() if not (n[:2] == "__" == n[-2:] or n in _PYTHONS_OWN)}


def in_slots(value: object) -> dict[str, object]:
    """Return what an object holds in slots, by their names."""
    declared = [item for base in type(value).__mro__ for item in vars(base).items()]
    names = [name for name, slot in declared if isinstance(slot, MemberDescriptorType)]
    return under_written_names({n: getattr(value, n) for n in names if hasattr(value, n)})


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


def alike(before: list[object], now: list[object] | None) -> bool:
    """Return whether something holds the same as before; equal numbers and texts are the same."""
    return now is not None and len(before) == len(now) and all(map(_is_same, before, now))


def _is_same(one: object, other: object) -> bool:
    atoms = isinstance(one, ATOMS) and type(one) is type(other)
    return one is other or (atoms and one == other)
