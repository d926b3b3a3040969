"""A search that several tasks share finds what one process finds."""

import json
import multiprocessing
import random
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.context import ForkProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError

from bmc.cli.shared import catalogue, cluster_exploration
from bmc.engines.explicit import explore
from bmc.engines.exploration import Exploration
from bmc.engines.native.expansion import NativeExpansion
from bmc.engines.packed.blocks import NumpyCost
from bmc.engines.stated import stated_over
from bmc.engines.task import SILENT, Interrupted, OptionError, Task
from bmc.lang.properties import Kind
from bmc.lang.suite import Suite
from bmc.sweep.dispatch import ClusterLost
from bmc.sweep.distributed import explore_on
from bmc.sweep.frontier import SharedSearch, TaskShare
from bmc.sweep.spark import Cluster, ExecutorLost, SparkError, SparkExecutors


class FakeContext:
    """As much of Spark as the search asks for: tasks are processes that meet at a barrier."""

    died: type[BaseException] = RuntimeError

    def __init__(self, dies_at: int | None = None) -> None:
        self._dies_at = dies_at

    def parallelize(self, numbers: range, tasks: int) -> "FakeContext":
        self._tasks = tasks
        return self

    def barrier(self) -> "FakeContext":
        return self

    def mapPartitions(self, function: Callable[..., Any]) -> "FakeContext":
        (self._search,) = function.args  # type: ignore[attr-defined]
        return self

    def collect(self) -> list[Any]:
        fork = multiprocessing.get_context("fork")
        with TemporaryDirectory() as folder:
            meeting = fork.Barrier(self._tasks, timeout=120)
            tasks = [
                fork.Process(target=self._task, args=(Path(folder), meeting, me))
                for me in range(self._tasks)
            ]
            for task in tasks:
                task.start()
            self._meanwhile(tasks)
            for task in tasks:
                task.join()
            if any(task.exitcode for task in tasks):
                raise self.died("a task died")
            found: list[Any] = json.loads(Path(folder, "found").read_text())
            return found

    def _meanwhile(self, tasks: list[ForkProcess]) -> None:
        """What happens to the tasks while they run."""

    def _task(self, folder: Path, meeting: Any, me: int) -> None:
        calls = 0

        def gather(message: str) -> list[str]:
            nonlocal calls
            calls += 1
            if calls == self._dies_at and me == 0:
                meeting.abort()
            Path(folder, f"{calls}-{me}").write_text(message)
            meeting.wait()
            return [Path(folder, f"{calls}-{one}").read_text() for one in range(self._tasks)]

        found = list(TaskShare(self._search, me).run(gather))
        if me == 0:
            Path(folder, "found").write_text(json.dumps(found))


QUESTIONS = [
    ("id-sequence", {"max_id": 4}),
    ("kafka-kip101", {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}),
    (
        "kafka-kip320~BecomeLeader.guard2.dropped",
        {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1},
    ),
]


DEPLOYED = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
SMALL: dict[str, dict[str, int]] = {
    "elasticsearch": {},
    "id-sequence": {},
    "kafka-async-isr": {},
    "kafka-kip320-deployed": DEPLOYED,
    "kafka-kip320-deployed-unclean": DEPLOYED,
    "kafka-transactions": {"max_coordinator_changes": 0},
    "replicated-log": {},
    "replicated-log-retention": {},
    **{
        name: {"log_nodes": 2, "num_replicas": 1}
        for name in catalogue.built_in()
        if name.startswith("verified-log")
    },
}
"""Sizes for protocols that are no variants of Kafka's replication."""
KAFKA = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}


def asked(name: str, values: dict[str, int], where: Path, tasks: int) -> SharedSearch:
    suite = catalogue.find(name)
    stated = suite.declared(Kind.INVARIANT, Kind.STEP_INVARIANT, Kind.WITNESS)
    lemmas = {lemma.name for lemma in suite.lemmas}
    names = tuple(d.name for d in stated if d.name not in lemmas and not of_history(suite, d.name))
    return SharedSearch(catalogue.find, name, values, names, str(where), tasks)


def of_history(suite: Suite, name: str) -> bool:
    """Whether a claim speaks of history, which an exploration leaves out."""
    try:
        stated_over(Task(suite, {}, (name,)), suite.model(ghosts=False))
    except OptionError:
        return True
    return False


def agree(one: Exploration, other: Exploration) -> None:
    for name in (
        "distinct_states",
        "generated_states",
        "levels",
        "complete",
        "holds",
        "fired",
        "stopped_because",
        "stopped_at",
    ):
        assert getattr(one, name) == getattr(other, name), name
    for name in ("violations", "witnesses"):
        lengths = [{n: t and len(t) for n, t in getattr(o, name).items()} for o in (one, other)]
        assert lengths[0] == lengths[1]


@pytest.mark.parametrize(("name", "values"), QUESTIONS)
def test_several_tasks_find_what_one_process_finds(
    name: str, values: dict[str, int], tmp_path: Path
) -> None:
    search = asked(name, values, tmp_path, 2)
    here = explore(search.task())
    there = explore_on(FakeContext(), search, SILENT)
    agree(here, there)
    # Again, all of it is in the folder.
    agree(here, explore_on(FakeContext(), search, SILENT))
    assert not list((tmp_path / "exchange").rglob("*.parquet"))


@pytest.mark.parametrize(("name", "values"), QUESTIONS)
def test_machine_code_finds_what_numpy_finds(
    name: str, values: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = asked(name, values, tmp_path / "alone", 1)
    here = explore(search.task())
    monkeypatch.setattr(NumpyCost, "of_level", lambda cost, states: states > 1)
    share = TaskShare(search, 0)
    assert [level["states"] for level in share.run(lambda message: [message])][-1] == 0
    assert isinstance(share._expansion, NativeExpansion) == (name != "id-sequence")
    shared = asked(name, values, tmp_path / "shared", 2)
    agree(here, explore_on(FakeContext(), shared, SILENT))


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(catalogue.built_in()))
def test_every_protocol_has_the_verdicts_and_counts_of_one_process(
    name: str, tmp_path: Path
) -> None:
    search = asked(name, SMALL.get(name, KAFKA), tmp_path, 3)
    agree(explore(search.task()), explore_on(FakeContext(), search, SILENT))


@pytest.mark.parametrize("dies_at", [5])
def test_a_search_that_died_goes_on(dies_at: int, tmp_path: Path) -> None:
    search = asked(*QUESTIONS[1], tmp_path, 2)
    with pytest.raises(RuntimeError, match="died"):
        explore_on(FakeContext(dies_at), search, SILENT)
    agree(explore(search.task()), explore_on(FakeContext(), search, SILENT))


class Deadly(FakeContext):
    """Kills a task at a moment of chance, and the others a little later, as Spark ends a stage.

    The moment is after so many more files in a folder, and between two of them.
    """

    def __init__(self, chance: random.Random, where: Path) -> None:
        super().__init__()
        self._chance, self._where = chance, where
        self.written: set[int] = set()

    def _files(self) -> int:
        return sum(1 for _ in self._where.rglob("*"))

    def _meanwhile(self, tasks: list[ForkProcess]) -> None:
        wanted = self._files() + self._chance.randint(1, 30)
        while self._files() < wanted and any(task.is_alive() for task in tasks):
            sleep(0.001)
        sleep(self._chance.uniform(0.0, 0.02))
        self.written.add(self._files())
        self._chance.shuffle(tasks)
        for task in tasks:
            task.kill()
            sleep(0.01)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(4))
def test_tasks_that_die_at_any_moment_change_no_count(seed: int, tmp_path: Path) -> None:
    """They die while they write a level, too: what is there of it counts only if it is whole."""
    search = asked(*QUESTIONS[1], tmp_path, 3)
    deadly, deaths = Deadly(random.Random(seed), tmp_path), 0
    for _ in range(5):
        try:
            explore_on(deadly, search, SILENT)
        except RuntimeError:
            deaths += 1
    assert min(deaths, len(deadly.written)) > 1
    agree(explore(search.task()), explore_on(FakeContext(), search, SILENT))


class Failing(SparkExecutors):
    """A Spark whose job fails, and that is gone then or not."""

    def __init__(self, error: Exception, gone: bool) -> None:
        self._error = error
        self._cluster = Cluster("local[2]", False, Path("spark.log"))
        java = SimpleNamespace(isStopped=lambda: gone)
        self._context = SimpleNamespace(
            _jsc=SimpleNamespace(sc=lambda: java), defaultParallelism=2, parallelize=self._fail
        )

    def _fail(self, numbers: range, tasks: int) -> None:
        raise self._error

    def __enter__(self) -> "Failing":
        return self

    def __exit__(self, *error: object) -> None:
        pass


def test_a_search_that_lost_an_executor_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark gives a stage up whose tasks run all at once, when one of them is lost."""
    spark = Failing(Py4JError("An error occurred while calling collect."), gone=False)
    left = [spark._fail, spark._fail, FakeContext().parallelize]
    spark._context.parallelize = lambda numbers, tasks: left.pop(0)(numbers, tasks)
    monkeypatch.setattr(cluster_exploration, "SparkExecutors", lambda cluster: spark)
    task = asked("id-sequence", {}, tmp_path, 2).task()
    found = cluster_exploration.explore_at(
        "local[2]", str(tmp_path), "id-sequence", task, (None, None, False), SILENT
    )
    agree(explore(task), found)
    spark._context.parallelize = spark._fail
    with pytest.raises(ExecutorLost, match="Spark gave up"):
        cluster_exploration.explore_at(
            "local[2]", str(tmp_path), "id-sequence", task, (None, 3, False), SILENT
        )


def test_an_interrupted_search_tells_what_its_complete_levels_have_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was told of them, violations included."""
    spark = Failing(Py4JError("An error occurred while calling collect."), gone=False)
    spark._context.parallelize = FakeContext(dies_at=13).parallelize
    monkeypatch.setattr(cluster_exploration, "SparkExecutors", lambda cluster: spark)
    monkeypatch.setattr(FakeContext, "died", KeyboardInterrupt)
    name, values = QUESTIONS[2]
    task = asked(name, values, tmp_path, 2).task()
    with pytest.raises(Interrupted) as told:
        cluster_exploration.explore_at(
            "local[2]", str(tmp_path), name, task, (None, None, False), SILENT
        )
    found = told.value.found
    assert isinstance(found, Exploration)
    assert (found.complete, found.stopped_because) == (False, "interrupted")
    agree(
        replace(explore(task, max_depth=len(found.levels) - 1), stopped_because="interrupted"),
        found,
    )
    assert found.violations


@pytest.mark.parametrize(
    ("error", "gone", "said"),
    [
        (ConnectionRefusedError(111, "Connection refused"), True, "Run the same command again"),
        (Py4JNetworkError("Answer from Java side is empty"), True, "Run the same command again"),
        (
            Py4JError(
                "An error occurred while calling collect.\n: org.apache.spark.SparkException: x\n"
                "bmc.sweep.places.StoreError: cannot write levels/3\n\tat org.apache"
            ),
            False,
            r"Spark gave up \(bmc.sweep.places.StoreError: cannot write levels/3\)",
        ),
    ],
)
def test_what_spark_died_of_is_said(
    error: Exception, gone: bool, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refused connection was taken for an answer that stdout did not take."""
    monkeypatch.setattr(cluster_exploration, "SparkExecutors", lambda cluster: Failing(error, gone))
    task = asked("id-sequence", {}, tmp_path, 2).task()
    with pytest.raises(ClusterLost if gone else SparkError, match=said):
        cluster_exploration.explore_at(
            "local[2]", str(tmp_path), "id-sequence", task, (None, None, False), SILENT
        )
