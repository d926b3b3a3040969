"""What Python's objects hold while a list of `either` blocks is written, and what of it changes.

Python runs the blocks once, one after the other, so what one of them puts into a list, a table or
an object, by whatever helper, is there behind them in the steps of all.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from bmc.lang.contents import ATOMS, alike, in_slots, parts_without_names, under_written_names
from bmc.lang.whose import is_a_users, is_bmcs, is_the_languages, module_of


@dataclass(frozen=True)
class Changed:
    """A name of a function from which something that has changed can be come to.

    ``rebound`` says that the name has another value, which a function inside may have given it.
    """

    code: CodeType
    name: str
    rebound: bool


class Carried:
    """What can be come to from the functions under way, as it was seen last."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, str], tuple[object, list[object]]] = {}

    def changed(self, frame: FrameType) -> tuple[Changed, ...]:
        """Return what has changed since this was asked last, in a frame and those that called it.

        What was not there then has not changed.
        """
        found: list[Changed] = []
        users = list(_users(frame))
        known = frozenset(map(module_of, users))
        now: dict[tuple[int, str], tuple[object, list[object]]] = {}
        for one in users:
            for name, value in _named(one):
                cell = (id(one), name)
                if name in one.f_code.co_cellvars:
                    now[cell] = one, [value]
                held = {(id(part), ""): (part, parts) for part, parts in _held(value, known)}
                now.update(held)
                if self._is_other(cell, now):
                    found.append(Changed(one.f_code, name, rebound=True))
                if any(self._is_other(key, held) for key in held):
                    found.append(Changed(one.f_code, name, rebound=False))
        self._seen.update(now)
        return tuple(found)

    def _is_other(
        self, key: tuple[int, str], now: dict[tuple[int, str], tuple[object, list[object]]]
    ) -> bool:
        return key in now and key in self._seen and not alike(self._seen[key][1], now[key][1])


def _users(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the functions of a user's that are under way in the method that is read."""
    while frame is not None:
        # An action that is called by another one is handed on; what reads a method is not.
        if is_the_languages(frame) and frame.f_code.co_name != "__call__":
            return
        if is_a_users(frame):
            yield frame
        frame = frame.f_back


def _named(frame: FrameType) -> Iterator[tuple[str, object]]:
    yield from frame.f_locals.items()
    code = frame.f_code
    yield from ((n, frame.f_globals[n]) for n in code.co_names if n in frame.f_globals)


def _held(value: object, known: Container[str]) -> Iterator[tuple[object, list[object]]]:
    """Yield what can be come to from a value, each with what it holds."""
    met = set[int]()
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if id(one) in met or isinstance(one, ATOMS) or is_bmcs(type(one).__module__):
            continue
        # What an iterator has left is none of its text, and it is not kept under a name.
        if isinstance(one, type | ModuleType) or hasattr(type(one), "__next__"):
            continue
        met.add(id(one))
        parts = [*(parts_without_names(one, known) or ()), *_under_names(one)]
        yield one, parts
        waiting.extend(parts)


def _under_names(value: Any) -> Iterator[object]:
    if isinstance(value, FunctionType):
        return
    for name, part in under_written_names(getattr(value, "__dict__", {})).items():
        if not isinstance(getattr(type(value), name, None), cached_property):
            yield from (name, part)
    yield from in_slots(value).values()
