"""A report of more rows than one process should read: executors read them, Spark SQL counts.

Executors read the sweep's directory, a shard each, as the store reads it: what is not as it was
written is not believed, and of two rows about one job one is taken. What comes to the driver are
counts, the rows that a report shows, and names of files, in which executors have put the rows of
each protocol and property for the page to fetch when a reader asks for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial, reduce
from hashlib import sha256
from typing import Any

from bmc.reports.sweeps.digest import (
    OUTCOMES,
    Overview,
    Row,
    ending,
    outcome,
    smallest_violations,
)
from bmc.reports.sweeps.html import cell
from bmc.reports.sweeps.totals import Totals
from bmc.sweep import parts
from bmc.sweep.current import Texts
from bmc.sweep.places import place
from bmc.sweep.spark import SparkExecutors
from bmc.sweep.store import Store

_SAMPLE = 5_000
_COLUMNS = (
    "question string, preferred boolean, decided boolean, finished string, protocol string, "
    "property string, outcome string, verdict string, ended string, why string, implied boolean, "
    "seconds double, memory double, host string, tools string, sample int, whole string"
)
_LATEST = """
    SELECT * FROM (
        SELECT *, row_number() OVER (
            PARTITION BY question ORDER BY preferred DESC, finished DESC, whole
        ) AS place FROM every_row
    ) WHERE place = 1
"""


@dataclass(frozen=True)
class Current:
    """What is asked now: by protocol and property in which way, and about which texts.

    Of a question that was asked in several ways a report shows the answer to this one.
    """

    asked: Mapping[tuple[str, str], tuple[Any, ...]]
    texts: Texts

    def shows(self, row: Row) -> bool:
        """Whether a row is about the text as it is now, as far as that is known."""
        return self.texts.has(row)

    def prefers(self, row: Row) -> bool:
        """Whether a row answers what is asked now."""
        return self.asked.get((row["protocol"], row["property"])) == method_of(row)


def method_of(row: Row) -> tuple[Any, ...]:
    """Return how a row's question was to be decided."""
    return tuple(row[name] for name in ("asked", "bound", "solver", "lemmas", "tools"))


def digested(
    executors: SparkExecutors, where: str, current: Current
) -> tuple[Totals, list[dict[str, Any]]]:
    """Return what a report says of all rows, and the rows that it shows."""
    session = executors.session
    shards = executors.context.parallelize(range(parts.SHARDS), parts.SHARDS)
    read = shards.flatMap(partial(_shard, where, current))
    session.createDataFrame(read, _COLUMNS, verifySchema=False).createOrReplaceTempView("every_row")
    rows = session.sql(_LATEST).cache()
    rows.createOrReplaceTempView("answer")

    def asked(query: str) -> list[Any]:
        found: list[Any] = session.sql(query).collect()
        return found

    cells = asked("SELECT protocol, property, outcome, count(*) AS n FROM answer GROUP BY ALL")
    whys = asked(
        "SELECT why, count(*) AS n, min(whole) AS one FROM answer WHERE outcome = 'unknown' "
        "GROUP BY why ORDER BY n DESC, why LIMIT 500"
    )
    (facts,) = asked(
        "SELECT count(*) AS n, coalesce(sum(seconds), 0.0) AS seconds, min(finished) AS first, "
        "max(finished) AS last, count_if(verdict = 'violated' AND NOT implied) AS traces, "
        "count_if(ended = 'failed') AS failed, collect_set(host) AS hosts, "
        "collect_set(tools) AS tools FROM answer"
    )
    chosen = [row.one for row in whys]
    for order in ("seconds", "memory"):
        chosen += [
            row.whole
            for row in asked(
                f"SELECT whole FROM answer WHERE {order} IS NOT NULL "
                f"ORDER BY {order} DESC, whole LIMIT 12"
            )
        ]
    # Evenly, and the same ones each time: by a digest of their keys.
    sample = f"SELECT whole FROM answer ORDER BY sample, whole LIMIT {_SAMPLE}"
    chosen += [row.whole for row in asked(sample)]
    violated = session.sql(
        "SELECT whole FROM answer WHERE verdict = 'violated' AND NOT implied"
    ).rdd
    least = violated.map(lambda row: row.whole).mapPartitions(_least).collect()
    smallest: list[dict[str, Any]] = reduce(_smaller, least, [])
    listed = {row["key"]: row for row in map(_row, chosen)} | {row["key"]: row for row in smallest}
    files = rows.repartition("protocol", "property").rdd.mapPartitions(partial(_write, where))
    totals = Totals(
        facts.n,
        _counts(cells),
        _overview(cells),
        [(row.why, row.n, _row(row.one)) for row in whys],
        facts.seconds,
        facts.traces,
        facts.failed,
        None if facts.first is None else (_time(facts.first), _time(facts.last)),
        sorted(facts.hosts),
        sorted(facts.tools),
        dict(sorted(files.collect())),
    )
    return totals, sorted(listed.values(), key=_order)


def _shard(where: str, current: Current, shard: int) -> Iterator[tuple[Any, ...]]:
    for row in Store(where).scan(shard=shard).believed.values():
        if not current.shows(row):
            continue
        parameters = sorted(row["parameters"].items())
        found = outcome(row)
        yield (
            json.dumps([row["protocol"], row["property"], parameters]),
            current.prefers(row),
            row["verdict"] != "unknown",
            row["finished"].isoformat(),
            row["protocol"],
            row["property"],
            found,
            row["verdict"],
            row["ended"],
            ending(row) if found == "unknown" else None,
            row["implied_by"] is not None,
            row["seconds"],
            row["peak_memory_mb"],
            row["host"],
            row["tools"],
            int(sha256(row["key"].encode()).hexdigest()[:7], 16),
            json.dumps({**row, "finished": row["finished"].isoformat()}),
        )


def _least(wholes: Iterable[str]) -> Iterator[list[dict[str, Any]]]:
    """The smallest violations among some rows."""
    least: list[dict[str, Any]] = []
    taken: list[dict[str, Any]] = []
    for whole in wholes:
        taken.append(_row(whole))
        if len(taken) >= 500:
            least, taken = _smaller(least, taken), []
    yield _smaller(least, taken)


def _smaller(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [dict(row) for row in smallest_violations([*one, *other])]


def _write(where: str, rows: Iterable[Any]) -> Iterator[tuple[tuple[str, str], str]]:
    """Write the rows of each protocol and property into a file that a page can load."""
    together: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        together.setdefault((row.protocol, row.property), []).append(cell(_row(row.whole)))
    for pair, found in together.items():
        name = f"cells/{sha256(json.dumps(pair).encode()).hexdigest()[:16]}.js"
        found.sort(key=lambda one: list(one["parameters"].values()))
        content = f"bmcCells({json.dumps(pair)}, {json.dumps(found)});\n"
        place(where).write(name, content.encode(), lasting=False)
        yield pair, name


def _row(whole: str) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(whole)
    return {**row, "finished": _time(row["finished"])}


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _order(row: Row) -> tuple[Any, ...]:
    return row["protocol"], row["property"], tuple(row["parameters"].values())


def _counts(cells: Iterable[Any]) -> dict[str, int]:
    found = dict.fromkeys(OUTCOMES, 0)
    for one in cells:
        found[one.outcome] += one.n
    return found


def _overview(cells: Iterable[Any]) -> Overview:
    together: dict[tuple[str, str], dict[str, int]] = {}
    for one in cells:
        together.setdefault((one.protocol, one.property), dict.fromkeys(OUTCOMES, 0))
        together[one.protocol, one.property][one.outcome] += one.n
    pairs = sorted(together)
    return Overview(
        tuple(dict.fromkeys(protocol for protocol, _ in pairs)),
        tuple(dict.fromkeys(name for _, name in pairs)),
        together,
    )
