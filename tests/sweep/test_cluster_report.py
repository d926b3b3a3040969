"""A report that Spark counts says the same as one that is counted here."""

import json
from pathlib import Path

import pytest

from bmc.cli.shared import catalogue
from bmc.cli.shared.cluster_report import Current, digested
from bmc.cli.shared.sweep_evidence import describe
from bmc.reports.sweeps.digest import largest, slowest, smallest_violations
from bmc.reports.sweeps.html import html
from bmc.reports.sweeps.totals import Totals
from bmc.sweep.current import Texts, current
from bmc.sweep.job import key_of
from bmc.sweep.runner import Tools
from bmc.sweep.spark import Cluster, SparkExecutors
from bmc.sweep.store import Store
from bmc.sweep.work import Work
from tests.sweep.tables import AGAIN, FACTS, GLOSSARY, TRACE, rows

pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("spark")]


def test_spark_counts_as_this_process_does(tmp_path: Path) -> None:
    store = Store(tmp_path / "out")
    certificate = [("certificates/one.json", "{}")]
    for number, told in enumerate(rows()):
        row = {"seeds": None, "walks": None, **told}
        key = key_of(row)
        store.add({**row, "key": key}, [(TRACE, '{"text": "it fails"}'), *certificate])
        if number == 70:
            store.compact(at_least=1)
        if number % 40 == 0:
            # An older answer to the same question, asked in another way.
            older = {**row, "bound": 3, "verdict": "unknown", "reason": "old"}
            older["key"] = key_of(older)
            store.add({**older, "finished": row["finished"].replace(year=2025)})
    here = current(store.all(), [], Texts())
    cluster = Cluster("local[2]", False, tmp_path / "spark.log")
    work = Work(Tools(catalogue.find, describe), store.where, "")
    with SparkExecutors(cluster, work) as executors:
        totals, listed = digested(executors, store.where, Current({}, Texts()))
    counted = Totals.of(here)
    assert totals.rows == counted.rows == len(rows())
    assert totals.counts == counted.counts
    assert totals.overview == counted.overview
    assert [(why, n) for why, n, _ in totals.unknowns] == [(w, n) for w, n, _ in counted.unknowns]
    assert totals.seconds == pytest.approx(counted.seconds)
    assert (totals.traces, totals.failed) == (counted.traces, counted.failed)
    assert (totals.finished, totals.hosts) == (counted.finished, counted.hosts)
    for chosen in (smallest_violations, slowest, largest):
        assert {row["key"] for row in chosen(listed)} == {row["key"] for row in chosen(here)}
    files = {pair: (tmp_path / "out" / name).read_text() for pair, name in totals.files.items()}
    assert set(files) == set(counted.overview.cells)
    found = [
        json.loads(f"[{text.removeprefix('bmcCells(').removesuffix(');' + chr(10))}]")[1]
        for text in files.values()
    ]
    assert sorted(cell["key"] for cells in found for cell in cells) == sorted(
        row["key"] for row in here
    )
    page = html(listed[:5], {}, GLOSSARY, FACTS, AGAIN, totals)
    assert f"This file has 5 of the {len(here)} rows" in page
