"""Tasks whose memory ends go on on their disks, find the same, and leave nothing there."""

import os
import re
from collections.abc import Callable
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bmc.engines.explicit import explore
from bmc.engines.exploration import Exploration
from bmc.engines.packed.table import StateTable, TableFull
from bmc.engines.spill import known
from bmc.engines.spill.candidates import Candidates
from bmc.engines.spill.files import WordFile
from bmc.engines.task import SILENT
from bmc.evidence.verdict import Verdict
from bmc.sweep import frontier, own_states
from bmc.sweep.distributed import explore_on
from bmc.sweep.frontier import SharedSearch
from bmc.sweep.own_states import Room

from .test_frontier import KAFKA, QUESTIONS, FakeContext, agree, asked

NAME = "kafka-kip101"


class Small(StateTable):
    """A table that is full at so many states."""

    most = 0

    def _reserve(self, count: int) -> None:
        if count > self.most:
            raise TableFull("no room")
        super()._reserve(count)


def memory_ends(monkeypatch: pytest.MonkeyPatch, states: int) -> None:
    """Let a task hold so many states, and hardly any of their successors."""
    monkeypatch.setattr(Small, "most", states)
    monkeypatch.setattr(own_states, "StateTable", Small)
    tiny = Room(1 << 20, 3_000, 6_000)
    monkeypatch.setattr(Room, "of", staticmethod(lambda *asked: tiny))
    monkeypatch.setattr(frontier, "LANES", 64)
    monkeypatch.setattr(frontier, "_PIECE", 1_000)


def on_disk(name: str, values: dict[str, int], where: Path, tasks: int = 2) -> SharedSearch:
    search = asked(name, values, where / "shared", tasks)
    return replace(search, spill=str(where / "disk"))


def left(where: Path, seconds: float = 20) -> list[Path]:
    """What is left on the disk after so long at most."""
    end = monotonic() + seconds
    while (found := list((where / "disk").iterdir())) and monotonic() < end:
        sleep(0.05)
    return found


@pytest.mark.parametrize(
    ("states", "wide"),
    [(0, False), pytest.param(60, False, marks=pytest.mark.nightly), (60, True)],
)
@pytest.mark.parametrize(("name", "values"), QUESTIONS)
def test_what_is_on_disk_is_what_would_be_in_memory(
    name: str,
    values: dict[str, int],
    states: int,
    wide: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search = on_disk(name, values, tmp_path)
    here = explore(search.task())
    memory_ends(monkeypatch, states)
    if wide:
        monkeypatch.setattr(known, "WIDE", 1)
        monkeypatch.setattr(known, "SAMPLE", 1)
    there = explore_on(FakeContext(), search, SILENT)
    agree(here, there)
    assert (there.on_disk is not None) == (here.distinct_states > 2 * states)
    # Again, all of it is in the folder.
    agree(here, explore_on(FakeContext(), search, SILENT))
    assert not list((tmp_path / "shared" / "exchange").rglob("*.parquet"))
    assert there.on_disk is None or not left(tmp_path)


def test_a_level_in_many_runs_files_and_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = on_disk(NAME, KAFKA, tmp_path, 1)
    memory_ends(monkeypatch, 60)
    parts, runs, split = [], [], Candidates._bits

    def noted(self: Candidates) -> int:
        parts.append(split(self))
        runs.append(len(self._runs))
        return parts[-1]

    monkeypatch.setattr(Candidates, "_bits", noted)
    levels = list(frontier.TaskShare(search, 0).run(lambda message: [message]))
    assert [level["states"] for level in levels][:-1] == list(explore(search.task()).levels)
    assert min(max(parts), max(runs)) > 1
    assert max(len(level["files"]["0"]) for level in levels) > 1


@pytest.mark.parametrize("first_on_disk", [False, True])
def test_who_takes_over_may_have_another_memory(
    first_on_disk: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Levels that were found in memory have another order than those that were found on disk."""
    search = on_disk(NAME, KAFKA, tmp_path)
    here = explore(search.task())
    for on_this_disk in (first_on_disk, not first_on_disk):
        with monkeypatch.context() as patch:
            if on_this_disk:
                memory_ends(patch, 60)
            if on_this_disk == first_on_disk:
                with pytest.raises(RuntimeError, match="died"):
                    explore_on(FakeContext(dies_at=20), search, SILENT)
            else:
                agree(here, explore_on(FakeContext(), search, SILENT))
    assert not left(tmp_path)


def broken(after: int, error: Exception) -> Callable[..., None]:
    """What writes to a disk, and fails from a write on."""
    write, written = WordFile.append, 0

    def append(file: WordFile, array: NDArray[Any]) -> None:
        nonlocal written
        written += 1
        if written > after:
            raise error
        write(file, array)

    return append


def prefix(found: Exploration, whole: Exploration) -> None:
    """What was found is a beginning of the whole, and says no more."""
    assert not found.complete
    assert found.levels == whole.levels[: len(found.levels)]
    assert len(found.levels) < len(whole.levels)
    assert {one.verdict for one in found.verdicts()} <= {Verdict.UNKNOWN, Verdict.VIOLATED}
    assert set(found.violations) <= set(whole.violations)


FULL, NO_MEMORY = OSError(ENOSPC, os.strerror(ENOSPC)), MemoryError()


@pytest.mark.parametrize(
    ("error", "after", "said"),
    [
        (FULL, 0, "No space left .* the same command again"),
        (FULL, 100, "No space left .* the same command again"),
        (NO_MEMORY, 60, "there is no more memory"),
    ],
)
def test_a_disk_that_is_full_ends_the_search_as_unknown(
    error: Exception,
    after: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search = on_disk(NAME, KAFKA, tmp_path)
    whole = explore(search.task())
    memory_ends(monkeypatch, 60)
    with monkeypatch.context() as patch:
        patch.setattr(WordFile, "append", broken(after, error))
        found = explore_on(FakeContext(), search, SILENT)
    prefix(found, whole)
    assert re.search(said, found.stopped_because or "")
    assert not left(tmp_path)
    agree(whole, explore_on(FakeContext(), search, SILENT))


def test_a_disk_that_cannot_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "disk").touch()
    memory_ends(monkeypatch, 60)
    found = explore_on(FakeContext(), on_disk(NAME, KAFKA, tmp_path), SILENT)
    assert not found.complete
    assert f"{tmp_path / 'disk'} cannot be used: " in (found.stopped_because or "")


def test_a_search_whose_time_is_over_goes_on_the_next_time(tmp_path: Path) -> None:
    search = on_disk(NAME, KAFKA, tmp_path)
    whole = explore(search.task())
    found = explore_on(FakeContext(), replace(search, seconds=0.0), SILENT)
    prefix(found, whole)
    assert (found.levels, found.searched_depth) == (whole.levels[:1], 0)
    assert found.stopped_because == "the time limit has passed"
    agree(whole, explore_on(FakeContext(), replace(search, seconds=600.0), SILENT))


def test_memory_and_tasks_beside_it_leave_less_room() -> None:
    alone, four = Room.of(None, 1, 2, False), Room.of(None, 4, 2, False)
    assert four.states < alone.states
    limited = Room.of(1, 1, 2, False)
    assert limited.states < four.states
    forced = Room.of(None, 1, 2, True)
    assert limited.states < forced.states < four.states


def test_where_spark_has_its_files_states_are_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path}/one,{tmp_path}/other")
    search = replace(asked(NAME, KAFKA, tmp_path / "shared", 2), spill=None)
    memory_ends(monkeypatch, 60)
    agree(explore(search.task()), explore_on(FakeContext(), search, SILENT))
    assert {file.name for file in tmp_path.iterdir()} == {"one", "other", "shared"}


def test_rows_keep_their_numbers_when_memory_ends_in_the_middle_of_a_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the level before is expanded in the order in which it was written."""
    memory_ends(monkeypatch, 120)
    states = own_states.OwnStates(1, Room.of(None, 1, 1, False), lambda: tmp_path)
    states.add(np.arange(100, dtype=np.uint64).reshape(-1, 1), np.zeros(100, np.uint32))
    first = np.concatenate([rows.copy() for rows, _ in states.end_level()])
    seen = []
    for rows in states.last_level(10):
        seen.append(rows.copy())
        assert states.on_disk == (len(seen) > 3)
        states.add(rows + np.uint64(95), np.arange(10, dtype=np.uint32))
    assert (np.concatenate(seen) == first).all()
    new = [int(row) for rows, _ in states.end_level() for row in rows[:, 0]]
    assert (new != sorted(new), sorted(new)) == (True, list(range(100, 195)))
