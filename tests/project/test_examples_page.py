"""What docs/examples.md says is so: the shortest trace of each bug, the proof of each repair."""

import re
from contextlib import chdir
from pathlib import Path

import pytest

from bmc.regress.lock import Expected, LockedModel
from bmc.regress.notation import lock_of
from tests.cli.running import bmc

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
FOLDER = ROOT / "docs" / "examples"

ROW = re.compile(r"^\| `(\w+\.py)` \| `(\w+)`.*? \| `(\w+)` \| .*?(\d+) steps \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE)


LOCKED = lock_of((FOLDER / "bmc.lock").read_text(encoding="utf-8"), "bmc.lock").models
SLOW = {"paxos.py:Paxos", "raft_election.py:RaftElection"}
"""More than half of the time. By day they are proved at one size only."""


def locked(where: str) -> list[LockedModel]:
    return [one for one in LOCKED if one.protocol == where]


@pytest.mark.parametrize("slow", [False, pytest.param(True, marks=pytest.mark.nightly)])
@pytest.mark.nightly
def test_what_is_locked_of_the_examples_is_so(slow: bool) -> None:
    asked = {one.protocol for one in LOCKED if (one.protocol in SLOW) is slow}
    with chdir(FOLDER):
        answered = bmc("regress", *sorted(asked), "--jobs", "2", "--json")
    assert answered.code == 0, answered.out + answered.err
    assert {one["protocol"] for one in answered.document["models"]} == asked


@pytest.mark.parametrize("where", sorted(SLOW))
def test_what_is_slow_is_proved_at_the_size_that_is_locked_first(where: str) -> None:
    values = locked(where)[0].parameters.items()
    size = [f"-p{name}={value}" for name, value in values]
    assert bmc("prove", str(FOLDER / where), *size, "--engine", "kinduction").code == 0


@pytest.mark.parametrize(("file", "right", "broken", "steps"), ROWS)
def test_a_repair_is_proved_at_three_sizes_and_a_bug_has_its_trace(
    file: str, right: str, broken: str, steps: str
) -> None:
    proved = [
        one
        for one in locked(f"{file}:{right}")
        if all(p.expected in (Expected.PROVED, Expected.REACHED) for p in one.properties)
    ]
    assert len(proved) >= 3
    lengths = [
        p.trace_length
        for one in locked(f"{file}:{broken}")
        for p in one.properties
        if p.expected is Expected.VIOLATED
    ]
    assert min(one for one in lengths if one is not None) == int(steps) + 1


def test_each_example_has_its_row() -> None:
    others = {"two_phase_commit.py"}
    assert {path.name for path in FOLDER.glob("*.py")} - others == {row[0] for row in ROWS}


@pytest.mark.parametrize(
    ("where", "size"),
    [
        ("lease.py:Lease", ["-p", "clients=3", "-p", "horizon=9"]),
        ("chain_replication.py:ChainReplication", ["-p", "nodes=6", "-p", "writes=6"]),
    ],
)
def test_lemmas_prove_it_where_nobody_explores(where: str, size: list[str]) -> None:
    assert bmc("prove", str(FOLDER / where), *size, "--engine", "kinduction").code == 0
