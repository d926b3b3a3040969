"""An exploration goes on on disk when memory ends, with the same counts and verdicts."""

import os
import signal
from collections.abc import Callable
from errno import ENOSPC
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from shutil import disk_usage
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bmc.engines import overflowing, spilled
from bmc.engines.explicit import explore
from bmc.engines.overflowing import folder_for_states
from bmc.engines.pace import MemoryReached, Pace
from bmc.engines.packed import store as in_memory
from bmc.engines.packed.packing import Rows
from bmc.engines.packed.store import StateStore
from bmc.engines.packed.table import TableFull
from bmc.engines.parted.search import explore_by_processes
from bmc.engines.spill import files
from bmc.engines.spill.candidates import _once
from bmc.engines.spill.files import DamagedSpill, WordFile
from bmc.engines.spill.store import SpillStore
from bmc.engines.spilled import Spill, explore_on_disk
from bmc.engines.task import Silent, Task
from tests.engines.explorable import Overflowing
from tests.engines.test_spill import CASES, asked, nothing_fits, tell

KAFKA = CASES[2]
explore_with_disk = partial(explore_by_processes, processes=1)


class Facts(Silent):
    def __init__(self) -> None:
        self.told: list[str] = []

    def fact(self, text: str) -> None:
        self.told.append(text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(spilled, "room_for_successors", lambda memory: 200_000)
    return tmp_path


def full_at(monkeypatch: pytest.MonkeyPatch, states: int) -> None:
    """Memory has no more room from so many states on."""
    add = StateStore.add

    def refuse(self: StateStore, *given: Any) -> Rows:
        if len(self) >= states:
            raise TableFull(f"{states} states are enough")
        return add(self, *given)

    monkeypatch.setattr(StateStore, "add", refuse)


class Killed(Silent):
    def fact(self, text: str) -> None:
        if "on disk" in text:
            os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_killed_leaves_no_states(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They stayed where it could not remove them: after SIGKILL and SIGQUIT, which dumps core."""
    full_at(monkeypatch, 300)
    search = get_context("fork").Process(target=explore_with_disk, args=(KAFKA, Killed()))
    search.start()
    search.join()
    assert search.exitcode == -signal.SIGKILL
    end = monotonic() + 120
    while list(folder.iterdir()):
        assert monotonic() < end
        sleep(0.02)


@pytest.mark.parametrize("states", [1, 300])
@pytest.mark.parametrize(
    ("task", "symmetry", "collapsed"),
    [
        (CASES[0], False, False),
        (CASES[1], True, False),
        (KAFKA, False, False),
        (KAFKA, False, True),
        (KAFKA, True, False),
    ],
    ids=str.split("counter dead-end kip101 kip101-collapsed kip101-symmetry"),
)
def test_the_same_as_in_memory(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    task: Task,
    symmetry: bool,
    collapsed: bool,
    states: int,
) -> None:
    expected = explore(task, symmetry=symmetry)
    if collapsed:
        monkeypatch.setattr(in_memory, "WIDE", 1)
        monkeypatch.setattr(in_memory, "SAMPLE", 10)
    full_at(monkeypatch, states)
    facts = Facts()
    found = explore_with_disk(task, facts, symmetry=symmetry)
    assert tell(found) == tell(expected)
    went = (expected.representatives or expected.distinct_states) > states
    assert (found.on_disk is not None) == went
    assert [fact for fact in facts.told if "on disk" in fact] == [found.on_disk] * went
    assert not list(folder.iterdir())


def test_in_many_runs_and_parts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing_fits(monkeypatch)
    expected = explore(KAFKA)
    full_at(monkeypatch, 40)
    assert tell(explore_with_disk(KAFKA)) == tell(expected)


def test_the_memory_limit_leads_to_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is met between two blocks, in the middle of a level."""
    left = 12
    check = Pace.before_block

    def meet(self: Pace, levels: list[int]) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise MemoryReached("the memory limit of 7 MB is reached")
        check(self, levels)

    expected = explore(KAFKA)
    monkeypatch.setattr("bmc.engines.explicit.expanded_at_once", lambda words: 60)
    monkeypatch.setattr(Pace, "before_block", meet)
    found = explore_with_disk(KAFKA)
    assert left < 0
    assert found.on_disk is not None
    assert "the memory limit of 7 MB is reached" in found.on_disk
    assert tell(found) == tell(expected)


def test_memory_that_ends_on_disk_as_well_ends_the_search(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full_at(monkeypatch, 1)

    def refuse(self: SpillStore, *given: Any) -> Rows:
        raise TableFull("more than there can be")

    monkeypatch.setattr(SpillStore, "add", refuse)
    found = explore_with_disk(KAFKA)
    assert not found.complete
    assert found.stopped_because == "more than there can be"


def test_beyond_bounds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = asked(Overflowing, {}, "Small")
    expected = explore(task)
    full_at(monkeypatch, 2)
    found = explore_with_disk(task)
    assert found.on_disk is not None
    assert found.overflow_reason == expected.overflow_reason
    assert expected.overflow is not None
    assert found.overflow is not None
    assert len(found.overflow) == len(expected.overflow)


Write = Callable[[WordFile, NDArray[Any]], None]


@pytest.mark.parametrize("last", [2, 24])
def test_a_full_disk_says_what_was_learnt(
    folder: Path, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    """Also when it is full before all states are there."""
    whole = explore(KAFKA)
    full_at(monkeypatch, 300)
    write, left = WordFile.append, last

    def fail(file: WordFile, array: NDArray[Any]) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(ENOSPC, "No space left on device")
        write(file, array)

    monkeypatch.setattr(WordFile, "append", fail)
    found = explore_with_disk(KAFKA)
    assert not found.complete
    assert "No space left on device" in (found.stopped_because or "")
    assert "--spill DIR" in (found.stopped_because or "")
    assert "--resume" not in (found.stopped_because or "")
    assert 1 < len(found.levels) < len(whole.levels)
    assert found.levels == whole.levels[: len(found.levels)]
    assert not list(folder.iterdir())


def test_a_part_of_the_disk_is_left_to_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full_at(monkeypatch, 300)
    usage = disk_usage(folder)
    monkeypatch.setattr(files, "disk_usage", lambda path: usage._replace(free=5 << 20))
    found = explore_with_disk(KAFKA)
    assert "has 5 MB left" in (found.stopped_because or "")
    # Whoever names the folder may fill it.
    named = explore_on_disk(KAFKA, spill=Spill(folder))
    assert named.complete


def test_no_folder_for_states(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full_at(monkeypatch, 300)
    (folder / "file").touch()
    monkeypatch.setattr(overflowing, "folder_for_states", lambda: folder / "file")
    found = explore_with_disk(KAFKA)
    assert found.distinct_states > 200
    assert "no folder for states can be made" in (found.stopped_because or "")


def test_half_a_handover_is_not_gone_on_with(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its levels are there, but not what was known at their ends."""
    full_at(monkeypatch, 300)
    kept: list[overflowing.OverflowingSearch] = []
    monkeypatch.setattr(overflowing.OverflowingSearch, "close", lambda self: kept.append(self))
    explore_with_disk(KAFKA)
    (ended,) = kept
    spilled.SpilledSearch.close(ended)
    (left,) = folder.iterdir()
    (levels,) = left.iterdir()
    for file in sorted(levels.glob("0000[3-9].*")) + sorted(levels.glob("0001*.*")):
        file.unlink()
    with pytest.raises(DamagedSpill, match="ended while it went there from memory"):
        explore_on_disk(KAFKA, spill=Spill(left, resume=True))


def test_states_are_on_a_disk_rather_than_in_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert folder_for_states() == tmp_path
    monkeypatch.delenv("TMPDIR")
    assert folder_for_states() != Path("/tmp") or not Path("/var/tmp").is_dir()


def test_each_key_once() -> None:
    """Also where different keys have one hash, and equal ones are no neighbours."""
    keys = np.array([[3], [1], [2], [1], [3], [2], [1]], np.uint64)
    for hashes in (keys[:, 0].copy(), keys[:, 0] % 2, keys[:, 0] * 0):
        found = _once(keys, hashes.astype(np.uint64))
        assert sorted(found) == [0, 1, 2]
        assert (np.diff(hashes[found].astype(int)) >= 0).all()
    assert not len(_once(keys[:0], keys[:0, 0]))
