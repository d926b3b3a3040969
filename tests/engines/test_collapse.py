"""Collapsed states are the states: nothing of an exploration depends on how they are kept."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bmc.cli.shared import catalogue
from bmc.engines.explicit import explore
from bmc.engines.exploration import Exploration
from bmc.engines.packed import store as store_module
from bmc.engines.packed import tuples as tuples_module
from bmc.engines.packed.collapse import EVERY
from bmc.engines.packed.components import cut
from bmc.engines.packed.packing import Rows
from bmc.engines.packed.store import StateStore
from bmc.engines.packed.table import StateTable
from bmc.engines.packed.tuples import TupleLayout
from bmc.engines.task import Task
from bmc.lang.properties import Kind
from tests.engines.explorable import EVERYTHING, Counter, run

WORDS = 3


@pytest.fixture(autouse=True)
def collapse_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """States of any width are collapsed, and cut anew as often as they can be."""
    monkeypatch.setattr(store_module, "WIDE", 1)
    monkeypatch.setattr(store_module, "SAMPLE", 4)
    monkeypatch.setattr(StateStore, "_pays", lambda *_: True)


def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "WIDE", 1 << 30)


NUMBERS = st.integers(0, 5) | st.sampled_from([1 << 40, (1 << 64) - 1])
BATCHES = st.lists(st.lists(st.tuples(*[NUMBERS] * WORDS), max_size=30), max_size=8)


def rows_of(numbers: list[tuple[int, ...]]) -> Rows:
    return np.array(numbers, np.uint64).reshape(len(numbers), WORDS)


@settings(max_examples=25)
@given(batches=BATCHES)
def test_a_store_is_the_table_that_it_compresses(batches: list[list[tuple[int, ...]]]) -> None:
    """The same sets after every batch, the same numbers for what is found, and rows come back."""
    store, table = StateStore(WORDS), StateTable(WORDS)
    for batch in batches:
        rows = rows_of(batch)
        before = len(store)
        new = store.add(rows, None)
        assert table.add(rows, None) == len(new)
        assert (store.rows(before, len(store)) == new).all()
        listed = {tuple(map(int, row)) for row in store.rows(0, len(store))}
        assert listed == {tuple(map(int, row)) for row in table.rows(0, len(table))}
        everything = store.rows(0, len(store))
        assert store.numbers(everything).tolist() == list(range(len(store)))
    assert store.collapsed == (len(store) >= store_module.SAMPLE)


def test_components_that_outgrow_their_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tuples are laid out anew, in as many words and in more, and no state is lost."""
    monkeypatch.setattr(tuples_module, "_WORD", 12)
    random = np.random.default_rng(0)
    store, table = StateStore(WORDS), StateTable(WORDS)
    for most in range(2, 60, 3):
        rows = random.integers(0, most, (50, WORDS)).astype(np.uint64)
        assert len(store.add(rows, None)) == table.add(rows, None)
        everything = table.rows(0, len(table))
        assert sorted(store.numbers(everything)) == list(range(len(table)))
        assert (store.rows(0, len(store))[store.numbers(everything)] == everything).all()


@settings(max_examples=12)
@given(seed=st.integers(0, 1000))
def test_what_a_rule_leaves_alone_is_the_parents(seed: int) -> None:
    """Looking up what a rule writes is as good as looking up everything."""
    random = np.random.default_rng(seed)
    written = random.random((4, WORDS)) < 0.4
    stepped, whole = StateStore(WORDS, None, written), StateStore(WORDS)
    first = random.integers(0, 3, (6, WORDS)).astype(np.uint64)
    stepped.add(first, None)
    whole.add(first, None)
    for _ in range(5):
        parents = random.integers(0, len(stepped), 20).astype(np.uint32)
        rules = random.integers(0, 4, 20).astype(np.uint32)
        rows = stepped.rows(0, len(stepped))[parents].copy()
        fresh = random.integers(0, 1 << 20, rows.shape).astype(np.uint64)
        rows[written[rules]] = fresh[written[rules]]
        assert (stepped.add(rows, parents, rules) == whole.add(rows, parents)).all()
        count = len(stepped)
        assert (stepped.rows(0, count) == whole.rows(0, count)).all()
        assert [stepped.path(n) for n in range(count)] == [whole.path(n) for n in range(count)]


@given(st.lists(st.tuples(st.integers(0, 64), st.integers(0, 2**64 - 1)), min_size=1, max_size=9))
def test_a_tuple_keeps_its_numbers(wide: list[tuple[int, int]]) -> None:
    bits = [width for width, _ in wide]
    numbers = [number % (1 << width) for width, number in wide]
    layout = TupleLayout(bits)
    assert layout.fits([1 << width for width in bits])
    rows = np.zeros((2, layout.words), np.uint64)
    for i, number in enumerate(numbers):
        layout.write(rows, i, EVERY, np.array([number, 0], np.uint64).astype(np.int64))
    read: list[NDArray[np.int64]] = [layout.numbers(rows, i) for i in range(len(bits))]
    assert [int(column[0]) % (1 << 64) for column in read] == numbers
    assert not any(column[1] for column in read)


def test_a_cut_takes_every_word_once_and_parts_what_varies() -> None:
    random = np.random.default_rng(0)
    sample = np.zeros((4096, 6), np.uint64)
    sample[:, 1] = random.integers(0, 100, 4096)
    sample[:, 4] = random.integers(0, 100, 4096)
    assert cut(sample) == [(0, 4), (4, 6)]


def same(one: Exploration, other: Exploration) -> None:
    costs = {"seconds": 0.0, "peak_memory_mb": 0.0}
    assert replace(one, **costs) == replace(other, **costs)  # type: ignore[arg-type]


def test_properties_witnesses_and_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    collapsed = run(Counter, *EVERYTHING)
    plain(monkeypatch)
    same(collapsed, run(Counter, *EVERYTHING))


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize(
    ("protocol", "parameters"),
    [
        ("kafka-kip101", {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}),
        (
            "elasticsearch",
            {"nodes": 2, "document_ids": 1, "max_client_value": 1, "max_messages": 2},
        ),
    ],
)
def test_protocols(
    monkeypatch: pytest.MonkeyPatch, protocol: str, parameters: dict[str, int], symmetry: bool
) -> None:
    suite = catalogue.find(protocol)
    names = tuple(one.name for one in suite.declared(Kind.INVARIANT))
    task = Task(suite, parameters, names)
    collapsed = explore(task, symmetry=symmetry)
    plain(monkeypatch)
    expected = explore(task, symmetry=symmetry)
    assert collapsed.levels == expected.levels
    assert collapsed.fired == expected.fired
    assert collapsed.representatives == expected.representatives
    lengths = {name: len(trace) for name, trace in expected.violations.items()}
    assert {name: len(trace) for name, trace in collapsed.violations.items()} == lengths
    assert collapsed.complete
    assert expected.complete
