"""Violations that need no job: a smaller choice of monotone parameters has shown them.

Where a protocol declares a parameter monotone, every execution at one value exists at every
larger one, so a violation carries over. A proof never does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from bmc.sweep.job import Job, as_row
from bmc.sweep.rows import Ended, Row

_Family = tuple[object, ...]


class Pruning:
    """Knows which rows are violations, and what they imply."""

    def __init__(
        self, monotone: Mapping[str, frozenset[str]], jobs: Iterable[Job], rows: Iterable[Row]
    ) -> None:
        self._monotone = monotone
        self._violated: dict[_Family, list[Row]] = defaultdict(list)
        self._open: dict[_Family, dict[str, Job]] = defaultdict(dict)
        for job in jobs:
            self._open[self._family(job)][job.key] = job
        for row in rows:
            self._learn(row)

    def settled(self, job: Job, row: Row) -> None:
        """A job has its row."""
        self._open[self._family(job)].pop(job.key, None)
        self._learn(row)

    def waits(self, job: Job) -> bool:
        """Whether a smaller job is open that may make this one unnecessary."""
        return any(
            other.key != job.key and self._below(other.parameters, job)
            for other in self._open[self._family(job)].values()
        )

    def implied(self, job: Job) -> dict[str, Any] | None:
        """The row of a job whose violation is implied by another row."""
        for row in self._violated[self._family(job)]:
            if self._below(row["parameters"], job):
                values = " ".join(f"{n}={v}" for n, v in row["parameters"].items())
                return {
                    **as_row(job),
                    "verdict": "violated",
                    "ended": Ended.IMPLIED.value,
                    "implied_by": row["key"],
                    "trace": row["trace"],
                    "trace_states": row["trace_states"],
                    "reason": f"implied by the violation at {values}: "
                    f"{', '.join(sorted(self._monotone[job.protocol]))} only add executions",
                }
        return None

    def _learn(self, row: Row) -> None:
        # What is implied itself implies nothing that its cause does not.
        if row["verdict"] == "violated" and row["ended"] == Ended.ANSWERED.value:
            values, names = row["parameters"], self._monotone.get(row["protocol"], frozenset())
            family = _family(row["protocol"], row["property"], row["identity"], values, names)
            self._violated[family].append(row)

    def _family(self, job: Job) -> _Family:
        names = self._monotone[job.protocol]
        return _family(job.protocol, job.property, job.identity, job.parameters, names)

    def _below(self, values: Mapping[str, int], job: Job) -> bool:
        return all(values[n] <= job.parameters[n] for n in self._monotone[job.protocol])


def _family(
    protocol: str, name: str, identity: str, values: Mapping[str, int], monotone: frozenset[str]
) -> _Family:
    fixed = tuple(sorted((n, v) for n, v in values.items() if n not in monotone))
    return protocol, name, identity, fixed
