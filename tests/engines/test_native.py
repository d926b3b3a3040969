"""Machine code finds what numpy finds: successors, truths, distinct states, counts and traces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject

from bmc.cli.shared import catalogue
from bmc.engines.explicit import ExplicitSearch, explore
from bmc.engines.native import expansion as native_expansion
from bmc.engines.native.expansion import NativeExpansion
from bmc.engines.native.formulas import NativeFormulas, formulas_program
from bmc.engines.native.search import native_inner_loops
from bmc.engines.native.table import placing_for
from bmc.engines.pace import ExplorationLimits, Pace, Stopped
from bmc.engines.packed import blocks
from bmc.engines.packed.hashing import hashes_of
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.successors import BeyondBounds, BlockSteps, Expansion
from bmc.engines.packed.table import StateTable
from bmc.engines.parted import search as parted
from bmc.engines.parted.search import explore_by_processes
from bmc.engines.samples import Explored
from bmc.engines.stated import stated_over
from bmc.engines.task import SILENT, OptionError, Task
from bmc.evidence.verdict import Result
from bmc.lang import BoundTooSmall, Integer, Step, Suite, Variable, action, ite, one_of
from bmc.lang.model import Model
from bmc.lang.properties import Kind
from bmc.readings.circuit import Circuit, Node, evaluate
from bmc.readings.native import installed, machine, operations
from bmc.readings.native.machine import NoMachineCode, machines
from bmc.running.memory import MEGABYTE, resident_bytes
from bmc.system.transition import Leaf, TransitionSystem
from tests.engines.explorable import EVERYTHING, Confined, Counter, ManyStarts, Overflowing
from tests.engines.roaming import Post, Wide
from tests.engines.test_spill import CASES, asked, tell
from tests.strategies import effort
from tests.strategies.protocols import Drawn, protocols


@pytest.fixture
def from_the_start(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], Any]:
    """Call something while every search uses machine code from its first level on, and see that."""
    asked: list[int] = []
    steps = NativeExpansion.steps

    def noted(self: NativeExpansion, block: Rows) -> BlockSteps | BeyondBounds:
        asked.append(len(block))
        return steps(self, block)

    def call(what: Callable[[], Any]) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(NativeExpansion, "steps", noted)
            patch.setattr(blocks, "MADE", -1.0)
            patch.setattr(blocks, "MADE_BY_GATE", -1.0)
            found = what()
        assert asked
        return found

    return call


def decidable(suite: Suite, model: Model, name: str) -> bool:
    """Whether an exploration can judge a property: it reads no ghosts."""
    try:
        return bool(stated_over(Task(suite, {}, (name,)), model))
    except OptionError:
        return False


WIDE = frozenset({"verified-log-repaired", "verified-log-waiting", "verified-log-repaired-waiting"})
"""Whose blocks take seconds to compile, and are mostly those of verified-log."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.nightly if name in WIDE else ())
        for name in sorted(catalogue.built_in())
    ],
)
def test_every_protocol(from_the_start: Callable[[Callable[[], Any]], Any], name: str) -> None:
    suite = catalogue.find(name)
    declared = suite.declared(Kind.INVARIANT, Kind.STEP_INVARIANT, Kind.WITNESS)
    model = suite.model(ghosts=False)
    task = Task(suite, {}, tuple(d.name for d in declared if decidable(suite, model, d.name)))
    found = from_the_start(lambda: explore(task, max_depth=4))
    assert tell(found) == tell(explore(task, max_depth=4))


@pytest.mark.parametrize(
    ("task", "symmetry"),
    [
        (asked(Counter, {}, *EVERYTHING), False),
        (asked(Confined, {}, *EVERYTHING), False),
        (asked(ManyStarts, {}, "NotThree", "NotFour"), False),
        (asked(Overflowing, {}, "NoFlag", "Small"), False),
        (asked(Wide, {}), False),
        (CASES[1], True),
        (CASES[2], False),
        (CASES[2], True),
    ],
    ids=str.split("counter confined many-starts overflowing wide dead-end kip101 kip101-symmetry"),
)
def test_whole_searches(
    from_the_start: Callable[[Callable[[], Any]], Any], task: Task, symmetry: bool
) -> None:
    expected = explore(task, symmetry=symmetry)
    found = from_the_start(lambda: explore(task, symmetry=symmetry))
    assert tell(found) == tell(expected)
    assert found.overflow == expected.overflow


class NeverTooWide(Wide):
    """A step that is never enabled needs a sum of more than 64 bits."""

    Most = Integer("Huge", 0, 2**63 - 1)
    most = Variable(Most)

    @action()
    def Init(self, s: Step) -> None:
        s.byte = -200
        s.word = 300
        s.long = -70_000
        s.huge = 0
        s.most = 0

    @action()
    def Never(self, s: Step) -> None:
        s.require(s.word == 1)
        s.most = ite(s.most + s.most + s.most <= s.huge, s.most, s.huge)

    Next = one_of(Wide.Up, Wide.Down, Never)


def test_what_no_state_enables_may_be_too_wide_for_machine_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = explore(asked(NeverTooWide, {}))
    monkeypatch.setattr(blocks, "MADE", -1.0)
    monkeypatch.setattr(blocks, "MADE_BY_GATE", -1.0)
    assert tell(explore(asked(NeverTooWide, {}))) == tell(expected)


def test_several_processes(
    from_the_start: Callable[[Callable[[], Any]], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parted, "FROM", 50)
    monkeypatch.setattr(parted, "LEVEL", 1)
    found = from_the_start(lambda: explore_by_processes(CASES[2], processes=2))
    assert tell(found) == tell(explore(CASES[2]))


@pytest.mark.parametrize("task", [asked(Confined, {}), CASES[2]], ids=["confined", "kip101"])
def test_sampled_states(from_the_start: Callable[[Callable[[], Any]], Any], task: Task) -> None:
    system = TransitionSystem(task.suite.model(ghosts=False), task.parameters)
    every = Explored(system, 0)
    every.explore_all(10**6, 60.0, SILENT)
    numpy = {row.tobytes() for row in every.rows(0)}

    def all_and_some() -> tuple[Explored, Explored]:
        again, some = Explored(system, 0), Explored(system, 1)
        again.explore_all(10**6, 60.0, SILENT)
        some.explore(max(1, len(every) // 8), 30.0, SILENT)
        before = len(some)
        some.beyond(range(before))
        return again, some

    again, some = from_the_start(all_and_some)
    assert again.complete
    assert {row.tobytes() for row in again.rows(0)} == numpy
    assert 0 < len(some) <= len(every)
    assert {row.tobytes() for row in some.rows(0)} <= numpy


def test_walks_take_each_step_sooner_or_later() -> None:
    """Of each state that has successors one is chosen, and each of them sooner or later."""
    system = TransitionSystem(CASES[2].suite.model(ghosts=False), CASES[2].parameters)
    explored = Explored(system, 0)
    explored.explore_all(400, 60.0, SILENT)
    rows = explored.sample(30)
    steps = Expansion(system, explored.packing).steps(rows)
    assert isinstance(steps, BlockSteps)
    after = {(int(lane), row.tobytes()) for lane, row in zip(steps.lanes, steps.rows, strict=True)}
    lanes = sorted({lane for lane, _ in after})
    met: set[tuple[int, bytes]] = set()
    for _ in range(400):
        chosen = explored._onward(rows)
        met |= set(zip(lanes, (row.tobytes() for row in chosen), strict=True))
    assert met == after


def in_order(steps: BlockSteps) -> list[list[int]]:
    """Steps by lane and rule: which comes first is not said."""
    columns = [steps.lanes.astype(np.uint64), steps.rules.astype(np.uint64), *steps.rows.T]
    return sorted(np.column_stack(columns).tolist())


def agree(system: TransitionSystem, rows: Rows) -> None:
    packing = Packing(system.leaves)
    numpy = Expansion(system, packing)
    expected = numpy.steps(rows)
    found = native_inner_loops(system, packing, numpy, []).steps(rows)
    if isinstance(expected, BeyondBounds):
        assert found == expected
        return
    assert isinstance(found, BlockSteps)
    assert in_order(found) == in_order(expected)
    assert found.fired.tolist() == expected.fired.tolist()


@effort(15)
@given(protocols())
def test_steps_of_random_protocols(drawn: Drawn) -> None:
    try:
        system = TransitionSystem(drawn.model, drawn.world.parameters)
    except BoundTooSmall:
        reject()
    agree(system, Packing(system.leaves).pack([system.encode(state) for state in drawn.states]))


def searched(task: Task, depth: int) -> ExplicitSearch:
    search = ExplicitSearch(task, SILENT, Pace(ExplorationLimits(None, None, depth, None), SILENT))
    with pytest.raises(Stopped):
        search.run()
    return search


@pytest.mark.parametrize("task", [Task(catalogue.find("kafka"), {}, ()), asked(Post, {}, *[])])
def test_steps_of_blocks_that_need_more_room(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_expansion, "_ROOM", 1)
    search = searched(task, 9)
    rows = search._found.rows(0, search.found)
    # Whole batches and a part of one; parts alone; and nothing.
    for count in (len(rows), 511, 1, 0):
        agree(search.system, rows[-count:] if count else rows[:0])


def test_numpy_is_asked_of_the_first_state_that_leaves_the_bounds_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = TransitionSystem(asked(Overflowing, {}).suite.model(ghosts=False), {})
    packing = Packing(system.leaves)
    states = [{"n": n, "flag": flag} for n in (0, 1, 0, 2, 1, 2) for flag in (False, True)]
    rows = packing.pack([system.encode(state) for state in states])
    numpy = Expansion(system, packing)
    expected = numpy.steps(rows)
    assert isinstance(expected, BeyondBounds)
    assert expected.lane == 6
    native = native_inner_loops(system, packing, numpy, [])
    blocks_asked: list[int] = []
    steps = Expansion.steps

    def noted(self: Expansion, block: Rows) -> BlockSteps | BeyondBounds:
        blocks_asked.append(len(block))
        return steps(self, block)

    monkeypatch.setattr(Expansion, "steps", noted)
    assert native.steps(rows) == expected
    assert blocks_asked == [1]


RANGES = (
    (0, 1),
    (-5, 3),
    (100, 200),
    (0, 255),
    (-300, 40_000),
    (0, 1 << 17),
    (-(1 << 40), 1 << 35),
)
"""Of numbers that take one, two, four and eight bytes, in rows and in registers."""


def random_circuit(random: Random) -> tuple[list[Leaf], list[Node]]:
    c = Circuit()
    leaves = [Leaf(i, i == 0, low, high, "x") for i, (low, high) in enumerate(((0, 1), *RANGES))]
    truths = [c.variable(0)]
    numbers = [c.integer_variable(leaf.index, leaf.low, leaf.high) for leaf in leaves[1:]]
    numbers += [c.number(n) for n in (-1, 0, 3, 150, 39_999, 1 << 33)]
    for _ in range(40):
        a, b = random.choice(numbers), random.choice(numbers)
        p, q, r = (random.choice(truths) for _ in range(3))
        truths += [c.eq(a, b), c.le(a, b), c.not_(p), c.iff(p, q), c.and_(p, q, r), c.or_(p, q, r)]
        numbers += [c.ite(p, a, b)]
        if max(map(abs, (a.low, a.high, b.low, b.high))) < 1 << 50:
            numbers += [c.add(a, b), c.sub(a, b)]
    return leaves, truths


def disagreements(random: Random) -> int:
    """How many formulas of a random circuit have another truth in some of random states."""
    leaves, truths = random_circuit(random)
    packing = Packing(leaves)
    states = [
        [random.choice((x.low, x.high, random.randint(x.low, x.high))) for x in leaves]
        for _ in range(600)
    ]
    (one,) = machines([formulas_program(truths, packing)], packing.words)
    found = NativeFormulas(one, len(truths)).evaluate(packing.pack(states))
    expected = np.array([evaluate(truths, state) for state in states], np.bool_).T
    return int((found != expected).any(axis=1).sum())


@pytest.mark.parametrize("seed", range(6))
def test_formulas_of_random_circuits(seed: int) -> None:
    assert disagreements(Random(seed)) == 0


def test_a_wrong_operation_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(operations._COMPARISONS, "le", "slt")
    assert disagreements(Random(0)) > 0


@pytest.mark.parametrize("words", [1, 2, 9, 20])
@pytest.mark.parametrize("collide", [False, True])
def test_tables(words: int, collide: bool) -> None:
    """Also where all hashes are the same: states are compared whole."""
    random = np.random.default_rng(words)
    by_numpy, by_code = StateTable(words), StateTable(words)
    by_code.use_machine_code()
    for _ in range(6):
        count = 100 if collide else 3000
        rows = random.integers(0, 3, (count, words)).astype(np.uint64)
        rows[:, -1] += random.integers(0, count, count).astype(np.uint64)
        hashes = np.zeros(count, np.uint64) if collide else hashes_of(rows)
        assert collide or (placing_for(words).hashes_of(rows) == hashes).all()
        parents = random.integers(0, 1 << 32, count).astype(np.uint32)
        chosen = np.flatnonzero(random.integers(0, 4, count))
        before = len(by_code)
        added = by_numpy.add(rows, parents, hashes, chosen)
        assert by_code.add(rows, parents, hashes, chosen) == added
        new = by_code.latest()
        assert (by_code.rows(before, before + added) == rows[new]).all()
        assert (by_code.parents(before, before + added) == parents[new]).all()
        # Of equal rows the first one is new.
        firsts = {row.tobytes(): place for place, row in reversed([(i, rows[i]) for i in chosen])}
        assert set(new.tolist()) <= set(map(int, firsts.values()))
    same = {row.tobytes() for row in by_numpy.rows(0, len(by_numpy))}
    assert {row.tobytes() for row in by_code.rows(0, len(by_code))} == same
    if not collide:
        found = by_code.numbers(rows[chosen])
        assert (by_code.rows(0, len(by_code))[found] == rows[chosen]).all()
        assert (by_code.entered(rows[chosen]) == found).all()


class Listening:
    def __init__(self) -> None:
        self.facts: list[str] = []

    def phase(self, text: str) -> None:
        pass

    def fact(self, text: str) -> None:
        self.facts.append(text)

    def decided(self, result: Result) -> None:
        pass


def test_numpy_goes_on_where_there_is_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = tell(explore(CASES[2]))
    monkeypatch.setattr(blocks, "MADE", -1.0)
    monkeypatch.setattr(blocks, "MADE_BY_GATE", -1.0)

    def fails(*given: object) -> None:
        raise NoMachineCode("no code for this machine")

    observer = Listening()
    monkeypatch.setattr(machine, "MachineCode", fails)
    assert tell(explore(CASES[2], observer)) == expected
    assert observer.facts == ["explored with numpy alone: no code for this machine"]
    monkeypatch.setattr(installed, "installed", lambda: False)
    monkeypatch.setattr(NativeExpansion, "__init__", fails)
    assert tell(explore(CASES[2])) == expected


def test_small_searches_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*given: object) -> None:
        raise AssertionError

    monkeypatch.setattr(NativeExpansion, "__init__", never)
    assert explore(CASES[2]).complete
    assert blocks.NumpyCost(1700).of_level(50_000) is False
    assert blocks.NumpyCost(1700).of_level(100_000) is True
    # Of so many gates the programs for the first state cost as much with numpy.
    assert blocks.NumpyCost(1700).of_level(0) is False
    assert blocks.NumpyCost(24_000).of_level(0) is True


def test_no_machine_code_is_made_beyond_the_limit_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The search would end there, and numpy alone goes on within the limit."""
    expected = tell(explore(CASES[2]))
    monkeypatch.setattr(blocks, "MADE", -1.0)
    monkeypatch.setattr(blocks, "MADE_BY_GATE", -1.0)
    made: list[object] = []

    def counted(*given: object) -> None:
        made.append(given)
        raise NoMachineCode("counted")

    monkeypatch.setattr(machine, "MachineCode", counted)
    held = resident_bytes() // MEGABYTE
    observer = Listening()
    assert tell(explore(replace(CASES[2], memory=held + 60), observer)) == expected
    assert not made
    (fact,) = observer.facts
    assert fact.endswith("the limit of memory leaves no room to make machine code in")
    explore(replace(CASES[2], memory=held + 1_000), observer)
    assert made
