"""How long a job will take: a guess from the size of its state, better with every row.

``seconds = e^a · bits^b``: between sizes that a sweep visits, cost is close to a power of the
number of state bits. The guess orders jobs; nothing else depends on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import exp, log

import numpy as np

from bmc.sweep.job import Job
from bmc.sweep.rows import Row

_PRIOR = (-5.6, 1.4)
"""A second at 55 bits, as measured with kafka."""
_ENOUGH = 4


class Estimate:
    """Expected seconds of jobs, fitted to what earlier jobs took."""

    def __init__(self, rows: Iterable[Row]) -> None:
        told: dict[tuple[str, ...], list[tuple[float, float]]] = defaultdict(list)
        for row in rows:
            if row["seconds"] and row["state_bits"] and row["ended"] != "implied":
                point = (log(row["state_bits"]), log(row["seconds"]))
                told[row["protocol"], row["asked"], row["property"]].append(point)
                told[row["protocol"], row["asked"]].append(point)
        self._fits = {name: _fitted(points) for name, points in told.items()}

    def seconds(self, job: Job) -> float:
        """The expected seconds of a job, never more than its limit."""
        method = job.method.engine
        for name in ((job.protocol, method, job.property), (job.protocol, method)):
            fit = self._fits.get(name)
            if fit is not None:
                break
        else:
            fit = _PRIOR
        guess = exp(min(50.0, fit[0] + fit[1] * log(max(1, job.state_bits))))
        return min(job.limits.timeout, guess)


def _fitted(points: list[tuple[float, float]]) -> tuple[float, float] | None:
    x, y = np.array(points).T
    if len(points) < _ENOUGH or np.ptp(x) < 0.1:
        return None
    slope, start = np.polyfit(x, y, 1)
    return float(start), float(slope)


def makespan(seconds: Iterable[float], workers: int) -> float:
    """How long jobs take on ``workers`` that each take the next job in the order given."""
    ends = [0.0] * max(1, workers)
    for duration in seconds:
        soonest = min(range(len(ends)), key=ends.__getitem__)
        ends[soonest] += duration
    return max(ends)
