"""Tasks of a stage: long jobs alone and first, short ones several at a time.

What a task costs beside its jobs is tens of milliseconds, so a job of as many milliseconds must
share it. A task should be as large as that needs and no larger, and the last tasks small, so that
all executors end at about the same time: each gets an eighth of an executor's share of what is
left (guided self-scheduling), between two limits. Both grow with the cluster: while a task runs,
the driver hands out one to every other executor, so shorter ones would leave some without work.
Only at the end may they be shorter: where the driver needs ``d`` seconds a task, tasks that get
shorter by ``d`` each end together, and ``L`` seconds of work are such tasks, the longest of
``sqrt(2 d L)`` seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from math import sqrt

from bmc.sweep.job import Job
from bmc.sweep.store import TASK

LEAST_SECONDS = 0.2
MOST_SECONDS = 2.0
MOST_JOBS = 400
DRIVER_SECONDS = 0.01
"""What the driver needs to hand out a task: measured by benchmarks/sweep_cost.py, on a Java that
has just begun to compile what it runs."""
ALONE_SECONDS = 5.0
"""A job that is expected to take so long gets a task of its own: beside others it would be handed
back after a trial of twice as long (:mod:`bmc.sweep.work`). On a large cluster it is as long as the
driver needs for a task to each executor, and at most a quarter of what each has to do."""
_SHARES = 8
_SLACK = 1.3
"""Tasks of a large cluster are longer by this than a round of handing out: they end in bursts."""


@dataclass(frozen=True)
class Batch:
    """The jobs of one task, the longest first; each has a ``trial`` of so many seconds if it is not
    the only one. The last ``untried`` of them have none."""

    jobs: tuple[Job, ...]
    trial: float = 2 * ALONE_SECONDS
    untried: int = 0

    def trial_of(self, number: int, spent: float) -> float | None:
        """Return the trial of a job, by its position, or None where it has all of its time.

        No job of the task before it has taken more than ``spent`` seconds: one of them may take
        long, and the last besides, behind which there is none.
        """
        behind = len(self.jobs) - 1 - number
        tried = behind >= self.untried or (behind > 0 and spent > self.trial)
        return self.trial if tried and len(self.jobs) > 1 else None

    @property
    def name(self) -> str:
        """Names the file of its rows: the same for the same jobs, whoever runs them."""
        if len(self.jobs) == 1:
            return self.jobs[0].key
        return TASK + sha256(" ".join(job.key for job in self.jobs).encode()).hexdigest()


def batches(
    jobs: Iterable[Job], seconds: Callable[[Job], float], executors: int, left: float
) -> Iterator[Batch]:
    """Yield jobs as batches, in the order given, which is that of falling ``seconds``.

    ``left`` are the expected seconds of all jobs that are still to be handed out, these included.
    """
    round_of_all = DRIVER_SECONDS * max(1, executors)
    each = left / max(1, executors)
    alone = max(ALONE_SECONDS, min(round_of_all, each / 4))
    most = max(MOST_SECONDS, 3 * round_of_all)
    trial = 2 * alone
    # Begun anew when its task has ended, a long job would end later than what is behind it now.
    patience = trial if round_of_all > ALONE_SECONDS else 0.0
    taken: list[Job] = []
    share = least = filled = longest = 0.0
    for job in jobs:
        cost = seconds(job)
        # What is less than the driver needs to hand out a round takes one more job.
        full = filled >= least and filled + cost / 2 > share
        full = full or len(taken) == MOST_JOBS or longest >= alone
        if taken and full:
            yield Batch(tuple(taken), trial, _untried(map(seconds, taken), patience))
            taken, filled = [], 0.0
        if not taken:
            at_the_end = sqrt(2 * DRIVER_SECONDS * max(0.0, left))
            least = max(LEAST_SECONDS, min(_SLACK * round_of_all, at_the_end))
            share = min(most, max(least, left / (_SHARES * max(1, executors))))
            longest = cost
        taken.append(job)
        filled += cost
        left -= cost
    if taken:
        yield Batch(tuple(taken), trial, _untried(map(seconds, taken), patience))


def _untried(costs: Iterable[float], patience: float) -> int:
    """How many of the last jobs have no more behind them than so many seconds."""
    behind, found = 0.0, 0
    for cost in reversed(list(costs)):
        if behind >= patience:
            break
        found += 1
        behind += cost
    return found
