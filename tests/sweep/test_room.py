"""A sweep whose directory has no room: it ends at once, says why, and loses no verdict."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bmc.cli.commands.sweep_run import Asked
from bmc.cli.commands.sweep_run import planned as planned_by_words
from bmc.sweep.dispatch import Dispatcher
from bmc.sweep.places import Folder, StoreFull
from bmc.sweep.store import Store
from tests.cli.running import bmc
from tests.sweep.counters import FakeExecutors, Recorder, answered, planned, request, truth


@contextmanager
def small_files() -> Iterator[None]:
    """No file may be larger than a kilobyte, as under ``ulimit -f 1``."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_row_that_has_no_room_ends_the_sweep_at_once_and_is_no_dead_executor(
    tmp_path: Path,
) -> None:
    """Each job was decided again and again, and an executor was said to have died."""
    executors, seen = FakeExecutors(truth, Store(tmp_path)), Recorder()
    said = r"cannot write .*: File too large. Make room there"
    with small_files(), pytest.raises(StoreFull, match=said):
        Dispatcher(planned(request(range(1, 5))), Store(tmp_path), executors, seen).run()
    assert len(executors.ran) == len({job.key for job in executors.ran})
    assert (seen.retries, seen.rows, list(tmp_path.rglob(".*.partial"))) == ([], [], [])


@pytest.mark.parametrize("lasting", [True, False])
def test_a_file_that_has_no_room_leaves_the_one_before(tmp_path: Path, lasting: bool) -> None:
    folder = Folder(tmp_path)
    folder.write("table", b"before", lasting)
    with small_files(), pytest.raises(StoreFull, match="File too large"):
        folder.write("table", bytes(2048), lasting)
    assert folder.read("table") == b"before"


@pytest.mark.parametrize(("verdict", "code"), [("proved", 3), ("violated", 1)])
def test_reports_that_have_no_room_lose_no_verdict(tmp_path: Path, verdict: str, code: int) -> None:
    """It ended as a failure (4), and told nothing of what was decided."""
    asked = Asked.of(("id-sequence",), (), (), None, (), False)
    asked = asked.by(None, 10, "cadical", True, 300.0, 4096)
    store = Store(tmp_path)
    for job in planned_by_words(asked, ()).jobs:
        found = answered(job, verdict)
        store.add(found.row, found.evidence)
    with small_files():
        told = bmc("sweep", "id-sequence", "--out", str(tmp_path), "--json")
    assert told.code == code
    assert "results.parquet: File too large" in told.err
    assert [row["verdict"] for row in told.document["rows"]] == [verdict]
