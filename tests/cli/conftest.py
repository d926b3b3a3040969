"""Protocols that users might write, good and bad."""

from pathlib import Path

import pytest

COUNTER = '''
"""Counters."""

from bmc.lang import *


class Counter(Protocol):
    """Counts to top and starts again."""

    top = Parameter("top", 3, 1, 10, "the greatest value")
    Value = Integer("Value", 0, top)
    value = Variable(Value)

    @action()
    def Init(self, s):
        s.value = 0

    @action()
    def Count(self, s):
        s.require(s.value < self.top.bound)
        s.value = s.value + 1

    @action()
    def Reset(self, s):
        s.value = 0

    Next = (Count, Reset)

    @invariant("it stays in its range")
    def InRange(self, s):
        return s.value <= self.top.bound

    @invariant("it never passes 2")
    def Small(self, s):
        return s.value <= 2

    @step_invariant("it never jumps up")
    def NoJump(self, s, t):
        return t.value <= s.value + 1

    @witness("it reaches the top")
    def Top(self, s):
        return s.value == self.top.bound

    @witness("it goes beyond the top")
    def Beyond(self, s):
        return s.value > self.top.bound


class NothingStated(Protocol):
    value = Variable(BOOL)

    @action()
    def Init(self, s):
        s.value = False

    Next = (Init,)


class ContradictoryInit(Counter):
    @action()
    def Init(self, s):
        s.require(FALSE)
        s.value = 0


class ContradictoryConstraint(Counter):
    def Constraint(self, s):
        return s.value > 2


class RaisingAction(Counter):
    @action()
    def Count(self, s):
        return 1 / 0

    Next = (Count,)


class RaisingProperty(Counter):
    @invariant("it cannot be said")
    def Unsayable(self, s):
        raise RuntimeError("no words")


class MisspeltVariable(Counter):
    @action()
    def Count(self, s):
        s.value = s.valeu

    Next = (Count,)


class Misfit(Counter):
    @action()
    def Count(self, s):
        s.value = True

    Next = (Count,)


SUITE = Suite("inner-name", Counter, "a suite of its own", (Counter.InRange,))
EXPLAINED = Suite(
    "explained",
    Counter,
    "",
    (Counter.Top, Counter.Beyond),
    explained={"Beyond": Unreached("it is no value")},
)
EXPLAINED_WRONGLY = Suite(
    "explained-wrongly",
    Counter,
    "",
    (Counter.Top,),
    explained={"Top": Unreached("it counts no further", {"top": 3})},
)
'''


@pytest.fixture
def counter(tmp_path: Path) -> str:
    """The path of a file with small protocols."""
    path = tmp_path / "counters.py"
    path.write_text(COUNTER, encoding="utf-8")
    return str(path)


@pytest.fixture
def written(tmp_path: Path) -> "Write":
    """Writes a user's file and returns its path."""
    return Write(tmp_path)


class Write:
    """Writes a file into a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, text: str, name: str = "model.py") -> str:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)
