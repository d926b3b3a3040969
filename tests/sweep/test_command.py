"""`bmc sweep` up to where Spark would start: plans, and words it cannot use."""

from pathlib import Path

import pytest

from bmc.cli.shared.sweep_files import require_own_files
from bmc.reports.sweeps.campaigns import campaign
from bmc.reports.sweeps.html import html
from bmc.reports.sweeps.markdown import markdown
from bmc.reports.sweeps.walks import walks_page
from bmc.sweep.places import Folder
from tests.cli.running import bmc
from tests.sweep.tables import AGAIN, FACTS, GLOSSARY, TEXT, TRACE, rows

GRID = ("--grid", "replicas=2..3", "--grid", "log_size=1..2")


def test_a_dry_run_shows_jobs_sizes_and_an_estimate(tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = ("sweep", "kafka", *GRID, "--where", "max_records <= log_size", "--dry-run")
    answered = bmc(*asked, "--out", str(out), "--json")
    assert answered.code == 0
    document = answered.document
    assert len(document["jobs"]) == 10
    assert {job["state_bits"] for job in document["jobs"]} == {61, 93}
    assert "max_leader_epoch" in document["state_bits"]["kafka-kip320"]
    # The schedule of the jobs, and Spark's start before it.
    work = sum(job["expected_seconds"] for job in document["jobs"])
    assert document["estimate"]["seconds"] >= 10 + work / document["estimate"]["workers"] - 0.1
    text = bmc(*asked, "--out", str(out), "--master", "local[4]").out
    assert "10 jobs, 0 done already" in text
    assert "on 4 cores, with Spark's start" in text
    assert not out.exists()


def test_protocols_share_a_grid(tmp_path: Path) -> None:
    names = ("kafka", "kafka-kip320", "kafka-kip101")
    asked = ("sweep", *names, "-P", "WeakIsr", "--grid", "replicas=2..3", "--dry-run")
    jobs = bmc(*asked, "--out", str(tmp_path), "--json").document["jobs"]
    # An alias asks nothing new.
    assert sorted(job["protocol"] for job in jobs) == ["kafka-kip101"] * 2 + ["kafka-kip320"] * 2


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["kafka", "--grid", "replica=2"], "did you mean replicas"),
        (["kafka", "--grid", "replicas=two"], "neither a number nor a range"),
        (["kafka", *GRID, "--where", "replicas"], "is a number, not a condition"),
        (["kafka", *GRID, "--where", "replics > 1"], "did you mean replicas"),
        (["kafka", *GRID, "--where", "replicas > 7"], "nothing would run"),
        (["kafka", *GRID, "-P", "WeakIsrr"], "did you mean WeakIsr"),
        (["kafka", *GRID, "--engine", "guess"], "no engine 'guess'"),
        (["kafka", *GRID, "--engine", "kinduction", "--k", "0"], "must be 1 or more"),
        (["kafka", *GRID, "--engine", "explicit", "--depth", "2"], "leave --depth out"),
        (["kafka", *GRID, "--solver", "guess"], "no solver 'guess'"),
        (["id-sequence", "--lemma-subsets"], "there is no variant of id-sequence: leave it out"),
        (["kafka", *GRID, "--timeout", "0"], "must be positive"),
        (["kafka", *GRID, "--memory", "1"], "at least 64"),
        (["kafka", *GRID, "--spark", "cores=2"], "spark.some.name=value"),
        (["kafak", *GRID], "did you mean kafka"),
    ],
)
def test_words_it_cannot_use(words: list[str], complaint: str, tmp_path: Path) -> None:
    answered = bmc("sweep", *words, "--out", str(tmp_path / "out"), "--json")
    assert answered.code == 2
    assert complaint in answered.err
    assert complaint in answered.document["error"]["message"]


def test_an_out_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answered = bmc("sweep", "kafka", *GRID, "--out", str(tmp_path / "file" / "out"))
    assert answered.code == 2
    assert "cannot make" in answered.err


@pytest.mark.parametrize("name", ["report.md", "report.html", "campaign.md", "results.parquet"])
def test_an_out_whose_files_are_no_sweep_s(tmp_path: Path, name: str) -> None:
    """A project's own report was lost by `--out .`."""
    (tmp_path / name).write_text("# Report of a project\n")
    answered = bmc("sweep", "kafka", *GRID, "--out", str(tmp_path))
    assert answered.code == 2
    assert f"cannot write {tmp_path / name}: it is there and is" in answered.err
    assert [file.read_text() for file in tmp_path.iterdir()] == ["# Report of a project\n"]


def test_an_out_with_reports_of_sweeps(tmp_path: Path) -> None:
    for name, content in (
        ("report.md", markdown(rows(), {TRACE: TEXT}, GLOSSARY, FACTS, AGAIN)),
        ("report.html", html(rows(), {TRACE: TEXT}, GLOSSARY, FACTS, AGAIN)),
        ("campaign.md", campaign([], {}, rows())),
        ("campaign.md", walks_page([])),
    ):
        (tmp_path / name).write_text(content)
        require_own_files(Folder(tmp_path))
