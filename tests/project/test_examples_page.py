"""What docs/examples.md says is so: the shortest trace of each bug, the proof of each repair."""

import re
from pathlib import Path

import pytest

from bmc.cli.shared import catalogue
from bmc.engines.explicit import explore
from bmc.engines.task import Task
from tests.cli.running import bmc

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
FOLDER = ROOT / "docs" / "examples"

RIGHT = (
    ("raft_election.py:RaftElection", {}, 123),
    ("raft_election.py:RaftElection", {"servers": 2, "max_term": 2}, None),
    ("raft_election.py:RaftElection", {"servers": 4}, None),
    ("paxos.py:Paxos", {"max_ballot": 0}, None),
    ("paxos.py:Paxos", {"acceptors": 2}, None),
    ("paxos.py:Paxos", {}, 3776),
    ("chain_replication.py:ChainReplication", {}, 222),
    ("chain_replication.py:ChainReplication", {"nodes": 2, "writes": 3}, None),
    ("chain_replication.py:ChainReplication", {"nodes": 4, "writes": 1}, None),
    ("lease.py:Lease", {}, 468),
    ("lease.py:Lease", {"clients": 3, "horizon": 4}, None),
    ("lease.py:Lease", {"skew": 0, "length": 1}, None),
    ("fifo_queue.py:FifoQueue", {}, 49),
    ("fifo_queue.py:FifoQueue", {"numbers": 3}, None),
    ("fifo_queue.py:FifoQueue", {"capacity": 3}, None),
    ("die_hard.py:DieHard", {"large": 6}, 6),
    ("die_hard.py:DieHard", {"large": 2, "small": 2, "goal": 1}, None),
    ("die_hard.py:DieHard", {"large": 9}, None),
)

ROW = re.compile(r"^\| `(\w+\.py)` \| .*? \| `(\w+)` \| .*?(\d+) steps \|$", re.MULTILINE)
BROKEN = [(f"{file}:{name}", int(steps)) for file, name, steps in ROW.findall(PAGE)]


def task(where: str, size: dict[str, int]) -> Task:
    suite = catalogue.find(str(FOLDER / where))
    return Task(suite, size, tuple(one.name for one in suite.properties))


@pytest.mark.parametrize(("where", "size", "states"), RIGHT)
def test_the_repair_is_right(where: str, size: dict[str, int], states: int | None) -> None:
    found = explore(task(where, size))
    assert found.complete
    assert not found.violations
    assert found.overflow is None
    if states is not None:
        assert found.distinct_states == states


@pytest.mark.parametrize(("where", "steps"), BROKEN)
def test_the_bug_is_found_with_the_shortest_trace(where: str, steps: int) -> None:
    found = explore(task(where, {}), stop_at_violation=True)
    (trace,) = found.violations.values()
    assert len(trace) - 1 == steps


def test_each_example_has_its_row() -> None:
    assert {where.partition(":")[0] for where, _ in BROKEN} == {
        where.partition(":")[0] for where, _, _ in RIGHT
    }
    others = {"two_phase_commit.py"}
    assert {path.name for path in FOLDER.glob("*.py")} - others == {
        where.partition(":")[0] for where, _ in BROKEN
    }


@pytest.mark.parametrize(
    ("where", "size"),
    [
        ("lease.py:Lease", ["-p", "clients=3", "-p", "horizon=9"]),
        ("chain_replication.py:ChainReplication", ["-p", "nodes=6", "-p", "writes=6"]),
    ],
)
def test_lemmas_prove_it_where_nobody_explores(where: str, size: list[str]) -> None:
    assert bmc("prove", str(FOLDER / where), *size, "--engine", "kinduction").code == 0
