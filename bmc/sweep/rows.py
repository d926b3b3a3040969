"""The columns of a sweep's table, and how a job can end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from hashlib import sha256
from math import isfinite
from typing import Any

import pyarrow as pa

from bmc.engines.engine import UnknownEngine, engine_of_row
from bmc.evidence.verdict import Verdict
from bmc.lang.errors import BmcError
from bmc.sweep.job import Job, as_row, key_of

Row = Mapping[str, Any]


class Ended(Enum):
    """How a job ended; only what ended as ANSWERED or IMPLIED says more than `unknown`.

    FAILED: bmc itself failed, or contradicted itself. LOST: its executor died, repeatedly, or the
    system let its engine not begin.
    """

    ANSWERED = "answered"
    IMPLIED = "implied"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASH = "crash"
    FAILED = "failed"
    LOST = "lost"


SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("protocol", pa.string()),
        ("parameters", pa.map_(pa.string(), pa.int64())),
        ("property", pa.string()),
        ("verdict", pa.string()),
        ("ended", pa.string()),
        ("engine", pa.string()),
        ("k", pa.int64()),
        ("depth", pa.int64()),
        ("seconds", pa.float64()),
        ("peak_memory_mb", pa.float64()),
        ("state_bits", pa.int64()),
        ("trace_states", pa.int64()),
        ("trace", pa.string()),
        ("certificate", pa.string()),
        ("implied_by", pa.string()),
        ("reason", pa.string()),
        ("asked", pa.string()),
        ("bound", pa.int64()),
        ("solver", pa.string()),
        ("lemmas", pa.bool_()),
        ("seeds", pa.string()),
        ("walks", pa.int64()),
        ("found", pa.string()),
        ("checked_by", pa.string()),
        ("timeout", pa.float64()),
        ("memory_mb", pa.int64()),
        ("model", pa.string()),
        ("identity", pa.string()),
        ("tools", pa.string()),
        ("host", pa.string()),
        ("finished", pa.timestamp("ms", tz="UTC")),
        ("evidence", pa.string()),
        ("digest", pa.string()),
    ]
)
"""``seconds`` is the wall time of the job's process; ``model`` the fingerprint of the model at the
parameters; ``trace`` and ``certificate`` are paths below the sweep's directory, ``evidence`` is the
digest of the files there, None where there are none; ``digest`` is :func:`digest_of` the row.
``seeds`` is the range of a job of random walks, ``walks`` how many each seed takes, and ``found``
what they met, as :class:`bmc.sweep.findings.Findings` writes it."""
LATER = frozenset({"seeds", "walks", "found"})
"""Columns that older tables lack, whose rows are as good as others: they are None there."""


_ALWAYS = (
    *("key", "protocol", "property", "asked", "bound", "solver", "lemmas", "timeout"),
    *("memory_mb", "identity", "tools", "finished"),
)
"""Columns that no row lacks; a verdict and how the job ended are words of ours besides."""
_EVIDENCE = ("trace", "certificate", "trace_states", "implied_by", "checked_by")
_MEASURED = (
    *("k", "depth", "seconds", "peak_memory_mb", "state_bits", "trace_states", "walks"),
    *("timeout", "memory_mb"),
)
"""Columns of numbers of something, none of which is below zero."""
_VERDICTS = frozenset(one.value for one in Verdict)
_ENDS = frozenset(one.value for one in Ended)
_DECIDED = frozenset({Ended.ANSWERED.value, Ended.IMPLIED.value})


def is_a_row(row: Row) -> bool:
    """Return whether a row has what every row has, and evidence only of a verdict.

    One that was made by a sweep does. One whose verdict was taken out, with its evidence left
    behind, would hide a violation that somebody found, and not be asked again. Nobody can reckon
    with numbers that are none, nor say what an engine did that there is not.
    """
    there = all(row[name] is not None for name in _ALWAYS)
    there &= row["verdict"] in _VERDICTS and row["ended"] in _ENDS
    if row["verdict"] == Verdict.UNKNOWN.value:
        there &= all(row[name] is None for name in _EVIDENCE)
    else:
        there &= row["ended"] in _DECIDED
    if row["verdict"] == Verdict.VIOLATED.value:
        there &= row["trace"] is not None and row["trace_states"] is not None
    numbers = [row[name] for name in _MEASURED if row[name] is not None]
    return there and all(isfinite(n) and n >= 0 for n in numbers) and _is_an_engine(row["asked"])


def _is_an_engine(name: str) -> bool:
    try:
        engine_of_row(name)
    except UnknownEngine:
        return False
    return True


def answers_its_key(row: Row) -> bool:
    """Return whether a row is about the question that its key stands for.

    Another one would be counted as the answer to a question that nobody has answered.
    """
    try:
        return bool(row["key"] == key_of(row))
    except (BmcError, TypeError, ValueError):
        return False


def digest_of(row: Row) -> str:
    """Return a digest of all columns of a row, as they are read from a file, but its own.

    It shows that a row is not what a sweep wrote. It is no signature: whoever edits a row can give
    it a new one, and then only its evidence tells, see `bmc sweep verify`.
    """
    columns = {name: row[name] for name in SCHEMA.names if name != "digest"}
    columns = {n: value for n, value in columns.items() if n not in LATER or value is not None}
    columns["parameters"] = sorted(columns["parameters"].items())
    columns["finished"] = columns["finished"].isoformat()
    return sha256(json.dumps(columns, sort_keys=True).encode()).hexdigest()


def unanswered(job: Job, ended: Ended, reason: str) -> dict[str, Any]:
    """The row of a job that ended without a verdict."""
    return {**as_row(job), "verdict": "unknown", "ended": ended.value, "reason": reason}


def settles(row: Row, job: Job) -> bool:
    """Whether a row with the job's key makes running it unnecessary by what it says itself.

    What another row implied is for whoever knows that one. What ran into a limit is worth another
    try under larger ones only; what was lost or failed always is.
    """
    if row["implied_by"]:
        return False
    if row["verdict"] != "unknown":
        return True
    match Ended(row["ended"]):
        case Ended.LOST | Ended.FAILED:
            return False
        case Ended.ANSWERED | Ended.IMPLIED:
            return True
    return bool(row["timeout"] >= job.limits.timeout and row["memory_mb"] >= job.limits.memory_mb)
