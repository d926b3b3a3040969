"""What values are while a protocol is read, and whether a state can be reached from them."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, ValuesView
from contextlib import suppress
from enum import Enum
from functools import partial
from types import CodeType, FrameType, FunctionType, GeneratorType, MethodType, ModuleType

from bmc.lang.parameters import Arithmetic
from bmc.lang.sorts import OptionSort
from bmc.lang.state import State, is_over
from bmc.lang.terms import Held, Term, is_of_a_read_method, sort_held
from bmc.lang.undecided import Undecided


class ValueKind(Enum):
    """What a value is while a protocol is read."""

    HOST = "a value of Python"
    STATE = "a state or step"
    SYMBOLIC = "a term, or a parameter"
    HOLDING = "a container of terms"


_HOLDS_NOTHING = (str, int, float, type, ModuleType, Term)
_MANY = 300
"""So many containers and objects are looked into."""


def _is_symbolic(value: object) -> bool:
    # A protocol never holds a bare term: programs that write protocols do, in Python's own logic.
    return isinstance(value, Undecided | Arithmetic) and not isinstance(value, Term)


def kind_of(value: object) -> ValueKind:
    """Return what a value is; containers are looked into one level deep."""
    if _is_symbolic(value):
        return ValueKind.SYMBOLIC
    if isinstance(value, State):
        return ValueKind.STATE
    if isinstance(value, tuple | list | set | frozenset) and any(
        _is_symbolic(one) for one in value
    ):
        return ValueKind.HOLDING
    return ValueKind.HOST


def reaches_a_state(frame: FrameType) -> bool:
    """Return whether a function under way can speak of a state, by its names or what they hold.

    Of a state whose method has been read to its end nothing can be said any more.
    """
    return any(
        _speaks_of_a_state(one)
        for value in frame.f_locals.values()
        for one in (value, *held_by(value))
    )


def _speaks_of_a_state(value: object) -> bool:
    if isinstance(value, State):
        return not is_over(value)
    if isinstance(value, Held):
        return not is_of_a_read_method(value)
    if isinstance(value, tuple | list | set | frozenset):
        return any(isinstance(one, State | Held) and _speaks_of_a_state(one) for one in value)
    return False


def is_optional(value: object) -> bool:
    """Return whether a term may stand for none in a state, where Python's None is no term."""
    return isinstance(value, Held) and isinstance(sort_held(value), OptionSort)


def leads_to_a_term(value: object) -> bool:
    """Return whether a term or a state can be had from a value in a few steps.

    Of what holds very much it is taken for granted.
    """
    waiting, met = [(value, 4)], 0
    while waiting:
        one, deep = waiting.pop()
        if one is None or isinstance(one, _HOLDS_NOTHING):
            continue
        if _is_symbolic(one) or isinstance(one, State):
            return True
        if deep:
            met += 1
            if met > _MANY:
                return True
            waiting.extend((part, deep - 1) for part in _parts(one))
    return False


def is_told_apart(value: object) -> bool:
    """Return whether a value is, or lists, what calls a function, which has no equality."""
    inside = value if isinstance(value, tuple | list | set | frozenset) else (value,)
    return any(isinstance(one, FunctionType | MethodType | partial) for one in inside)


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return (*value, *value.values())
    if isinstance(value, tuple | list | set | frozenset | ValuesView | ItemsView):
        return value
    if isinstance(value, GeneratorType):
        return () if value.gi_frame is None else value.gi_frame.f_locals.values()
    if isinstance(value, partial):
        return (value.func, *value.args, *value.keywords.values())
    return held_by(value)


def held_by(value: object) -> Iterator[object]:
    """Yield what a function, a method or an object of a user's holds under names."""
    if isinstance(value, FunctionType):
        for cell in value.__closure__ or ():
            with suppress(ValueError):  # one that is not filled yet
                yield cell.cell_contents
    elif isinstance(value, MethodType):
        yield value.__self__
    elif not isinstance(value, Undecided | State | type | ModuleType):
        yield from getattr(value, "__dict__", {}).values()


def called(value: object) -> str:
    """Return what tells a function or a class apart from others that a name may stand for."""
    code = getattr(getattr(value, "__func__", value), "__code__", None)
    place = f"{code.co_filename}:{code.co_firstlineno} " if isinstance(code, CodeType) else ""
    return place + getattr(value, "__qualname__", "")
