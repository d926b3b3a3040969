"""Which functions of a protocol ran while it was read, and on what.

Python decides some things before any object of ours is asked: ``x is None``, ``x in {"a"}``. They
are found in the text of the functions that ran (:mod:`bmc.lang.decided`), given which of their
names stood for something symbolic.
"""

from __future__ import annotations

import dis
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from types import CodeType, FrameType
from typing import Any

from bmc.lang.parameters import Arithmetic
from bmc.lang.places import Line
from bmc.lang.state import State
from bmc.lang.terms import Expr, Held


class Kind(Enum):
    """What a value is while a protocol is read."""

    HOST = "a value of Python"
    STATE = "a state or step"
    SYMBOLIC = "a term, or a parameter"
    HOLDING = "a container of terms"


def kind_of(value: object) -> Kind:
    """Return what a value is; containers are looked into one level deep."""
    if isinstance(value, Held | Arithmetic):
        return Kind.SYMBOLIC
    if isinstance(value, State):
        return Kind.STATE
    if isinstance(value, tuple | list | set | frozenset) and any(
        isinstance(one, Held | Arithmetic) for one in value
    ):
        return Kind.HOLDING
    return Kind.HOST


@dataclass(frozen=True, eq=False)
class Run:
    """A function as it was called, with what its names stood for in it and around it."""

    code: CodeType
    kinds: Mapping[str, Kind]
    values: dict[str, Any]
    known: dict[str, Any]

    @property
    def alike(self) -> str:
        """What is the same for calls that are read alike."""
        owner = type(self.values.get("self"))
        return f"{owner.__module__}.{owner.__qualname__} {_alike(self.kinds)}"


@dataclass
class Runs:
    """The functions that ran: one call of those that are alike, and what was returned."""

    # By a code object's number: its own hash is that of all it holds.
    calls: dict[tuple[int, str], Run] = field(default_factory=dict)
    returned: dict[int, set[str]] = field(default_factory=dict)
    looked_up: list[Line] = field(default_factory=list)
    """Where a term was looked up in a table of Python, which finds nothing equal in any state."""

    def always_symbolic(self, code: CodeType, name: str) -> bool:
        """Return whether a parameter was symbolic in every call."""
        kinds = [run.kinds.get(name) for run in self.calls.values() if run.code is code]
        return all(kind is Kind.SYMBOLIC for kind in kinds)

    def returns_terms(self, code: CodeType) -> bool:
        """Return whether a function gave back something symbolic, and nothing else."""
        return self.returned.get(id(code)) == {Kind.SYMBOLIC.value}


def _alike(kinds: Mapping[str, Kind]) -> str:
    return " ".join([f"{name}={kinds[name].value}" for name in sorted(kinds)])


_HASHED = frozenset({Expr.__hash__.__code__, Arithmetic.__hash__.__code__})
_LOOKS_UP = frozenset(
    {"__contains__", "__getitem__", "contains", "getitem", "get", "hash", "pop", "setdefault"}
)
_LOOKUP_CODES = ("BINARY_", "CONTAINS_OP", "DELETE_SUBSCR")


def _looks_up(caller: FrameType, function: object) -> bool:
    """Return whether a frame hashes a term to look it up, and not to put it into a set.

    ``function`` is the function of Python's own that is under way, None where there is none.
    """
    if function is not None:
        return getattr(function, "__name__", "") in _LOOKS_UP
    code = dis.opname[caller.f_code.co_code[caller.f_lasti]]
    return code.startswith(_LOOKUP_CODES)


_PYTHONS_OWN = tuple(sysconfig.get_path(p) for p in ("stdlib", "platstdlib", "purelib", "platlib"))
_WRITTEN_IN_IT = ("bmc.encodings", "bmc.properties")


def _is_a_users(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    if name.startswith(_WRITTEN_IN_IT):
        return True
    if name == "bmc" or name.startswith("bmc."):
        return False
    file = frame.f_code.co_filename
    return not file.startswith(("<", *_PYTHONS_OWN))


@contextmanager
def watched() -> Iterator[Runs]:
    """Note the functions of users that run inside of the block."""
    runs = Runs()
    others: dict[int, CodeType] = {}
    function: object = None

    def note(frame: FrameType, event: str, given: object) -> None:
        nonlocal function
        if event not in ("call", "return"):
            function = given if event == "c_call" else None
            return
        code = frame.f_code
        if event == "call" and code in _HASHED:
            caller = frame.f_back
            if caller is not None and _is_a_users(caller) and _looks_up(caller, function):
                runs.looked_up.append(Line(caller.f_code.co_filename, caller.f_lineno))
            return
        number = id(code)
        if number in others:
            return
        if event == "return":
            if number in runs.returned:
                runs.returned[number].add(kind_of(given).value)
        elif _is_a_users(frame):
            values = dict(frame.f_locals)
            kinds = {name: kind_of(value) for name, value in values.items()}
            run = Run(code, kinds, values, frame.f_globals)
            runs.calls.setdefault((number, _alike(kinds)), run)
            runs.returned.setdefault(number, set())
        else:
            # Held, so that its number is not given to another one.
            others[number] = code

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield runs
    finally:
        sys.setprofile(before)
