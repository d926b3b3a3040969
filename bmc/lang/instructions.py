"""What the instructions of a function do with values, and where a generator waits."""

from __future__ import annotations

import dis
import inspect
from itertools import pairwise
from types import CodeType, FrameType

_VALUES = ("CACHE", "CALL", "COMPARE_OP", "BINARY_", "UNARY_", "LOAD_ATTR")
_GENERATOR = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_WAITING = frozenset({"RETURN_GENERATOR", "SEND", "YIELD_VALUE"})


def drops(code: CodeType) -> frozenset[int]:
    """Return the offsets of expressions of which the next instruction throws the value away."""
    offsets = []
    following = ""
    for offset in reversed(range(0, len(code.co_code), 2)):
        name = dis.opname[code.co_code[offset]]
        if following == "POP_TOP" and name.startswith(_VALUES):
            offsets.append(offset)
        if name != "CACHE":
            following = name
    return frozenset(offsets)


def unwanted(code: CodeType) -> dict[int, frozenset[int] | None]:
    """Return the offsets of expressions whose value is called ``_``, with None.

    Where parts of it are called so, the places of these stand there.
    """
    found: dict[int, frozenset[int] | None] = {}
    if "_" not in (*code.co_varnames, *code.co_names, *code.co_cellvars, *code.co_freevars):
        return found
    steps = list(dis.get_instructions(code))
    for at, (step, after) in enumerate(pairwise(steps)):
        if not step.opname.startswith(_VALUES):
            continue
        parts: frozenset[int] | None = None
        if after.opname == "UNPACK_SEQUENCE":
            stores = steps[at + 2 : at + 2 + after.argval]
            parts = frozenset(n for n, store in enumerate(stores) if _is_to_underscore(store))
        if parts or _is_to_underscore(after):
            found.update(dict.fromkeys(range(step.offset, after.offset, 2), parts))
    return found


def _is_to_underscore(step: dis.Instruction) -> bool:
    return step.opname.startswith("STORE_") and step.argval == "_"


def is_generator(code: CodeType) -> bool:
    """Return whether a function is left and entered again: a generator, or one of ``async``."""
    return bool(code.co_flags & _GENERATOR)


def is_ended(frame: FrameType) -> bool:
    """Return whether a generator that is entered is only told to end.

    Whoever asks it for its next value has it go on behind the instruction that it waits in.
    """
    code = frame.f_code
    return is_generator(code) and dis.opname[code.co_code[frame.f_lasti]] in _WAITING


def is_in_a_loop(frame: FrameType) -> bool:
    """Return whether a function is asking for what a loop goes on with, which may leave it."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] == "FOR_ITER"
