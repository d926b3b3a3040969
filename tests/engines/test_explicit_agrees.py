"""An exploration finds what a plain breadth-first search by the interpreter finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import compress

import numpy as np
import pytest
from bmc.encodings.kafka import KafkaTruncateToHighWatermark, Kip101, Kip320
from bmc.encodings.replicated_log import ReplicatedLogRetention
from hypothesis import given, reject

from bmc.engines import explicit
from bmc.engines.explicit import Exploration, NoInitialState, explore
from bmc.engines.packed import paths
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.starts import initial_rows
from bmc.engines.packed.successors import BlockSteps, Expansion
from bmc.engines.task import Task
from bmc.evidence.replay import replay
from bmc.lang import BoundTooSmall, Protocol, Suite
from bmc.lang.describe import model_of
from bmc.lang.model import Model
from bmc.layout.domain import Domains
from bmc.readings.value import ConcreteState, Interpreter
from bmc.system.transition import TransitionSystem
from tests.engines.explorable import Heights
from tests.engines.roaming import Post, Wide
from tests.strategies import effort
from tests.strategies.protocols import Drawn, protocols


@dataclass(frozen=True)
class Reference:
    """What the interpreter finds; it stops at the level in which a state leaves the bounds."""

    levels: tuple[int, ...]
    fired: Mapping[str, int]
    beyond_bounds: bool


def reference(interpreter: Interpreter, initial: Iterable[ConcreteState], most: int) -> Reference:
    """Search until a level is empty or leaves the bounds, or ``most`` states are passed."""
    known: set[object] = set()
    fired: Counter[str] = Counter()
    levels: list[int] = []
    level = _distinct(initial, known)
    while level:
        levels.append(len(level))
        if sum(levels) > most:
            break
        try:
            steps = [step for state in level for step in interpreter.successors(state)]
        except BoundTooSmall:
            return Reference(tuple(levels), fired, True)
        fired.update(step.action for step in steps)
        level = _distinct((step.state for step in steps), known)
    return Reference(tuple(levels), fired, False)


def _distinct(states: Iterable[ConcreteState], known: set[object]) -> list[ConcreteState]:
    found = []
    for state in states:
        key = _key(state)
        if key not in known:
            known.add(key)
            found.append(state)
    return found


def _key(state: ConcreteState) -> object:
    return tuple(sorted(state.items()))


def agrees(found: Exploration, expected: Reference) -> None:
    assert found.levels == expected.levels
    assert (found.overflow is not None) == expected.beyond_bounds
    assert {a: n for a, n in found.fired.items() if n} == expected.fired
    assert found.generated_states == sum(expected.fired.values())
    if found.overflow is not None:
        assert len(found.overflow) == len(found.levels)


SYSTEMS: list[tuple[type[Protocol], dict[str, int]]] = [
    (Post, {"clients": 1}),
    (Post, {"clients": 2}),
    (Wide, {}),
    (Kip320, {"replicas": 2, "max_leader_epoch": 1}),
    (Kip101, {"replicas": 2, "max_leader_epoch": 1}),
    (KafkaTruncateToHighWatermark, {"replicas": 2, "max_records": 1, "max_leader_epoch": 1}),
    (ReplicatedLogRetention, {"replicas": 2, "log_size": 2, "log_records": 2}),
]


@pytest.mark.parametrize(("protocol", "given"), SYSTEMS, ids=lambda x: getattr(x, "__name__", ""))
def test_known_protocols_agree(protocol: type[Protocol], given: dict[str, int]) -> None:
    task = Task(Suite.of(protocol, protocol.__name__), given, ())
    interpreter = Interpreter(model_of(protocol), Domains(task.parameters))
    found = explore(task, max_states=1500)
    expected = reference(interpreter, interpreter.initial_states(), 1500)
    assert len(expected.levels) > 4
    agrees(found, expected)


class Prepared(Suite):
    """A suite of a model that exists already."""

    prepared: Model

    def model(self, ghosts: bool) -> Model:
        return self.prepared


def task_of(drawn: Drawn) -> Task:
    """Explore a random protocol."""
    parameters = {p.name: p for p in drawn.model.parameters}
    suite = Prepared("random", type("Random", (Protocol,), parameters), "", ())
    object.__setattr__(suite, "prepared", drawn.model)
    return Task(suite, drawn.world.parameters, ())


@effort(100)
@given(protocols())
def test_random_protocols_agree(drawn: Drawn) -> None:
    interpreter = Interpreter(drawn.model, drawn.world.domains)
    try:
        expected = reference(interpreter, interpreter.initial_states(), 60)
    except BoundTooSmall:
        with pytest.raises(BoundTooSmall):
            explore(task_of(drawn))
        return
    if not expected.levels:
        with pytest.raises(NoInitialState):
            explore(task_of(drawn))
        return
    agrees(explore(task_of(drawn), max_states=60), expected)


@effort(100)
@given(protocols())
def test_random_protocols_agree_from_any_state(drawn: Drawn) -> None:
    """Few random protocols get far from where they start, so others start anywhere."""
    interpreter = Interpreter(drawn.model, drawn.world.domains)
    try:
        starts = [state for state in drawn.states if interpreter.inside(state)]
        list(interpreter.initial_states())
    except BoundTooSmall:
        reject()

    def started(
        system: TransitionSystem, packing: Packing, _: Formulas, pause: Callable[[], None]
    ) -> Rows:
        return packing.pack([system.encode(state) for state in starts])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explicit, "initial_rows", started)
        patch.setattr(paths, "replay", partial(replay, from_initial=False))
        found = explore(task_of(drawn), max_states=60)
    agrees(found, reference(interpreter, starts, 60))


@effort(100)
@given(protocols())
def test_initial_states_are_in_the_interpreter_s_order(drawn: Drawn) -> None:
    try:
        same_starts(drawn.model, drawn.world.parameters)
    except (BoundTooSmall, NoInitialState):
        reject()


def test_a_guard_of_few_arguments_is_read_before_the_others_are_chosen() -> None:
    """Init has 453,962 ways to be chosen, and 3 choices are left by its first guard."""
    system = same_starts(model_of(Heights), {})
    assert "starts" not in vars(system)


def same_starts(model: Model, parameters: Mapping[str, int]) -> TransitionSystem:
    """Compare the initial states with the interpreter's, and return what was asked for them."""
    system = TransitionSystem(model, parameters)
    packing = Packing(system.leaves)
    rows = initial_rows(system, packing, Formulas(packing, [system.constraint]))
    found = [_key(system.decode(packing.numbers(row))) for row in rows]
    expected = map(_key, Interpreter(model, Domains(parameters)).initial_states())
    assert list(dict.fromkeys(found)) == list(dict.fromkeys(expected))
    return system


@effort(60)
@given(protocols())
def test_the_steps_of_a_block_are_those_of_its_states(drawn: Drawn) -> None:
    interpreter = Interpreter(drawn.model, drawn.world.domains)
    try:
        system = TransitionSystem(drawn.model, drawn.world.parameters)
        expected = Counter(
            (lane, _key(step.state))
            for lane, state in enumerate(drawn.states)
            for step in interpreter.successors(state)
        )
    except BoundTooSmall:
        reject()
    packing = Packing(system.leaves)
    rows = packing.pack([system.encode(state) for state in drawn.states])
    steps = Expansion(system, packing).steps(rows)
    assert isinstance(steps, BlockSteps)
    after = [system.decode(packing.numbers(row)) for row in steps.rows]
    inside = [interpreter.inside(state) for state in after]
    lanes = [int(lane) for lane in steps.lanes]
    found = zip(lanes, map(_key, after), strict=True)
    assert Counter(compress(found, inside)) == expected
    kept = steps.where(np.array(inside, np.bool_))
    assert [int(rule) for rule in kept.rules] == list(compress(steps.rules, inside))
