"""Levels of a search that tasks share: what each of them added, as it is in the shared folder.

Nothing is read that is not as it was written.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bmc.engines.packed.packing import Rows
from bmc.engines.spill.files import REMEDY, DamagedSpill
from bmc.sweep.places import Storage
from bmc.sweep.runner import OtherModel


@dataclass
class FoundLevel:
    """What a level added: in one task, or in all of them.

    ``decided`` has by property a state that decides it, ``through`` for a step invariant the state
    after it; ``beyond`` is a state from which the model leaves its bounds. ``files`` are the
    checksums of what the tasks wrote, by their number; ``search`` tells the search from others
    (:func:`bmc.sweep.frontier.search_of`).
    """

    states: int = 0
    counted: int = 0
    fired: dict[str, int] = field(default_factory=dict)
    decided: dict[str, int] = field(default_factory=dict)
    through: dict[str, str] = field(default_factory=dict)
    beyond: int | None = None
    files: dict[str, int] = field(default_factory=dict)
    search: str = ""

    def join(self, other: FoundLevel) -> None:
        """Add what another task found; of two states that decide the same, the lower is kept.

        Raises OtherModel where it searched something else.
        """
        require_same(self.search, other.search)
        self.files |= other.files
        self.states += other.states
        self.counted += other.counted
        self.fired = dict(Counter(self.fired) + Counter(other.fired))
        for name, state in other.decided.items():
            if state < self.decided.get(name, state + 1):
                self.decided[name] = state
                if name in other.through:
                    self.through[name] = other.through[name]
        if other.beyond is not None:
            self.beyond = other.beyond if self.beyond is None else min(self.beyond, other.beyond)


def require_same(one: str, other: str) -> None:
    """Raise OtherModel unless two tasks, or a task and the driver, make the same search."""
    if one != other:
        raise OtherModel(
            "an executor has another text of the protocol, or another bmc: install the same ones "
            "everywhere"
        )


def sealed(level: FoundLevel) -> bytes:
    """Return what a level's file says."""
    text = json.dumps(asdict(level))
    return json.dumps([crc32(text.encode()), text]).encode()


def unsealed(where: Storage, name: str) -> FoundLevel:
    """Read what a level added. Raises DamagedSpill."""
    try:
        checksum, text = json.loads(where.read(name))
        if crc32(text.encode()) != checksum:
            raise ValueError
        return FoundLevel(**json.loads(text))
    except (FileNotFoundError, ValueError, TypeError, AttributeError):
        raise _damaged(where, name) from None


def _damaged(where: Storage, name: str) -> DamagedSpill:
    return DamagedSpill(f"{where.shown(name)} is not as it was written: {REMEDY}")


def write_states(where: Storage, name: str, rows: Rows, parents: NDArray[np.uint64]) -> int:
    """Write packed states and their parents as two columns; their file's checksum."""
    width = 8 * rows.shape[1]
    flat = pa.py_buffer(np.ascontiguousarray(rows).tobytes())
    states = pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(rows), [None, flat])
    sink = pa.BufferOutputStream()
    table = pa.table({"state": states, "parent": pa.array(parents)})
    pq.write_table(table, sink, compression="zstd", use_dictionary=False)
    content = sink.getvalue().to_pybytes()
    where.write(name, content, lasting=False)
    return crc32(content)


def read_states(
    where: Storage, name: str, checksum: int | None
) -> tuple[bytes, NDArray[np.uint64]]:
    """Return packed states, one after the other, and their parents.

    Raises DamagedSpill unless the file is there and has this checksum.
    """
    try:
        content = where.read(name)
    except FileNotFoundError:
        raise _damaged(where, name) from None
    if crc32(content) != checksum:
        raise _damaged(where, name)
    table = pq.ParquetFile(pa.BufferReader(content)).read().combine_chunks()
    column = table["state"].combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else None
    parents = table["parent"].to_numpy().astype(np.uint64)
    if column is None or not len(column):
        return b"", parents
    width = column.type.byte_width
    data = column.buffers()[1].to_pybytes()
    return data[column.offset * width : (column.offset + len(column)) * width], parents
