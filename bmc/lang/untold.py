"""Objects that hold terms, which Python would tell apart by identity: refused where it does.

A class without ``__eq__`` has Python's, which says of two objects with equal terms that they
differ, wherever it is asked: by ``==``, by ``in``, in lists and as keys. While methods are read,
the classes that their texts name have one that refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from types import FrameType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from bmc.lang.allowed import is_pythons_own
from bmc.lang.errors import DecidedByPython
from bmc.lang.places import here
from bmc.lang.value_kinds import leads_to_a_term
from bmc.lang.whose import is_bmcs

_OBJECTS = (
    "Python tells objects apart by identity, whatever their terms are equal to: write conj(...) of "
    "what is equal in them, and look objects up by a name"
)


def _refuse(*compared: object) -> None:
    if any(map(leads_to_a_term, compared)):
        names = " and ".join(type(one).__name__ for one in compared)
        raise DecidedByPython(
            f"{here()}: `{names}` is decided while the protocol is read: {_OBJECTS}"
        )


def _equal(self: object, other: object) -> Any:
    _refuse(self, other)
    return NotImplemented


def _hashed(self: object) -> int:
    _refuse(self)
    return object.__hash__(self)


@dataclass
class Untold:
    """The classes of users whose objects are not told apart at the moment."""

    changed: list[tuple[type, str]] = field(default_factory=list)

    def meet(self, frame: FrameType) -> None:
        """Have the classes refuse that a function names, is given or is given objects of."""
        names = frame.f_code.co_names
        known = frame.f_globals
        given = (*frame.f_locals.values(), *[known[name] for name in names if name in known])
        for value in given:
            self._change(value)
            for names_of in _named_by(value):
                for name in names:
                    if name in names_of:
                        self._change(names_of[name])

    def _change(self, value: object) -> None:
        inside: Iterable[object] = ()
        if isinstance(value, dict):
            inside = value.values()
        elif isinstance(value, tuple | list):
            inside = value
        for one in (value, *inside):
            found = one if isinstance(one, type) else type(one)
            if _is_a_users(found):
                self._refuse(found)

    def _refuse(self, one: type) -> None:
        for name, refusing in (("__eq__", _equal), ("__hash__", _hashed)):
            if getattr(one, name) is getattr(object, name):
                type.__setattr__(one, name, refusing)
                self.changed.append((one, name))

    @contextmanager
    def meanwhile(self) -> Iterator[None]:
        """Give the classes back what they had at the end of the block."""
        try:
            yield
        finally:
            while self.changed:
                one, name = self.changed.pop()
                type.__delattr__(one, name)


def _named_by(value: object) -> Iterable[Mapping[str, object]]:
    """Return what a module, or a class of a user's, has under names."""
    if isinstance(value, ModuleType):
        return (vars(value),)
    found = value if isinstance(value, type) else type(value)
    return [vars(base) for base in found.__mro__] if _is_a_users(found) else ()


_HEAP = 1 << 9
"""What tells a class that is written in Python."""
_known: WeakKeyDictionary[type, bool] = WeakKeyDictionary()


def _is_a_users(one: type) -> bool:
    if not one.__flags__ & _HEAP:
        return False
    known = _known.get(one)
    if known is None:
        others = is_bmcs(one.__module__) or is_pythons_own(one)
        known = _known[one] = not others and not issubclass(one, Enum)
    return known
