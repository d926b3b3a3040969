"""A sweep's directory: rows as their jobs end, evidence beside them, and the compacted table.

    DIR/rows/NAME.parquet          the rows of one task, written by the executor that ran it
    DIR/table/                     the rows that are older (:mod:`bmc.sweep.parts`)
    DIR/traces/, DIR/certificates/ evidence, written before the row that names it
    DIR/results.parquet            the table of the last report

A file in ``rows`` is named by the keys of its task's jobs and appears whole or not at all. Two
sweeps in one directory, or a sweep that is killed and started again, can therefore neither corrupt
a row nor lose one; a job that was run twice has two rows, of which readers take one. A row that
was edited is not believed: it has a digest of its content, and of the files that are its evidence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

from pyarrow import ArrowException

from bmc.sweep import parts
from bmc.sweep.findings import are_as_said, has_its_traces
from bmc.sweep.places import Folder, Storage, StoreError, place
from bmc.sweep.rows import SCHEMA, Row, answers_its_key, digest_of, is_a_row
from bmc.sweep.tables import columns_of, parquet_of, read_rows, rows_of, table_of

ROWS = "rows"
TASK = "task-"
"""What the name of a task of several jobs begins with; one of a single job has its key."""
_OPEN = ".open"
"""What follows a key, in the name of a file, whose row decides nothing: it takes nobody's place."""
_EVIDENCE = re.compile(r"(traces|certificates)/[^/\0]+\.json")
_EVIDENCE_FOLDERS = ("traces", "certificates")
_ENOUGH_TO_COMPACT = 400
"""Files in ``rows``: with the parts of the table they stay below a thousand."""
_READERS = 8
BRIEF = (
    *("key", "protocol", "property", "asked", "bound", "verdict", "ended", "depth", "seconds"),
    *("state_bits", "timeout", "memory_mb", "finished", "evidence", "trace", "certificate"),
    *("implied_by", "found"),
)
"""The columns that resuming needs."""
TO_PRUNE = (*BRIEF, "parameters", "identity", "trace_states")
"""The columns that imply others' violations."""
QUESTION = (*BRIEF, "parameters", "solver", "lemmas", "identity")
"""The columns that say what was asked, about which text."""


@dataclass
class RowsFound:
    """Rows by key: those that are as they were written, those that are not, and files without any.

    ``unreadable`` names files that are there and no table of rows, whatever they held once.
    """

    believed: dict[str, dict[str, Any]] = field(default_factory=dict)
    changed: list[dict[str, Any]] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    def believe(self, row: dict[str, Any]) -> None:
        """Add a row; of two about one job, what is decided and not implied, then what is newer."""
        known = self.believed.get(row["key"])
        if known is None or _preference(row) > _preference(known):
            self.believed[row["key"]] = row


def _preference(row: Row) -> tuple[bool, Any]:
    # What another row implied is asked anew once it does so no more, and then not preferred.
    return row["verdict"] != "unknown" and not row["implied_by"], row["finished"]


class Store:
    """Rows and evidence of sweeps in one directory: a path, or a URI.

    Raises StoreError when the directory cannot be made or may not be written.
    """

    def __init__(self, where: str | Path | Storage) -> None:
        self.place = where if isinstance(where, Storage) else place(str(where))
        self.where = str(self.folder.absolute()) if self.folder else self.place.shown("")
        """The directory under a name that another process can use."""
        if isinstance(self.place, Folder):
            _make(self.place.path)

    @property
    def folder(self) -> Path | None:
        """The directory, where it is one of this machine."""
        return self.place.path if isinstance(self.place, Folder) else None

    @contextmanager
    def token(self) -> Iterator[str]:
        """Put a file into the directory by which others can tell that they see it, too."""
        name = f".sweep-{token_hex(8)}"
        self.place.write(name, b"A sweep runs.\n")
        try:
            yield name
        finally:
            with suppress(OSError):
                self.place.delete(name)

    @cached_property
    def _copies(self) -> TemporaryDirectory[str]:
        return TemporaryDirectory(prefix="bmc-evidence-")

    def find(self, key: str) -> dict[str, Any] | None:
        """Return the row that a task of this one job has written, or None.

        A file that is damaged counts as none, and so does a row that is not as it was written, or
        whose evidence is not.
        """
        return next((row for row in self.task_rows(key) if row["key"] == key), None)

    def task_rows(self, name: str) -> list[dict[str, Any]]:
        """Return the rows that a task has written under this name, one a job, if they are whole."""
        files = [f"{name}.parquet", f"{name}{_OPEN}.parquet"]
        if name.startswith(TASK):
            files = [file for file in self._loose() if file.startswith(name)]
        found = RowsFound()
        for row, whole in self._judged(files, []):
            _put(found, row, whole)
        return list(found.believed.values())

    def all(self) -> list[dict[str, Any]]:
        """Return every row that can be read and is as it was written, one a job."""
        return list(self.scan().believed.values())

    def changed(self) -> list[dict[str, Any]]:
        """Return the rows that can be read and are not as they were written, or their evidence."""
        return self.scan().changed

    def scan(self, columns: Sequence[str] | None = None, shard: int | None = None) -> RowsFound:
        """Read all rows, or some columns of them, or those of one shard only.

        Rows in parts that are as they were written are believed at once, so that a million of
        them take seconds; where their evidence has another size or time, its digest is compared.
        """
        found = RowsFound()
        # In this order: a row that is compacted meanwhile is seen twice, and never not at all.
        for row, whole in self._judged(self._loose(), found.unreadable):
            if shard is None or parts.shard_of(row["key"]) == shard:
                _put(found, row, whole)
        sizes: dict[str, tuple[int, int]] | None = None
        for part in self._parts(shard):
            try:
                rows, whole = self._part(part, columns)
            except FileNotFoundError:
                continue  # Another process has put it into a larger one, which is new.
            except (OSError, ValueError, ArrowException):
                found.unreadable.append(part.name)
                continue
            for row in rows:
                if not whole:
                    belongs = parts.shard_of(row["key"]) == part.shard
                    _put(found, row, belongs and self._is_whole(row))
                    continue
                if row["evidence"] is not None:
                    sizes = sizes if sizes is not None else self._sizes()
                    names = [row[kind] for kind in ("trace", "certificate") if row[kind]]
                    if row["stamp"] is None or parts.stamp(sizes, names) != row["stamp"]:
                        _put(found, row, self._has_evidence(row))
                        continue
                _put(found, row, has_its_traces(row, self.place.read))
        return found

    def evidence(self, row: Row) -> dict[str, Path]:
        """Return the files that are a row's evidence, by ``trace`` and ``certificate``.

        Those of another machine are copied to this one. Raises ValueError for a name that leads
        out of the directory, OSError where one cannot be copied.
        """
        return {kind: self._local(name) for kind, name in _named(row).items()}

    def _local(self, name: str) -> Path:
        if isinstance(self.place, Folder):
            return self.place.path / name
        copy = Path(self._copies.name, name.replace("/", "-"))
        if not copy.exists():
            copy.write_bytes(self.place.read(name))
        return copy

    def add(self, row: Row, evidence: Iterable[tuple[str, str]] = ()) -> dict[str, Any]:
        """Write a row, after its evidence: (path below the directory, text) pairs.

        Returns the row as it will be read again.
        """
        (whole,) = self.complete([self.with_evidence(row, evidence)])
        self.add_task(str(row["key"]), [whole])
        return whole

    def with_evidence(self, row: Row, evidence: Iterable[tuple[str, str]]) -> dict[str, Any]:
        """Write a row's evidence, and return the row with what it says of that."""
        digests = {}
        for name, text in evidence:
            content = text.encode()
            self.place.write(name, content, lasting=False)
            digests[name] = sha256(content).hexdigest()
        whole = {name: row.get(name) for name in SCHEMA.names}
        whole["finished"] = whole["finished"] or datetime.now(UTC)
        whole["evidence"] = self._digest_of_evidence(whole, digests)
        return whole

    def complete(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """Return rows as they will be read from a file, each with its digest."""
        # The file's types are coarser than Python's; a table of many rows costs little more than
        # one of a single row.
        found = rows_of(table_of(rows))
        for row in found:
            row["digest"] = digest_of(row)
        return found

    def add_task(self, name: str, rows: Sequence[Row]) -> None:
        """Write rows of a task that has this name. Raises UnwritableFile or StoreError."""
        jobs = " ".join(_job_of(row) for row in rows)
        several = name.startswith(TASK)
        name = f"{name}-{sha256(jobs.encode()).hexdigest()[:16]}" if several else jobs
        self.place.write(f"{ROWS}/{name}.parquet", parquet_of(rows), lasting=False)

    def compact(self, at_least: int = _ENOUGH_TO_COMPACT) -> int:
        """Move rows into the table once there are so many files of them; return how many files.

        Files in which something is not as it was written stay where they are.
        """
        names = [f"{ROWS}/{name}" for name in self._loose()]
        if len(names) < at_least:
            return 0
        moved: dict[str, bytes] = {}
        rows: list[dict[str, Any]] = []
        with ThreadPoolExecutor(_READERS) as pool:
            for name, (content, read) in zip(names, pool.map(self._stamped, names), strict=True):
                if read:
                    moved[name] = content
                    rows += read
        if not rows:
            return 0
        parts.write(self.place, table_of(rows, parts.STAMPED))
        for name, content in moved.items():
            # A job that is asked again under larger limits has written a row of the same name.
            with suppress(FileNotFoundError):
                if self.place.read(name) == content:
                    self.place.delete(name)
        while parts.merge(self.place, parts.listed(self.place)):
            pass
        return len(moved)

    def _stamped(self, name: str) -> tuple[bytes, list[dict[str, Any]]]:
        """A file, and its rows, if all of them are whole, each with its stamp."""
        try:
            content = self.place.read(name)
            rows = read_rows(content)
        except (OSError, ValueError, ArrowException):
            return b"", []
        if not all(self._is_whole(row) for row in rows):
            return b"", []
        for row in rows:
            names = _named(row).values()
            abouts = {one: self.place.about(one) for one in names}
            sizes = {one: (a.size, a.written) for one, a in abouts.items() if a is not None}
            row["stamp"] = parts.stamp(sizes, names) if names else None
        return content, rows

    def table(self, rows: Iterable[Row]) -> str:
        """Write ``results.parquet``, all rows in one table, and return where it is."""
        return self.write("results.parquet", parquet_of(rows))

    def write(self, name: str, content: bytes) -> str:
        """Write a file of the directory, whole or not at all, and return where it is.

        Raises UnwritableFile or StoreError.
        """
        self.place.write(name, content)
        return self.place.shown(name)

    def _loose(self) -> Iterator[str]:
        names = (entry.name for entry in self.place.entries(ROWS))
        return iter(sorted(name for name in names if name.endswith(".parquet")))

    def _parts(self, shard: int | None) -> Iterator[parts.Part]:
        """The parts of a shard, or all, and those that others make of them meanwhile."""
        seen: set[parts.Part] = set()
        while found := [part for part in parts.listed(self.place) if part not in seen]:
            seen.update(found)
            yield from (part for part in found if shard is None or part.shard == shard)

    def _judged(
        self, names: Iterable[str], unreadable: list[str]
    ) -> Iterator[tuple[dict[str, Any], bool]]:
        for name in names:
            try:
                rows = read_rows(self.place.read(f"{ROWS}/{name}"))
            except FileNotFoundError:
                continue  # Another process has moved its rows into the table.
            except (OSError, ValueError, ArrowException):
                unreadable.append(f"{ROWS}/{name}")
                continue
            for row in rows:
                job = name.removesuffix(".parquet").removesuffix(_OPEN)
                belongs = name.startswith(TASK) or job == row["key"]
                yield row, belongs and self._is_whole(row)

    def _part(
        self, part: parts.Part, columns: Sequence[str] | None
    ) -> tuple[Iterable[dict[str, Any]], bool]:
        wanted = None if columns is None else [*columns, "stamp"]
        table, whole = parts.read(self.place, part, wanted)
        return (rows_of(table) if not whole else columns_of(table)), whole

    def _sizes(self) -> dict[str, tuple[int, int]]:
        return {
            f"{folder}/{entry.name}": (entry.size, entry.written)
            for folder in _EVIDENCE_FOLDERS
            for entry in self.place.entries(folder)
        }

    def _is_whole(self, row: Row) -> bool:
        try:
            same = is_a_row(row) and row["digest"] == digest_of(row)
            same = same and answers_its_key(row) and are_as_said(row)
            return same and self._has_evidence(row) and has_its_traces(row, self.place.read)
        except (OSError, ValueError):
            return False

    def _has_evidence(self, row: Row) -> bool:
        try:
            return bool(row["evidence"] == self._digest_of_evidence(row, {}))
        except (OSError, ValueError):
            return False

    def _digest_of_evidence(self, row: Row, known: dict[str, str]) -> str | None:
        files = _named(row)
        if not files:
            return None
        digests = [
            known.get(name) or sha256(self.place.read(name)).hexdigest()
            for _, name in sorted(files.items())
        ]
        return sha256(" ".join(digests).encode()).hexdigest()


def _job_of(row: Row) -> str:
    """A job as file names have it: not as another sweep's that has decided it."""
    return f"{row['key']}{_OPEN if row['verdict'] == 'unknown' else ''}"


def _put(found: RowsFound, row: dict[str, Any], whole: bool) -> None:
    if whole:
        found.believe(row)
    else:
        found.changed.append(row)


def _named(row: Row) -> dict[str, str]:
    """The names of a row's evidence. Raises ValueError for one that leads out of the directory."""
    found = {}
    for kind in ("trace", "certificate"):
        if (name := row[kind]) is not None:
            if not _EVIDENCE.fullmatch(name):
                raise ValueError(f"{name!r} is no name of a {kind}")
            found[kind] = name
    return found


def is_empty(there: Storage) -> bool:
    """Return whether a place has no rows, nor ever had: it is no directory of a sweep."""
    return not any(there.exists(name) for name in (ROWS, parts.FOLDER))


def _make(folder: Path) -> None:
    try:
        for name in (ROWS, *_EVIDENCE_FOLDERS):
            (folder / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make {error.filename or folder}: {error.strerror}") from None
    if not os.access(folder / ROWS, os.W_OK):
        raise StoreError(f"cannot write into {folder}: permission denied")


__all__ = ["BRIEF", "QUESTION", "TASK", "TO_PRUNE", "RowsFound", "Store", "StoreError", "is_empty"]
