"""Which functions of a protocol ran while it was read, and on what.

Python decides some things before any object of ours is asked: ``x is None``, ``x in {"a"}``. They
are found in the text of the functions that ran (:mod:`bmc.lang.decided`), given which of their
names stood for something symbolic.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from inspect import unwrap
from types import CodeType, FrameType
from typing import Any

from bmc.lang.allowed import is_listed, is_listed_function
from bmc.lang.errors import is_asked
from bmc.lang.instructions import as_written, drops, looks_up, unwanted
from bmc.lang.parameters import Arithmetic
from bmc.lang.places import Line
from bmc.lang.scope import note_read
from bmc.lang.set_orders import has_no_order
from bmc.lang.state import Step, assign
from bmc.lang.terms import Expr, Held, term_of
from bmc.lang.unfinished import Unfinished
from bmc.lang.untold import Untold
from bmc.lang.value_kinds import (
    ValueKind,
    called,
    is_optional,
    kind_of,
    leads_to_a_term,
    reaches_a_state,
)
from bmc.lang.whose import (
    COMPREHENSIONS,
    is_a_users,
    is_generated,
    is_installed,
    is_the_languages,
    module_of,
    written_in,
)


@dataclass(frozen=True, eq=False)
class Activation:
    """A function as it was called, with what its names stood for in it and around it."""

    code: CodeType
    kinds: Mapping[str, ValueKind]
    values: dict[str, Any]
    known: dict[str, Any]
    leading: frozenset[str]
    """The names of what a term can be had from."""
    optional: frozenset[str]
    """The names of terms that stand for none in some state."""
    asked: bool
    """Whether it is of a program that writes protocols, or of another one, and no protocol's."""

    @property
    def alike(self) -> str:
        """What is the same for calls that are read alike."""
        owner = type(self.values.get("self"))
        around = [called(self.values.get(name)) for name in self.code.co_freevars]
        return f"{owner.__module__}.{owner.__qualname__} {self.given} {around}"

    @property
    def given(self) -> str:
        """What matters of that which a call was given."""
        said = [f"{name}={self.kinds[name].value}" for name in sorted(self.kinds)]
        sets = sorted(f"{{}} {name}" for name, one in self.values.items() if has_no_order(one))
        leading, optional = sorted(self.leading), sorted(self.optional)
        return " ".join([*said, *leading, f"? {self.asked}", *optional, *sets])


Position = tuple[int | None, int | None, int | None, int | None]
"""First and last line, first and last column of an expression."""


@dataclass(frozen=True, eq=False)
class Hashed:
    """An expression that hashed a term."""

    run: Activation
    line: Line
    position: Position


@dataclass(frozen=True, eq=False)
class Outside:
    """A call of what the list of words does not have, in a user's text."""

    run: Activation
    line: Line
    position: Position
    leading: frozenset[str]
    """The names around it of what a term can be had from."""
    word: object
    """A function of Python's own, or the code and module of one that is written in Python."""


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
    passed_over: list[Line] = field(default_factory=list)
    """Where a block says that an error in it is passed over."""
    ended: list[Line] = field(default_factory=list)
    """Where an object that may speak of a state says what is done when Python ends it."""
    unentered: list[Line] = field(default_factory=list)
    """Where a block was made that no ``with`` enters."""
    acted: set[int] = field(default_factory=set)
    """The functions of users that have required, assigned or chosen, by number."""
    options: set[int] = field(default_factory=set)
    """The functions that gave back what stands for none in some state, by number."""
    unordered: set[int] = field(default_factory=set)
    """The functions that gave back a set whose order another process may not have, by number."""
    outside: dict[tuple[int, int, str, str], Outside] = field(default_factory=dict)
    """Where Python's own library was called by a word that is not listed."""
    unfinished: Unfinished = field(default_factory=Unfinished)
    """The blocks and generators that were left before their end."""
    untold: Untold = field(default_factory=Untold)
    """The classes whose objects are not told apart meanwhile."""

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

    def gives_no_option(self, code: CodeType) -> bool:
        """Return whether a function ran, and gave back nothing that stands for none in a state."""
        return id(code) in self.returned and id(code) not in self.options


_HASHED = frozenset({id(Expr.__hash__.__code__), id(Arithmetic.__hash__.__code__)})
"""Functions by number: the hash of a code object is made of all it holds, each time."""
_ACTS = frozenset({id(one.__code__) for one in (assign, Step.require, unwrap(Step.either))})


def _position(frame: FrameType) -> Position:
    return list(frame.f_code.co_positions())[frame.f_lasti // 2]


@contextmanager
def watched(runs: Runs) -> Iterator[None]:
    """Note the functions of users that run inside of the block."""
    with _told_to(_Watch(runs).noting()):
        yield


@contextmanager
def unwatched() -> Iterator[None]:
    """Note nothing inside of the block, where a program that writes protocols is at work."""
    with _told_to(None):
        yield


@contextmanager
def _told_to(note: Callable[[FrameType, str, object], None] | None) -> Iterator[None]:
    before = sys.getprofile()
    sys.setprofile(note)
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
        self._library: dict[int, CodeType] = {}
        """Functions of Python's library: who calls them matters each time."""
        self._own: dict[int, frozenset[int]] = {}
        """The functions of users, by number, with where they drop a value."""
        self._unwanted: dict[int, dict[int, frozenset[int] | None]] = {}
        """The same, with where a value is called ``_``."""

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
                    self._act(frame)
                elif number not in others:
                    self._call(number, frame, function)
                outer.append(function)
                function = None
            elif event == "return":
                function = outer.pop() if outer else None
                number = id(frame.f_code)
                if number in own:
                    self._left(number, frame, given)
                elif number in _ACTS:
                    unfinished.waits(frame)
                if given is not None:
                    taker = frame.f_back
                    if taker is not None and id(taker.f_code) in own:
                        self._taken(frame, given, taker, function)
            elif event == "c_call":
                function = given
                if id(frame.f_code) in own and not is_listed(given):
                    self._outside(frame, given, str(getattr(given, "__name__", "")))
            else:
                function = None

        return note

    def _act(self, frame: FrameType) -> None:
        """Note a guard, an assignment or a choice, or that a choice is ended."""
        if self.runs.unfinished.entered(frame):
            return
        within = frame.f_back
        while within is not None:
            if id(within.f_code) in self._own:
                self.runs.acted.add(id(within.f_code))
            within = within.f_back

    def _left(self, number: int, frame: FrameType, given: object) -> None:
        """Note that a function of a user's is left, and what it gives back."""
        self.runs.returned[number].add(kind_of(given).value)
        if is_optional(given):
            self.runs.options.add(number)
        if has_no_order(given):
            self.runs.unordered.add(number)
        if frame.f_code.co_name == "__exit__" and given is not None and given is not False:
            self.runs.passed_over.append(Line(frame.f_code.co_filename, frame.f_lineno))
        self.runs.unfinished.left(frame)

    def _outside(self, frame: FrameType, word: object, name: str) -> None:
        """Note a call, in a frame of a user's, of what is not listed."""
        here, around = _run(frame), _run(written_in(frame))
        if here.asked:
            return
        key = (id(frame.f_code), frame.f_lasti, name, here.given)
        line = Line(frame.f_code.co_filename, frame.f_lineno)
        leading = here.leading | around.leading
        if key not in self.runs.outside:
            made = Outside(around, line, _position(frame), leading, word)
            self.runs.outside[key] = made

    def _call(self, number: int, frame: FrameType, function: object) -> None:
        """Note a call, under which ``function`` of Python's own is under way."""
        if number in self._library or not is_a_users(frame):
            self._call_library(number, frame, function)
        elif not self.runs.unfinished.entered(frame):
            run = _run(frame)
            self.runs.calls.setdefault((number, run.given), run)
            self.runs.returned.setdefault(number, set())
            ends = frame.f_code.co_name == "__del__" and not is_installed(frame)
            if ends and reaches_a_state(frame):
                self.runs.ended.append(Line(frame.f_code.co_filename, frame.f_lineno))
            if number not in self._own:
                self.runs.untold.meet(frame)
                self._own[number] = drops(frame.f_code)
                self._unwanted[number] = unwanted(frame.f_code)

    def _call_library(self, number: int, frame: FrameType, function: object) -> None:
        """Note a call of a function that is no user's."""
        module = module_of(frame)
        if is_generated(frame) or is_the_languages(frame):
            # Held, so that its number is not given to another one.
            self._others[number] = frame.f_code
            return
        self._library[number] = frame.f_code
        caller = frame.f_back
        if function is not None or caller is None or id(caller.f_code) not in self._own:
            return
        if not is_listed_function(frame.f_code, module):
            self._outside(caller, (frame.f_code, module), frame.f_code.co_qualname)

    def _taken(self, frame: FrameType, given: object, taker: FrameType, function: object) -> None:
        """Note what a user's function, in which ``function`` is under way, is given back."""
        if (
            isinstance(given, set | frozenset)
            and kind_of(given) is ValueKind.HOLDING
            and frame.f_code.co_name not in COMPREHENSIONS
        ):
            self.runs.kept_sets.append(Line(frame.f_code.co_filename, frame.f_lineno))
        if function is not None:
            return
        unwanted = self._unwanted[id(taker.f_code)]
        if taker.f_lasti in unwanted:
            _let_go(given, unwanted[taker.f_lasti])
        line = Line(taker.f_code.co_filename, taker.f_lineno)
        if taker.f_lasti not in self._own[id(taker.f_code)]:
            return
        if isinstance(given, AbstractContextManager):
            self.runs.unentered.append(line)
        elif kind_of(given) in (ValueKind.SYMBOLIC, ValueKind.HOLDING):
            self.runs.dropped.append(line)

    def _hash(self, caller: FrameType | None, functions: list[object]) -> None:
        """Note what hashes a term: ``functions`` of Python's own are under way, outermost first."""
        looked_up = False
        while caller is not None and not is_a_users(caller):
            if is_the_languages(caller):
                return
            # What a class of Python's own puts into its tables it looks up there.
            looked_up |= not is_generated(caller)
            functions.pop()
            caller = caller.f_back
        if caller is None:
            return
        line = Line(caller.f_code.co_filename, caller.f_lineno)
        if looked_up or looks_up(caller, functions.pop() if functions else None):
            self.runs.looked_up.append(line)
            return
        position = _position(caller)
        inside = written_in(caller)
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
        note_read(one)
        if isinstance(one, Held):
            term_of(one)


def _run(frame: FrameType) -> Activation:
    values = {as_written(frame.f_code, name): one for name, one in frame.f_locals.items()}
    told = is_asked()
    leading = frozenset([n for n, one in values.items() if not told and leads_to_a_term(one)])
    # Python ends objects of installed packages, and calls what they listen with, at any time.
    elsewhere = not leading and is_installed(frame)
    return Activation(
        frame.f_code,
        {name: kind_of(value) for name, value in values.items()},
        values,
        frame.f_globals,
        leading,
        frozenset([name for name, one in values.items() if is_optional(one)]),
        told or elsewhere,
    )
