"""What an action assigns is in the state after it, or the action is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bmc.lang import (
    Integer,
    LanguageError,
    MapSort,
    Protocol,
    Record,
    Scalarset,
    SetSort,
    Step,
    Variable,
    action,
    empty,
    insert,
    ite,
    mapping,
    member,
    one_of,
    record,
)
from bmc.lang.describe import model_of
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


Bank = Scalarset("Bank", 2)
Coins = Integer("Coins", 0, 3)
Account = Record("Account", coins=Coins, lent=Coins)


def moving(body: Callable[[Any, Any, Any], None]) -> type[Protocol]:
    class Moving(Protocol):
        coins = Variable(MapSort(Bank, Coins))
        accounts = Variable(MapSort(Bank, Account))
        turns = Variable(MapSort(Coins, Coins))
        known = Variable(MapSort(Bank, SetSort(Bank)))
        open = Variable(SetSort(Bank))
        richest = Variable(Bank)

        @action(x=Bank)
        def Init(self, s: Step, x: Any) -> None:
            account = record(Account, coins=0, lent=0)
            s.coins = mapping(Bank, lambda one: 0, Coins)
            s.accounts = mapping(Bank, lambda one: account, Account)
            s.turns = mapping(Coins, lambda one: 0, Coins)
            s.known = mapping(Bank, lambda one: empty(SetSort(Bank)), SetSort(Bank))
            s.open = empty(SetSort(Bank))
            s.richest = x

        @action(x=Bank, y=Bank)
        def Move(self, s: Step, x: Any, y: Any) -> None:
            body(s, x, y)

        @action(k=Coins)
        def Turn(self, s: Step, k: Any) -> None:
            # A neighbour is never the same.
            s.turns[k] -= 1
            s.turns[k + 1] += 1

        Next = one_of(Move, Turn)

    return Moving


def moved(s: Any, x: Any, y: Any) -> None:
    s.require(s.coins[x] > 0)
    s.coins[x] -= 1
    s.coins[y] += 1


def moved_the_other_way(s: Any, x: Any, y: Any) -> None:
    s.require(s.coins[x] > 0)
    s.coins[y] = s.coins[y] + 1
    s.coins[x] = s.coins[x] - 1


def moved_in_a_case(s: Any, x: Any, y: Any) -> None:
    with s.either():
        s.coins[x] -= 1
        s.coins[y] += 1
    with s.either():
        s.require(x != y)


def moved_from_one_of_the_state(s: Any, x: Any, y: Any) -> None:
    s.require(member(x, s.open))
    s.coins[s.richest] -= 1
    s.coins[y] += 1


def moved_within_records(s: Any, x: Any, y: Any) -> None:
    s.accounts[x].coins -= 1
    s.accounts[y].coins += 1


def moved_between_what_is_open(s: Any, x: Any, y: Any) -> None:
    s.require(member(x, s.open) & member(y, s.open))
    s.coins[x] -= 1
    s.coins[y] += 1


@pytest.mark.parametrize(
    "body",
    [
        moved,
        moved_the_other_way,
        moved_in_a_case,
        moved_from_one_of_the_state,
        moved_within_records,
        moved_between_what_is_open,
    ],
)
def test_a_part_that_may_be_the_one_before_is_not_counted_on(
    body: Callable[[Any, Any, Any], None],
) -> None:
    with pytest.raises(AssignedTwice, match=r"the earlier one would be lost. Write s\.require\("):
        model_of(moving(body))


def told_apart(s: Any, x: Any, y: Any) -> None:
    s.require((s.coins[x] > 0) & (y != x))
    s.coins[x] -= 1
    s.coins[y] += 1


def told_apart_by_other_guards(s: Any, x: Any, y: Any) -> None:
    s.require(member(x, s.open), ~member(y, s.open))
    s.coins[x] -= 1
    s.coins[y] += 1


def said_for_both(s: Any, x: Any, y: Any) -> None:
    s.coins[x] -= 1
    s.coins[y] = ite(x == y, s.coins[y], s.coins[y] + 1)


def in_two_cases(s: Any, x: Any, y: Any) -> None:
    with s.either():
        s.coins[x] -= 1
    with s.either():
        s.coins[y] += 1


def exchanged(s: Any, x: Any, y: Any) -> None:
    s.coins[x] = s.coins[y]
    s.coins[y] = s.coins[x]


def the_same_for_both(s: Any, x: Any, y: Any) -> None:
    s.known[x] |= s.known[y]
    s.known[y] |= s.known[x]


def different_fields(s: Any, x: Any, y: Any) -> None:
    s.accounts[x].lent += 1
    s.accounts[y].coins += 1


@pytest.mark.parametrize(
    "body",
    [
        told_apart,
        told_apart_by_other_guards,
        said_for_both,
        in_two_cases,
        exchanged,
        the_same_for_both,
        different_fields,
    ],
)
def test_parts_that_are_not_the_same_or_lose_nothing_are_counted_on(
    body: Callable[[Any, Any, Any], None],
) -> None:
    assert model_of(moving(body)).actions[0].branches
