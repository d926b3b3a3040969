"""Packed states: nothing is lost in a row, and no two states are taken for one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bmc.engines.packed import arrays
from bmc.engines.packed import table as table_module
from bmc.engines.packed.blocks import LANES
from bmc.engines.packed.packing import Packing, Rows, Unpacker
from bmc.engines.packed.table import StateTable, TableFull
from bmc.readings.circuit import Circuit
from bmc.readings.vector import TooWide, column_type
from bmc.system.transition import Leaf

RANGES = st.tuples(st.integers(-300, 300), st.sampled_from([0, 1, 2, 3, 6, 100, 255, 256, 70_000]))


@st.composite
def leaves_and_states(draw: st.DrawFn) -> tuple[list[Leaf], list[list[int]]]:
    """Leaves of all widths, and states of them."""
    leaves = []
    for index in range(draw(st.integers(0, 12))):
        if draw(st.booleans()):
            leaves.append(Leaf(index, True, 0, 1, "v"))
        else:
            low, span = draw(RANGES)
            leaves.append(Leaf(index, False, low, low + span, "v"))
    state = st.tuples(*(st.integers(leaf.low, leaf.high) for leaf in leaves))
    return leaves, [list(s) for s in draw(st.lists(state, max_size=5))]


@given(leaves_and_states())
def test_packing_keeps_every_number(case: tuple[list[Leaf], list[list[int]]]) -> None:
    leaves, states = case
    packing = Packing(leaves)
    rows = packing.pack(states)
    assert rows.shape == (len(states), packing.words)
    assert [packing.numbers(row) for row in rows] == states
    for one, row in zip(states, rows, strict=True):
        for other, copy in zip(states, rows, strict=True):
            assert (one == other) == bool((row == copy).all())


@given(leaves_and_states())
def test_unpacking_gives_the_columns(case: tuple[list[Leaf], list[list[int]]]) -> None:
    leaves, states = case
    packing = Packing(leaves)
    c = Circuit()
    columns = {}
    for leaf in leaves[::2]:
        node = (
            c.variable(leaf.index)
            if leaf.boolean
            else c.integer_variable(leaf.index, leaf.low, leaf.high)
        )
        columns[leaf.index] = np.zeros(8, column_type(node))
    Unpacker(packing, columns).fill(packing.pack(states))
    for index, column in columns.items():
        assert [int(v) for v in column[: len(states)]] == [state[index] for state in states]


def test_scalars_share_words() -> None:
    bits = [Leaf(i, True, 0, 1, "v") for i in range(64)]
    assert Packing(bits).words == 1
    assert Packing([*bits, Leaf(64, False, -1, 2, "v")]).words == 2


def test_a_scalar_that_is_too_wide_is_refused_by_name() -> None:
    with pytest.raises(TooWide, match="x has 65 bits"):
        Packing([Leaf(0, False, 0, 2**64, "x")])


def rows_of(numbers: list[tuple[int, int]]) -> Rows:
    """Rows of two words."""
    return np.array(numbers, np.uint64).reshape(len(numbers), 2)


BATCHES = st.lists(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=40))


@pytest.mark.parametrize("hashes", ["good", "few", "one"])
@given(batches=BATCHES)
def test_the_table_is_a_set(hashes: str, batches: list[list[tuple[int, int]]]) -> None:
    """Also where the hashes collide: the table compares states, not hashes."""
    with pytest.MonkeyPatch.context() as patch:
        if hashes != "good":
            modulus = np.uint64(3 if hashes == "few" else 1)
            patch.setattr(table_module, "hashes_of", lambda rows: rows[:, 0] % modulus)
        table = StateTable(2)
        known: set[tuple[int, int]] = set()
        for batch in batches:
            new = table.add(rows_of(batch), None)
            assert new == len(set(batch) - known)
            known |= set(batch)
            assert len(table) == len(known)
        listed = [tuple(map(int, row)) for row in table.rows(0, len(table))]
        assert len(listed) == len(known)
        assert set(listed) == known


def test_the_table_grows() -> None:
    table = StateTable(1)
    random = np.random.default_rng(0)
    numbers = random.integers(0, 150_000, 400_000).astype(np.uint64).reshape(-1, 1)
    for start in range(0, len(numbers), LANES):
        table.add(numbers[start : start + LANES], None)
    assert sorted(table.rows(0, len(table))[:, 0].tolist()) == np.unique(numbers).tolist()


def test_paths_follow_parents() -> None:
    table = StateTable(1)
    table.add(np.array([[7]], np.uint64), None)
    table.add(np.array([[8], [7]], np.uint64), np.array([0, 0], np.uint32))
    table.add(np.array([[9]], np.uint64), np.array([1], np.uint32))
    assert [table.path(n) for n in range(3)] == [[0], [0, 1], [0, 1, 2]]


def test_a_full_table_says_so_and_keeps_its_states() -> None:
    table = StateTable(1, max_bytes=300_000)
    first, second = np.split(np.arange(100_000, dtype=np.uint64)[:, None], [5_000])
    table.add(first, None)
    with pytest.raises(TableFull, match="may be used"):
        table.add(second, None)
    assert sorted(table.rows(0, len(table))[:, 0].tolist()) == list(range(5_000))


@pytest.mark.parametrize("free", [True, False])
def test_growing_copies_seldom_where_room_is_free(
    free: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """States are kept, and a table is full where its memory is, in both cases."""
    monkeypatch.setattr(arrays, "unwritten_is_free", lambda: free)
    copies = 0

    def counted(*given: Any) -> Any:
        nonlocal copies
        copies += 1
        return grown(*given)

    grown = arrays.grown
    monkeypatch.setattr(arrays, "grown", counted)
    monkeypatch.setattr(arrays, "_LARGE", 1 << 16)
    table = StateTable(1, max_bytes=20_000_000)

    def fill() -> None:
        for start in range(0, 1 << 20, 1 << 14):
            table.add(np.arange(start, start + (1 << 14), dtype=np.uint64)[:, None], None)

    with pytest.raises(TableFull, match="may be used"):
        fill()
    assert 500_000 < len(table) <= 524_288
    assert sorted(table.rows(0, len(table))[:, 0].tolist()) == list(range(len(table)))
    assert table.path(500_000) == [500_000]
    assert copies == 2 if free else copies > 10
