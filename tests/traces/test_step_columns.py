"""Columns of a step are as wide as what stands in them, but for a text too wide for any column."""

from __future__ import annotations

from typing import Any

from bmc import check
from bmc.lang import (
    Integer,
    Protocol,
    Record,
    Sequence,
    Variable,
    action,
    append,
    empty,
    invariant,
    one_of,
    record,
    size,
)


class Diary(Protocol):
    """Entries are written, and counted in another variable."""

    Day = Integer("Day", 0, 9)
    Entry = Record("Entry", morning=Day, afternoon=Day, evening=Day)
    Book = Sequence(Entry, 2)

    book = Variable(Book)
    entries = Variable(Day)

    @action()
    def Init(self, s: Any) -> None:
        s.book = empty(self.Book)
        s.entries = 0

    @action()
    def Write(self, s: Any) -> None:
        s.require(size(s.book) < 2)
        s.book = append(s.book, record(self.Entry, morning=1, afternoon=2, evening=3))
        s.entries = s.entries + 1

    Next = one_of(Write)

    @invariant("there is room")
    def Room(self, s: Any) -> Any:
        return s.entries < 2


def test_a_long_value_moves_only_its_own_arrow() -> None:
    lines = str(check(Diary, "Room")).splitlines()
    _, first, second = (line for line in lines if line.startswith("     entries  "))
    assert first.rstrip() == "     entries  0  -> 1"
    assert second.rstrip() == "     entries  1 -> 2"
