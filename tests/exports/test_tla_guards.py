"""What a guard asks for when an earlier disjunct is false is asked of no other state in TLA+."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import bmc
from tests.exports.test_tla import evaluated, exported

LETTERS = """
from bmc.lang import *


class Letters(Protocol):
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


def test_a_disjunct_without_a_value_is_written_behind_the_one_that_spares_it(
    tmp_path: Path,
) -> None:
    """TLC reads all disjuncts of an action, and stopped with an error at the payload."""
    (tmp_path / "letters.py").write_text(LETTERS)
    protocol = f"{tmp_path / 'letters.py'}:Letters"
    exported(tmp_path, protocol, {})
    text = (tmp_path / "Out.tla").read_text()
    for guard in (
        '/\\ IF ~(last.tag = "Text") THEN TRUE ELSE last.number < k',
        "/\\ IF (queue = <<>> \\/ k < queue[1]) \\/ top = None THEN TRUE ELSE k < top",
        "/\\ 0 < k \\/ top = None",
        "/\\ \\E i \\in 0..3 : i = 0 /\\ (IF top = None THEN TRUE ELSE k <= top + i)",
    ):
        assert guard in text
    found = evaluated(tmp_path / "Out.tla")
    mine = json.loads(bmc("explore", protocol, "--json").out)
    assert (found.violation, found.levels) == (None, mine["levels"])
