"""Breaking symmetry loses no state: of each state after n steps some renaming is still found."""

from __future__ import annotations

import pytest
from bmc.encodings.kafka import KafkaTruncateToHighWatermark, Kip101, Kip320
from bmc.encodings.replicated_log import ReplicatedLogRetention
from bmc.properties.kafka import KAFKA_KIP101, KAFKA_TRUNCATE_TO_HW
from hypothesis import given, reject

from bmc.engines import bounded
from bmc.engines.bounded import check
from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.evidence.verdict import Verdict
from bmc.lang import BoundTooSmall, Protocol, Suite
from bmc.lang.describe import model_of
from bmc.layout.renaming import Naming
from bmc.readings.circuit import Node
from bmc.readings.value import ConcreteState, Interpreter
from bmc.solving.factory import create
from bmc.solving.interface import Answer
from bmc.system.precedence import Precedence
from bmc.system.renaming import namings
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Unrolling
from tests.engines.roaming import Post
from tests.semantics.test_steps_agree import system_of
from tests.strategies import effort, rename
from tests.strategies.protocols import Drawn, protocols

State = frozenset[tuple[str, object]]


def images(system: TransitionSystem, group: list[Naming], state: ConcreteState) -> set[State]:
    """All renamings of a state."""
    sorts = system.model.variables
    return {
        frozenset((n, rename(system.domains, sorts[n], v, dict(names))) for n, v in state.items())
        for names in group
    }


def by_the_interpreter(system: TransitionSystem, steps: int, most: int) -> list[set[State]]:
    """The states after exactly so many steps; BoundTooSmall where they leave the bounds."""
    interpreter = Interpreter(system.model, system.domains)
    level = {frozenset(s.items()) for s in interpreter.initial_states() if interpreter.inside(s)}
    found = [level]
    for _ in range(steps):
        after = {
            frozenset(step.state.items())
            for state in level
            for step in interpreter.successors(dict(state))
            if interpreter.inside(step.state)
        }
        if not after or len(after) > most:
            break
        found.append(after)
        level = after
    return found


def orbits_found(system: TransitionSystem, group: list[Naming], depth: int) -> set[State]:
    """What the solver finds after so many steps whose choices come in order, and all renamings."""
    solver = create("cadical")
    unrolling = Unrolling(system, solver)
    precedence = Precedence(unrolling)
    unrolling.start()
    for k in range(depth):
        unrolling.step(k)
        solver.add(unrolling.at(system.within_bounds, k))
        precedence.step(k)
    c = system.circuit
    found: set[State] = set()
    while solver.check() is Answer.SAT:
        state = unrolling.state(depth)
        for image in images(system, group, state):
            found.add(image)
            numbers = system.encode(dict(image))
            same = c.all(_is(system, leaf, number) for leaf, number in enumerate(numbers))
            solver.add(solver.negation(unrolling.at(same, depth)))
    return found


def _is(system: TransitionSystem, leaf: int, number: int) -> Node:
    c, node = system.circuit, system.leaf_node(leaf)
    if system.leaves[leaf].boolean:
        return node if number else c.not_(node)
    return c.eq(node, c.number(number))


def require_all_found(system: TransitionSystem, steps: int, most: int) -> int:
    """The number of states compared, of the deepest level."""
    group = namings(system)
    levels = by_the_interpreter(system, steps, most)
    for depth, expected in enumerate(levels):
        assert orbits_found(system, group, depth) == expected
    return len(levels[-1])


SYSTEMS: list[tuple[type[Protocol], dict[str, int], int]] = [
    (Post, {"clients": 2}, 3),
    (Kip320, {"replicas": 3, "max_leader_epoch": 1}, 3),
    (Kip101, {"replicas": 4, "max_leader_epoch": 1}, 3),
    (KafkaTruncateToHighWatermark, {"replicas": 3, "max_records": 1, "max_leader_epoch": 1}, 4),
    (ReplicatedLogRetention, {"replicas": 3, "log_size": 2, "log_records": 2}, 4),
]


@pytest.mark.parametrize(
    ("protocol", "given", "steps"), SYSTEMS, ids=lambda x: getattr(x, "__name__", "")
)
def test_known_protocols_lose_nothing(
    protocol: type[Protocol], given: dict[str, int], steps: int
) -> None:
    values = Task(Suite.of(protocol, protocol.__name__), given, ()).parameters
    system = TransitionSystem(model_of(protocol), values)
    assert require_all_found(system, steps, 2000) > 5


@effort(60)
@given(protocols())
def test_random_protocols_lose_nothing(drawn: Drawn) -> None:
    system = system_of(drawn)
    if system is None or not 1 < len(namings(system)) <= 48:
        return
    try:
        require_all_found(system, 3, 100)
    except BoundTooSmall:
        reject()


@pytest.mark.parametrize("patience", [-1.0, bounded.PATIENCE], ids=["lemmas", "no lemmas"])
@pytest.mark.parametrize(
    ("suite", "given", "name"),
    [
        (KAFKA_TRUNCATE_TO_HW, {"replicas": 2}, "WeakIsr"),
        (KAFKA_TRUNCATE_TO_HW, {"replicas": 2}, "StrongIsr"),
        (KAFKA_KIP101, {"replicas": 2}, "WeakIsr"),
    ],
    ids=["truncate-weak", "truncate-strong", "kip101-weak"],
)
@pytest.mark.nightly
def test_the_shortest_trace_stays_the_shortest(
    suite: Suite,
    given: dict[str, int],
    name: str,
    patience: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded, "PATIENCE", patience)
    (searched,) = check(Task(suite, given, (name,), depth=12))
    trace = explore(Task(suite, given, (name,))).violations[name]
    assert searched.verdict is Verdict.VIOLATED
    assert searched.trace is not None
    assert len(searched.trace) == len(trace)
