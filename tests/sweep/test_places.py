"""Where rows are kept: nothing twice and nothing lost, whoever dies and whatever fails."""

import multiprocessing
import os
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pyarrow import fs

from bmc.running.files import UnwritableFile
from bmc.sweep import parts
from bmc.sweep.batches import Batch
from bmc.sweep.dispatch import Dispatcher
from bmc.sweep.job import Job
from bmc.sweep.places import Folder, Remote, Storage, StoreError, place
from bmc.sweep.store import BRIEF, Store
from tests.sweep.counters import FakeExecutors, Recorder, answered, planned, request, truth


class Flaky(fs.LocalFileSystem):  # type: ignore[misc]
    """A file system that fails for a while, again and again."""

    def __init__(self, seed: int, share: float = 0.15) -> None:
        super().__init__()
        self._draw, self._share = random.Random(seed), share

    def _perhaps(self) -> None:
        if self._draw.random() < self._share:
            raise OSError("Slow down: please reduce your request rate")

    def open_input_stream(self, *words: Any, **options: Any) -> Any:
        """Fail, or open."""
        self._perhaps()
        return super().open_input_stream(*words, **options)

    def open_output_stream(self, *words: Any, **options: Any) -> Any:
        """Fail, or open."""
        self._perhaps()
        return super().open_output_stream(*words, **options)

    def move(self, *words: Any) -> None:
        """Fail before the renaming, or after it."""
        self._perhaps()
        super().move(*words)


def remote(folder: Path, seed: int = 1) -> Storage:
    return Remote(f"flaky://{folder}", Flaky(seed), str(folder), patience=20.0)


@cache
def jobs() -> tuple[Job, ...]:
    return planned(request(range(1, 31), range(1, 5), names="Small")).jobs


def rows_of(store: Store, count: int, start: int = 0) -> None:
    for job in jobs()[start : start + count]:
        finished = truth(job)
        store.add(finished.row, finished.evidence)


PLACES: list[Callable[[Path], Storage]] = [Folder, remote]


@pytest.mark.parametrize("made", PLACES)
def test_rows_are_the_same_before_and_after_they_are_compacted(
    made: Callable[[Path], Storage], tmp_path: Path
) -> None:
    store = Store(made(tmp_path))
    rows_of(store, 12)
    before = {row["key"]: row for row in store.all()}
    assert store.compact(at_least=13) == 0
    assert store.compact(at_least=12) == 12
    assert not list((tmp_path / "rows").glob("*.parquet"))
    after = {row["key"]: row for row in store.all()}
    assert len(before) == 12
    assert {k: {**r, "stamp": None} for k, r in after.items()} == {
        k: {**r, "stamp": None} for k, r in before.items()
    }
    brief = store.scan(BRIEF).believed
    assert {k: r["verdict"] for k, r in brief.items()} == {
        k: r["verdict"] for k, r in before.items()
    }


def test_the_number_of_files_stays_small(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for start in range(0, 65, 5):
        rows_of(store, 5, start)
        store.compact(at_least=1)
    found = parts.listed(store.place)
    assert len(store.all()) == 65
    assert len(found) <= 8 * 2 * (parts.FANOUT - 1)
    assert max(part.tier for part in found) == 1


def test_whoever_stops_while_compacting_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    class Stopping(Folder):
        left = 0

        def _one(self) -> None:
            self.left -= 1
            if self.left < 0:
                raise Stopped

        def write(self, name: str, content: bytes, lasting: bool = True) -> None:
            self._one()
            super().write(name, content, lasting)

        def delete(self, name: str) -> None:
            self._one()
            super().delete(name)

    rows_of(Store(tmp_path), 12)
    stops = 0
    for steps in (1, 7, 13, 19):
        dying = Stopping(tmp_path)
        dying.left = steps
        try:
            Store(dying).compact(at_least=1)
        except Stopped:
            stops += 1
        rows = Store(tmp_path).all()
        assert len({row["key"] for row in rows}) == len(rows) == 12
        rows_of(Store(tmp_path), 6, steps % 6)
    assert stops > 1


def test_two_compact_the_same_directory_at_a_time(tmp_path: Path) -> None:
    rows_of(Store(tmp_path), 16)
    fork = multiprocessing.get_context("fork")
    both = [fork.Process(target=lambda: Store(tmp_path).compact(at_least=1)) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
        assert process.exitcode == 0
    rows = Store(tmp_path).all()
    assert len({row["key"] for row in rows}) == len(rows) == 16


def test_parts_that_are_merged_while_they_are_read_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another driver merges what is listed before the first part is read."""

    class Late(Folder):
        merged = 0

        def read(self, name: str) -> bytes:
            if name.startswith(parts.FOLDER) and not self.merged:
                self.merged = parts.merge(Folder(tmp_path), parts.listed(Folder(tmp_path)))
            return super().read(name)

    store = Store(tmp_path)
    for start in range(0, 24, 6):
        rows_of(store, 6, start)
        store.compact(at_least=1)
    monkeypatch.setattr(parts, "FANOUT", 2)
    late = Late(tmp_path)
    assert len(Store(late).all()) == 24
    assert late.merged


def test_a_row_that_is_written_while_its_file_is_compacted_is_kept(tmp_path: Path) -> None:
    """A job that ran into a limit is asked again and answered while its old row is moved."""
    first, *others = jobs()[:4]

    class Meanwhile(Folder):
        def write(self, name: str, content: bytes, lasting: bool = True) -> None:
            super().write(name, content, lasting)
            if name.startswith(parts.FOLDER):
                Store(tmp_path).add(truth(first).row)

    store = Store(Meanwhile(tmp_path))
    for job in (first, *others):
        store.add(answered(job, "unknown").row)
    assert store.compact(at_least=1) == 4
    verdicts = sorted(row["verdict"] for row in Store(tmp_path).all())
    assert verdicts == ["proved", "unknown", "unknown", "unknown"]


def test_an_edited_part_is_believed_row_by_row(tmp_path: Path) -> None:
    store = Store(tmp_path)
    rows_of(store, 10)
    store.compact(at_least=1)
    part = parts.listed(store.place)[0]
    table, whole = parts.read(store.place, part)
    assert whole
    edited = table.to_pylist()
    edited[0]["verdict"] = "proved" if edited[0]["verdict"] == "violated" else "violated"
    store.place.delete(part.name)
    written = parts.write(store.place, table.from_pylist(edited, schema=table.schema))
    # Under the name of the original: its digest is not the content's.
    content = store.place.read(written[0].name)
    store.place.delete(written[0].name)
    store.place.write(part.name, content)
    found = store.scan(BRIEF)
    assert [row["key"] for row in found.changed] == [edited[0]["key"]]
    assert len(found.believed) == 9


@pytest.mark.parametrize("change", ["remove", "edit", "touch"])
def test_evidence_of_compacted_rows_is_watched(change: str, tmp_path: Path) -> None:
    store = Store(tmp_path)
    rows_of(store, 12)
    store.compact(at_least=1)
    trace = next((tmp_path / "traces").iterdir())
    if change == "remove":
        trace.unlink()
    elif change == "edit":
        trace.write_text("{}")
    else:
        # The same content, written again: its digest is compared.
        trace.write_bytes(trace.read_bytes())
    found = store.scan(BRIEF)
    assert (len(found.believed), len(found.changed)) == ((12, 0) if change == "touch" else (11, 1))


@pytest.mark.parametrize("compacted", [True, False])
def test_a_decided_row_outlives_a_later_unknown_one(tmp_path: Path, compacted: bool) -> None:
    """Another sweep in the directory, of less time, ends later with the same job."""
    store = Store(tmp_path)
    (job, *_) = planned(request(range(1, 2))).jobs
    store.add(truth(job).row)
    if compacted:
        store.compact(at_least=1)
    store.add(answered(job, "unknown").row)
    assert [row["verdict"] for row in store.all()] == ["proved"]


@pytest.mark.parametrize("count", [1, 3])
def test_of_a_task_s_rows_none_is_lost_to_one_that_decides_nothing(
    tmp_path: Path, count: int
) -> None:
    store, asked = Store(tmp_path), jobs()[:count]
    name = Batch(asked).name
    for decided in (asked, asked[1:]):
        said = [truth(one) if one in decided else answered(one, "unknown") for one in asked]
        rows = [store.with_evidence(one.row, one.evidence) for one in said]
        store.add_task(name, store.complete(rows))
    assert sorted(row["key"] for row in store.task_rows(name)) == sorted(job.key for job in asked)
    assert all(row["verdict"] != "unknown" for row in [*store.task_rows(name), *store.all()])


def test_a_store_that_fails_for_a_while_is_tried_again(tmp_path: Path) -> None:
    store, seen = Store(remote(tmp_path, 3)), Recorder()
    executors = FakeExecutors(truth, Store(tmp_path), token="not there: the driver writes")
    Dispatcher(planned(request(range(1, 8))), store, executors, seen).run()
    assert len(Store(tmp_path).all()) == len(seen.rows) == 14


def test_a_store_that_fails_for_good_is_an_error_that_names_it(tmp_path: Path) -> None:
    failing = Remote("flaky://x", Flaky(1, share=1.0), str(tmp_path), patience=0.1)
    with pytest.raises(StoreError, match="cannot write flaky://x/rows"):
        rows_of(Store(failing), 1)


class Refusing(Flaky):
    """A file system that does not even say what is there."""

    def get_file_info(self, *words: Any) -> Any:
        """Fail."""
        raise OSError("Empty reply from server")

    def delete_file(self, *words: Any) -> None:
        """Fail."""
        raise PermissionError("AccessDenied")


ASKED: list[Callable[[Storage], object]] = [
    lambda place: place.read("rows/a"),
    lambda place: list(place.entries("rows")),
    lambda place: place.exists("rows"),
    lambda place: place.about("rows/a"),
    lambda place: place.delete("rows/a"),
]


@pytest.mark.parametrize("ask", ASKED)
def test_a_store_that_says_nothing_is_an_error_that_names_it(
    ask: Callable[[Storage], object], tmp_path: Path
) -> None:
    silent = Remote("flaky://x", Refusing(1, share=1.0), str(tmp_path), patience=0.1)
    with pytest.raises(StoreError, match="flaky://x/rows"):
        ask(silent)


@pytest.mark.parametrize("ask", ASKED)
def test_a_folder_that_cannot_be_used_is_an_error_that_names_it(
    ask: Callable[[Storage], object], tmp_path: Path
) -> None:
    # A loop of links stops every user, where a mode stops all but the superuser.
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(StoreError, match=r"cannot use .*loop/rows"):
        ask(Folder(tmp_path / "loop"))


def test_what_is_no_file_is_told_and_neither_waited_for_nor_followed(tmp_path: Path) -> None:
    """A pipe has no end, a device neither, and links may lead back."""
    rows = tmp_path / "rows"
    rows.mkdir()
    os.mkfifo(rows / "pipe.parquet")
    (rows / "zeros.parquet").symlink_to("/dev/zero")
    (rows / "itself.parquet").symlink_to("itself.parquet")
    (rows / "gone.parquet").symlink_to("nowhere")
    for name in ("back", "again"):
        (rows / name).symlink_to(".")
    store = Store(tmp_path)
    listed = [entry.name for entry in store.place.entries("rows")]
    assert sorted(listed) == ["itself.parquet", "pipe.parquet", "zeros.parquet"]
    assert sorted(store.scan().unreadable) == sorted(f"rows/{name}" for name in listed)
    with pytest.raises(StoreError, match="it is no file but a pipe or a device"):
        store.place.read("rows/pipe.parquet")
    with pytest.raises(UnwritableFile, match="it is no file but a pipe or a device"):
        store.place.write("rows/pipe.parquet", b"")


def test_a_file_in_the_place_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("rows", encoding="utf-8")
    with pytest.raises(StoreError, match=r"cannot make .*/rows: File exists"):
        Store(tmp_path)


def test_rows_that_executors_cannot_write_are_written_by_the_driver(tmp_path: Path) -> None:
    store, seen = Store(tmp_path), Recorder()
    executors = FakeExecutors(truth, store, token="a file that is not there")
    Dispatcher(planned(request(range(1, 5))), store, executors, seen).run()
    assert len(store.all()) == 8


def test_a_uri_of_no_known_kind_is_refused() -> None:
    with pytest.raises(StoreError, match="a URI that begins with"):
        place("ftp://host/x")


def test_a_file_uri_is_a_path(tmp_path: Path) -> None:
    for host in ("", "localhost"):
        found = place(f"file://{host}{tmp_path}/a%20b%23%3F")
        assert isinstance(found, Folder)
        assert found.path == tmp_path / "a b#?"


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("file://results/one", "'results' is not this machine's: write the path alone"),
        ("file://[x/one", "is not this machine's"),
        ("file://", "names no folder"),
        ("file:///", "names no folder"),
        ("file:///rows/run#1", "write %23"),
        ("file:///rows/run?1", "write %3F"),
        ("file:///rows/%ff", "no UTF-8"),
        ("file:///rows/%00x", "no folder's name"),
    ],
)
def test_no_part_of_a_file_uri_is_left_out(uri: str, why: str) -> None:
    with pytest.raises(StoreError, match=why):
        place(uri)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An empty bucket of an S3 server on this machine, as a URI."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        monkeypatch.setenv(f"AWS_{name}", "testing")
    try:
        options = f"endpoint_override={host}:{port}&scheme=http&region=us-east-1"
        files, _ = fs.FileSystem.from_uri(f"s3://sweeps?{options}&allow_bucket_creation=true")
        files.create_dir("sweeps")
        yield f"s3://sweeps/one?{options}"
    finally:
        server.stop()


def test_a_sweep_into_a_bucket(bucket: str) -> None:
    store, seen = Store(bucket), Recorder()
    plan = planned(request(range(1, 6)))
    with store.token() as token:
        executors = FakeExecutors(truth, store, token=token)
        Dispatcher(plan, store, executors, seen).run()
    again = Store(bucket)
    assert len(again.all()) == 10
    assert not planned(request(range(1, 6)), again.all()).todo
    violated = next(row for row in again.all() if row["trace"])
    assert "fails" in again.evidence(violated)["trace"].read_text()
    assert again.compact(at_least=1) > 0
    assert len(again.all()) == 10
    assert [entry.name for entry in again.place.entries("rows")] == []


@pytest.mark.parametrize(
    ("uri", "asked"),
    [
        ("gs://kept/rows", "gs://kept/rows?retry_limit_seconds=5"),
        ("gcs://kept/rows?anonymous=true", "gcs://kept/rows?anonymous=true&retry_limit_seconds=5"),
        ("gs://kept/rows?retry_limit_seconds=60", "gs://kept/rows?retry_limit_seconds=60"),
        ("hdfs://kept/rows", "hdfs://kept/rows"),
    ],
)
def test_a_store_s_client_tells_of_a_failure_within_seconds(
    uri: str, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Google's asked again for a quarter of an hour, in which no signal was heard."""
    given: list[str] = []

    class Files:
        @staticmethod
        def from_uri(named: str) -> None:
            given.append(named)
            raise OSError("no such store")

    monkeypatch.setattr(fs, "FileSystem", Files)
    with pytest.raises(StoreError, match="no such store"):
        place(uri)
    assert given == [asked]
