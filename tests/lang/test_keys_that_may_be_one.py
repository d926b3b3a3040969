"""A part that is counted on for itself is not lost where its key may be the one before it."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest

from bmc.lang import (
    BOOL,
    EnumSort,
    Integer,
    MapSort,
    OptionSort,
    Protocol,
    Record,
    Scalarset,
    Sequence,
    SetSort,
    Step,
    Variable,
    action,
    append,
    coerce,
    conj,
    empty,
    insert,
    is_some,
    ite,
    mapping,
    maximum,
    member,
    one_of,
    record,
    remove,
    some,
    the,
)
from bmc.lang.describe import model_of
from bmc.lang.errors import AssignedTwice

Bank = Scalarset("Bank", 2)
Coins = Integer("Coins", 0, 3)
Side = EnumSort("Side", ("left", "right"))
Account = Record("Account", coins=Coins, lent=Coins)
Pay = Record("Pay", payer=Bank, payee=Bank, much=Coins)


def moving(body: Callable[..., None]) -> type[Protocol]:
    _, *names = signature(body).parameters

    class Moving(Protocol):
        coins = Variable(MapSort(Bank, Coins))
        accounts = Variable(MapSort(Bank, Account))
        between = Variable(MapSort(Bank, MapSort(Bank, Coins)))
        queue = Variable(MapSort(Bank, Sequence(Coins, 3)))
        open = Variable(MapSort(Bank, BOOL))
        known = Variable(MapSort(Bank, SetSort(Bank)))
        asked = Variable(SetSort(Pay))
        members = Variable(SetSort(Bank))
        first = Variable(Bank)
        second = Variable(Bank)
        owner = Variable(OptionSort(Bank))
        heir = Variable(MapSort(Bank, Bank))
        sides = Variable(MapSort(Side, Coins))
        turns = Variable(MapSort(Coins, Coins))
        turn = Variable(Coins)

        @action(x=Bank)
        def Init(self, s: Step, x: Any) -> None:
            row = mapping(Bank, lambda one: 0, Coins)
            s.coins = row
            account = record(Account, coins=0, lent=0)
            s.accounts = mapping(Bank, lambda one: account, Account)
            s.between = mapping(Bank, lambda one: row, MapSort(Bank, Coins))
            s.queue = mapping(Bank, lambda one: (), Sequence(Coins, 3))
            s.open = mapping(Bank, lambda one: False, BOOL)
            s.known = mapping(Bank, lambda one: empty(SetSort(Bank)), SetSort(Bank))
            s.asked = empty(SetSort(Pay))
            s.members = empty(SetSort(Bank))
            s.first = x
            s.second = x
            s.owner = None
            s.heir = mapping(Bank, lambda one: one, Bank)
            s.sides = mapping(Side, lambda one: 0, Coins)
            s.turns = mapping(Coins, lambda one: 0, Coins)
            s.turn = 0

        @action(x=Bank, y=Bank, z=Bank, side=Side, m=asked, member_=members)
        def Move(self, s: Step, x: Any, y: Any, z: Any, side: Any, m: Any, member_: Any) -> None:
            given = {"x": x, "y": y, "z": z, "side": side, "m": m, "one": member_}
            body(s, *(given[name] for name in names))

        Next = one_of(Move)

    return Moving


def both_counted_up(s: Any, x: Any, y: Any) -> None:
    s.coins[x] += 1
    s.coins[y] += 1


def under_a_name(s: Any, x: Any, y: Any) -> None:
    coins = s.coins
    coins[x] -= 1
    coins[y] += 1


def both_longer(s: Any, x: Any, y: Any) -> None:
    s.queue[x] = append(s.queue[x], 1)
    s.queue[y] = append(s.queue[y], 1)


def both_turned(s: Any, x: Any, y: Any) -> None:
    s.open[x] = ~s.open[x]
    s.open[y] = ~s.open[y]


def of_a_loop(s: Any, x: Any, y: Any) -> None:
    for one in (x, y):
        s.coins[one] += 1


def keys_of_a_message(s: Any, m: Any) -> None:
    s.require(m.much > 0)
    s.coins[m.payer] -= m.much
    s.coins[m.payee] += m.much


def keys_of_the_state(s: Any) -> None:
    s.coins[s.first] -= 1
    s.coins[s.second] += 1


def keys_of_an_option(s: Any, x: Any) -> None:
    s.require(is_some(s.owner))
    s.coins[the(s.owner)] -= 1
    s.coins[x] += 1


def a_key_that_leads_to_another(s: Any, x: Any) -> None:
    s.coins[x] -= 1
    s.coins[s.heir[x]] += 1


def a_constant_and_a_key_of_the_state(s: Any) -> None:
    s.turns[0] += 1
    s.turns[s.turn] += 1


def two_keys_each(s: Any, x: Any, y: Any) -> None:
    s.between[x][y] += 1
    s.between[y][x] += 1


def a_part_and_then_the_record(s: Any, x: Any, y: Any) -> None:
    s.accounts[x].coins -= 1
    s.accounts[y] = record(Account, coins=s.accounts[y].coins + 1, lent=0)


def a_record_and_then_a_part(s: Any, x: Any, y: Any) -> None:
    s.accounts[x] = record(Account, coins=s.accounts[x].coins - 1, lent=0)
    s.accounts[y].coins += 1


def guards_that_leave_them_equal(s: Any, x: Any, y: Any) -> None:
    s.require(s.coins[x] > 0, s.coins[y] < 3, s.open[x])
    s.coins[x] -= 1
    s.coins[y] += 1


def the_outer_two_of_three(s: Any, x: Any, y: Any, z: Any) -> None:
    s.require(x != y, y != z)
    s.coins[x] -= 1
    s.coins[y] -= 1
    s.coins[z] += 1


@pytest.mark.parametrize(
    "body",
    [
        both_counted_up,
        under_a_name,
        both_longer,
        both_turned,
        of_a_loop,
        keys_of_a_message,
        keys_of_the_state,
        keys_of_an_option,
        a_key_that_leads_to_another,
        a_constant_and_a_key_of_the_state,
        two_keys_each,
        a_part_and_then_the_record,
        a_record_and_then_a_part,
        guards_that_leave_them_equal,
        the_outer_two_of_three,
    ],
)
def test_what_would_be_lost_where_keys_are_one_is_refused(body: Callable[..., None]) -> None:
    with pytest.raises(AssignedTwice, match=r"the earlier one would be lost. Write s\.require\("):
        model_of(moving(body))


def told_apart(s: Any, m: Any) -> None:
    s.require(m.payer != m.payee)
    s.coins[m.payer] -= m.much
    s.coins[m.payee] += m.much


def told_apart_under_names(s: Any, x: Any, y: Any) -> None:
    coins, row = s.coins, s.between[x]
    s.require(x != y)
    coins[x] = 0
    coins[y] += 1
    row[y] = 1


def told_apart_in_the_state(s: Any) -> None:
    s.require(conj(s.open[s.first], s.second != s.first))
    s.coins[s.first] -= 1
    s.coins[s.second] += 1


def told_apart_by_one_of_two_keys(s: Any, x: Any, y: Any) -> None:
    s.require(x != y)
    s.between[x][y] += 1
    s.between[y][x] += 1


def told_from_the_value_of_an_option(s: Any, x: Any) -> None:
    s.require(is_some(s.owner), s.owner != some(x))
    s.coins[the(s.owner)] -= 1
    s.coins[x] += 1


def told_apart_by_what_the_guards_allow(s: Any, x: Any, y: Any) -> None:
    s.require(s.coins[x] > 1, s.coins[y] < 2)
    s.coins[x] -= 1
    s.coins[y] += 1


def not_among_the_others(s: Any, x: Any, y: Any) -> None:
    s.require(member(y, remove(s.known[x], x)))
    s.coins[x] -= 1
    s.coins[y] += 1


def no_member(s: Any, one: Any, y: Any) -> None:
    s.require(~member(y, s.members))
    s.coins[one] -= 1
    s.coins[y] += 1


def related_by_a_guard(s: Any, x: Any, y: Any) -> None:
    # What is known of others is not known here: who wrote this has thought of both.
    s.require(member(y, s.known[x]))
    s.coins[x] -= 1
    s.coins[y] += 1


def the_other_side(s: Any, side: Any) -> None:
    other = ite(side == "left", coerce("right", Side), coerce("left", Side))
    s.sides[side] -= 1
    s.sides[other] += 1


def neighbours(s: Any) -> None:
    s.turns[s.turn] -= 1
    s.turns[(s.turn + 1) % 4] += 1


def each_constant(s: Any) -> None:
    for side in ("left", "right"):
        s.sides[side] += 1


def what_counts_the_first_in(s: Any, x: Any, y: Any) -> None:
    s.coins[x] += 1
    s.coins[y] = maximum(s.coins[y], s.coins[x] + 1)


def twice_is_once(s: Any, x: Any, y: Any, z: Any) -> None:
    s.known[x] = insert(s.known[x], z)
    s.known[y] = insert(s.known[y], z)


@pytest.mark.parametrize(
    "body",
    [
        told_apart,
        told_apart_under_names,
        told_apart_in_the_state,
        told_apart_by_one_of_two_keys,
        told_from_the_value_of_an_option,
        told_apart_by_what_the_guards_allow,
        not_among_the_others,
        no_member,
        related_by_a_guard,
        the_other_side,
        neighbours,
        each_constant,
        what_counts_the_first_in,
        twice_is_once,
    ],
)
def test_what_loses_nothing_is_read(body: Callable[..., None]) -> None:
    assert model_of(moving(body)).actions[0].branches
