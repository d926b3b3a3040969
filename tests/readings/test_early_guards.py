"""Guards that are read before all arguments are chosen leave out no step and no leaving of bounds.

Two systems are compared: one that reads them early, as where there are many choices, and one that
chooses everything first.
"""

from __future__ import annotations

from random import Random

import pytest

from bmc.evidence.interchange import Interchange
from bmc.lang import (
    Expr,
    Integer,
    MapSort,
    OptionSort,
    Parameter,
    Protocol,
    Scalarset,
    SetSort,
    Step,
    Variable,
    action,
    empty,
    exists,
    implies,
    insert,
    mapping,
    member,
    one_of,
    remove,
    size,
    the,
)
from bmc.lang.describe import model_of
from bmc.readings.circuit import evaluate
from bmc.system import choices
from bmc.system.transition import TransitionSystem


class Seats(Protocol):
    """A guest who has called takes a pair of seats; who is next may not be known."""

    last = Parameter("last", 3, 1, 200, "the last guest")
    Guest = Integer("Guest", 0, last)
    Seat = Integer("Seat", 0, 3)
    called = Variable(SetSort(Guest))
    following = Variable(OptionSort(Guest))
    taken = Variable(SetSort(Seat))

    @action()
    def Init(self, s: Step) -> None:
        s.called = empty(SetSort(self.Guest))
        s.following = None
        s.taken = empty(SetSort(self.Seat))

    @action(g=Guest)
    def Call(self, s: Step, g: Expr) -> None:
        s.called = insert(s.called, g)

    @action(g=called, pair=SetSort(Seat))
    def Sit(self, s: Step, g: Expr, pair: Expr) -> None:
        s.require(g == the(s.following), size(pair) == 2, member(0, pair))
        s.require(implies(exists(s.taken, lambda t: t == 1), member(1, pair)))
        s.called = remove(s.called, g)
        s.taken = pair

    @action(g=Guest, pair=SetSort(Seat), other=SetSort(Seat))
    def Swap(self, s: Step, g: Expr, pair: Expr, other: Expr) -> None:
        s.require(g == 1, size(pair) == 2, g == the(s.following), size(other) == 5)
        s.taken = other

    @action(pair=SetSort(Seat), g=Guest)
    def Follow(self, s: Step, pair: Expr, g: Expr) -> None:
        s.require(size(pair) == 1, ~member(g, s.called), g + 1 == size(pair))
        s.following = g
        s.taken = pair

    Next = one_of(Call, Sit, Swap, Follow)


class Hosts(Protocol):
    """Hosts that nothing tells apart take pairs of seats once it is known how many are free."""

    Host = Scalarset("Host", 3)
    Seat = Integer("Seat", 0, 3)
    free = Variable(OptionSort(Seat))
    taken = Variable(MapSort(Host, SetSort(Seat)))

    @action()
    def Init(self, s: Step) -> None:
        s.free = None
        s.taken = mapping(self.Host, lambda h: empty(SetSort(self.Seat)), SetSort(self.Seat))

    @action(h=Host, pair=SetSort(Seat))
    def Take(self, s: Step, h: Expr, pair: Expr) -> None:
        s.require(the(s.free) > 0, size(pair) == 2)
        s.taken[h] = pair

    @action(pair=SetSort(Seat), h=Host)
    def Never(self, s: Step, pair: Expr, h: Expr) -> None:
        s.require(the(s.free) > 7, size(pair) == 2)
        s.taken[h] = pair

    @action(hosts=SetSort(Host), pair=SetSort(Seat))
    def NeverTogether(self, s: Step, hosts: Expr, pair: Expr) -> None:
        s.require(the(s.free) > 7, size(hosts) == 2, size(pair) == 2)
        s.free = 1

    Next = one_of(Take, Never, NeverTogether)


def _steps(system: TransitionSystem, state: list[int]) -> tuple[set[object], set[str]]:
    """Return the steps out of a state, and the actions that leave the bounds there."""
    found: set[object] = set()
    beyond: set[str] = set()
    for rule in system.rules:
        updates = [
            rule.updates.get(leaf.index, system.leaf_node(leaf.index)) for leaf in system.leaves
        ]
        guard, overflow, *after = evaluate([rule.guard, rule.overflow, *updates], state)
        if overflow:
            beyond.add(rule.action)
        elif guard:
            found.add((rule.action, tuple(sorted(map(str, rule.arguments.items()))), tuple(after)))
    return found, beyond


def test_steps_and_bounds_are_those_of_all_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(Seats)
    monkeypatch.setattr(choices, "_MANY", 10**9)
    late = TransitionSystem(model, {"last": 3})
    monkeypatch.setattr(choices, "_MANY", 0)
    early = TransitionSystem(model, {"last": 3})
    chance = Random(1)
    drawn = [[chance.randint(f.low, f.high) for f in late.leaves] for _ in range(400)]
    states = [s for s in drawn if evaluate([late.well_formed], s)[0]]
    compared = [(_steps(late, state), _steps(early, state)) for state in states]
    assert all(one == other for one, other in compared)
    met = {name for (_, beyond), _ in compared for name in beyond}
    assert met == {"Sit", "Swap"}
    taken = {step[0] for (found, _), _ in compared for step in found}  # type: ignore[index]
    assert taken == {"Call", "Sit", "Follow"}
    assert len(early.rules) < len(late.rules)


def test_a_choice_that_is_never_made_costs_nothing_for_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 64 guests and 16 x 16 sets of seats, those that make no rule are not asked one by one."""
    asked: list[int] = []
    plain = TransitionSystem._guard

    def counted(self: TransitionSystem, *given: object) -> object:
        asked.append(1)
        return plain(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(TransitionSystem, "_guard", counted)
    TransitionSystem(model_of(Seats), {"last": 63})
    assert len(asked) < 64 * 16


def test_rules_of_members_that_can_be_interchanged_have_counterparts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choices, "_MANY", 0)
    system = TransitionSystem(model_of(Hosts), {})
    never = [rule for rule in system.rules if rule.action.startswith("Never")]
    assert {rule.action for rule in never} == {"Never", "NeverTogether"}
    Interchange(system, [])  # Raises NoCounterpart where a rule has no image.
