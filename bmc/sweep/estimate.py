"""How long a job will take: a guess from the size of its state, better with every row.

``seconds = e^a · bits^b``: between sizes that a sweep visits, cost is close to a power of the
number of state bits. The guess orders jobs; nothing else depends on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import exp, inf, log

from bmc.sweep.job import Job
from bmc.sweep.rows import Row

_PRIOR = (-5.6, 1.4)
"""A second at 55 bits, as measured with kafka."""
_ENOUGH = 4

SPARK_START = 10.0
"""Seconds until Spark's executors have bmc: 4 to 9 on a machine with little else to do, 12 to 16 on
a busy one (docs/sweeps.md)."""


class Estimate:
    """Expected seconds of jobs, fitted to what earlier jobs took.

    ``known`` is how many of them there are.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._fits: dict[tuple[str, ...], _Fit] = defaultdict(_Fit)
        self.known = 0
        for row in rows:
            self.learn(row)

    @property
    def is_fitted(self) -> bool:
        """Whether something else than the prior is used."""
        return any(fit.line is not None for fit in self._fits.values())

    def learn(self, row: Row) -> None:
        """Take a finished job into account."""
        if row["ended"] != "implied" and all(
            _is_positive(row[n]) for n in ("seconds", "state_bits")
        ):
            self.known += 1
            bits, seconds = log(row["state_bits"]), log(row["seconds"])
            self._fits[row["protocol"], row["asked"], row["property"]].learn(bits, seconds)
            self._fits[row["protocol"], row["asked"]].learn(bits, seconds)

    def seconds(self, job: Job) -> float:
        """The expected seconds of a job, never more than its limit."""
        method = job.method.engine
        for name in ((job.protocol, method, job.property), (job.protocol, method)):
            found = self._fits.get(name)
            if found is not None and found.line is not None:
                start, slope = found.line
                break
        else:
            start, slope = _PRIOR
        guess = exp(min(50.0, start + slope * log(max(1, job.state_bits))))
        return min(job.limits.timeout, guess)


def _is_positive(number: float | None) -> bool:
    """Whether it has a logarithm; rows of a table are read without asking what is in them."""
    return number is not None and 0 < number < inf


class _Fit:
    """The line through points that least squares give, as points come.

    Points of one size tell its height only; its slope is then the prior's.
    """

    def __init__(self) -> None:
        self.line: tuple[float, float] | None = None
        self._count = 0
        self._x = self._y = self._xx = self._xy = 0.0
        self._low, self._high = inf, -inf

    def learn(self, x: float, y: float) -> None:
        """Take a point into account."""
        self._count += 1
        self._x += x
        self._y += y
        self._xx += x * x
        self._xy += x * y
        self._low, self._high = min(self._low, x), max(self._high, x)
        n = self._count
        if n < _ENOUGH:
            return
        slope = _PRIOR[1]
        if self._high - self._low >= 0.1:
            slope = (n * self._xy - self._x * self._y) / (n * self._xx - self._x**2)
        self.line = (self._y - slope * self._x) / n, slope


def makespan(seconds: Iterable[float], workers: int) -> float:
    """How long jobs take on ``workers`` that each take the next job in the order given."""
    ends = [0.0] * max(1, workers)
    for duration in seconds:
        soonest = min(range(len(ends)), key=ends.__getitem__)
        ends[soonest] += duration
    return max(ends)
