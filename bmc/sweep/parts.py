"""The compacted part of a sweep's rows: a few large Parquet files instead of many small ones.

    table/shard=S/TIER-DIGEST.parquet

A row lies in the shard that its key begins with. A file's name has the digest of its content, so
it never changes, and nobody has to look into a file that is as it was written. Files of one shard
and tier are merged into one of the next tier when there are ``FANOUT`` of them, so their number
grows with the logarithm of the number of rows: 5 for each of 8 shards and of about
``log6(rows / 500)`` tiers.

A file is removed only after all of its rows are in another one. So whoever compacts, dies at it or
does it twice at a time, each row is somewhere; it may be in two places, and readers take one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import pyarrow as pa
import pyarrow.parquet as pq

from bmc.sweep.places import Storage
from bmc.sweep.rows import LATER, SCHEMA
from bmc.sweep.tables import as_written

FOLDER = "table"
SHARDS = 8
FANOUT = 6
STAMPED = SCHEMA.append(pa.field("stamp", pa.string()))
"""``stamp`` tells the sizes of a row's evidence and when it was written, as they were when its
digest was last compared."""
_NAME = re.compile(r"shard=([0-7])/(\d{1,3})-([0-9a-f]{64})\.parquet")


@dataclass(frozen=True)
class Part:
    """A file of the table, by its name below the sweep's directory."""

    name: str
    shard: int
    tier: int
    digest: str


def listed(place: Storage) -> list[Part]:
    """Return the parts that there are now."""
    found = []
    for entry in place.entries(FOLDER):
        if (match := _NAME.fullmatch(entry.name)) is not None:
            part = Part(f"{FOLDER}/{entry.name}", int(match[1]), int(match[2]), match[3])
            found.append(part)
    return found


def read(place: Storage, part: Part, columns: Sequence[str] | None = None) -> tuple[pa.Table, bool]:
    """Return a part's rows, and whether it is as it was written.

    Raises FileNotFoundError when it was merged meanwhile, ArrowException or ValueError when it is
    no table of this version.
    """
    content = place.read(part.name)
    file = pq.ParquetFile(pa.BufferReader(content))
    named = file.schema_arrow.names
    if set(STAMPED.names) - set(named) - LATER:
        raise ValueError("rows of another version")
    # A file that was put into another shard would be counted there as well.
    keys = file.read(columns=["key"])["key"].cast(pa.string()).to_pylist()
    digits = {(key or "")[:1] for key in keys}
    belongs = all(shard_of(digit) == part.shard for digit in digits)
    whole = belongs and sha256(content).hexdigest() == part.digest
    if columns is None or not whole:
        columns = STAMPED.names
    found = file.read(columns=[name for name in columns if name in named])
    return as_written(found, pa.schema([STAMPED.field(name) for name in columns])), whole


def write(place: Storage, rows: pa.Table, tier: int = 0) -> list[Part]:
    """Write rows as parts of a tier, one a shard, and return them."""
    by_shard: dict[int, list[int]] = defaultdict(list)
    for number, key in enumerate(rows["key"].to_pylist()):
        by_shard[shard_of(key)].append(number)
    return [_write(place, rows.take(chosen), s, tier) for s, chosen in sorted(by_shard.items())]


def shard_of(key: str | None) -> int:
    """Return the shard of a row; somebody may have emptied its key."""
    digit = int(key[:1], 16) if key and key[:1] in "0123456789abcdef" else 0
    return digit * SHARDS // 16


def merge(place: Storage, parts: Iterable[Part]) -> int:
    """Merge where there are enough of one kind, and return how many files became fewer.

    A part that another process takes away meanwhile, or that cannot be read, is left alone.
    """
    saved = 0
    alike: dict[tuple[int, int], list[Part]] = defaultdict(list)
    for part in parts:
        alike[part.shard, part.tier].append(part)
    for (shard, tier), group in sorted(alike.items()):
        if len(group) < FANOUT:
            continue
        tables: dict[Part, pa.Table] = {}
        for part in group:
            try:
                table, whole = read(place, part)
            except (OSError, ValueError, pa.ArrowException):
                continue
            if whole:
                tables[part] = table
        if len(tables) < 2:
            continue
        made = _write(place, pa.concat_tables(tables.values()), shard, tier + 1)
        for part in tables:
            if part.name != made.name:
                place.delete(part.name)
        saved += len(tables) - 1
    return saved


def _write(place: Storage, rows: pa.Table, shard: int, tier: int) -> Part:
    sink = pa.BufferOutputStream()
    pq.write_table(rows.select(STAMPED.names).cast(STAMPED), sink, compression="zstd")
    content = sink.getvalue().to_pybytes()
    digest = sha256(content).hexdigest()
    name = f"{FOLDER}/shard={shard}/{tier}-{digest}.parquet"
    place.write(name, content)
    return Part(name, shard, tier, digest)


def stamp(sizes: Mapping[str, tuple[int, int]], names: Iterable[str]) -> str | None:
    """Return what identifies files without reading them; None where one of them is missing."""
    found = [sizes.get(name) for name in sorted(names)]
    if None in found:
        return None
    return " ".join(f"{one[0]}:{one[1]}" for one in found if one is not None)
