"""Windows of long groups on Spark: looked into side by side, and stitched to a verdict a group.

What a group comes to at first is a row; a long one has a row for each of its windows besides.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from uuid import uuid4

from bmc.conformance.groups import GroupChecker, GroupVerdict, row_of
from bmc.lang.errors import BoundTooSmall

LEFT = "bmc_group string, bmc_number bigint, bmc_window binary"
"""Columns beside those of a verdict: which group's, the window's number, and the window."""
_FOUND = (
    "bmc_group string, bmc_number bigint, seen_broken string, seen_line bigint, seen_open boolean, "
    "seen_guards array<string>, seen_witnesses array<string>"
)
_TASKS = 10_000


def rows_of(checker: GroupChecker, lines: Iterable[bytes]) -> Iterator[tuple[Any, ...]]:
    """Return a group's row and those of its windows, if it has some, without the group's fields.

    Where the history has no value in a later window, nothing takes the windows before it up.
    """
    found, windows = checker.begun(lines)
    group: str | None = None
    nothing = (None,) * len(row_of(found))
    try:
        for window in windows:
            group = group or uuid4().hex
            yield (*nothing, group, window.number, pickle.dumps(window))
    except BoundTooSmall as event:
        found, group = GroupVerdict("unreadable", found.events, why=str(event)), None
    yield (*row_of(found).values(), group, None, None)


def portions(rows: Iterable[tuple[Any, ...]], most: int) -> Iterator[list[tuple[Any, ...]]]:
    """Return rows in lists of at most so many, each with one window at most: windows are large."""
    some: list[tuple[Any, ...]] = []
    for row in rows:
        some.append(row)
        if len(some) == most or row[-1] is not None:
            yield some
            some = []
    if some:
        yield some


def stitched(begun: Any, checker: Callable[[], GroupChecker], coverage: bool) -> Any:
    """Return a row for each group, with what its windows show; a worker makes the ``checker``."""
    from pyspark.sql import functions as f

    whole = begun.where("bmc_window IS NULL")
    windows = begun.where("bmc_window IS NOT NULL").select("bmc_group", "bmc_number", "bmc_window")
    number = windows.count()
    if not number:
        return whole
    found = windows.repartition(min(number, _TASKS)).mapInArrow(_looked_into(checker), _FOUND)

    def together(column: str) -> Any:
        # In the order of the windows, as one look at the whole execution has them.
        ordered = f.array_sort(f.collect_list(f.struct("bmc_number", column)))
        return f.array_distinct(f.flatten(ordered.getField(column))).alias(column)

    # What is violated stands before what is left open.
    order = ("seen_open", "bmc_number", "seen_line", "seen_broken")
    first = f.min(f.when(f.col("seen_broken").isNotNull(), f.struct(*order)))
    seen = found.groupBy("bmc_group").agg(
        first.alias("first"), together("seen_guards"), together("seen_witnesses")
    )
    rows = whole.join(seen, "bmc_group", "left")
    broken = f.col("first").isNotNull()
    came_to = f.when(f.col("first.seen_open"), f.lit("unknown")).otherwise(f.lit("violated"))
    changed = {
        "verdict": f.when(broken, came_to).otherwise(f.col("verdict")),
        "line": f.when(broken, f.col("first.seen_line")).otherwise(f.col("line")),
        "why": f.when(broken, f.col("first.seen_broken")).otherwise(f.col("why")),
    }
    if coverage:
        changed["guards"] = f.coalesce("guards", "seen_guards")
        changed["witnesses"] = f.coalesce("witnesses", "seen_witnesses")
    return rows.withColumns(changed)


def _looked_into(checker: Callable[[], GroupChecker]) -> Any:
    """What a worker does with windows."""

    def found(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        texts = pyarrow.list_(pyarrow.string())
        text, number = pyarrow.string(), pyarrow.int64()
        kinds = (text, number, text, number, pyarrow.bool_(), texts, texts)
        names = [one.split()[0] for one in _FOUND.split(", ")]
        judge = checker()
        for batch in batches:
            for row in batch.to_pylist():
                seen = judge.look_into(pickle.loads(row["bmc_window"]))
                values = (seen.broken, seen.line, seen.undecided)
                lists = (list(seen.guards), list(seen.witnesses))
                cells = (row["bmc_group"], row["bmc_number"], *values, *lists)
                arrays = [
                    pyarrow.array([cell], kind) for cell, kind in zip(cells, kinds, strict=True)
                ]
                yield pyarrow.RecordBatch.from_arrays(arrays, names)

    return found
