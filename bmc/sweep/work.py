"""What an executor does with a task: its jobs one by one, their rows into the sweep's directory.

The executor writes what it has found by itself; the driver is told and keeps nothing. A task that
Spark starts again, because its executor died, finds what the first one has written.

No job waits for long behind another one. A job that shares its task gets a trial (of ten seconds,
unless the cluster is so large that tasks are longer); if that decides nothing, it is handed back
and gets a task of its own. What its task has not begun is handed back with it: the driver hears of
a task when it ends. A job during which an executor has died gets a task of its own, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from time import monotonic

from bmc.sweep.batches import Batch
from bmc.sweep.job import Job, JobLimits
from bmc.sweep.places import StoreFull, place
from bmc.sweep.rows import Ended, Row, settles, unanswered
from bmc.sweep.runner import Finished, OtherModel, Tools, run_job
from bmc.sweep.store import Store

ATTEMPTS = 3
_SECONDS_BETWEEN_WRITES = 2.0


@dataclass(frozen=True)
class JobRow:
    """A job's row. It is in the directory, unless ``unwritten`` says that it is still to be
    written: with its evidence, (path, text) pairs."""

    key: str
    row: Row
    unwritten: bool = False
    evidence: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class HandedBack:
    """A job without a row, and why. It gets a task of its own unless it may ``share`` one."""

    key: str
    reason: str
    share: bool = False


@dataclass(frozen=True)
class Refused:
    """An executor that has another text of a protocol; nothing it says can be used."""

    reason: str


@dataclass(frozen=True)
class NoRoom:
    """The directory has no room for what was found: no fault of the executor, and no use in
    another start, which would decide the same jobs and fail at the same file."""

    reason: str


News = JobRow | HandedBack | Refused | NoRoom


@dataclass(frozen=True)
class Work:
    """What every task of a sweep is told: tools, and the sweep's directory.

    ``token`` is the name of a file that is there; an executor that does not see it has another
    directory under the same name, and hands its rows to the driver. ``decide`` runs a job.
    """

    tools: Tools
    where: str
    token: str
    decide: Callable[[Tools, Job], Finished] = run_job

    def run(self, batch: Batch, attempt: int = 0) -> Iterator[News]:
        """Run the jobs of a task that was begun ``attempt`` times before; yields each one's end.

        Raises StoreError or UnwritableFile when the directory cannot be written for a while.
        """
        if not place(self.where).exists(self.token):
            yield from self._decided(batch, attempt, None)
            return
        store = _opened(self.where)
        try:
            yield from _Written(store, batch.name).of(self._decided(batch, attempt, store))
        except StoreFull as error:
            yield NoRoom(str(error))

    def _decided(self, batch: Batch, attempt: int, store: Store | None) -> Iterator[News]:
        known = {} if store is None else {str(r["key"]): r for r in store.task_rows(batch.name)}
        is_late, longest = False, 0.0
        for number, job in enumerate(batch.jobs):
            if (row := known.get(job.key)) is not None and settles(row, job):
                # Written by an attempt before, or by another sweep into the same directory.
                yield JobRow(job.key, row)
            elif is_late:
                yield HandedBack(job.key, "a job of its task took long", share=True)
            elif len(batch.jobs) > 1 and attempt:
                yield HandedBack(job.key, "an executor died that ran it with others")
            elif attempt and self._begun(store, job, attempt) >= ATTEMPTS:
                why = f"its executor was lost {ATTEMPTS} times"
                yield JobRow(job.key, unanswered(job, Ended.LOST, why), unwritten=True)
            else:
                if attempt and store is not None:
                    store.place.write(self._mark(job, attempt), b"begun\n", lasting=False)
                began = monotonic()
                found = self._one(job, batch.trial_of(number, longest))
                longest = max(longest, monotonic() - began)
                is_late = isinstance(found, HandedBack)
                yield found
                if store is not None:
                    for number in range(1, attempt + 1):
                        store.place.delete(self._mark(job, number))

    def _begun(self, store: Store | None, job: Job, attempt: int) -> int:
        """How often a job was begun before. Spark counts a task that could not even begin."""
        if store is None:
            return attempt
        return 1 + sum(store.place.exists(self._mark(job, n)) for n in range(1, attempt))

    def _mark(self, job: Job, attempt: int) -> str:
        return f"{self.token}-{job.key[:32]}-{attempt}"

    def _one(self, job: Job, trial: float | None) -> News:
        limits = job.limits
        tried = trial is not None and limits.timeout > trial
        if trial is not None and tried:
            job = replace(job, limits=JobLimits(trial, limits.memory_mb))
        try:
            finished = self.decide(self.tools, job)
        except OtherModel as error:
            # An answer, not a failure: Spark would only try it again.
            return Refused(str(error))
        row = finished.row
        if trial is not None and tried and _was_short_of_time(row, trial):
            return HandedBack(job.key, f"it takes more than {trial:g} seconds")
        return JobRow(job.key, {**row, "timeout": limits.timeout}, True, finished.evidence)


def _was_short_of_time(row: Row, trial: float) -> bool:
    """Whether a job that had so many seconds might say more in its task's own time."""
    if row["ended"] == Ended.TIMEOUT.value:
        return True
    seconds: float = row.get("seconds") or 0.0
    return seconds >= trial / 2 and row["verdict"] == "unknown"


class _Written:
    """Writes rows into the directory before they are told, a few files a task.

    A file's name has the keys of its rows: whoever writes it again writes the same jobs' rows.
    """

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._name = name
        self._waiting: list[JobRow] = []

    def of(self, news: Iterator[News]) -> Iterator[News]:
        """Pass the news on, each when what it says is in the directory."""
        written = monotonic()
        for one in news:
            if not isinstance(one, JobRow) or not one.unwritten:
                yield one
                continue
            whole = self._store.with_evidence(one.row, one.evidence)
            self._waiting.append(JobRow(one.key, whole))
            if monotonic() - written > _SECONDS_BETWEEN_WRITES:
                yield from self._write()
                written = monotonic()
        yield from self._write()

    def _write(self) -> Iterator[News]:
        if self._waiting:
            rows = self._store.complete([answer.row for answer in self._waiting])
            self._store.add_task(self._name, rows)
            for answer, row in zip(self._waiting, rows, strict=True):
                yield JobRow(answer.key, row)
            self._waiting = []


@lru_cache(maxsize=4)
def _opened(where: str) -> Store:
    return Store(where)
