"""Levels of a search that tasks share: what each of them added, as it is in the shared folder.

Nothing is read that is not as it was written.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bmc.engines.packed.packing import Rows
from bmc.engines.spill.files import REMEDY, DamagedSpill
from bmc.sweep.places import Storage
from bmc.sweep.runner import OtherModel

Parents = NDArray[np.uint32]
"""By state the number of one in the level before that it was reached from."""
FORMAT = 3
"""Of the folder: another one makes another search."""


@dataclass
class FoundLevel:
    """What a level added: in one task, or in all of them.

    ``decided`` has by property a state of the level that decides it, by its number there; for a
    step invariant it is one of the level before, and ``through`` has the state after it. ``beyond``
    is a state of the level before from which the model leaves its bounds. ``files`` are what the
    tasks wrote, by their number (:attr:`Pieces.written`); ``on_disk`` is how many of them keep
    states on disk. ``search`` tells the search from others (:func:`bmc.sweep.frontier.search_of`).
    With ``stopped``, which says why, the level is not complete, and nothing of it is known.
    """

    states: int = 0
    counted: int = 0
    fired: dict[str, int] = field(default_factory=dict)
    decided: dict[str, int] = field(default_factory=dict)
    through: dict[str, str] = field(default_factory=dict)
    beyond: int | None = None
    files: dict[str, list[list[int]]] = field(default_factory=dict)
    on_disk: int = 0
    search: str = ""
    stopped: str | None = None

    def join(self, other: FoundLevel) -> None:
        """Add what another task found; of two states that decide the same, the lower is kept.

        Raises OtherModel where it searched something else.
        """
        require_same(self.search, other.search)
        self.files |= other.files
        self.on_disk += other.on_disk
        self.stopped = self.stopped or other.stopped
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


def sealed(level: FoundLevel, number: int) -> bytes:
    """Return what the file of a level of some number says."""
    text = json.dumps([number, asdict(level)])
    return json.dumps([crc32(text.encode()), text]).encode()


def unsealed(where: Storage, name: str, number: int) -> FoundLevel:
    """Read what a level of some number added. Raises DamagedSpill, also of that of another one."""
    try:
        checksum, text = json.loads(where.read(name))
        own, level = json.loads(text)
        if crc32(text.encode()) != checksum or own != number:
            raise ValueError
        found = FoundLevel(**level)
        # The checksum finds damage; another version, or a hand, writes one that fits.
        if not _has_its_form(found):
            raise ValueError
    except (FileNotFoundError, ValueError, TypeError, AttributeError, RecursionError):
        raise damaged(where, name) from None
    return found


def complete_levels(where: Storage) -> list[FoundLevel]:
    """Return the levels that are complete. Raises DamagedSpill."""
    levels: list[FoundLevel] = []
    while where.exists(name := f"levels/{len(levels)}.json"):
        levels.append(unsealed(where, name, len(levels)))
    return levels


def _has_its_form(level: FoundLevel) -> bool:
    """Whether each part that was read is of the kind that it is written with."""
    numbers = [level.states, level.counted, level.on_disk]
    numbers += [*level.fired.values(), *level.decided.values()]
    for written in level.files.values():
        for states, checksum in written:
            numbers += [states, checksum]
    if level.beyond is not None:
        numbers.append(level.beyond)
    texts = [level.search, *level.through.values()]
    if level.stopped is not None:
        texts.append(level.stopped)
    return all(type(one) is int and one >= 0 for one in numbers) and all(
        isinstance(one, str) for one in texts
    )


def damaged(where: Storage, name: str) -> DamagedSpill:
    """Return what is to be raised of a file that is not as it was written."""
    return DamagedSpill(f"{where.shown(name)} is not as it was written: {REMEDY}")


class Pieces:
    """States with their parents, written below a name as files of many of them each."""

    def __init__(self, where: Storage, name: str) -> None:
        self._where, self._name = where, name
        self._gathered: list[tuple[Rows, Parents]] = []
        self.written: list[list[int]] = []
        """For each file how many states it has, and its checksum."""
        self.bytes = 0
        """What waits to be written."""

    def add(self, rows: Rows, parents: Parents) -> None:
        """Take states; they have to stay as they are until they are written."""
        if len(rows):
            self._gathered.append((rows, parents))
            self.bytes += rows.nbytes + parents.nbytes

    def flush(self) -> None:
        """Write what waits, as one file."""
        if not self._gathered:
            return
        rows = np.concatenate([rows for rows, _ in self._gathered])
        parents = np.concatenate([parents for _, parents in self._gathered])
        self._gathered.clear()
        self.bytes = 0
        name = _piece(self._name, len(self.written))
        self.written.append([len(rows), _write(self._where, name, rows, parents)])

    def remove(self) -> None:
        """Remove what was written."""
        for number in range(len(self.written)):
            self._where.delete(_piece(self._name, number))


def pieces(
    where: Storage, name: str, written: Sequence[Sequence[int]], words: int
) -> Iterator[tuple[Rows, Parents]]:
    """Yield what was written below a name, file by file.

    Raises DamagedSpill unless each file is there and has its checksum.
    """
    for number, (_, checksum) in enumerate(written):
        yield read_piece(where, name, number, checksum, words)


def read_piece(
    where: Storage, name: str, number: int, checksum: int, words: int
) -> tuple[Rows, Parents]:
    """Return one file's packed states of so many words, and their parents.

    Raises DamagedSpill unless the file is there and has this checksum.
    """
    name = _piece(name, number)
    try:
        content = where.read(name)
    except FileNotFoundError:
        raise damaged(where, name) from None
    if crc32(content) != checksum:
        raise damaged(where, name)
    table = pq.ParquetFile(pa.BufferReader(content)).read().combine_chunks()
    rows = _numbers(table["state"], np.uint64, words).reshape(-1, words)
    return rows, _numbers(table["parent"], np.uint32)


# pyarrow's own ways from and to numpy load pandas, which takes half a second.
def _numbers(column: pa.ChunkedArray, kind: type[np.unsignedinteger[Any]], each: int = 1) -> Any:
    (chunk,) = column.chunks
    flat = np.frombuffer(chunk.buffers()[1], kind)
    return flat[chunk.offset * each : (chunk.offset + len(chunk)) * each].copy()


def _piece(name: str, number: int) -> str:
    return f"{name}-{number}.parquet"


def _write(where: Storage, name: str, rows: Rows, parents: Parents) -> int:
    """Write packed states and their parents as two columns; their file's checksum."""
    states = _column(rows, pa.binary(8 * rows.shape[1]))
    table = pa.table({"state": states, "parent": _column(parents, pa.uint32())})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", use_dictionary=False)
    content = sink.getvalue().to_pybytes()
    where.write(name, content, lasting=False)
    return crc32(content)


def _column(values: NDArray[Any], kind: pa.DataType) -> pa.Array:
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values.tobytes())])
