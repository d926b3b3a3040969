"""Sweeps over a specification: its constants are the grid, and each choice is another model."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark import SparkFiles

from bmc.cli.commands import sweep_run
from bmc.cli.commands.sweep_run import Asked, planned
from bmc.cli.shared import catalogue, specifications
from bmc.cli.shared.sweep_evidence import describe
from bmc.cli.shared.widening import find_with_room
from bmc.frontends.tla import samples
from bmc.reports.sweeps.glossary import Glossary
from bmc.sweep.grid import GridError
from bmc.sweep.runner import OtherModel, Tools, run_job
from bmc.sweep.spark import Cluster, SparkExecutors
from bmc.sweep.store import Store
from bmc.sweep.work import Work
from tests.cli.running import ROOT, bmc

CLIMB = """---- MODULE Climb ----
EXTENDS Integers
CONSTANTS Top, People
VARIABLE at
Init == at = [p \\in People |-> 0]
Up(p) == at[p] < Top /\\ at' = [at EXCEPT ![p] = @ + 1]
Next == \\E p \\in People : Up(p)
Low == \\A p \\in People : at[p] <= 1
====
"""
CONFIG = "INIT Init NEXT Next INVARIANT Low CHECK_DEADLOCK FALSE CONSTANTS Top = 9 People = {a}\n"
TOOLS = Tools(catalogue.find, describe, specifications.point)


@pytest.fixture
def climb(tmp_path: Path) -> str:
    (tmp_path / "Climb.tla").write_text(CLIMB)
    (tmp_path / "Climb.cfg").write_text(CONFIG)
    return str(tmp_path / "Climb.tla")


def asked(climb: str, *grid: str) -> Asked:
    return Asked.of((climb,), grid, (), None, (), False).by(
        "kinduction", 4, "cadical", True, 60.0, 2048
    )


def test_each_choice_of_constants_is_decided(climb: str) -> None:
    plan = planned(asked(climb, "Top=1..2", "People=1..2"), [])
    rows = [run_job(TOOLS, job).row for job in plan.jobs]
    told = {(row["parameters"]["Top"], row["parameters"]["People"]): row for row in rows}
    assert {point: row["verdict"] for point, row in told.items()} == {
        (1, 1): "proved",
        (1, 2): "proved",
        (2, 1): "violated",
        (2, 2): "violated",
    }
    assert {row["protocol"] for row in rows} == {climb}
    assert len({row["identity"] for row in rows}) == 4


COUNT = """---- MODULE Count ----
EXTENDS Naturals
CONSTANT Side
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == /\\ x + y < Side * Side
        /\\ (x' = x + 1 /\\ UNCHANGED y) \\/ (y' = y + 1 /\\ UNCHANGED x)
Low == x + y <= Side * Side
====
"""


def test_a_choice_is_decided_with_bounds_that_have_grown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took the first guess: the claim stayed unknown."""
    monkeypatch.setattr(samples, "_NEAR", 5)
    monkeypatch.setattr(samples, "_WALKS", 0)
    (tmp_path / "Count.tla").write_text(COUNT)
    config = "INIT Init NEXT Next INVARIANT Low CHECK_DEADLOCK FALSE CONSTANT Side = 2\n"
    (tmp_path / "Count.cfg").write_text(config)
    (job,) = planned(asked(str(tmp_path / "Count.tla"), "Side=3"), []).jobs
    tools = Tools(find_with_room, describe, specifications.point)
    assert run_job(tools, job).row["verdict"] == "proved"


@pytest.mark.parametrize("named", [True, False])
def test_evidence_is_judged_at_the_constants_of_its_row(
    named: bool, climb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --protocol all was judged at the configuration's: outdated, or even rejected."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    for file in ("Climb.tla", "Climb.cfg"):
        (tmp_path / file).rename(tmp_path / "specs" / file)
    store = Store(tmp_path / "out")
    for job in planned(asked("specs/Climb.tla", "Top=1..2", "People=1..2"), []).jobs:
        finished = run_job(TOOLS, job)
        store.add(finished.row, finished.evidence)
    answer = bmc("sweep", "verify", "out", "--json", *(("--protocol", "specs/Climb.tla") * named))
    assert {row["standing"] for row in answer.document["rows"]} == {"accepted"}
    assert (answer.code, len(answer.document["rows"])) == (0, 4)


@pytest.mark.parametrize("ship", [True, False])
@pytest.mark.parametrize("named", ["model/Climb.tla", "model/queue.py:FifoQueue"])
def test_what_an_executor_elsewhere_finds_is_accepted(
    named: str, ship: bool, climb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It failed at a path from here, and evidence of files that were sent had another name."""
    files = [Path(climb), Path(climb).with_suffix(".cfg"), tmp_path / "queue.py"]
    files[-1].write_text((ROOT / "docs" / "examples" / "fifo_queue.py").read_text())
    for folder in ("model", "sent", "there"):
        (tmp_path / folder).mkdir()
        for file in () if folder == "there" else files:
            (tmp_path / folder / file.name).write_text(file.read_text())
    monkeypatch.chdir(tmp_path)
    grid = {".tla": ("Top=1..2", "People=1"), ".py": ("numbers=1", "capacity=1")}
    asked = Asked.of((named,), grid[Path(named.split(":")[0]).suffix], (), None, (), False)
    plan = planned(asked.by("explicit", 4, "cadical", True, 60.0, 2048), [])
    work = Work(sweep_run._tools(), "out", "")
    executors = SparkExecutors(Cluster("local[1]", ship, tmp_path / "log"), work)
    assert executors._work is not None
    monkeypatch.setattr(SparkFiles, "get", lambda name: str(tmp_path / "sent" / name))
    store = Store(tmp_path / "out")
    monkeypatch.chdir(tmp_path / "there")
    for job in plan.jobs:
        finished = run_job(executors._work.tools, job)
        store.add(finished.row, finished.evidence)
    monkeypatch.chdir(tmp_path)
    answer = bmc("sweep", "verify", "out", "--json", "--protocol", named)
    assert answer.code == 0
    assert {row["standing"] for row in answer.document["rows"]} == {"accepted"}


def test_a_temporal_claim_without_a_description_is_reported(tmp_path: Path) -> None:
    """The rows were there, and the report ended: it looked for an invariant of that name."""
    (tmp_path / "Climb.tla").write_text(CLIMB.replace("====", "Ends == <>(at[1] = 0)\n===="))
    config = CONFIG.replace("INVARIANT Low", "PROPERTY Ends").replace("{a}", "{1}")
    (tmp_path / "Climb.cfg").write_text(config)
    given = catalogue.find(str(tmp_path / "Climb.tla"))
    row = {"protocol": given.name, "property": "Ends", "parameters": {"Top": 1}}
    assert [name for name, _ in Glossary.of([given], [row]).properties] == ["Ends"]


def test_a_text_that_has_changed_is_another_model(climb: str) -> None:
    (job,) = planned(asked(climb, "Top=1"), []).jobs
    Path(climb).write_text(CLIMB.replace("@ + 1", "@ + 2"))
    with pytest.raises(OtherModel):
        run_job(TOOLS, job)


def test_conditions_speak_of_constants(climb: str) -> None:
    one = Asked.of((climb,), ("Top=1..2", "People=1..2"), ("People <= Top",), None, (), False)
    assert [tuple(point.values()) for point in one.shares[0].points] == [(1, 1), (2, 1), (2, 2)]
    with pytest.raises(GridError):
        asked(climb, "Top=2..1")


@pytest.mark.parametrize("option", ["--mutants", "--lemma-subsets"])
@pytest.mark.parametrize("beside", [[], ["id-sequence"]])
def test_variants_of_a_text_are_refused(
    climb: str, tmp_path: Path, option: str, beside: list[str]
) -> None:
    answer = bmc("sweep", *beside, climb, "--out", str(tmp_path / "sweep"), "--dry-run", option)
    assert answer.code == 2
    assert f"{option}: no variants are made of a specification's text" in answer.err
    assert f"leave {climb} or the option out" in answer.err


def test_what_executors_cannot_know_is_refused(climb: str, tmp_path: Path) -> None:
    answer = bmc("sweep", climb, "--grid", "Top=1", "--bound", "at=0..1", "--out", str(tmp_path))
    assert answer.code == 2
    assert "write them into the configuration" in answer.err


def test_the_files_of_a_specification_are_its_modules_and_its_configuration(climb: str) -> None:
    origin = catalogue.find(climb).origin
    assert origin is not None
    assert [path.name for path in origin.files()] == ["Climb.tla", "Climb.cfg"]
