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
from inspect import unwrap
from types import CodeType, FrameType
from typing import Any

from bmc.lang.instructions import (
    as_written,
    drops,
    is_generator,
    is_in_a_loop,
    told_apart,
    unwanted,
)
from bmc.lang.parameters import Arithmetic
from bmc.lang.places import Line
from bmc.lang.state import Step, assign
from bmc.lang.terms import Expr, Held, term_of
from bmc.lang.unfinished import Unfinished
from bmc.lang.value_kinds import ValueKind, kind_of


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
    identified: list[tuple[CodeType, Line]] = field(default_factory=list)
    """Which function gave a term back to where ``is`` asks for it."""
    unentered: list[Line] = field(default_factory=list)
    """Where a block was made that no ``with`` enters."""
    acted: set[int] = field(default_factory=set)
    """The functions of users that have required, assigned or chosen, by number."""
    left: list[Line] = field(default_factory=list)
    """Where what acts was asked for by what may ask no further."""
    unfinished: Unfinished = field(default_factory=Unfinished)
    """The blocks and generators that were left before their end."""

    def let_go(self) -> None:
        """Let go of what the functions were given, which ends the generators that they held."""
        for run in (*self.calls.values(), *(one.run for one in self.hashed.values())):
            run.values.clear()

    def always_symbolic(self, code: CodeType, name: str) -> bool:
        """Return whether a parameter was symbolic in every call."""
        kinds = [run.kinds.get(name) for run in self.calls.values() if run.code is code]
        return all(kind is ValueKind.SYMBOLIC for kind in kinds)

    def returns_terms(self, code: CodeType) -> bool:
        """Return whether a function gave back something symbolic, and nothing else."""
        return self.returned.get(id(code)) == {ValueKind.SYMBOLIC.value}

    def terms_told_apart(self) -> Iterator[Line]:
        """Yield where ``is`` asks for what is a term in every call."""
        for code, line in self.identified:
            if id(code) not in self.returned or self.returns_terms(code):
                yield line


def _alike(kinds: Mapping[str, ValueKind]) -> str:
    return " ".join([f"{name}={kinds[name].value}" for name in sorted(kinds)])


_HASHED = frozenset({id(Expr.__hash__.__code__), id(Arithmetic.__hash__.__code__)})
"""Functions by number: the hash of a code object is made of all it holds, each time."""
_ACTS = frozenset({id(one.__code__) for one in (assign, Step.require, unwrap(Step.either))})
_IN_PART = (all, any, next)
"""What asks an iterator no further than it has to."""
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


_PYTHONS_OWN = ("<frozen ", *(sysconfig.get_path(p) for p in ("stdlib", "platstdlib")))
_INSTALLED = ("/site-packages/", "/dist-packages/")
_WRITTEN_IN_IT = ("bmc.encodings", "bmc.properties")


def _is_a_users(frame: FrameType) -> bool:
    if _is_generated(frame) or _is_the_languages(frame):
        return False
    if _module(frame).startswith(_WRITTEN_IN_IT):
        return True
    file = frame.f_code.co_filename
    # What is installed lies below the folder of Python's own. It may be a package of protocols,
    # and runs here only if a protocol calls it.
    installed = any(folder in file.replace("\\", "/") for folder in _INSTALLED)
    return installed or not file.startswith(_PYTHONS_OWN)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _is_the_languages(frame: FrameType) -> bool:
    return f"{_module(frame)}.".startswith("bmc.") and not _module(frame).startswith(_WRITTEN_IN_IT)


def _is_generated(frame: FrameType) -> bool:
    """Return whether Python wrote a function: of a data class or a named tuple."""
    if frame.f_code.co_filename != "<string>":
        return False
    return frame.f_code.co_name.startswith("__") or _module(frame).startswith("namedtuple_")


@contextmanager
def watched(runs: Runs) -> Iterator[None]:
    """Note the functions of users that run inside of the block."""
    watch = _Watch(runs)
    before = sys.getprofile()
    sys.setprofile(watch.noting())
    try:
        yield
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

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self._others: dict[int, CodeType] = {}
        self._own: dict[int, frozenset[int]] = {}
        """The functions of users, by number, with where they drop a value."""
        self._unwanted: dict[int, dict[int, frozenset[int] | None]] = {}
        """The same, with where a value is called ``_``."""
        self._told_apart: dict[int, frozenset[int]] = {}
        """The same, with where a value is asked for by ``is``."""

    def noting(self) -> Callable[[FrameType, str, object], None]:
        """Return what takes what the profiler says of a call or return.

        It is called for each function that the language's own text calls, some hundred times for
        one that matters: those are told apart here.
        """
        others, own, unfinished = self._others, self._own, self.runs.unfinished
        outer: list[object] = []
        """The functions of Python's own that are under way in the frames around the innermost."""
        function: object = None
        """The same in the innermost frame."""

        def note(frame: FrameType, event: str, given: object) -> None:
            nonlocal function
            if event == "call":
                number = id(frame.f_code)
                if number in _HASHED:
                    self._hash(frame.f_back, [*outer, function])
                elif number in _ACTS:
                    self._act(frame, [*outer, function])
                elif number not in others:
                    self._call(number, frame)
                outer.append(function)
                function = None
            elif event == "return":
                function = outer.pop() if outer else None
                number = id(frame.f_code)
                if number in own:
                    self.runs.returned[number].add(kind_of(given).value)
                    unfinished.left(frame)
                elif number in _ACTS:
                    unfinished.waits(frame)
                if given is not None:
                    taker = frame.f_back
                    if taker is not None and id(taker.f_code) in own:
                        self._taken(frame, given, taker, function)
            elif event == "c_call":
                function = given
                unfinished.told(given)
            else:
                function = None

        return note

    def _act(self, frame: FrameType, functions: list[object]) -> None:
        """Note a guard, an assignment or a choice, or that a choice is ended.

        ``functions`` of Python's own are under way in the frames around it, outermost first.
        """
        if self.runs.unfinished.entered(frame):
            return
        called, within = frame, frame.f_back
        while within is not None:
            function = functions.pop() if functions else None
            if id(within.f_code) in self._own:
                self.runs.acted.add(id(within.f_code))
                asked_in_part = any(function is one for one in _IN_PART) or is_in_a_loop(within)
                if asked_in_part and not is_generator(called.f_code):
                    self.runs.left.append(Line(within.f_code.co_filename, within.f_lineno))
            called, within = within, within.f_back

    def _call(self, number: int, frame: FrameType) -> None:
        if not _is_a_users(frame):
            # Held, so that its number is not given to another one.
            self._others[number] = frame.f_code
        elif not self.runs.unfinished.entered(frame):
            run = _run(frame)
            self.runs.calls.setdefault((number, _alike(run.kinds)), run)
            self.runs.returned.setdefault(number, set())
            if number not in self._own:
                self._own[number] = drops(frame.f_code)
                self._unwanted[number] = unwanted(frame.f_code)
                self._told_apart[number] = told_apart(frame.f_code)

    def _taken(self, frame: FrameType, given: object, taker: FrameType, function: object) -> None:
        """Note what a user's function, in which ``function`` is under way, is given back."""
        if (
            isinstance(given, set | frozenset)
            and kind_of(given) is ValueKind.HOLDING
            and frame.f_code.co_name not in _COMPREHENSIONS
        ):
            self.runs.kept_sets.append(Line(frame.f_code.co_filename, frame.f_lineno))
        if function is not None:
            return
        unwanted = self._unwanted[id(taker.f_code)]
        if taker.f_lasti in unwanted:
            _let_go(given, unwanted[taker.f_lasti])
        line = Line(taker.f_code.co_filename, taker.f_lineno)
        asked = taker.f_lasti in self._told_apart[id(taker.f_code)]
        if asked and kind_of(given) is ValueKind.SYMBOLIC:
            self.runs.identified.append((frame.f_code, line))
        if taker.f_lasti not in self._own[id(taker.f_code)]:
            return
        if isinstance(given, AbstractContextManager):
            self.runs.unentered.append(line)
        elif kind_of(given) in (ValueKind.SYMBOLIC, ValueKind.HOLDING):
            self.runs.dropped.append(line)

    def _hash(self, caller: FrameType | None, functions: list[object]) -> None:
        """Note what hashes a term: ``functions`` of Python's own are under way, outermost first."""
        looked_up = False
        while caller is not None and not _is_a_users(caller):
            if _is_the_languages(caller):
                return
            # What a class of Python's own puts into its tables it looks up there.
            looked_up |= not _is_generated(caller)
            functions.pop()
            caller = caller.f_back
        if caller is None:
            return
        line = Line(caller.f_code.co_filename, caller.f_lineno)
        if looked_up or _looks_up(caller, functions.pop() if functions else None):
            self.runs.looked_up.append(line)
            return
        position = _position(caller)
        inside = _written_in(caller)
        if inside is not caller:
            position = _position(inside)
        key = (id(inside.f_code), position)
        if key not in self.runs.hashed:
            self.runs.hashed[key] = Hashed(_run(inside), line, position)


def _let_go(given: object, parts: frozenset[int] | None) -> None:
    """Take it that nobody wants a value, or the parts of it at these places."""
    inside = list(given) if isinstance(given, tuple | list) else []
    let_go = [given, *inside]
    if parts is not None:
        let_go = [one for place, one in enumerate(inside) if place in parts]
    for one in let_go:
        if isinstance(one, Held):
            term_of(one)


def _run(frame: FrameType) -> Activation:
    values = {as_written(frame.f_code, name): one for name, one in frame.f_locals.items()}
    kinds = {name: kind_of(value) for name, value in values.items()}
    return Activation(frame.f_code, kinds, values, frame.f_globals)
