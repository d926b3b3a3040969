"""An exploration on a cluster: Spark is started for it, and its tasks look protocols up here."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from bmc import __version__
from bmc.cli.shared import catalogue
from bmc.cli.shared.progress import to_stderr
from bmc.engines.exploration import Exploration
from bmc.engines.identity import identity, question_of
from bmc.engines.spill.files import DamagedSpill
from bmc.engines.stated import stated_over
from bmc.engines.task import Deadline, Interrupted, Observer, Task
from bmc.sweep.distributed import explore_on, found_before
from bmc.sweep.found_levels import FORMAT
from bmc.sweep.frontier import SharedSearch
from bmc.sweep.places import StoreError
from bmc.sweep.runner import OtherModel
from bmc.sweep.spark import Cluster, ExecutorLost, SparkExecutors, log_of

Bounds = tuple[int | None, int | None, bool]
"""The most states, the most steps, and whether a violation ends the search."""

WORTH_STATES = 100_000_000
"""With fewer states one process of a core is quicker, or as quick as four executors of one: an
estimate from what benchmarks/cluster_exploration.py measures (docs/sweeps.md)."""

_MOST_STARTS = 4


def explore_at(
    master: str,
    shared: str,
    name: str,
    task: Task,
    bounds: Bounds,
    observer: Observer,
    spill: str | None = None,
) -> Exploration:
    """Explore on the cluster of a Spark master, through a folder that its executors see.

    What is kept there is kept for this question alone, so that the same command goes on where it
    was stopped. A task of the search may hold the task's memory, and has its states in the folder
    ``spill`` of its executor where one is given. Raises NoJava, SparkError, ClusterLost,
    ExecutorLost, StoreError, and what the search raises; Interrupted on Ctrl-C, with what the
    complete levels have shown, and KeyboardInterrupt where there are none.
    """
    model = task.suite.model(ghosts=False)
    asked = question_of(task, model, stated_over(task, model))
    # Executors have working folders of their own.
    there = catalogue.anywhere(name)
    deadline = Deadline(task.timeout)
    observer.phase(f"starting Spark at {master}, which takes a while")
    began = monotonic()
    search: SharedSearch | None = None
    found: Exploration | None = None
    try:
        with SparkExecutors(Cluster(master, False, log_of("explore"))) as executors:
            from py4j.protocol import Py4JError
            from pyspark.errors import PySparkException

            tasks = executors.capacity()
            mine = identity([*asked, repr([bounds, tasks, __version__, FORMAT])])
            stem, question, options = shared.partition("?")
            where = f"{stem.rstrip('/')}/explore-{mine}{question}{options}"
            search = SharedSearch(
                *(catalogue.find, there, dict(task.parameters), task.properties, where, tasks),
                *bounds,
                memory=task.memory,
                spill=spill,
            )
            for start in range(1, _MOST_STARTS + 1):
                search = replace(search, seconds=deadline.remaining())
                try:
                    found = explore_on(executors.context, search, observer)
                    break
                except (Py4JError, PySparkException, ConnectionError) as error:
                    failed = executors.failed(error)
                    # Spark never starts such tasks again, all of which run at once.
                    if not isinstance(failed, ExecutorLost) or start == _MOST_STARTS:
                        raise failed from error
                    observer.phase("an executor was lost; going on from the last complete level")
    except KeyboardInterrupt:
        # Spark has ended, so no level comes in any more.
        if found is None and search is not None:
            found = _found_before(search, monotonic() - began)
        if found is None:
            raise
        raise Interrupted(found) from None
    assert found is not None
    if found.distinct_states < WORTH_STATES:
        to_stderr(f"bmc: {worth(found.distinct_states)}\n")
    return found


def _found_before(search: SharedSearch, seconds: float) -> Exploration | None:
    """What the shared folder shows of an interrupted search, None where it cannot be read."""
    try:
        return found_before(search, seconds)
    except (DamagedSpill, OtherModel, StoreError):
        return None


def worth(states: int) -> str:
    """Return what to say of a search that found so few states on a cluster."""
    return (
        f"a search of {states:,} states is quicker in one process: leave --master out, unless its "
        f"memory and disk are too small (four executors are no quicker where it has machine code)"
    )
