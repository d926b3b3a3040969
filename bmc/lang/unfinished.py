"""Generators and blocks that are left before their end, or never begun: what they say is lost.

Not every Python tells a profiler that a generator is ended: 3.12 does so no more of one that has
not begun, 3.13 of none. So what waits is kept in mind until it goes on.
"""

from __future__ import annotations

import inspect
import sysconfig
from collections.abc import Container, Iterable, Iterator
from types import CodeType, CoroutineType, FrameType, FunctionType, GeneratorType, ModuleType

from bmc.lang.errors import is_asked
from bmc.lang.instructions import has_come_to_its_end, is_ended, is_generator
from bmc.lang.parameters import Arithmetic
from bmc.lang.places import Line
from bmc.lang.state import State, is_over
from bmc.lang.terms import Held, is_of_a_read_method
from bmc.lang.undecided import Undecided
from bmc.lang.value_kinds import held_by, leads_to_a_term, reaches_a_state

_HOLD_NOTHING = Undecided | State | Arithmetic | str | int | type | ModuleType | None
_ASLEEP = (GeneratorType, CoroutineType)
_LIBRARY = tuple(sysconfig.get_path(p) for p in ("stdlib", "platstdlib"))


class Unfinished:
    """What was left of the generators that a method's functions made."""

    def __init__(self) -> None:
        self._ended: list[Line] = []
        self._waiting: dict[int, tuple[FrameType, Line]] = {}
        """By a frame's number, which is held so that no other one is given it."""
        self._asleep: dict[int, tuple[object, Line]] = {}
        """What has not begun, by its number."""
        self._made: dict[int, CodeType] = {}
        """The functions that were made inside of others, by number."""

    def lines(self) -> list[Line]:
        """Return where something that reaches a state was left, or is there and was not begun."""
        asleep = [line for made, line in self._asleep.values() if _not_begun(made) is not None]
        return [*self._ended, *(line for _, line in self._waiting.values()), *asleep]

    def never_run(self, ran: Container[int]) -> Iterator[Line]:
        """Yield where functions that reach a state were made, of which none on the line ran."""
        run = {_start(code) for number, code in self._made.items() if number in ran}
        for code in self._made.values():
            if _start(code) not in run:
                yield Line(code.co_filename, code.co_firstlineno)

    def entered(self, frame: FrameType) -> bool:
        """Note that a function is entered; return whether that is only to end it."""
        if is_ended(frame):
            if reaches_a_state(frame) and not _is_of_another_reading(frame):
                self._ended.append(_line(frame))
            return True
        self._waiting.pop(id(frame), None)
        return False

    def waits(self, frame: FrameType) -> None:
        """Note that a function is left, which may be a generator that waits."""
        waits = is_generator(frame.f_code) and not has_come_to_its_end(frame)
        if waits and reaches_a_state(frame) and not _is_of_another_reading(frame):
            self._waiting[id(frame)] = frame, _line(frame)

    def left(self, frame: FrameType) -> None:
        """Note that a user's function is left, with what it has made and not begun."""
        self.waits(frame)
        self._look_into(frame.f_locals.values(), 2)

    def _look_into(self, values: Iterable[object], deep: int) -> None:
        for value in values:
            if isinstance(value, _ASLEEP):
                self._sleeps(value)
            elif isinstance(value, FunctionType):
                if not is_asked():
                    self._stands_by(value)
            elif not deep or isinstance(value, _HOLD_NOTHING):
                continue
            elif isinstance(value, dict):
                self._look_into(value.values(), deep - 1)
            elif isinstance(value, tuple | list | set | frozenset):
                self._look_into(value, deep - 1)
            else:
                self._look_into(held_by(value), deep - 1)

    def _stands_by(self, function: FunctionType) -> None:
        code = function.__code__
        inside = code.co_flags & inspect.CO_NESTED and id(code) not in self._made
        if inside and not _is_no_users(function) and leads_to_a_term(function):
            self._made[id(code)] = code

    def _sleeps(self, made: object) -> None:
        frame = _not_begun(made)
        if frame is None or frame.f_code.co_filename.startswith(_LIBRARY):
            return
        if reaches_a_state(frame):
            self._asleep[id(made)] = made, _line(frame)


def _is_no_users(function: FunctionType) -> bool:
    module = str(function.__globals__.get("__name__", ""))
    return module.startswith("bmc.lang.") or function.__code__.co_filename.startswith(_LIBRARY)


def _is_of_another_reading(frame: FrameType) -> bool:
    """Return whether what is ended was left by a method that has been read before this one.

    Python ends what nobody holds any more, at whichever time.
    """
    return any(
        is_over(one) if isinstance(one, State) else is_of_a_read_method(one)
        for one in frame.f_locals.values()
        if isinstance(one, State | Held)
    )


def _start(code: CodeType) -> tuple[str, int, str]:
    return code.co_filename, code.co_firstlineno, code.co_name


def _line(frame: FrameType) -> Line:
    """Return where a user's text is in a frame, or in those around a frame of ours."""
    while frame.f_back is not None and (
        frame.f_code.co_filename.startswith(_LIBRARY)
        or str(frame.f_globals.get("__name__", "")).startswith("bmc.lang.")
    ):
        frame = frame.f_back
    return Line(frame.f_code.co_filename, frame.f_lineno)


def _not_begun(made: object) -> FrameType | None:
    """Return the frame of a generator that nobody has asked for anything."""
    if isinstance(made, GeneratorType):
        return None if made.gi_suspended or made.gi_running else made.gi_frame
    if isinstance(made, CoroutineType):
        return None if made.cr_suspended or made.cr_running else made.cr_frame
    return None
