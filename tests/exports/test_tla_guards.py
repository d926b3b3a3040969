"""What a guard asks for when an earlier disjunct is false is asked of no other state in TLA+."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import bmc
from tests.exports.test_tla import evaluated, exported

LETTERS = """
from bmc.lang import *


class P(Protocol):
    n = Integer("n", 0, 3)
    Page = Record("Page", number=n, more=BOOL)
    Letter = Variant("Letter", Text=Page, Empty=n)
    last = Variable(Letter)
    queue = Variable(Sequence(n, 2))
    top = Variable(OptionSort(n))

    @action()
    def Init(self, s):
        s.last = inject(self.Letter, "Empty", 0)
        s.queue = ()
        s.top = None

    @action(k=n)
    def Write(self, s, k):
        s.require(~is_case(s.last, "Text") | (payload(s.last, "Text").number < k))
        s.require((s.queue == ()) | (at(s.queue, 0) > k) | is_none(s.top) | (the(s.top) > k))
        s.require((k > 0) | (s.top == None))
        s.last = inject(self.Letter, "Text", record(self.Page, number=k, more=TRUE))

    @action(k=n)
    def Keep(self, s, k):
        s.require(size(s.queue) < 2)
        s.require(exists(self.n, lambda i: conj(i == 0, is_none(s.top) | (the(s.top) + i >= k))))
        s.queue = append(s.queue, k)
        s.top = k

    @action()
    def Again(self, s):
        s.require(size(s.queue) == 2)
        more = implies(is_case(s.last, "Text"), payload(s.last, "Text").more)
        s.require(ite(s.top == 1, TRUE, more))
        s.queue = ()
        s.last = inject(self.Letter, "Empty", 1)

    Next = one_of(Write, Keep, Again)

    @invariant("no queue is long")
    def Short(self, s):
        return size(s.queue) < 3
"""


ASKED = """
from bmc.lang import *


class P(Protocol):
    n = Integer("n", 0, 3)
    top = Variable(OptionSort(n))
    next = Variable(MapSort(n, n))

    @action()
    def Init(self, s):
        s.top = None
        s.next = mapping(self.n, lambda i: i, self.n)

    @action(k=n)
    def Each(self, s, k):
        s.require(forall(self.n, lambda i: is_none(s.top) | (the(s.top) + i >= k)))
        s.top = k

    @action(k=n)
    def Behind(self, s, k):
        s.require(implies(k > 0, is_none(s.top) | (the(s.top) > k)))
        s.require((k == 3) | (s.next[k + 1] > k))
        s.next[k] = 0

    @action(k=n)
    def Told(self, s, k):
        small = mapping(self.n, lambda i: is_none(s.top) | (the(s.top) > i), BOOL)
        s.require(small[k])
        s.next[k] = 1

    Next = one_of(Each, Behind, Told)

    def Constraint(self, s):
        return is_none(s.top) | (the(s.top) < 3)

    @invariant("what is next is small")
    def Small(self, s):
        return forall(self.n, lambda i: s.next[i] < 4)
"""


def require_written(folder: Path, protocol: str, *written: str) -> None:
    """Hold the exported text of the class ``P`` against its states, and look for these parts."""
    (folder / "guarded.py").write_text(protocol)
    named = f"{folder / 'guarded.py'}:P"
    exported(folder, named, {})
    text = (folder / "Out.tla").read_text()
    for part in written:
        assert part in text
    found = evaluated(folder / "Out.tla")
    mine = json.loads(bmc("explore", named, "--json").out)
    assert (found.violation, found.levels) == (None, mine["levels"])


def test_a_disjunct_without_a_value_is_written_behind_the_one_that_spares_it(
    tmp_path: Path,
) -> None:
    """TLC reads all disjuncts of an action, and stopped with an error at the payload."""
    require_written(
        tmp_path,
        LETTERS,
        '/\\ IF ~(last.tag = "Text") THEN TRUE ELSE last.number < k',
        "/\\ IF (queue = <<>> \\/ k < queue[1]) \\/ top = None THEN TRUE ELSE k < top",
        "/\\ 0 < k \\/ top = None",
        "/\\ \\E i \\in 0..3 : i = 0 /\\ (IF top = None THEN TRUE ELSE k <= top + i)",
    )


def test_wherever_tlc_looks_for_disjuncts_they_are_written_in_their_order(tmp_path: Path) -> None:
    """Under a quantifier, behind an implication, in a function and in what Init names."""
    require_written(
        tmp_path,
        ASKED,
        "Inside ==\n  IF top = None THEN TRUE ELSE top < 3",
        "/\\ \\A i \\in 0..3 : IF top = None THEN TRUE ELSE k <= top + i",
        "/\\ 0 < k => (IF top = None THEN TRUE ELSE k < top)",
        "/\\ IF k = 3 THEN TRUE ELSE k < next[k + 1]",
        "/\\ [i \\in 0..3 |-> IF top = None THEN TRUE ELSE i < top][k]",
    )
