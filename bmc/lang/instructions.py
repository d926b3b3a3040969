"""What the instructions of a function do with values, and where a generator waits."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType, FrameType

_VALUES = ("CACHE", "CALL", "COMPARE_OP", "BINARY_", "UNARY_", "LOAD_ATTR")
_GENERATOR = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_WAITING = frozenset({"RETURN_GENERATOR", "SEND", "YIELD_VALUE"})


def drops(code: CodeType) -> frozenset[int]:
    """Return the offsets of expressions of which the next instruction throws the value away.

    A call with ``*`` is none of them: while it is come to, iterators give it its arguments.
    """
    return frozenset(
        offset
        for offset, name, following in _expressions(code)
        if following[:1] == ["POP_TOP"] and name != "CALL_FUNCTION_EX"
    )


def _expressions(code: CodeType) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the offset and name of instructions that make a value, and the names of the next."""
    then: list[str] = []
    for offset in reversed(range(0, len(code.co_code), 2)):
        name = dis.opname[code.co_code[offset]]
        if name.startswith(_VALUES):
            yield offset, name, then
        if name not in ("CACHE", "EXTENDED_ARG"):
            then = [name, *then[:2]]


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
            names = [name for store in steps[at + 2 : at + 2 + after.argval] for name in _to(store)]
            names = names[: after.argval]
            parts = frozenset(n for n, name in enumerate(names) if name == "_")
        if parts or _to(after)[:1] == ["_"]:
            found.update(dict.fromkeys(range(step.offset, after.offset, 2), parts))
    return found


def _to(step: dis.Instruction) -> list[str | None]:
    """Return the names that an instruction gives values to, of two since Python 3.13.

    None is of another place: an attribute's or an element's.
    """
    match step.opname.split("_"):
        case ["STORE", "FAST", "STORE", "FAST"]:
            return list(step.argval)
        case ["STORE", "FAST", "LOAD", "FAST"]:
            return [step.argval[0]]
        case ["STORE", "SUBSCR"]:
            return [None]
        case ["STORE", *_]:
            return [step.argval]
    return []


def is_generator(code: CodeType) -> bool:
    """Return whether a function is left and entered again: a generator, or one of ``async``."""
    return bool(code.co_flags & _GENERATOR)


def returns_nothing(code: CodeType) -> bool:
    """Return whether a function gives back None wherever it ends, and ends somewhere."""
    given = [
        # From 3.12 on a constant is returned by one instruction.
        (step if step.opname == "RETURN_CONST" else before).argval is None
        and (step.opname == "RETURN_CONST" or before.opname == "LOAD_CONST")
        for before, step in pairwise(dis.get_instructions(code))
        if step.opname in ("RETURN_VALUE", "RETURN_CONST")
    ]
    return bool(given) and all(given) and not is_generator(code)


def is_ended(frame: FrameType) -> bool:
    """Return whether a generator that is entered is only told to end.

    Whoever asks it for its next value has it go on behind the instruction that it waits in.
    """
    code = frame.f_code
    return is_generator(code) and dis.opname[code.co_code[frame.f_lasti]] in _WAITING


def has_come_to_its_end(frame: FrameType) -> bool:
    """Return whether a generator that is left says no more, and does not only wait.

    Since Python 3.13 one that waits is already at the instruction behind, and one that is told to
    end, or fails there, goes on behind it and raises what it was told.
    """
    left_at = dis.opname[frame.f_code.co_code[frame.f_lasti]]
    return left_at not in _WAITING and left_at not in ("RESUME", "RERAISE")


def is_membership(frame: FrameType) -> bool:
    """Return whether a function is asking whether something is in a container, by ``in``."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] == "CONTAINS_OP"


def as_written(code: CodeType, name: str) -> str:
    """Return a name as the text has it: Python puts their class before private ones."""
    for owner in _owners(code):
        if name.startswith(f"_{owner}__") and not name.endswith("__"):
            return name[len(owner) + 1 :]
    return name


def as_kept(code: CodeType, name: str) -> list[str]:
    """Return under which names Python may keep what the text calls so."""
    private = name.startswith("__") and not name.endswith("__")
    return [name, *(f"_{owner}{name}" for owner in _owners(code) if private)]


def _owners(code: CodeType) -> list[str]:
    return [owner.lstrip("_") for owner in code.co_qualname.split(".")]


_LOOKS_UP = frozenset(
    {"__contains__", "__getitem__", "contains", "getitem", "get", "hash", "pop", "setdefault"}
)
_LOOKUP_CODES = ("BINARY_", "CONTAINS_OP", "DELETE_SUBSCR")


def looks_up(caller: FrameType, function: object) -> bool:
    """Return whether a frame hashes a term to look it up, and not to put it into a set.

    ``function`` is the function of Python's own that is under way, None where there is none.
    """
    if function is not None:
        return getattr(function, "__name__", "") in _LOOKS_UP
    code = dis.opname[caller.f_code.co_code[caller.f_lasti]]
    return code.startswith(_LOOKUP_CODES)
