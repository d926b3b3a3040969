"""Rows as Parquet, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bmc.sweep.rows import LATER, SCHEMA, Row


def table_of(rows: Iterable[Row], schema: pa.Schema = SCHEMA) -> pa.Table:
    """Return rows as a table; columns that a row lacks are empty."""
    written = [
        {
            **{name: row.get(name) for name in schema.names},
            "parameters": list((row["parameters"] or {}).items()),
        }
        for row in rows
    ]
    return pa.Table.from_pylist(written, schema=schema)


def parquet_of(rows: Iterable[Row]) -> bytes:
    """Return rows as the content of a Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(table_of(rows), sink, compression="zstd")
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _parameters(row: Row) -> dict[str, int]:
    """A row's parameters, none where somebody has emptied the column."""
    return dict(row["parameters"] or ())


def as_written(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table's columns of a schema, in its order and types, whatever wrote the table.

    Those that were added later may be missing, and are empty. Raises ValueError for a table of
    another version, ArrowException for values that are of other types.
    """
    times = {field.name: table.schema.names.count(field.name) for field in schema}
    if any(there != 1 and (there or name not in LATER) for name, there in times.items()):
        raise ValueError("rows of another version")
    columns = [
        table[field.name].cast(field.type)
        if times[field.name]
        else pa.nulls(len(table), field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    """Return a table's rows. Raises ValueError for one of another version, ArrowException."""
    rows: list[dict[str, Any]] = as_written(table, SCHEMA).to_pylist()
    return [{**row, "parameters": _parameters(row)} for row in rows]


def read_rows(content: bytes) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file. Raises ValueError, ArrowException or OSError."""
    # Of its own, not part of a data set: pyarrow would look at the folder's name.
    return rows_of(pq.ParquetFile(pa.BufferReader(content)).read())


def columns_of(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield a table's rows, of those columns that it has: many of them, column by column."""
    names = table.schema.names
    for batch in table.to_batches():
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            row = dict(zip(names, values, strict=True))
            if "parameters" in row:
                row["parameters"] = _parameters(row)
            yield row
