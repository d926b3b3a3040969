"""Logs of many groups on Spark: events to groups, a verdict each, rows in Parquet, a summary.

Spark reads, groups and writes; each group is checked by `bmc.conformance.groups` in one Python
worker. A line that is no JSON belongs to no group that anybody knows: such lines are a group.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

from bmc.cli.shared import catalogue
from bmc.cli.shared.log_windows import LEFT, portions, rows_of, stitched
from bmc.conformance.groups import GroupChecker, GroupVerdict, row_of
from bmc.conformance.mapping_file import mapping_in
from bmc.conformance.search import Limits
from bmc.conformance.windows import WINDOW
from bmc.engines.identity import identity
from bmc.lang.errors import BmcError
from bmc.lang.fingerprint import fingerprint, property_digest
from bmc.lang.guards import guards_of
from bmc.lang.properties import Kind
from bmc.lang.suite import Suite
from bmc.running.files import make_folder
from bmc.sweep.dispatch import ClusterLost
from bmc.sweep.runner import OtherModel
from bmc.sweep.spark import Cluster, SparkError, SparkExecutors, log_of

COLUMNS = tuple(row_of(GroupVerdict("", 0)))
"""The columns of the verdicts beside the fields of the groups."""
VERDICTS = ("conforms", "violated", "impossible", "unknown", "unreadable")
_TEXT, _PLACE = "bmc_text", "bmc_place"
_ROWS = 1_000
"""Verdicts that a worker gives back at a time."""


class GroupError(BmcError):
    """Logs cannot be grouped, or the verdicts not be written."""


@dataclass(frozen=True)
class GroupedCheck:
    """What is asked: each field is data, so that it reaches a worker as it is.

    ``text`` is what :func:`text_of` says where it is asked: a worker looks the protocol up itself.
    ``file`` is where the mapping was read, which verdicts name; ``folder`` is where names lead
    from: workers have folders of their own.
    """

    protocol: str
    mapping: str
    given: tuple[tuple[str, int], ...]
    invariants: tuple[str, ...]
    states: int
    seconds: float | None
    coverage: bool
    text: str
    window: int = WINDOW
    file: str = "the mapping"
    folder: Path = Path()


def text_of(suite: Suite, invariants: Sequence[str]) -> str:
    """Return a digest of what verdicts on logs rest on: the model and the invariants."""
    model = suite.model(False)
    stated = (suite.describe(suite.find(name), model) for name in invariants)
    return identity([fingerprint(model, {}), *map(property_digest, stated)])


@dataclass(frozen=True)
class GroupSummary:
    """What Spark SQL says of all rows: groups by verdict, the first that are not well, coverage.

    ``actions`` counts steps, ``guards`` and ``witnesses`` the groups in which one refuses a step or
    is met, 0 for those of the protocol that are in none; both are None where nobody looked.
    """

    verdicts: Mapping[str, int]
    events: int
    first: Sequence[Mapping[str, Any]]
    actions: Mapping[str, int]
    guards: Mapping[str, int] | None
    witnesses: Mapping[str, int] | None

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


def check_groups(
    log: str, fields: Sequence[str], master: str, out: Path, asked: GroupedCheck
) -> GroupSummary:
    """Check each group of the events in ``log``, a pattern of NDJSON or Parquet files.

    The rows are written to ``out``/verdicts in Parquet; ``out`` is there when all of them are, so
    what an interruption leaves is in nobody's way. Raises GroupError, NoJava, SparkError,
    ClusterLost.
    """
    _require_columns(fields)
    if out.exists():
        raise GroupError(f"{out} is there already: name a folder that is not")
    make_folder(out.parent)
    with TemporaryDirectory(
        prefix=f".{out.name}-", dir=out.parent, ignore_cleanup_errors=True
    ) as begun:
        rows = Path(begun) / out.name
        found = _checked(log, fields, master, rows, asked)
        if not found.verdicts:
            raise GroupError(f"{log} has no events")
        rows.rename(out)
    return found


def _require_columns(fields: Sequence[str]) -> None:
    """Raise GroupError for fields that are no columns beside the verdict's, whatever their case."""
    taken = {name.lower() for name in COLUMNS}
    for name in fields:
        if name.lower() in taken:
            raise GroupError(
                f"--group-by {name}: a column of the verdicts has that name (or another field, in "
                "other letters): give the field another name in the log"
            )
        taken.add(name.lower())


def _checked(
    log: str, fields: Sequence[str], master: str, out: Path, asked: GroupedCheck
) -> GroupSummary:
    begun = out / "begun"
    with SparkExecutors(Cluster(master, False, log_of("trace-check"))) as executors:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            spark = executors.session
            events = _events(spark, log, fields)
            keys = ", ".join(f"{name} string" for name in fields)
            schema = (
                f"{keys}, verdict string, events bigint, line bigint, event string, why string, "
                f"actions string, guards array<string>, witnesses array<string>, {LEFT}"
            )
            lines = events.repartition(*fields).sortWithinPartitions(*fields, _PLACE)
            texts = lines.select(*fields, _TEXT)
            rows = texts.mapInArrow(_groups_of(fields, asked), schema)
            rows.write.parquet(str(begun))
            parts, named = spark.read.parquet(str(begun)), tuple(fields)
            rows = stitched(parts, lambda: _checker(asked, named), asked.coverage)
            rows.select(*fields, *COLUMNS).write.parquet(str(out / "verdicts"))
            rmtree(begun)
            _require_values(spark, out / "verdicts", log, fields)
            return _summary(spark, out / "verdicts", fields, asked)
        except (Py4JError, PySparkException, ConnectionError) as error:
            failed = executors.failed(error)
            if isinstance(failed, SparkError | ClusterLost):
                raise failed from error
            raise GroupError(_first_line(error)) from error


def _require_values(spark: Any, rows: Path, log: str, fields: Sequence[str]) -> None:
    """Raise GroupError for a field that no event has: all events would be judged as one group."""
    counted = [f"count(`{name}`)" for name in fields]
    found = spark.read.parquet(str(rows)).selectExpr("count(*)", *counted).first()
    for name, number in zip(fields, found[1:], strict=True):
        if found[0] and not number:
            raise GroupError(
                f"--group-by {name}: no event of {log} has a field of that name: name one that "
                "tells the groups apart, or leave it out"
            )


def _events(spark: Any, log: str, fields: Sequence[str]) -> Any:
    """Lines with their groups and places: by the files' names, then as they stand in them."""
    from pyspark.sql import functions as f

    if log.endswith(".parquet"):
        table = spark.read.parquet(log)
        text = f.to_json(f.struct(*[f.col(f"`{name}`") for name in table.columns]))
    else:
        table = spark.read.text(log)
        text = f.col("value")
    # What is asked of the file a row is from has to be asked where the file is read.
    place = f.struct(
        f.col("_metadata.file_path").alias("file"),
        f.col("_metadata.file_block_start").alias("block"),
        f.monotonically_increasing_id().alias("row"),
    )
    keys = [f.get_json_object(text, f"$.{name}").alias(name) for name in fields]
    # As bytes: what is no UTF-8 is replaced in keys, and has to be told by whoever reads the line.
    found = table.where(f.trim(text) != "")
    return found.select(*keys, text.cast("binary").alias(_TEXT), place.alias(_PLACE))


def _groups_of(fields: Sequence[str], asked: GroupedCheck) -> Any:
    """What a worker does with its lines, of which those of a group come one after the other.

    A table a group would be a stream of its own between Spark and Python, and a group held whole.
    """

    def verdicts(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        types = {
            "events": pyarrow.int64(),
            "line": pyarrow.int64(),
            "guards": pyarrow.list_(pyarrow.string()),
            "witnesses": pyarrow.list_(pyarrow.string()),
            "bmc_number": pyarrow.int64(),
            "bmc_window": pyarrow.binary(),
        }
        named = (*fields, *COLUMNS, "bmc_group", "bmc_number", "bmc_window")
        columns = [(name, types.get(name, pyarrow.string())) for name in named]
        lines = chain.from_iterable(
            zip(*(column.to_pylist() for column in batch.columns), strict=True) for batch in batches
        )
        checker = _checker(asked, tuple(fields))
        rows = (
            (*key, *row)
            for key, group in groupby(lines, key=itemgetter(slice(len(fields))))
            for row in rows_of(checker, (line[-1] for line in group))
        )
        for some in portions(rows, _ROWS):
            values = zip(columns, zip(*some, strict=True), strict=True)
            arrays = [pyarrow.array(found, kind) for (_, kind), found in values]
            yield pyarrow.RecordBatch.from_arrays(arrays, [name for name, _ in columns])

    return verdicts


@cache
def _checker(asked: GroupedCheck, fields: tuple[str, ...]) -> GroupChecker:
    suite = catalogue.find_from(asked.folder, catalogue.find, asked.protocol)
    if text_of(suite, asked.invariants) != asked.text:
        raise OtherModel(
            f"an executor has another text of {asked.protocol} than the driver: it needs the "
            "driver's files"
        )
    mapping = mapping_in(asked.mapping, Path(asked.file), suite)
    limits = Limits(asked.states, asked.seconds)
    return GroupChecker(
        suite, mapping, dict(asked.given), asked.invariants, limits, fields, asked.coverage
    )


def _summary(spark: Any, rows: Path, fields: Sequence[str], asked: GroupedCheck) -> GroupSummary:
    spark.read.parquet(str(rows)).createOrReplaceTempView("verdicts")
    counted = spark.sql("SELECT verdict, count(*) AS n, sum(events) AS e FROM verdicts GROUP BY 1")
    counts = {row["verdict"]: (row["n"], row["e"]) for row in counted.collect()}
    keys = ", ".join(f"`{name}`" for name in fields)
    first = spark.sql(
        f"SELECT {keys}, verdict, line, event, why FROM verdicts WHERE verdict <> 'conforms' "
        f"ORDER BY array_position(array('unreadable', 'impossible', 'violated'), verdict), {keys} "
        "LIMIT 20"
    )
    taken = spark.sql(
        "SELECT action, sum(n) AS n FROM (SELECT explode(from_json(actions, 'map<string,bigint>')) "
        "AS (action, n) FROM verdicts WHERE actions IS NOT NULL) GROUP BY action ORDER BY action"
    )
    guards, witnesses = _covered(spark, asked) if asked.coverage else (None, None)
    return GroupSummary(
        {name: counts[name][0] for name in VERDICTS if name in counts},
        sum(events for _, events in counts.values()),
        [_apart(row.asDict(), fields) for row in first.collect()],
        {row["action"]: row["n"] for row in taken.collect()},
        guards,
        witnesses,
    )


def _covered(spark: Any, asked: GroupedCheck) -> tuple[dict[str, int], dict[str, int]]:
    """In how many groups each guard refuses a step, and each witness is met."""
    suite = catalogue.find(asked.protocol)
    guards = [one.name for one in guards_of(suite, suite.model(False))]
    witnesses = [one.name for one in suite.declared(Kind.WITNESS)]

    def counted(column: str, names: Sequence[str]) -> dict[str, int]:
        found = spark.sql(
            f"SELECT name, count(*) AS n FROM (SELECT explode({column}) AS name FROM verdicts) "
            "GROUP BY name"
        )
        groups = {row["name"]: row["n"] for row in found.collect()}
        return {name: groups.get(name, 0) for name in names}

    return counted("guards", guards), counted("witnesses", witnesses)


def _apart(row: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """A row with its group in one place."""
    others = {name: value for name, value in row.items() if name not in fields}
    return {"group": {name: row[name] for name in fields}, **others}


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def event_text(row: Mapping[str, Any]) -> str:
    """Return what is said of a row's event: its line in the group, and the event."""
    line = "" if row["line"] is None else f" at its line {row['line']}"
    event = "" if row["event"] is None else f" {json.dumps(json.loads(row['event']))}"
    return f"{line}{event}"
