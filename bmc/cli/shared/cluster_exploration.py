"""An exploration on a cluster: Spark is started for it, and its tasks look protocols up here."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir

from bmc import __version__
from bmc.cli.shared import catalogue
from bmc.engines.exploration import Exploration
from bmc.engines.task import Observer, Task
from bmc.lang.fingerprint import fingerprint
from bmc.sweep.distributed import explore_on
from bmc.sweep.frontier import SharedSearch
from bmc.sweep.spark import Cluster, SparkExecutors

Bounds = tuple[int | None, int | None, bool]
"""The most states, the most steps, and whether a violation ends the search."""


def explore_at(
    master: str, shared: str, name: str, task: Task, bounds: Bounds, observer: Observer
) -> Exploration:
    """Explore on the cluster of a Spark master, through a folder that its executors see.

    What is kept there is kept for this question alone, so that the same command goes on where it
    was stopped. Raises NoJava, SparkError, StoreError and what the search raises.
    """
    observer.phase(f"starting Spark at {master}, which takes a while")
    log = Path(gettempdir(), "bmc-explore-spark.log")
    with SparkExecutors(Cluster(master, False, log)) as executors:
        tasks = executors.capacity()
        model = task.suite.model(ghosts=False)
        asked = [fingerprint(model, task.parameters), task.properties, bounds, tasks, __version__]
        mine = sha256(repr(asked).encode()).hexdigest()[:16]
        stem, question, options = shared.partition("?")
        where = f"{stem.rstrip('/')}/explore-{mine}{question}{options}"
        search = SharedSearch(
            catalogue.find, name, dict(task.parameters), task.properties, where, tasks, *bounds
        )
        return explore_on(executors.context, search, observer)
