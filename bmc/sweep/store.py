"""A sweep's directory: a Parquet file a finished job, its evidence beside it.

A row's file is named by its job's key and appears whole or not at all. Two sweeps in one
directory, or a sweep that is killed and started again, can therefore neither corrupt a row nor
make two of one job. A row that was edited is not believed: it has a digest of its content, and of
the files that are its evidence.

    DIR/rows/KEY.parquet           one row each; the directory reads as one data set
    DIR/traces/, DIR/certificates/ evidence, written before the row that names it
    DIR/results.parquet            the table of the last report
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bmc.lang.errors import BmcError
from bmc.running.files import write_file
from bmc.sweep.rows import SCHEMA, Row, digest_of

_EVIDENCE = re.compile(r"(traces|certificates)/[^/\0]+\.json")


class StoreError(BmcError):
    """The sweep's directory cannot be written."""


class Store:
    """Rows and evidence of sweeps in one directory.

    Raises StoreError when the directory cannot be made or may not be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._rows = folder / "rows"
        try:
            for part in (self._rows, folder / "traces", folder / "certificates"):
                part.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make {folder}: {error.strerror}") from None
        if not os.access(self._rows, os.W_OK):
            raise StoreError(f"cannot write into {folder}: permission denied")

    def find(self, key: str) -> dict[str, Any] | None:
        """Return the row of a job, or None.

        A file that is damaged counts as none, and so does a row that is not as it was written, or
        whose evidence is not.
        """
        try:
            row = self._read(key)
        except (OSError, ValueError, pa.ArrowException):
            return None
        return row if row["key"] == key and self._is_whole(row) else None

    def all(self) -> list[dict[str, Any]]:
        """Return every row that can be read and is as it was written."""
        return [row for key in self._keys() if (row := self.find(key)) is not None]

    def changed(self) -> list[dict[str, Any]]:
        """Return the rows that can be read and are not as they were written, or their evidence."""
        found = []
        for key in self._keys():
            with suppress(OSError, ValueError, pa.ArrowException):
                row = self._read(key)
                if row["key"] != key or not self._is_whole(row):
                    found.append(row)
        return found

    def evidence(self, row: Row) -> dict[str, Path]:
        """Return the files that are a row's evidence, by ``trace`` and ``certificate``.

        Raises ValueError for a name that leads out of the directory.
        """
        found = {}
        for kind in ("trace", "certificate"):
            if (name := row[kind]) is not None:
                if not _EVIDENCE.fullmatch(name):
                    raise ValueError(f"{name!r} is no name of a {kind}")
                found[kind] = self.folder / name
        return found

    def add(self, row: Row, evidence: Iterable[tuple[str, str]] = ()) -> dict[str, Any]:
        """Write a row, after its evidence: (path below the directory, text) pairs.

        Returns the row as it will be read again.
        """
        for path, text in evidence:
            self.write(path, text.encode())
        whole = {name: row.get(name) for name in SCHEMA.names}
        whole["finished"] = whole["finished"] or datetime.now(UTC)
        whole["evidence"] = self._digest_of_evidence(whole)
        # The file's types are coarser than Python's.
        (whole,) = _rows(_table([whole]))
        whole["digest"] = digest_of(whole)
        self.write(f"rows/{row['key']}.parquet", _parquet([whole]))
        return whole

    def _keys(self) -> list[str]:
        return sorted(path.stem for path in self._rows.glob("*.parquet"))

    def _read(self, key: str) -> dict[str, Any]:
        # Of its own, not part of a data set: pyarrow would look at the folder's name.
        with (self._rows / f"{key}.parquet").open("rb") as file:
            (row,) = _rows(pq.ParquetFile(file).read())
        return row

    def _is_whole(self, row: Row) -> bool:
        try:
            return (row["digest"], row["evidence"]) == (
                digest_of(row),
                self._digest_of_evidence(row),
            )
        except (OSError, ValueError):
            return False

    def _digest_of_evidence(self, row: Row) -> str | None:
        files = self.evidence(row)
        if not files:
            return None
        parts = [sha256(path.read_bytes()).hexdigest() for _, path in sorted(files.items())]
        return sha256(" ".join(parts).encode()).hexdigest()

    def table(self, rows: Iterable[Row]) -> Path:
        """Write ``results.parquet``, all rows in one table."""
        listed = [{name: row.get(name) for name in SCHEMA.names} for row in rows]
        return self.write("results.parquet", _parquet(listed))

    def write(self, name: str, content: bytes) -> Path:
        """Write a file of the directory, whole or not at all. Raises UnwritableFile."""
        path = self.folder / name
        write_file(path, content)
        return path


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    written = [{**row, "parameters": list((row["parameters"] or {}).items())} for row in rows]
    return pa.Table.from_pylist(written, schema=SCHEMA)


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(_table(rows), sink, compression="zstd")
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    if set(SCHEMA.names) - set(table.schema.names):
        raise ValueError("rows of another version")
    rows: list[dict[str, Any]] = table.to_pylist()
    return [{**row, "parameters": dict(row["parameters"])} for row in rows]
