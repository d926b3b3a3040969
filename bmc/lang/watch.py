"""Which functions of a protocol ran while it was read, and on what.

Python decides some things before any object of ours is asked: ``x is None``, ``x in {"a"}``. They
are found in the text of the functions that ran (:mod:`bmc.lang.decided`), given which of their
names stood for something symbolic.
"""

from __future__ import annotations

import dis
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from enum import Enum
from types import CodeType, FrameType
from typing import Any

from bmc.lang.parameters import Arithmetic
from bmc.lang.places import Line
from bmc.lang.state import State
from bmc.lang.terms import Expr, Term
from bmc.lang.undecided import Undecided


class ValueKind(Enum):
    """What a value is while a protocol is read."""

    HOST = "a value of Python"
    STATE = "a state or step"
    SYMBOLIC = "a term, or a parameter"
    HOLDING = "a container of terms"


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


@dataclass(frozen=True, eq=False)
class Activation:
    """A function as it was called, with what its names stood for in it and around it."""

    code: CodeType
    kinds: Mapping[str, ValueKind]
    values: dict[str, Any]
    known: dict[str, Any]

    @property
    def alike(self) -> str:
        """What is the same for calls that are read alike."""
        owner = type(self.values.get("self"))
        return f"{owner.__module__}.{owner.__qualname__} {_alike(self.kinds)}"


Position = tuple[int | None, int | None, int | None, int | None]
"""First and last line, first and last column of an expression."""


@dataclass(frozen=True, eq=False)
class Hashed:
    """An expression that hashed a term."""

    run: Activation
    line: Line
    position: Position


@dataclass
class Runs:
    """The functions that ran: one call of those that are alike, and what was returned."""

    # By a code object's number: its own hash is that of all it holds.
    calls: dict[tuple[int, str], Activation] = field(default_factory=dict)
    returned: dict[int, set[str]] = field(default_factory=dict)
    looked_up: list[Line] = field(default_factory=list)
    """Where a term was looked up in a table of Python, which finds nothing equal in any state."""
    hashed: dict[tuple[int, Position], Hashed] = field(default_factory=dict)
    """Where a term was put into a set or a table of Python."""
    dropped: list[Line] = field(default_factory=list)
    """Where a term was given back to a line that takes nothing."""
    kept_sets: list[Line] = field(default_factory=list)
    """Where a set of terms was given back to a text of Python."""
    unentered: list[Line] = field(default_factory=list)
    """Where a block was made that no ``with`` enters."""

    def always_symbolic(self, code: CodeType, name: str) -> bool:
        """Return whether a parameter was symbolic in every call."""
        kinds = [run.kinds.get(name) for run in self.calls.values() if run.code is code]
        return all(kind is ValueKind.SYMBOLIC for kind in kinds)

    def returns_terms(self, code: CodeType) -> bool:
        """Return whether a function gave back something symbolic, and nothing else."""
        return self.returned.get(id(code)) == {ValueKind.SYMBOLIC.value}


def _alike(kinds: Mapping[str, ValueKind]) -> str:
    return " ".join([f"{name}={kinds[name].value}" for name in sorted(kinds)])


_HASHED = frozenset({id(Expr.__hash__.__code__), id(Arithmetic.__hash__.__code__)})
"""Functions by number: the hash of a code object is made of all it holds, each time."""
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


def _position(frame: FrameType) -> Position:
    return list(frame.f_code.co_positions())[frame.f_lasti // 2]


_COMPREHENSIONS = frozenset({"<setcomp>", "<dictcomp>", "<listcomp>", "<genexpr>"})


def _written_in(frame: FrameType) -> FrameType:
    """The function in whose text a frame's is: a comprehension runs in a frame of its own."""
    while frame.f_code.co_name in _COMPREHENSIONS and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _drops(code: CodeType) -> frozenset[int]:
    """The offsets of expressions of which the next instruction throws the value away."""
    offsets = []
    following = ""
    for offset in reversed(range(0, len(code.co_code), 2)):
        name = dis.opname[code.co_code[offset]]
        if following == "POP_TOP" and name.startswith(_VALUES):
            offsets.append(offset)
        if name != "CACHE":
            following = name
    return frozenset(offsets)


_VALUES = ("CACHE", "CALL", "COMPARE_OP", "BINARY_", "UNARY_", "LOAD_ATTR")

_PYTHONS_OWN = ("<frozen ", *(sysconfig.get_path(p) for p in ("stdlib", "platstdlib")))
_INSTALLED = ("/site-packages/", "/dist-packages/")
_WRITTEN_IN_IT = ("bmc.encodings", "bmc.properties")


def _is_a_users(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    if _is_generated(frame.f_code, name):
        return False
    if name.startswith(_WRITTEN_IN_IT):
        return True
    if name == "bmc" or name.startswith("bmc."):
        return False
    file = frame.f_code.co_filename
    # What is installed lies below the folder of Python's own. It may be a package of protocols,
    # and runs here only if a protocol calls it.
    installed = any(folder in file.replace("\\", "/") for folder in _INSTALLED)
    return installed or not file.startswith(_PYTHONS_OWN)


def _is_generated(code: CodeType, module: str) -> bool:
    """Return whether Python wrote a function: of a data class or a named tuple."""
    if code.co_filename != "<string>":
        return False
    return code.co_name.startswith("__") or module.startswith("namedtuple_")


@contextmanager
def watched() -> Iterator[Runs]:
    """Note the functions of users that run inside of the block."""
    watch = _Watch()
    before = sys.getprofile()
    sys.setprofile(watch.noting())
    try:
        yield watch.runs
    finally:
        profiler: Any = before
        if before is None or callable(profiler):
            sys.setprofile(before)
        else:
            # A profiler of Python's own is no function: it is started again.
            sys.setprofile(None)
            profiler.enable()


class _Watch:
    """What Python's profiler tells, as far as it matters."""

    def __init__(self) -> None:
        self.runs = Runs()
        self._others: dict[int, CodeType] = {}
        self._own: dict[int, frozenset[int]] = {}
        """The functions of users, by number, with where they drop a value."""

    def noting(self) -> Callable[[FrameType, str, object], None]:
        """Return what takes what the profiler says of a call or return.

        It is called for each function that the language's own text calls, some hundred times for
        one that matters: those are told apart here.
        """
        others, own = self._others, self._own
        outer: list[object] = []
        """The functions of Python's own that are under way in the frames around the innermost."""
        function: object = None
        """The same in the innermost frame."""

        def note(frame: FrameType, event: str, given: object) -> None:
            nonlocal function
            if event == "call":
                number = id(frame.f_code)
                if number not in others:
                    self._call(number, frame, function)
                outer.append(function)
                function = None
            elif event == "return":
                function = outer.pop() if outer else None
                if id(frame.f_code) in own:
                    self.runs.returned[id(frame.f_code)].add(kind_of(given).value)
                if given is not None:
                    taker = frame.f_back
                    if taker is not None and id(taker.f_code) in own:
                        self._taken(frame, given, taker, function)
            else:
                function = given if event == "c_call" else None

        return note

    def _call(self, number: int, frame: FrameType, function: object) -> None:
        """Note a call, in whose caller ``function`` is under way."""
        if number in _HASHED:
            self._hash(frame.f_back, function)
        elif not _is_a_users(frame):
            # Held, so that its number is not given to another one.
            self._others[number] = frame.f_code
        else:
            run = _run(frame)
            self.runs.calls.setdefault((number, _alike(run.kinds)), run)
            self.runs.returned.setdefault(number, set())
            if number not in self._own:
                self._own[number] = _drops(frame.f_code)

    def _taken(self, frame: FrameType, given: object, taker: FrameType, function: object) -> None:
        """Note what a user's function, in which ``function`` is under way, is given back."""
        if (
            isinstance(given, set | frozenset)
            and kind_of(given) is ValueKind.HOLDING
            and frame.f_code.co_name not in _COMPREHENSIONS
        ):
            self.runs.kept_sets.append(Line(frame.f_code.co_filename, frame.f_lineno))
        if function is not None or taker.f_lasti not in self._own[id(taker.f_code)]:
            return
        line = Line(taker.f_code.co_filename, taker.f_lineno)
        if isinstance(given, AbstractContextManager):
            self.runs.unentered.append(line)
        elif kind_of(given) in (ValueKind.SYMBOLIC, ValueKind.HOLDING):
            self.runs.dropped.append(line)

    def _hash(self, caller: FrameType | None, function: object) -> None:
        if caller is None or not _is_a_users(caller):
            return
        line = Line(caller.f_code.co_filename, caller.f_lineno)
        if _looks_up(caller, function):
            self.runs.looked_up.append(line)
            return
        position = _position(caller)
        inside = _written_in(caller)
        if inside is not caller:
            position = _position(inside)
        key = (id(inside.f_code), position)
        if key not in self.runs.hashed:
            self.runs.hashed[key] = Hashed(_run(inside), line, position)


def _run(frame: FrameType) -> Activation:
    values = dict(frame.f_locals)
    kinds = {name: kind_of(value) for name, value in values.items()}
    return Activation(frame.f_code, kinds, values, frame.f_globals)
