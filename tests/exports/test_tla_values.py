"""Where a protocol reads what is not there, its exported text has no value either."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import bmc
from tests.exports.test_tla import exported

READING = """
from bmc.lang import *


class P(Protocol):
    n = Integer("n", 0, 3)
    Entry = Record("Entry", key=n, held=n)
    Letter = Variant("Letter", Text=Record("Text", by=n), Empty=Record("Empty", by=n, why=n))
    top = Variable(OptionSort(n))
    last = Variable(n)
    queue = Variable(Sequence(n, 1))
    pile = Variable(BoundedSet(n, 1))
    entries = Variable(KeyedSetSort(Entry, "key"))
    letter = Variable(Letter)
    seen = Variable(SetSort(n))
    tops = Variable(MapSort(n, OptionSort(n)))
    done = Variable(BOOL)

    @action()
    def Init(self, s):
        s.top = None
        s.last = 3
        s.queue = append(empty(Sequence(self.n, 1)), 0)
        s.pile = {0}
        s.entries = {record(self.Entry, key=0, held=0)}
        s.letter = inject(self.Letter, "Empty", record(self.Letter.case("Empty"), by=0, why=0))
        s.seen = {0}
        s.tops = mapping(self.n, lambda i: None, OptionSort(self.n))
        s.done = False

    @action()
    def Step(self, s):
        s.require(~s.done, GUARD)
        s.done = NEW

    Next = one_of(Step)

    @invariant("what is read is there")
    def Said(self, s):
        return CLAIM
"""

MISSING = {
    "the(s.top) != 1": "The(top) # 1",
    "size(append(s.queue, 1)) == 2": "Len(Short(Append(queue, 1), 1)) = 2",
    "size(insert(s.pile, 1)) == 2": "Cardinality(Few(pile \\union {1}, 1)) = 2",
    "size(insert(s.entries, record(self.Entry, key=0, held=1))) == 2": (
        'Cardinality(Keyed(entries \\union {[key |-> 0, held |-> 1]}, "key")) = 2'
    ),
    "is_none(lookup(s.entries, s.last + 1))": (
        "~(\\E key \\in {Within(last + 1, 0..3)} : \\E one \\in entries : one.key = key)"
    ),
    "mapping(self.n, lambda i: s.last + i, self.n)[0] == 3": (
        "Within([i \\in 0..3 |-> last + i], [0..3 -> 0..3])[0] = 3"
    ),
    "coerce(s.last + 1, self.n) == 4": "Within(last + 1, 0..3) = 4",
    "coerce({s.last + 1}, SetSort(self.n)) != s.seen": "{Within(last + 1, 0..3)} # seen",
    'inject(self.Letter, "Text", record(self.Letter.case("Text"), by=s.last + 1)) != s.letter': (
        '[tag |-> "Text", by |-> Within(last + 1, 0..3)] # letter'
    ),
    "size(take(s.queue, s.last - 4)) == 0": "Len(SubSeq(queue, 1, Within(last - 4, Nat))) = 0",
    'payload(s.letter, "Text").by == 0': 'Having(letter, "tag", "Text").by = 0',
    "7 // (s.last - 5) != 0": "7 \\div Within(last - 5, Nat) # 0",
    "exists(self.n, lambda i: (i == 0) | (the(s.tops[i]) == 1))": (
        "TRUE \\in {(i = 0 \\/ The(tops[i]) = 1) : i \\in 0..3}"
    ),
}
THERE = {
    "implies(is_some(s.top), the(s.top) != 1)": "top # None => top # 1",
    "is_none(s.top) | (the(s.top) != 1)": "top = None \\/ top # 1",
    "implies(s.top == 2, the(s.top) == 2)": "top = 2 => top = 2",
    "implies(size(s.queue) == 0, size(append(s.queue, 1)) == 1)": (
        "Len(queue) = 0 => Len(Append(queue, 1)) = 1"
    ),
    "implies(is_none(lookup(s.entries, 1)), "
    "size(insert(s.entries, record(self.Entry, key=1, held=1))) == 2)": (
        "~(\\E one \\in entries : one.key = 1) => "
        "Cardinality(entries \\union {[key |-> 1, held |-> 1]}) = 2"
    ),
    "implies(s.last < 3, member(s.last + 1, s.seen))": "last < 3 => last + 1 \\in seen",
    "implies(s.last != 3, member(s.last + 1, s.seen))": "last # 3 => last + 1 \\in seen",
    'implies(is_case(s.letter, "Text"), payload(s.letter, "Text").by == 0)': (
        'letter.tag = "Text" => letter.by = 0'
    ),
    "forall(self.n, lambda i: is_none(s.tops[i]) | (the(s.tops[i]) == 1))": (
        "\\A i \\in 0..3 : tops[i] = None \\/ tops[i] = 1"
    ),
}


def codes(folder: Path, guard: str, new: str, claim: str) -> tuple[int, int, str]:
    """Return what exploring ends with, of the protocol and of its text, and the text."""
    text = READING.replace("GUARD", guard).replace("NEW", new).replace("CLAIM", claim)
    (folder / "reading.py").write_text(text)
    protocol = f"{folder / 'reading.py'}:P"
    exported(folder, protocol, {})
    mine, read = bmc("explore", protocol), bmc("explore", str(folder / "Out.tla"))
    return mine.code, read.code, (folder / "Out.tla").read_text()


@pytest.mark.parametrize("read", MISSING)
def test_a_claim_that_has_no_value_has_none_in_the_text(tmp_path: Path, read: str) -> None:
    mine, text, written = codes(tmp_path, "TRUE", "TRUE", read)
    assert f"\nSaid ==\n  {MISSING[read]}\n" in written
    # Violated by the protocol's rules; of a text without a value nothing is known.
    assert (mine, text) == (1, 3)


@pytest.mark.parametrize("read", list(MISSING)[:4])
def test_a_step_that_reads_what_is_not_there_has_none_in_the_text(
    tmp_path: Path, read: str
) -> None:
    for guard, new in ((read, "TRUE"), ("TRUE", read)):
        mine, text, written = codes(tmp_path, guard, new, "TRUE")
        assert MISSING[read] in written
        assert (mine, text) == (3, 3)


@pytest.mark.parametrize("read", THERE)
def test_what_is_known_to_be_there_is_written_as_it_was(tmp_path: Path, read: str) -> None:
    mine, text, written = codes(tmp_path, "TRUE", "TRUE", read)
    assert f"\nSaid ==\n  {THERE[read]}\n" in written
    assert (mine, text) == (0, 0)


def test_a_guard_says_what_is_there_for_guards_and_values_behind_it(tmp_path: Path) -> None:
    _, _, written = codes(tmp_path, "is_some(s.top), the(s.top) != 1", "the(s.top) == 2", "TRUE")
    assert "The(" not in written


def test_of_what_is_stored_the_sorts_say_it(tmp_path: Path) -> None:
    (tmp_path / "stored.py").write_text(STORED)
    protocol = f"{tmp_path / 'stored.py'}:P"
    exported(tmp_path, protocol, {})
    written = (tmp_path / "Out.tla").read_text()
    assert "/\\ last' = last + 1\n" in written
    assert "/\\ top' = The(other)\n" in written
    assert "/\\ tops' = [tops EXCEPT ![Within(last + 1, 0..3)] = 0]\n" in written


STORED = """
from bmc.lang import *


class P(Protocol):
    n = Integer("n", 0, 3)
    last = Variable(n)
    top = Variable(OptionSort(n))
    other = Variable(OptionSort(n))
    tops = Variable(MapSort(n, n))

    @action()
    def Init(self, s):
        s.last = 3
        s.top = None
        s.other = None
        s.tops = mapping(self.n, lambda i: 0, self.n)

    @action()
    def Count(self, s):
        s.last = s.last + 1

    @action()
    def Take(self, s):
        s.top = the(s.other)

    @action()
    def Clear(self, s):
        s.tops[s.last + 1] = 0

    Next = one_of(Count, Take, Clear)

    @invariant("numbers are small")
    def Small(self, s):
        return s.last < 4
"""
