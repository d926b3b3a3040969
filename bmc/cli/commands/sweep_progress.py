"""How a sweep shows that it goes on: a live view, a line now and then, or lines of JSON."""

from __future__ import annotations

import json
import sys
from collections import Counter
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any

from bmc.cli.shared.progress import to_stderr
from bmc.reports.sweeps.digest import OUTCOMES, outcome
from bmc.reports.traces.text import count
from bmc.sweep.estimate import SPARK_START, makespan
from bmc.sweep.job import Job
from bmc.sweep.plan import Plan
from bmc.sweep.rows import Row

if TYPE_CHECKING:
    from rich.console import RenderableType

_SECONDS_BETWEEN_LINES = 60.0
_SLOWEST = 4
_STYLES = {"proved": "green", "violated": "red", "clean": "cyan", "unknown": "yellow"}


class Quiet:
    """Keeps count; says something at the start and then once a minute, on stderr."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._begun: dict[str, tuple[Job, float]] = {}
        self._left = {job.key: plan.expected[job.key] for job in plan.todo}
        self._counts: Counter[str] = Counter(outcome(row) for row in plan.done.values())
        self._start = self._said = monotonic()
        self._most = 1
        self._phase = ""
        # How wrong the estimates have been so far.
        self._spent = self._expected = 0.0

    def __enter__(self) -> Quiet:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        return None

    def starts(self, master: str, workers: int) -> None:
        """Say how much there is to do, and what has to be waited for before it is done."""
        left = list(self._left.values())
        self._phase = (
            f"{len(left)} of {count(len(self._plan.jobs), 'job')} to do, about "
            f"{_duration(SPARK_START + makespan(left, workers))} on {count(workers, 'core')}; "
            f"starting Spark at {master}, some {_duration(SPARK_START)} of that"
        )
        self._announce()

    def _announce(self) -> None:
        to_stderr(f"bmc sweep: {self._phase}\n")

    def runs(self) -> None:
        """Spark is there; from now on jobs run."""
        self._phase = ""

    def begun(self, job: Job) -> None:
        """A job is handed out."""
        self._begun[job.key] = job, monotonic()
        self._most = max(self._most, len(self._begun) - 1)

    def finished(self, job: Job, row: Row) -> None:
        """A job has its row."""
        self._begun.pop(job.key, None)
        expected = self._left.pop(job.key, 0.0)
        if row["seconds"]:
            self._spent += row["seconds"]
            self._expected += expected
        self._counts[outcome(row)] += 1

    def retried(self, job: Job, reason: str) -> None:
        """A job's executor died."""
        self._begun.pop(job.key, None)
        to_stderr(f"bmc sweep: {job.title} is tried again: {reason}\n")

    def tick(self) -> None:
        """Say where it is, now and then."""
        if monotonic() - self._said >= _SECONDS_BETWEEN_LINES:
            self._said = monotonic()
            to_stderr(f"bmc sweep: {self._line()}\n")

    def _done(self) -> int:
        return len(self._plan.jobs) - len(self._left)

    def _line(self) -> str:
        running = min(len(self._begun), self._most)
        waiting = len(self._left) - running
        said = ", ".join(f"{self._counts[n]} {n}" for n in OUTCOMES if self._counts[n])
        left = self._seconds_left()
        return (
            f"{self._done()}/{len(self._plan.jobs)} done, {running} running, {waiting} left"
            f"{': ' if said else ''}{said}"
            f"{'' if left is None else f'; about {_duration(left)} to go'}"
        )

    def _seconds_left(self) -> float | None:
        if not self._expected:
            return None
        # The fit knows the shape of the cost, the jobs so far how fast this machine is.
        slower = self._spent / self._expected
        expected = sorted((s * slower for s in self._left.values()), reverse=True)
        return makespan(expected, self._most)

    def _slowest(self) -> list[tuple[Job, float]]:
        now = monotonic()
        running = list(self._begun.values())[: self._most]
        return sorted(((job, now - at) for job, at in running), key=lambda p: -p[1])[:_SLOWEST]


class Lines(Quiet):
    """One JSON object a line on stderr for everything that happens; stdout has the document."""

    def _announce(self) -> None:
        self._say("phase", text=self._phase, jobs=len(self._plan.jobs), left=len(self._left))

    def runs(self) -> None:
        """Say that jobs run from now on."""
        super().runs()
        self._say("phase", text="running")

    def begun(self, job: Job) -> None:
        """Say which job is handed out."""
        super().begun(job)
        self._say("begun", **_named(job))

    def finished(self, job: Job, row: Row) -> None:
        """Say how it ended."""
        super().finished(job, row)
        left = self._seconds_left()
        self._say(
            "finished",
            **_named(job),
            verdict=row["verdict"],
            ended=row["ended"],
            seconds=row["seconds"],
            done=self._done(),
            jobs=len(self._plan.jobs),
            seconds_left=None if left is None else round(left, 1),
        )

    def retried(self, job: Job, reason: str) -> None:
        """Say that its executor died."""
        self._begun.pop(job.key, None)
        self._say("retried", **_named(job), reason=reason)

    def tick(self) -> None:
        """Nothing has happened."""

    def _say(self, event: str, **content: Any) -> None:
        seconds = round(monotonic() - self._start, 2)
        to_stderr(json.dumps({"event": event, "at": seconds, **content}) + "\n")


class Live(Quiet):
    """A view on a terminal that is renewed in place."""

    def __enter__(self) -> Live:
        from rich.console import Console
        from rich.live import Live as Display

        self._display = Display(
            console=Console(stderr=True),
            get_renderable=self.view,
            refresh_per_second=4,
            transient=True,
        )
        self._display.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._display.stop()

    def _announce(self) -> None:
        """The display shows it."""

    def tick(self) -> None:
        """The display renews itself."""

    def view(self) -> RenderableType:
        """What is shown now."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        elapsed = monotonic() - self._start
        if self._phase:
            return Text(f"{self._phase}  {elapsed:.0f} s")
        parts: list[RenderableType] = [
            ProgressBar(len(self._plan.jobs), self._done(), width=60),
            Text(f"{self._line()}; {_duration(elapsed)} so far"),
            Text.assemble(
                *((f"{n} {self._counts[n]}  ", _STYLES[n]) for n in OUTCOMES if self._counts[n])
            ),
        ]
        parts += [Text(f"  {s:6.1f} s  {job.title}", "dim") for job, s in self._slowest()]
        return Group(*parts)


def watcher(plan: Plan, as_json: bool) -> Quiet:
    """The watcher for where this runs."""
    kind = Lines if as_json else Live if sys.stderr.isatty() else Quiet
    return kind(plan)


def _named(job: Job) -> dict[str, Any]:
    return {
        "protocol": job.protocol,
        "parameters": dict(job.parameters),
        "property": job.property,
    }


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
