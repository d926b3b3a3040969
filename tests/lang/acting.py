"""A small protocol whose one action is a body of Python that a test gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bmc.lang import (
    EnumSort,
    Integer,
    OptionSort,
    Protocol,
    SetSort,
    Step,
    Variable,
    action,
    empty,
    one_of,
)
from bmc.lang import operator as named

Mode = EnumSort("Mode", ("a", "b"))
Count = Integer("Count", 0, 4)


class Machine(Protocol):
    """A counter, and a set of numbers."""

    mode = Variable(Mode)
    x = Variable(Count)
    o = Variable(OptionSort(Count))
    some = Variable(SetSort(Count))

    @action()
    def Init(self, s: Step) -> None:
        s.mode, s.x, s.o, s.some = "a", 0, None, empty(SetSort(Count))

    @action()
    def Act(self, s: Step) -> None:
        s.x = 1

    Next = one_of(Act)

    def small(self, s: Any) -> Any:
        return s.x < 3

    def both(self, s: Any) -> Any:
        return s.x < 3, s.x > 1

    @named
    def tiny(self, s: Any) -> Any:
        return s.x < 1

    def sleeping(self, s: Any) -> Iterator[None]:
        s.require(s.x < 3)
        yield

    @contextmanager
    def guarded_block(self, s: Any) -> Iterator[None]:
        s.require(s.x < 3)
        yield

    def several(self, s: Any) -> Any:
        return {s.x, 3}


Body = Callable[[Any, Any], None]


def acting(body: Body, machine: type[Protocol] = Machine) -> type[Protocol]:
    class Acting(machine):  # type: ignore[valid-type, misc]
        @action()
        def Act(self, s: Step) -> None:
            body(self, s)

        Next = one_of(Act)

    return Acting
