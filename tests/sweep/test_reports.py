"""What the reports say of a table, before a browser looks at them."""

import io
import re
import shlex
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from bmc.cli.commands.sweep_run import _rechecked
from bmc.cli.shared.catalogue import find
from bmc.reports.page import Page
from bmc.reports.sweeps.campaigns import noticed
from bmc.reports.sweeps.digest import command, counted, outcome, smallest_violations, unknowns
from bmc.reports.sweeps.glossary import Glossary
from bmc.reports.sweeps.growth import by_size, growth
from bmc.reports.sweeps.html import html
from bmc.reports.sweeps.markdown import markdown
from bmc.reports.sweeps.page import write_summary
from tests.sweep.tables import AGAIN, FACTS, GLOSSARY, TEXT, TRACE, rows


def test_a_search_that_found_nothing_is_clean_and_no_proof() -> None:
    row = {**rows()[0], "asked": "check", "verdict": "unknown", "ended": "answered", "depth": 10}
    assert outcome(row) == "clean"
    assert outcome({**row, "depth": 9}) == "unknown"
    assert outcome({**row, "ended": "timeout"}) == "unknown"
    assert outcome({**row, "asked": "kinduction"}) == "unknown"


@pytest.mark.parametrize("missing", [0, 3])
def test_rows_that_a_store_has_lost_are_told(missing: int) -> None:
    stream = io.StringIO()
    write_summary(Page(stream), rows(), 0, missing, None)
    assert ("missing: 3 jobs without a row" in stream.getvalue()) == (missing == 3)


def test_counts_leave_nobody_out() -> None:
    assert sum(counted(rows()).values()) == len(rows())


def test_the_smallest_violations_come_first_and_cover_the_rest() -> None:
    found = smallest_violations(rows())
    assert [(r["property"], list(r["parameters"].values())) for r in found] == [
        ("StrongIsr", [2, 1, 1, 2]),
        ("WeakIsr", [2, 1, 1, 2]),
    ]


def test_what_is_unknown_is_told_with_its_reason() -> None:
    ((reason, group),) = unknowns(rows())
    assert reason == "out of time: the time limit of 60 seconds passed"
    assert len(group) == counted(rows())["unknown"]


def test_growth_is_found_again() -> None:
    # exp(0.5 + 10/40) a replica; bits also grow with the product of the other two.
    series = growth(rows())
    assert set(series) == {"replicas", "log_size", "max_records", "max_leader_epoch"}
    for one in series["replicas"]:
        assert one.factor == pytest.approx(2.117, rel=0.02)
    for one in series["max_leader_epoch"]:
        assert one.factor == pytest.approx(1.0, abs=0.05)
    power = by_size(rows())
    assert power is not None
    assert power.exponent > 0.5


def test_parameters_that_move_together_are_not_told_apart() -> None:
    table = [{**row, "parameters": {"a": i % 3, "b": i % 3}} for i, row in enumerate(rows())]
    assert {s.factor for s in growth(table)["a"]} == {None}


def test_grids_of_one_folder_may_have_other_axes() -> None:
    """The report of the second one ended as an internal failure."""
    named = [{**row, "parameters": {"a": i % 3, "b": i % 5}} for i, row in enumerate(rows())]
    table = [*named, *({**row, "parameters": {"a": i % 4}} for i, row in enumerate(rows()))]
    assert {(name, s.factor) for name, found in growth(table).items() for s in found} == {
        ("a", None)
    }
    least = {tuple(row["parameters"]) for row in smallest_violations(table)}
    assert least == {("a", "b"), ("a",)}
    made(table)


def test_a_command_asks_the_same_question() -> None:
    row = {**rows()[0], "protocol": "my protocol.py:P", "lemmas": False, "solver": "z3"}
    words = shlex.split(command(row))
    assert words[:3] == ["bmc", "prove", "my protocol.py:P"]
    assert words[3:11] == [
        *("-p", "replicas=2", "-p", "log_size=1"),
        *("-p", "max_records=1", "-p", "max_leader_epoch=0"),
    ]
    assert words[11:17] == ["-P", "WeakIsr", "--engine", "kinduction", "--k", "10"]
    assert words[17:] == ["--solver", "z3", "--no-lemmas", "--timeout", "60", "--memory", "4096"]


def made(table: list[dict[str, Any]]) -> tuple[str, str]:
    texts = {TRACE: TEXT}
    return (
        html(table, texts, GLOSSARY, FACTS, AGAIN),
        markdown(table, texts, GLOSSARY, FACTS, AGAIN),
    )


def test_markdown_has_all_parts() -> None:
    _, text = made(rows())
    for heading in (
        "Overview",
        "What the names mean",
        "Smallest parameters that violate",
        "What is unknown, and why",
        "Cost",
        "Every answer",
        "How this was made",
    ):
        assert f"\n## {heading}\n" in text
    assert text.count("`bmc prove ") == len(rows())
    assert TEXT.rstrip() in text


def test_names_are_explained_once_unless_they_differ() -> None:
    suites = [find(name) for name in ("kafka-kip101", "kafka-kip320", "replicated-log")]
    another = {"protocol": "replicated-log", "property": "TypeOk", "parameters": {"replicas": 4}}
    found = Glossary.of(suites, [*rows(), another])
    assert [name for name, _ in found.protocols] == [suite.name for suite in suites]
    meanings = dict(found.properties)
    assert set(meanings) == {"WeakIsr", "StrongIsr", "TypeOk"}
    parameters = dict(found.parameters)
    assert parameters["max_leader_epoch"].endswith("; here 0, 1, 2")
    assert parameters["replicas"].endswith("; here 2, 3, 4")


def test_html_stands_alone_and_trusts_nothing() -> None:
    evil = "</script><script>alert(1)</script>"
    page, _ = made([{**row, "reason": evil, "host": evil} for row in rows()])
    assert evil not in page
    assert "&lt;b&gt;&amp;amp;&lt;/b&gt;" in page
    assert not re.search(r"(?:src|href)=[\"'](?:https?:)?//", page)
    assert "@import" not in page
    assert "url(" not in page


def test_an_empty_table_has_a_report() -> None:
    page, text = made([])
    assert "nothing yet" in text
    assert "<h1>" in page


def test_a_report_says_whose_evidence_was_judged_again() -> None:
    totals: Any = SimpleNamespace(counts=Counter(proved=2, violated=1), traces=1)
    fresh = _rechecked(totals, 0)
    assert fresh.startswith("2 proofs by another solver and 1 trace by replay")
    assert "earlier runs" not in fresh
    again = _rechecked(totals, 3)
    assert "3 answers of earlier runs" in again
    assert "was not judged again (bmc sweep verify DIR does so for all)" in again


@pytest.mark.parametrize(
    ("of_the_protocol", "standing"),
    [("proved", "noticed"), ("violated", "unnoticed"), ("unknown", "open"), (None, "open")],
)
@pytest.mark.parametrize("protocol", ["p", "p~Go.guard1.dropped"])
def test_a_fault_is_noticed_by_a_claim_that_holds_without_it(
    protocol: str, of_the_protocol: str | None, standing: str
) -> None:
    """A claim that the protocol violates as well noticed each of its faults.

    The protocol may have a fault of its own (`sweep p~FAULT --mutants`): all of its were open.
    """
    [example, *_] = [row for row in rows() if row["verdict"] == "violated"]
    name = f"{protocol}~Step.guard1.dropped"
    table = [{**example, "protocol": name}]
    if of_the_protocol is not None:
        table.append({**example, "protocol": protocol, "verdict": of_the_protocol})
    [found] = noticed([name], table)
    assert found.standing == standing
    if of_the_protocol is not None:
        assert found.base == protocol
