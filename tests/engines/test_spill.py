"""An exploration on disk finds what the one in memory does, also after it was killed."""

import json
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from errno import EFBIG, ENOSPC
from pathlib import Path
from random import Random
from resource import RLIMIT_FSIZE, getrlimit, setrlimit
from shutil import copytree, rmtree
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from bmc.cli.shared import catalogue
from bmc.engines import explicit, spilled
from bmc.engines.explicit import explore
from bmc.engines.exploration import Exploration
from bmc.engines.packed import store as in_memory
from bmc.engines.packed.packing import Rows
from bmc.engines.spill import keys as keys_module
from bmc.engines.spill import levels
from bmc.engines.spill.candidates import Candidates
from bmc.engines.spill.files import DamagedSpill, FolderInUse, SpillFailed, WordFile, claim
from bmc.engines.spilled import Spill, explore_on_disk
from bmc.engines.task import OptionError, Task
from bmc.lang import Protocol, Suite
from bmc.running.files import WriteFailed, write_file
from tests.engines.explorable import EVERYTHING, Counter, DeadEnd, Overflowing

KIP101 = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}


def asked(protocol: type[Protocol], parameters: dict[str, int], *properties: str) -> Task:
    return Task(Suite.of(protocol, protocol.__name__), parameters, properties)


CASES = [
    asked(Counter, {}, *EVERYTHING),
    asked(DeadEnd, {}, "Good"),
    Task(catalogue.find("kafka-kip101"), KIP101, ("TypeOk", "WeakIsr", "StrongIsr")),
]


def tell(found: Exploration) -> dict[str, object]:
    """What must not depend on where the states are; of traces of a length any will do."""
    return {
        "levels": found.levels,
        "fired": found.fired,
        "complete": found.complete,
        "stopped": found.stopped_because,
        "violations": {name: len(trace) for name, trace in found.violations.items()},
        "witnesses": {n: t and len(t) for n, t in found.witnesses.items()},
        "representatives": found.representatives,
        "holds": found.holds,
    }


@pytest.fixture(params=["whole", "collapsed"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With as little memory as there can be, so that successors go to disk as runs."""
    monkeypatch.setattr(spilled, "room_for_successors", lambda memory: 200_000)
    if request.param == "collapsed":
        monkeypatch.setattr(in_memory, "WIDE", 1)
        monkeypatch.setattr(in_memory, "SAMPLE", 10)
    return str(request.param)


@pytest.mark.parametrize(
    ("task", "symmetry"),
    [(CASES[0], False), (CASES[1], True), (CASES[2], False), (CASES[2], True)],
    ids=str.split("counter dead-end kip101 kip101-symmetry"),
)
def test_the_same_as_in_memory(tmp_path: Path, kept: str, task: Task, symmetry: bool) -> None:
    expected = tell(explore(task, symmetry=symmetry))
    found = explore_on_disk(task, spill=Spill(tmp_path), symmetry=symmetry)
    assert tell(found) == expected
    resumed = explore_on_disk(task, spill=Spill(tmp_path, resume=True), symmetry=symmetry)
    assert tell(resumed) == expected


def test_levels_in_many_runs_and_parts(
    tmp_path: Path, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing fits: every block is a run, and a level is merged in many ranges of hashes."""
    nothing_fits(monkeypatch)
    parts: list[int] = []
    split = Candidates._bits

    def noted(self: Candidates) -> int:
        parts.append(split(self))
        return parts[-1]

    monkeypatch.setattr(Candidates, "_bits", noted)
    task = CASES[2]
    assert tell(explore_on_disk(task, spill=Spill(tmp_path))) == tell(explore(task))
    assert max(parts) > 1


def nothing_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilled, "room_for_successors", lambda memory: 3_000)
    monkeypatch.setattr(explicit, "expanded_at_once", lambda words: 60)


def test_equal_hashes_are_not_equal_states(
    tmp_path: Path, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = CASES[2]
    expected = tell(explore(task))

    def few(rows: Rows) -> object:
        return (rows[:, 0] % np.uint64(50)) << np.uint64(58)

    nothing_fits(monkeypatch)
    monkeypatch.setattr(keys_module, "hashes_of", few)
    assert tell(explore_on_disk(task, spill=Spill(tmp_path))) == expected


Write = Callable[[WordFile, NDArray[Any]], None]
WRITE: Write = WordFile.append


def up_to(last: int, end: Callable[[WordFile, NDArray[Any]], None]) -> Write:
    """What stands where a file is written, and lets the ``last``-th write end otherwise."""
    left = last

    def write(file: WordFile, array: NDArray[Any]) -> None:
        nonlocal left
        left -= 1
        (WRITE if left > 0 else end)(file, array)

    return write


def die(file: WordFile, array: NDArray[Any]) -> None:
    WRITE(file, array[: len(array) // 2])
    os.kill(os.getpid(), signal.SIGKILL)


def no_room(file: WordFile, array: NDArray[Any]) -> None:
    raise OSError(ENOSPC, os.strerror(ENOSPC))


def killed_at(task: Task, folder: Path, write: int) -> bool:
    """Go on with the search in a child that is killed at a write; False if it got to the end."""
    child = os.fork()
    if not child:
        WordFile.append = up_to(write, die)  # type: ignore[method-assign]
        with suppress(BaseException):
            explore_on_disk(task, spill=Spill(folder, resume=True))
            os._exit(0)
        os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status != 0


def test_a_killed_run_goes_on(tmp_path: Path, kept: str) -> None:
    """Killed again and again at any write, it ends with what was never killed."""
    task = CASES[2]
    expected = tell(explore(task))
    random = Random(0)
    kills = 0
    while kills < 3 and killed_at(task, tmp_path, random.randint(1, 9)):
        kills += 1
    assert kills
    assert tell(explore_on_disk(task, spill=Spill(tmp_path, resume=True))) == expected


def test_a_full_disk_loses_nothing(
    tmp_path: Path, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run says so, keeps its complete levels, and goes on from them when there is room."""
    task = CASES[2]
    whole = explore(task)
    with monkeypatch.context() as patch:
        patch.setattr(WordFile, "append", up_to(25, no_room))
        found = explore_on_disk(task, spill=Spill(tmp_path))
    assert not found.complete
    assert found.stopped_because is not None
    assert "No space left on device" in found.stopped_because
    assert "--resume" in found.stopped_because
    assert found.levels == whole.levels[: len(found.levels)]
    assert 1 < len(found.levels) < len(whole.levels)
    resumed = explore_on_disk(task, spill=Spill(tmp_path, resume=True))
    assert tell(resumed) == tell(whole)


def test_a_disk_that_is_full_when_a_level_is_all_but_complete_loses_nothing(
    tmp_path: Path, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found until then is told, and not only that a file could not be written."""
    task = CASES[0]
    whole, left = explore(task), 3

    def last(path: Path, content: str) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise WriteFailed(f"cannot write {path}: {os.strerror(ENOSPC)}")
        write_file(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(levels, "write_file", last)
        found = explore_on_disk(task, spill=Spill(tmp_path))
    assert found.stopped_because is not None
    assert "No space left on device" in found.stopped_because
    assert "--resume" in found.stopped_because
    assert found.levels == whole.levels[: len(found.levels)]
    assert len(found.levels) > 2
    assert "SomeNumber" in found.witnesses
    resumed = explore_on_disk(task, spill=Spill(tmp_path, resume=True))
    assert tell(resumed) == tell(whole)


def test_what_was_never_begun_is_not_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SpillFailed, match=r"Name a folder that can be made .*: --spill DIR$"):
        explore_on_disk(CASES[0], spill=Spill(tmp_path / "file" / "folder"))


def test_what_the_system_refuses_is_refused_once(tmp_path: Path, kept: str) -> None:
    """A file that the system lets grow no more keeps what it refused, and closing tries again."""
    task = CASES[2]
    soft, hard = getrlimit(RLIMIT_FSIZE)
    setrlimit(RLIMIT_FSIZE, (500, hard))
    try:
        found = explore_on_disk(task, spill=Spill(tmp_path))
    finally:
        setrlimit(RLIMIT_FSIZE, (soft, hard))
    assert found.stopped_because is not None
    assert os.strerror(EFBIG) in found.stopped_because
    whole = explore(task)
    assert found.levels == whole.levels[: len(found.levels)]
    assert tell(explore_on_disk(task, spill=Spill(tmp_path, resume=True))) == tell(whole)


@pytest.mark.parametrize("change", ["longer", "shorter", "other", "gone"])
@pytest.mark.parametrize("kind", ["states", "parents", "values", "json"])
def test_damage_is_refused(tmp_path: Path, change: str, kind: str, finished: Path) -> None:
    folder = tmp_path / "copy"
    copytree(finished, folder)
    file = next(folder.glob(f"*/00000.{kind}"))
    content = file.read_bytes()
    assert content
    if change == "gone":
        file.unlink()
    else:
        half = len(content) // 2
        changed = bytes([content[half] ^ 1])
        changes = {
            "longer": content + b"0",
            "shorter": content[:-1],
            "other": content[:half] + changed + content[half + 1 :],
        }
        file.write_bytes(changes[change])
    with pytest.raises(DamagedSpill, match="remove its folder"):
        explore_on_disk(CASES[1], spill=Spill(folder, resume=True))


@pytest.mark.parametrize("renumbered", [{1: 0, 2: 1}, {1: 2, 2: 1}], ids=["moved", "swapped"])
def test_a_level_is_not_taken_for_another(
    tmp_path: Path, finished: Path, renumbered: dict[int, int]
) -> None:
    """Each file is as it was written, and states of a level that is lost would be missing."""
    copytree(finished, tmp_path / "copy")
    (folder,) = (tmp_path / "copy").iterdir()
    files = [(file, n) for n in renumbered for file in folder.glob(f"{n:05}.*")]
    contents = [
        (folder / f"{renumbered[n]:05}{file.suffix}", file.read_bytes()) for file, n in files
    ]
    for file in folder.glob("0*"):
        if int(file.stem) >= min(renumbered):
            file.unlink()
    for file, content in contents:
        file.write_bytes(content)
    with pytest.raises(DamagedSpill, match="of another level"):
        explore_on_disk(CASES[1], spill=Spill(tmp_path / "copy", resume=True))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("bits", 7),
        ("bits", [[0, 9]]),
        ("bits", [1, 2, 3, 4, 5]),
        ("cuts", [[0, 99]]),
        ("cuts", [0]),
        ("checksums", {}),
        ("checksums", 1.5),
        ("states", None),
        ("states", 1 << 70),
        ("words", "x"),
        ("values", True),
        ("before", "0"),
        ("search", None),
        ("searched", []),
        ("searched", {"levels": [None], "fired": [], "decided": {}}),
        ("searched", {"levels": [1], "fired": [], "decided": {"A": ["no row"]}}),
    ],
)
def test_a_level_whose_checksum_fits_what_it_never_says_is_refused(
    tmp_path: Path, finished: Path, part: str, value: object
) -> None:
    """It is of another version, or of a hand: no failure of bmc's own."""
    copytree(finished, tmp_path / "copy")
    (folder,) = (tmp_path / "copy").iterdir()
    (last,) = (file for file in folder.glob("00001.json"))
    _, text = json.loads(last.read_text())
    text = json.dumps(json.loads(text) | {part: value})
    last.write_text(json.dumps([crc32(text.encode()), text]))
    with pytest.raises(DamagedSpill, match="remove its folder"):
        explore_on_disk(CASES[1], spill=Spill(tmp_path / "copy", resume=True))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a search that has ended."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_memory, "WIDE", 1)
        explore_on_disk(CASES[1], spill=Spill(folder))
    return folder


def test_a_search_is_not_begun_over_another(tmp_path: Path) -> None:
    """A second one with the same question is refused, one with another question is not."""
    explore_on_disk(CASES[1], spill=Spill(tmp_path))
    with pytest.raises(OptionError, match="--resume goes on"):
        explore_on_disk(CASES[1], spill=Spill(tmp_path))
    assert explore_on_disk(CASES[1], spill=Spill(tmp_path, resume=True)).complete
    assert explore_on_disk(CASES[0], spill=Spill(tmp_path)).complete


def test_the_states_of_another_search_are_refused(tmp_path: Path, finished: Path) -> None:
    """Whatever the folder is called that they were copied to."""
    explore_on_disk(CASES[0], spill=Spill(tmp_path))
    (own,) = tmp_path.iterdir()
    (other,) = finished.iterdir()
    rmtree(own)
    copytree(other, own)
    with pytest.raises(DamagedSpill, match="of another search"):
        explore_on_disk(CASES[0], spill=Spill(tmp_path, resume=True))


def test_two_processes_do_not_write_in_one_folder(tmp_path: Path) -> None:
    explore_on_disk(CASES[1], spill=Spill(tmp_path))
    (folder,) = tmp_path.iterdir()
    held = claim(folder)
    with pytest.raises(FolderInUse, match="wait for it"):
        explore_on_disk(CASES[1], spill=Spill(tmp_path, resume=True))
    os.close(held)


def test_limits(tmp_path: Path) -> None:
    """A search that was stopped goes on with other limits."""
    task = CASES[0]
    stopped = explore_on_disk(task, spill=Spill(tmp_path), max_depth=2)
    assert stopped.stopped_because == "the limit of 2 steps is reached"
    assert len(stopped.levels) == 3
    violated = explore_on_disk(task, spill=Spill(tmp_path, resume=True), stop_at_violation=True)
    assert violated.stopped_because == explore(task, stop_at_violation=True).stopped_because
    assert not violated.complete
    assert tell(explore_on_disk(task, spill=Spill(tmp_path, resume=True))) == tell(explore(task))


def test_beyond_bounds(tmp_path: Path) -> None:
    task = asked(Overflowing, {}, "Small")
    expected = explore(task)
    for resume in (False, True):
        found = explore_on_disk(task, spill=Spill(tmp_path, resume))
        assert found.overflow_reason == expected.overflow_reason
        assert found.overflow is not None
        assert expected.overflow is not None
        assert len(found.overflow) == len(expected.overflow)
