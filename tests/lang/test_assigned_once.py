"""What an action assigns is in the state after it, or the action is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bmc.lang import LanguageError, Step, insert, ite, record
from bmc.lang.errors import AssignedTwice
from bmc.lang.state import branches
from tests.lang.zoo import SORTS, Entry, step


def twice(s: Step) -> None:
    s.isr = insert(s.isr, s.node)
    s.isr = insert(s.isr, s.peer)


def in_place_twice(s: Step) -> None:
    s.epoch += 1
    s.epoch += 1


def one_entry_twice(s: Step) -> None:
    s.epochs[s.offset] = 1
    s.epochs[s.offset] = 2


def a_part_then_the_whole(s: Step) -> None:
    s.logs[s.node].end = 1
    s.logs[s.node] = s.logs[s.peer]


def a_field_then_all(s: Step) -> None:
    s.entry.epoch = 1
    s.entry = record(Entry, epoch=2, owner=None)


def before_and_in_a_disjunct(s: Step) -> None:
    s.epoch = 1
    with s.either():
        s.epoch = 2
    with s.either():
        s.require(s.flag)


def helper(s: Step) -> None:
    s.epoch = 2


def through_a_helper(s: Step) -> None:
    s.epoch = 1
    helper(s)


@pytest.mark.parametrize(
    "act",
    [
        twice,
        in_place_twice,
        one_entry_twice,
        a_part_then_the_whole,
        a_field_then_all,
        before_and_in_a_disjunct,
        through_a_helper,
    ],
)
def test_what_would_be_lost_is_refused(act: Callable[[Step], None]) -> None:
    s = Step(SORTS, frozenset(SORTS), "Act")
    with pytest.raises(AssignedTwice) as refused:
        act(s)
    said = str(refused.value)
    assert said.count("test_assigned_once.py:") == 2
    assert "in Act" in said
    assert "Write one assignment" in said


def test_in_two_lists_of_disjuncts() -> None:
    s = step()
    with s.either():
        s.epoch = 1
    s.require(s.flag)
    with pytest.raises(LanguageError, match="keep it in one place"), s.either():
        s.epoch = 2


def test_disjuncts_beside_each_other_are_different_steps() -> None:
    s = step()
    with s.either():
        s.epoch = 1
    with s.either():
        s.epoch = 2
    assert [repr(b.updates["epoch"]) for b in branches(s)] == ["1", "2"]


def test_different_parts_are_assigned_one_after_the_other() -> None:
    s = step()
    s.epochs[0] = 1
    s.epochs[s.offset] = 2
    s.entry.epoch = 1
    s.entry.owner = None
    (branch,) = branches(s)
    assert repr(branch.updates["epochs"]) == "[[epochs EXCEPT ![0] = 1] EXCEPT ![offset] = 2]"
    assert "EXCEPT !.owner" in repr(branch.updates["entry"])


def test_a_part_is_assigned_on_top_of_the_whole() -> None:
    s = step()
    s.entry = record(Entry, epoch=2, owner=None)
    s.entry.epoch = ite(s.flag, 1, 3)
    (branch,) = branches(s)
    assert repr(branch.updates["entry"]) == (
        "[[epoch |-> 2, owner |-> None] EXCEPT !.epoch = (IF flag THEN 1 ELSE 3)]"
    )
