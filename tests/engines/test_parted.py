"""Several processes explore what one does: the same counts, levels and verdicts, in every run."""

import os
import signal
from errno import EAGAIN
from itertools import count
from pathlib import Path

import pytest

from bmc.engines import explicit, spilled
from bmc.engines.explicit import explore
from bmc.engines.parted import exchange, search
from bmc.engines.parted.part import PartReport, PartTurn, SearchPart
from bmc.engines.parted.processes import PartedProcesses
from bmc.engines.parted.search import explore_by_processes
from bmc.engines.task import Task
from tests.engines.explorable import EVERYTHING, Confined, Counter, ManyStarts, Overflowing
from tests.engines.test_overflowing import Facts
from tests.engines.test_spill import CASES, asked, tell

KAFKA = CASES[2]
COUNTER = asked(Counter, {}, *EVERYTHING)


@pytest.fixture(autouse=True)
def from_the_start(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """SearchPart every search when its first level ends; returns the processes of each."""
    monkeypatch.setattr(search, "FROM", 1)
    monkeypatch.setattr(search, "LEVEL", 1)
    # Several turns a level, and successors that have to wait for a turn.
    monkeypatch.setattr(explicit, "expanded_at_once", lambda words: 30)
    monkeypatch.setattr(exchange, "ROOM", 400)
    parted: list[int] = []
    part = search.PartedSearch._part

    def noted(self: search.PartedSearch) -> None:
        part(self)
        parted.append(self._processes)

    monkeypatch.setattr(search.PartedSearch, "_part", noted)
    return parted


@pytest.mark.parametrize("processes", [2, pytest.param(3, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    ("task", "symmetry"),
    [
        (COUNTER, False),
        (asked(Confined, {}, *EVERYTHING), False),
        (asked(ManyStarts, {}, "NotThree", "NotFour"), False),
        (CASES[1], True),
        (KAFKA, False),
        (KAFKA, True),
    ],
    ids=str.split("counter confined many-starts dead-end kip101 kip101-symmetry"),
)
def test_the_same_as_one_process(
    from_the_start: list[int], task: Task, symmetry: bool, processes: int
) -> None:
    expected = tell(explore(task, symmetry=symmetry))
    found = explore_by_processes(task, processes=processes, symmetry=symmetry)
    assert tell(found) == expected
    assert from_the_start == [processes]
    again = explore_by_processes(task, processes=processes, symmetry=symmetry)
    assert (again.violations, again.witnesses) == (found.violations, found.witnesses)


def test_limits_and_violations_end_it(from_the_start: list[int]) -> None:
    task = asked(Counter, {}, "BelowFive", "Small", "Six")
    for options in ({"max_depth": 3}, {"stop_at_violation": True}):
        expected = tell(explore(task, **options))
        found = explore_by_processes(task, processes=2, **options)
        assert tell(found) == expected
    few = explore_by_processes(KAFKA, processes=2, max_states=200)
    assert few.stopped_because == "the limit of 200 states is passed"
    assert 200 < few.distinct_states < 400
    assert len(from_the_start) == 3


def test_beyond_bounds() -> None:
    task = asked(Overflowing, {}, "Small")
    expected, found = explore(task), explore_by_processes(task, processes=2)
    assert found.overflow_reason == expected.overflow_reason
    assert found.overflow is not None
    assert expected.overflow is not None
    assert len(found.overflow) == len(expected.overflow)


def test_small_searches_stay_in_one_process(
    from_the_start: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "FROM", 1 << 18)
    assert explore_by_processes(KAFKA, processes=2).complete
    monkeypatch.setattr(search, "FROM", 1)
    assert explore_by_processes(KAFKA, processes=1).complete
    assert not from_the_start


@pytest.mark.parametrize(("processes", "states", "symmetry"), [(2, 40, False), (3, 200, True)])
def test_it_goes_on_on_disk_when_memory_ends(
    from_the_start: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    processes: int,
    states: int,
    symmetry: bool,
) -> None:
    """In the middle of a level, by the word of a process that is not this one."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(spilled, "room_for_successors", lambda memory: 200_000)
    take = SearchPart.take

    def full(self: SearchPart, turn: PartTurn) -> PartReport:
        report = take(self, turn)
        if self._own and len(self.table) * self._parts > states:
            report.full = "no room for more"
        return report

    monkeypatch.setattr(SearchPart, "take", full)
    found = explore_by_processes(KAFKA, processes=processes, symmetry=symmetry)
    assert from_the_start == [processes]
    assert found.on_disk is not None
    assert "no room for more" in found.on_disk
    assert tell(found) == tell(explore(KAFKA, symmetry=symmetry))
    assert not list(tmp_path.iterdir())


def test_a_lost_process_makes_it_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    take = SearchPart.take

    def die(self: SearchPart, turn: PartTurn) -> PartReport:
        if self._own and turn.number == 9:
            os.kill(os.getpid(), signal.SIGKILL)
        return take(self, turn)

    monkeypatch.setattr(SearchPart, "take", die)
    found = explore_by_processes(KAFKA, processes=2)
    assert not found.complete
    assert "one of the search's processes has ended" in (found.stopped_because or "")
    assert {result.verdict.name for result in found.verdicts()} == {"UNKNOWN"}


@pytest.mark.parametrize("started", [0, 1])
def test_processes_that_the_system_refuses_cost_nothing(
    monkeypatch: pytest.MonkeyPatch, started: int
) -> None:
    """The states are those of one process, which goes on with the table that it has."""
    fork, forked = os.fork, count()

    def limited() -> int:
        if next(forked) >= started:
            raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))
        return fork()

    monkeypatch.setattr(os, "fork", limited)
    facts = Facts()
    found = explore_by_processes(KAFKA, facts, processes=3)
    assert tell(found) == tell(explore(KAFKA))
    assert len([fact for fact in facts.told if "by one process" in fact]) == 1
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_no_process_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    crews: list[PartedProcesses] = []
    made = PartedProcesses.__init__

    def noted(self: PartedProcesses, *given: object) -> None:
        crews.append(self)
        made(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(PartedProcesses, "__init__", noted)
    children: list[list[int]] = []
    close = PartedProcesses.close

    def counted(self: PartedProcesses) -> None:
        children.append([child.resident() for child in self._children])
        close(self)

    monkeypatch.setattr(PartedProcesses, "close", counted)
    explore_by_processes(KAFKA, processes=3)
    assert [len(found) for found in children] == [2]
    (crew,) = crews
    assert not crew._supervisor.children
    assert crew.resident() == 0
