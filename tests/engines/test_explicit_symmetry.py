"""With symmetry an exploration counts what it counts without, and shows only real traces."""

from __future__ import annotations

import numpy as np
import pytest
from bmc.encodings.kafka import KafkaTruncateToHighWatermark, Kip101, Kip320
from bmc.encodings.replicated_log import ReplicatedLogRetention
from bmc.properties.kafka_transactions import KAFKA_TRANSACTIONS
from hypothesis import given, reject
from hypothesis import strategies as st

from bmc.engines.explicit import Exploration, NoInitialState, explore
from bmc.engines.packed.packing import Packing
from bmc.engines.packed.quotient import Quotient
from bmc.engines.task import OptionError, Task
from bmc.lang import (
    BOOL,
    BoundTooSmall,
    Expr,
    Integer,
    MapSort,
    Parameter,
    Protocol,
    Scalarset,
    State,
    Step,
    Suite,
    Term,
    Variable,
    action,
    forall,
    invariant,
    mapping,
    step_invariant,
)
from bmc.lang.build import argument
from bmc.lang.model import Source
from bmc.lang.properties import Kind, Property
from bmc.lang.terms import make
from bmc.readings.circuit import evaluate
from bmc.system.renaming import NotSymmetric, Renaming, namings, require_symmetric
from bmc.system.transition import TransitionSystem
from tests.engines.roaming import Post, Wide
from tests.engines.test_explicit_agrees import task_of
from tests.semantics.test_steps_agree import system_of
from tests.strategies import effort, rename
from tests.strategies.protocols import Drawn, protocols


def both(task: Task, most: int | None = None) -> tuple[Exploration, Exploration]:
    return explore(task, max_states=most), explore(task, max_states=most, symmetry=True)


def counts_alike(one: Exploration, other: Exploration) -> None:
    assert other.levels == one.levels
    assert other.fired == one.fired
    assert (other.complete, other.distinct_states) == (one.complete, one.distinct_states)
    assert other.representatives is not None
    assert other.representatives <= one.distinct_states


@effort(80)
@given(protocols())
def test_random_protocols_are_counted_alike(drawn: Drawn) -> None:
    system = system_of(drawn)
    if system is None or len(namings(system)) > 100:
        return
    try:
        one, other = both(task_of(drawn), 300)
    except (NoInitialState, BoundTooSmall):
        reject()
    assert (one.overflow is None) == (other.overflow is None)
    if one.complete:
        counts_alike(one, other)
    elif one.overflow is not None and other.overflow is not None:
        assert len(one.overflow) == len(other.overflow)


@effort(120)
@given(protocols(), st.data())
def test_an_image_is_the_state_under_other_names(drawn: Drawn, data: st.DataObject) -> None:
    system = system_of(drawn)
    if system is None:
        return
    group = namings(system)
    naming = data.draw(st.sampled_from(group[:200]))
    image = Renaming(system).image(naming)
    sorts = system.model.variables
    for state in drawn.states:
        numbers = system.encode(state)
        moved = dict(zip(image, evaluate(list(image.values()), numbers), strict=True))
        after = system.decode([moved.get(i, n) for i, n in enumerate(numbers)])
        names = dict(naming)
        expected = {n: rename(system.domains, sorts[n], v, names) for n, v in state.items()}
        assert after == expected


SYSTEMS: list[tuple[type[Protocol], dict[str, int]]] = [
    (Post, {"clients": 2}),
    (Wide, {}),
    (Kip320, {"replicas": 3, "max_leader_epoch": 1}),
    (Kip101, {"replicas": 2, "max_leader_epoch": 1}),
    (KafkaTruncateToHighWatermark, {"replicas": 4, "max_records": 1, "max_leader_epoch": 0}),
    (ReplicatedLogRetention, {"replicas": 3, "log_size": 2, "log_records": 2}),
]


@pytest.mark.parametrize(("protocol", "given"), SYSTEMS, ids=lambda x: getattr(x, "__name__", ""))
def test_known_protocols_are_counted_alike(protocol: type[Protocol], given: dict[str, int]) -> None:
    one, other = both(Task(Suite.of(protocol, protocol.__name__), given, ()))
    assert one.complete
    counts_alike(one, other)


def test_sets_of_messages_are_counted_alike() -> None:
    one, other = both(Task(KAFKA_TRANSACTIONS, {"max_coordinator_changes": 0}, ()))
    counts_alike(one, other)
    assert other.representatives is not None
    assert 2 * other.representatives >= one.distinct_states > other.representatives


class Relay(Protocol):
    """A number wanders among holders, who each count how often they had it."""

    holders = Parameter("holders", 3, 1, 7, "number of holders")
    Holder = Scalarset("Holder", holders)
    Count = Integer("Count", 0, 2)
    had = Variable(MapSort(Holder, Count))
    at = Variable(Holder)
    moved = Variable(BOOL)

    @action(first=Holder)
    def Init(self, s: Step, first: Expr) -> None:
        s.had = mapping(self.Holder, lambda h: 0, self.Count)
        s.at = first
        s.moved = False

    @action(to=Holder)
    def Pass(self, s: Step, to: Expr) -> None:
        s.require(s.had[to] < 2)
        s.had[to] = s.had[to] + 1
        s.at = to
        s.moved = True

    Next = (Pass,)

    @invariant("nobody has it twice")
    def NobodyTwice(self, s: State) -> Term:
        return forall(self.Holder, lambda h: s.had[h] < 2)

    @invariant("not everybody has it once")
    def NotEverybody(self, s: State) -> Term:
        return ~forall(self.Holder, lambda h: s.had[h] == 1)

    @step_invariant("it never goes back to one who had it", h=Holder)
    def NeverBack(self, s: State, t: State, h: Expr) -> Term:
        return ~((s.at == h) & (t.at == h) & (s.had[h] == 1) & (t.had[h] == 2))


def relay(*properties: str, **given: int) -> Task:
    return Task(Suite.of(Relay, "relay"), given, properties)


def test_violations_are_as_short_and_replayed() -> None:
    names = ("NobodyTwice", "NotEverybody", "NeverBack")
    one, other = both(relay(*names))
    counts_alike(one, other)
    assert {n: len(t) for n, t in one.violations.items()} == {
        "NobodyTwice": 3,
        "NotEverybody": 4,
        "NeverBack": 3,
    }
    assert {n: len(t) for n, t in other.violations.items()} == {
        n: len(t) for n, t in one.violations.items()
    }


def test_too_many_renamings_are_refused() -> None:
    with pytest.raises(OptionError, match="5,040 renamings"):
        explore(relay(holders=7), symmetry=True)


def test_a_representative_is_canonical_and_its_orbit_exact() -> None:
    system = TransitionSystem(relay().model(ghosts=False), {"holders": 3})
    packing = Packing(system.leaves)
    quotient = Quotient(system, packing)
    names = sorted(system.model.variables)
    assert names == ["at", "had", "moved"]
    states = [
        {"had": had, "at": at, "moved": True}
        for had in ((0, 1, 2), (0, 0, 1), (1, 1, 1))
        for at in range(3)
    ]
    rows = packing.pack([system.encode(state) for state in states])
    assert quotient.orbits(rows).tolist() == [6, 6, 6, 6, 6, 3, 3, 3, 3]
    found = quotient.representatives(rows)
    assert len(np.unique(found, axis=0)) == 3 + 2 + 1
    assert (quotient.representatives(found) == found).all()


def test_what_singles_out_a_member_is_refused() -> None:
    model = relay().model(ghosts=False)
    chosen = argument("h", Relay.Holder)
    first = make("choose", (chosen, make("bool", (), BOOL, True)), Relay.Holder)
    at = make("variable", (), Relay.Holder, ("at", False))
    stated = Property(
        "AtFirst", Kind.INVARIANT, (), make("eq", (at, first), BOOL), "", "", Source("here", 1)
    )
    with pytest.raises(NotSymmetric, match="AtFirst tells the members of Holder apart"):
        require_symmetric(model, [stated])
    require_symmetric(model, [])
