"""A sweep's directory: a Parquet file a finished job, its evidence beside it.

A row's file is named by its job's key and appears whole or not at all. Two sweeps in one
directory, or a sweep that is killed and started again, can therefore neither corrupt a row nor
make two of one job.

    DIR/rows/KEY.parquet           one row each; the directory reads as one data set
    DIR/traces/, DIR/certificates/ evidence, written before the row that names it
    DIR/results.parquet            the table of the last report
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bmc.lang.errors import BmcError
from bmc.running.files import write_file
from bmc.sweep.rows import SCHEMA, Row


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
        """The row of a job, or None; a file that is damaged counts as none."""
        try:
            (row,) = _read(self._rows / f"{key}.parquet")
        except (OSError, ValueError, pa.ArrowException):
            return None
        return row if row["key"] == key else None

    def all(self) -> list[dict[str, Any]]:
        """Every row that can be read."""
        keys = sorted(path.stem for path in self._rows.glob("*.parquet"))
        return [row for key in keys if (row := self.find(key)) is not None]

    def add(self, row: Row, evidence: Iterable[tuple[str, str]] = ()) -> dict[str, Any]:
        """Write a row, after its evidence: (path below the directory, text) pairs.

        Answers the row as it will be read again.
        """
        for path, text in evidence:
            self.write(path, text.encode())
        whole = {name: row.get(name) for name in SCHEMA.names}
        whole["finished"] = whole["finished"] or datetime.now(UTC)
        self.write(f"rows/{row['key']}.parquet", _parquet([whole]))
        return whole

    def table(self, rows: Iterable[Row]) -> Path:
        """Write ``results.parquet``, all rows in one table."""
        listed = [{name: row.get(name) for name in SCHEMA.names} for row in rows]
        return self.write("results.parquet", _parquet(listed))

    def write(self, name: str, content: bytes) -> Path:
        """Write a file of the directory, whole or not at all. Raises UnwritableFile."""
        path = self.folder / name
        write_file(path, content)
        return path


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    written = [{**row, "parameters": list((row["parameters"] or {}).items())} for row in rows]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(written, schema=SCHEMA), sink, compression="zstd")
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _read(path: Path) -> list[dict[str, Any]]:
    # Of its own, not part of a data set: pyarrow would look at the folder's name.
    with path.open("rb") as file:
        rows: list[dict[str, Any]] = pq.ParquetFile(file).read().to_pylist()
    if any(set(SCHEMA.names) - set(row) for row in rows):
        raise ValueError("a row of another version")
    return [{**row, "parameters": dict(row["parameters"])} for row in rows]
