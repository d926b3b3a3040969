"""Machine code finds the images of states under renamings that numpy finds."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, reject

from bmc.cli.shared import catalogue
from bmc.engines.explicit import explore
from bmc.engines.native import search
from bmc.engines.native.images import NativeImages
from bmc.engines.native.search import images_at_once, native_inner_loops
from bmc.engines.packed import blocks
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.quotient import Quotient
from bmc.engines.packed.successors import Expansion
from bmc.engines.task import OptionError, Task
from bmc.lang import BoundTooSmall
from bmc.readings.native.program import LANES
from bmc.system.transition import TransitionSystem
from tests.engines.test_native import searched
from tests.engines.test_spill import tell
from tests.strategies import effort
from tests.strategies.protocols import Drawn, protocols


def by_code(system: TransitionSystem, packing: Packing) -> Quotient:
    """The orbits of a system, told by machine code where states have other images."""
    quotient = Quotient(system, packing)
    native_inner_loops(system, packing, Expansion(system, packing), [], quotient)
    return quotient


def agree(expected: Quotient, found: Quotient, rows: Rows) -> None:
    assert found.representatives(rows).tolist() == expected.representatives(rows).tolist()
    assert found.orbits(rows).tolist() == expected.orbits(rows).tolist()


@effort(15)
@given(protocols())
def test_orbits_of_random_protocols(drawn: Drawn) -> None:
    try:
        system = TransitionSystem(drawn.model, drawn.world.parameters)
        packing = Packing(system.leaves)
        expected = Quotient(system, packing)
    except (BoundTooSmall, OptionError):
        reject()
    rows = packing.pack([system.encode(state) for state in drawn.states])
    agree(expected, by_code(system, packing), rows)


@pytest.mark.parametrize("bytes_at_once", [1, 1 << 22])
@pytest.mark.parametrize(("name", "depth"), [("kafka", 9), ("kafka-transactions", 8)])
def test_orbits_of_blocks(
    name: str, depth: int, bytes_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = searched(Task(catalogue.find(name), {}, ()), depth)
    packing = Packing(found.system.leaves)
    rows = found._found.rows(0, found.found)
    monkeypatch.setattr(search, "_IMAGES", bytes_at_once)
    by_numpy, native = Quotient(found.system, packing), by_code(found.system, packing)
    assert len(rows) > LANES
    assert 1 < len(np.unique(by_numpy.representatives(rows), axis=0)) < len(rows)
    # Whole batches and a part of one; parts alone; and nothing.
    for count in (len(rows), LANES - 1, 1, 0):
        agree(by_numpy, native, rows[:count])


def test_searches_up_to_symmetry_find_images_by_machine_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = Task(catalogue.find("kafka"), {}, ("TypeOk", "StrongIsr"))
    expected = explore(task, symmetry=True, max_depth=9)
    asked: list[int] = []
    images = NativeImages.of

    def noted(self: NativeImages, block: Rows) -> Iterator[Rows]:
        asked.append(len(block))
        return images(self, block)

    monkeypatch.setattr(NativeImages, "of", noted)
    monkeypatch.setattr(blocks, "MADE", -1.0)
    monkeypatch.setattr(blocks, "MADE_BY_GATE", -1.0)
    assert tell(explore(task, symmetry=True, max_depth=9)) == tell(expected)
    assert asked


def test_numpy_finds_images_that_would_take_too_much_room() -> None:
    task = Task(catalogue.find("kafka"), {}, ())
    system = TransitionSystem(task.suite.model(ghosts=False), task.parameters)
    packing = Packing(system.leaves)
    quotient = Quotient(system, packing)
    assert images_at_once(quotient, packing.words) > 0
    assert images_at_once(quotient, 1 << 20) == 0
