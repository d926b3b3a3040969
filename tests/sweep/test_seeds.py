"""Campaigns of random walks: seeds as jobs, what they met, and that a report tells all of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bmc.cli.commands.sweep_run import Asked, listed, planned, write_reports
from bmc.cli.shared import catalogue
from bmc.cli.shared.sweep_evidence import describe
from bmc.engines.simulate import Walks, simulate
from bmc.engines.task import Task
from bmc.lang import State, Term, invariant
from bmc.reports.sweeps.digest import command, outcome
from bmc.reports.sweeps.totals import Totals
from bmc.sweep.current import Texts, current
from bmc.sweep.findings import Findings, walked
from bmc.sweep.job import Job, Method, as_row, identity_of, together
from bmc.sweep.rows import LATER, SCHEMA, digest_of
from bmc.sweep.runner import Tools, run_job
from bmc.sweep.seeds import Seeds, SeedsError, blocks, read_seeds
from bmc.sweep.store import Store
from bmc.sweep.tables import rows_of, table_of
from bmc.sweep.walking import OfSeeds, take_walks
from tests.cli.running import bmc
from tests.sweep.counters import LIMITS, SUITE, TOOLS, Counter

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("seeds")

CLAIMS = together(("InRange", "Small"))
METHOD = Method("simulate", 5, "cadical", False)
PROTOCOL, VALUES = "replicated-log-retention", ("replicas=2", "log_size=2", "log_records=2")
WORDS = ("sweep", PROTOCOL, *(word for value in VALUES for word in ("-p", value)))


def job(first: int, last: int, top: int = 4, walks: int = 1) -> Job:
    """Walks of the counter, which is at 3 after three of its steps in a row."""
    seeds, values = Seeds(first, last, walks), {"top": top, "rounds": 5}
    identity = identity_of(SUITE, CLAIMS, METHOD)
    return Job(SUITE.name, values, CLAIMS, METHOD, LIMITS, identity, "tests", 4, seeds)


def ran(asked: Job) -> dict[str, Any]:
    """The row, as the store would complete it."""
    return {name: dict(run_job(TOOLS, asked).row).get(name) for name in SCHEMA.names}


def walking(asked: Job, timeout: float | None = None) -> OfSeeds:
    """What the job's process does, in this one."""
    assert asked.seeds is not None
    task = Task(SUITE, asked.parameters, ("InRange", "Small"), METHOD.depth, timeout)
    return take_walks(task, CLAIMS, asked.seeds, asked.slug, lambda result: result.property)


@invariant("it stays below 3")
def small(machine: Counter, s: State) -> Term:
    return s.value < 3


def test_traces_have_files_of_their_own_whatever_a_file_system_tells_apart() -> None:
    suite = replace(SUITE, properties=(*SUITE.properties, small))
    task = Task(suite, {"top": 4, "rounds": 5}, ("small", "Small"), METHOD.depth)
    found = take_walks(task, "small Small", Seeds(0, 9, 5), "slug", lambda result: result.property)
    paths = {path for path, _ in found.files}
    assert paths == {"traces/slug-small.json", "traces/slug-Small-2.json"}
    assert {one.trace for one in found.met.violated.values()} == paths


def row_of(asked: Job) -> dict[str, Any]:
    """As much of a row as says what was met."""
    return {**as_row(asked), "found": walking(asked).met.to_json(), "reason": None}


@given(st.integers(0, 500), st.integers(0, 300), st.integers(1, 40), st.integers(0, 100))
def test_blocks_take_each_seed_once_and_stay_when_the_range_grows(
    first: int, more: int, size: int, later: int
) -> None:
    small = Seeds(first, first + more, 3)
    cut = blocks(small, size, 1)
    assert [n for b in cut for n in range(b.first, b.last + 1)] == list(
        range(first, first + more + 1)
    )
    assert all(len(block) <= size for block in cut)
    assert blocks(replace(small, last=small.last + later), size, 1)[: len(cut) - 1] == cut[:-1]


@pytest.mark.parametrize("text", ["", "x", "5..2", "-1..4", "1..2..3"])
def test_a_range_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(SeedsError, match="--seeds"):
        read_seeds(text, 10)


def test_too_many_jobs_are_refused_with_the_remedy() -> None:
    with pytest.raises(SeedsError, match="--seeds-a-job"):
        blocks(read_seeds("0..999999", 10), 10, 1)


def test_a_job_meets_what_simulate_meets_with_each_seed() -> None:
    row = ran(job(3, 8))
    task = Task(SUITE, {"top": 4, "rounds": 5}, ("InRange", "Small"))
    each = {n: simulate(task, Walks(1, 5, n)) for n in range(3, 9)}
    met = Findings.of_row(row)
    assert (met.seeds, met.walks) == (6, 6)
    assert met.steps == sum(found.steps for found in each.values())
    assert met.fired == {
        name: sum(found.fired[name] for found in each.values()) for name in ("Count", "Again")
    }
    lengths = {n: len(f.violations["Small"]) for n, f in each.items() if "Small" in f.violations}
    small = met.violated["Small"]
    assert 1 < len(lengths) < 6, "a seed that meets it, and one that does not"
    assert (small.seeds, small.states) == (len(lengths), min(lengths.values()))
    assert lengths[small.seed] == small.states
    assert (row["verdict"], row["trace"], row["trace_states"]) == (
        *("violated", small.trace),
        small.states,
    )


def test_what_is_not_met_is_clean_and_no_proof() -> None:
    row = ran(job(0, 1, top=2))
    assert (row["verdict"], outcome(row)) == ("unknown", "clean")
    assert Findings.of_row(row).violated == {}


def test_walks_that_were_cut_short_are_not_clean() -> None:
    found = walking(job(0, 0, top=2, walks=10**7), timeout=0.1)
    assert (found.result.depth, found.cut, found.met.seeds) == (None, True, 0)


def test_jobs_together_met_what_one_job_of_all_seeds_meets() -> None:
    whole = walking(job(0, 5)).met
    (parts,) = walked([row_of(job(0, 2)), row_of(job(3, 5))])
    assert parts.met.fired == whole.fired
    assert parts.met.happened == whole.happened
    assert (parts.met.steps, parts.met.seeds) == (whole.steps, whole.seeds)
    for name, found in whole.violated.items():
        other = parts.met.violated[name]
        assert (found.seeds, found.states, found.seed) == (other.seeds, other.states, other.seed)


def test_no_seed_counts_twice() -> None:
    again = [row_of(job(0, 1)), row_of(job(0, 3)), row_of(job(2, 3))]
    (found,) = walked(again)
    assert found.met.seeds == 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign whose jobs all ran, with its reports."""
    path = tmp_path_factory.mktemp("walks")
    asked = Asked.of((PROTOCOL,), (), (), None, VALUES, False)
    asked = asked.walking("0..3", 20, 2, 20, 60.0, 4096)
    plan, store = planned(asked, []), Store(path)
    for one in plan.jobs:
        finished = run_job(Tools(catalogue.find, describe), one)
        store.add(finished.row, finished.evidence)
    rows = current(store.all(), plan.jobs, Texts())
    write_reports(asked, store, rows, 0, 1.0, Totals.of(listed(rows)))
    return path


def test_the_reports_tell_of_each_claim_what_the_walks_met(folder: Path) -> None:
    page = (folder / "campaign.md").read_text()
    assert "4 seeds, 80 walks of up to 20 steps" in page
    assert "| `TypeOk` | 4 seeds |" in page
    assert "| `Append` |" in page
    (shown,) = listed(Store(folder).all())
    assert f"--seed {shown['seeds']} --walks 20 --length 20" in command(shown)
    assert shown["trace"] in (folder / "report.md").read_text()


def test_what_was_walked_is_not_walked_again(folder: Path) -> None:
    asked = Asked.of((PROTOCOL,), (), (), None, VALUES, False)
    more = planned(asked.walking("0..7", 20, 2, 20, 60.0, 4096), Store(folder).all())
    assert [one.seeds.text for one in more.todo if one.seeds] == ["4..5", "6..7"]


def test_violations_are_replayed_again(folder: Path) -> None:
    answered = bmc("sweep", "verify", str(folder), "--json")
    assert answered.code == 0
    assert answered.document["counts"]["accepted"] == 2


def rewritten(folder: Path, into: Path, change: Callable[[str], str], **changed: object) -> Store:
    """The rows and traces of a folder in another one, each row under a digest of its own."""
    store = Store(into)
    for row in Store(folder).all():
        names = [found["trace"] for found in json.loads(row["found"])["violated"].values()]
        files = [(name, change((folder / name).read_text())) for name in names]
        files.append(("traces/other.json", "{}"))
        store.add({**row, **changed, "evidence": None, "digest": None}, files)
    return store


@pytest.mark.parametrize("compacted", [False, True])
def test_a_trace_that_was_exchanged_is_not_believed(
    compacted: bool, folder: Path, tmp_path: Path
) -> None:
    """A row has a digest of the shortest trace alone, and those of other claims were believed."""
    store = rewritten(folder, tmp_path, str, trace="traces/other.json")
    assert len(store.all()) == 2
    if compacted:
        assert store.compact(1)
    for file in {*(tmp_path / "traces").iterdir()} - {tmp_path / "traces" / "other.json"}:
        file.write_text(file.read_text() + "\n")
    assert not store.all()
    answered = bmc("sweep", "verify", str(tmp_path), "--json")
    assert answered.code == 2
    assert {row["standing"] for row in answered.document["rows"]} == {"changed"}


FOUND = {"seeds": 1, "walks": 1, "steps": 1, "dead_ends": 0, "fired": {}, "happened": {}}
FOUND |= {"violated": {}, "stopped_because": None}


@pytest.mark.parametrize(
    "changed",
    [
        {"verdict": "unknown", "trace": None, "trace_states": None},
        {"found": "[" * 5000},
        {"found": "{"},
        {"found": "[]"},
        {"found": None},
        {"found": json.dumps(FOUND)},
        {"found": json.dumps(FOUND | {"steps": "7"})},
        {"found": json.dumps(FOUND | {"steps": -1})},
        {"found": json.dumps(FOUND | {"fired": {"Append": 1}})},
    ],
    ids=lambda changed: str(changed)[:50],
)
def test_what_walks_met_is_what_the_verdict_says(
    changed: dict[str, Any], folder: Path, tmp_path: Path
) -> None:
    """A report shows what was met: an *unknown* that met a violation was judged by nobody."""
    store = rewritten(folder, tmp_path, str, **changed)
    assert not store.all()
    answered = bmc("sweep", "verify", str(tmp_path), "--json")
    assert answered.code == 2
    assert {row["standing"] for row in answered.document["rows"]} == {"changed"}


def test_walks_that_met_violations_prove_nothing(folder: Path, tmp_path: Path) -> None:
    none = {"trace": None, "trace_states": None, "found": json.dumps(FOUND)}
    rewritten(folder, tmp_path, str, verdict="proved", **none)
    answered = bmc("sweep", "verify", str(tmp_path), "--json")
    assert answered.code == 2
    for row in answered.document["rows"]:
        assert (row["standing"], row["reason"]) == (
            *("rejected", "walks do not show that it is proved"),
        )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--seeds", "0..9", "--engine", "ic3"), "neither --engine nor --prune"),
        (("--seeds", "0..9", "--solver", "z3"), "neither --engine nor --prune, --solver or"),
        (("--seeds", "0..9", "--no-lemmas"), "neither --engine nor --prune, --solver or"),
        (("--seeds", "0..9", "--mutants"), "ask for one"),
        (("--seeds", "0..9", "--walks", "0"), "--walks must be 1 or more"),
        (("--seeds", "0..9", "--depth", "0"), "must be 1 or more"),
        (("--walks", "5"), "give --seeds, too"),
        (("--seeds-a-job", "5"), "give --seeds, too"),
    ],
)
def test_words_that_do_not_go_together(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    answered = bmc(*WORDS, *words, "--dry-run", "--json", "--out", str(tmp_path))
    assert answered.code == 2
    assert said in answered.document["error"]["message"]


def test_a_dry_run_lists_the_ranges(tmp_path: Path) -> None:
    asked = (*WORDS, "--seeds", "0..14", "--dry-run", "--out", str(tmp_path))
    assert {one["seeds"] for one in bmc(*asked, "--json").document["jobs"]} == {"0..9", "10..14"}
    said = bmc(*asked).out
    assert "seeds 0..9\n" in said
    assert "seeds 10..14\n" in said


def test_rows_of_tables_without_these_columns_are_as_good_as_before(tmp_path: Path) -> None:
    store = Store(tmp_path)
    old = dict.fromkeys(SCHEMA.names) | {"key": "ab", "protocol": "p", "parameters": {}}
    (row,) = store.complete(
        [{**old, "verdict": "unknown", "finished": datetime(2026, 1, 1, tzinfo=UTC)}]
    )
    older = table_of([row]).drop_columns(sorted(LATER))
    (read,) = rows_of(older)
    assert digest_of(read) == row["digest"]
