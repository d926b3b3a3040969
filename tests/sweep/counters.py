"""A small protocol whose violations need a large enough parameter, and fakes around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bmc.evidence.verdict import Result
from bmc.lang.parameters import Parameter
from bmc.lang.properties import invariant
from bmc.lang.protocol import Protocol, Variable, action
from bmc.lang.sorts import Integer
from bmc.lang.state import State, Step
from bmc.lang.suite import Suite
from bmc.lang.terms import Term
from bmc.sweep.batches import Batch
from bmc.sweep.dispatch import ClusterLost
from bmc.sweep.job import Job, JobLimits, Method, as_row
from bmc.sweep.plan import Plan, Share, jobs_of, plan
from bmc.sweep.rows import Row
from bmc.sweep.runner import Finished, Tools
from bmc.sweep.store import Store
from bmc.sweep.work import News, Work


class Counter(Protocol):
    """Counts up to ``top`` by steps of one, and knows how often it may start again."""

    top = Parameter("top", 3, 1, 40, "the greatest value", monotone=True)
    rounds = Parameter("rounds", 1, 1, 5, "how often it starts again")

    Value = Integer("Value", 0, top)
    Round = Integer("Round", 0, rounds)
    value = Variable(Value)
    round = Variable(Round)

    @action()
    def Init(self, s: Step) -> None:
        s.value = 0
        s.round = 0

    @action()
    def Count(self, s: Step) -> None:
        s.require(s.value < self.top)
        s.value = s.value + 1

    @action()
    def Again(self, s: Step) -> None:
        s.require(s.round < self.rounds)
        s.value = 0
        s.round = s.round + 1

    Next = (Count, Again)

    @invariant("it stays in its range")
    def InRange(self, s: State) -> Term:
        return s.value <= self.top

    @invariant("it stays below 3")
    def Small(self, s: State) -> Term:
        return s.value < 3


SUITE = Suite.of(Counter, "counter")
METHOD = Method("kinduction", 6, "cadical", True)
LIMITS = JobLimits(30.0, 2048)


def find(name: str) -> Suite:
    """The catalogue of these tests."""
    assert name == SUITE.name
    return SUITE


def describe(suite: Suite, parameters: Mapping[str, int], result: Result) -> str:
    """A trace file of these tests."""
    return f'{{"text": "{result.property} fails"}}'


TOOLS = Tools(find, describe)


def request(tops: range, rounds: range = range(1, 2), names: str = "InRange Small") -> Share:
    """A grid over both parameters."""
    points = [{"top": top, "rounds": r} for r in rounds for top in tops]
    return Share(SUITE, points, names.split())


def planned(asked: Share, known: list[Row] | None = None, limits: JobLimits = LIMITS) -> Plan:
    """The plan of one request."""
    return plan([asked], jobs_of([asked], METHOD, limits, "tests"), known or [])


@dataclass
class FakeStage:
    """A stage that is over as soon as it is begun."""

    tasks: int
    told: list[News]

    def launched(self) -> int:
        """All of it."""
        return self.tasks

    def news(self) -> list[News]:
        """What was said, once."""
        told, self.told = self.told, []
        return told

    def is_over(self) -> bool:
        """At once."""
        return True


@dataclass
class FakeExecutors:
    """Executors that answer what ``answer`` says, in the thread they are asked in.

    Where it raises, the executor has died: the task is started again, as Spark does.
    """

    answer: Callable[[Job], Finished]
    store: Store
    workers: int = 1
    ran: list[Job] = field(default_factory=list)
    tasks: list[Batch] = field(default_factory=list)
    token: str = "rows"
    stage: type[FakeStage] = FakeStage

    def capacity(self) -> int:
        """As many as were given."""
        return self.workers

    def start(self, tasks: Sequence[Batch]) -> FakeStage:
        """Run every task, as often as it takes."""
        self.tasks += tasks
        work = Work(TOOLS, self.store.where, self.token, lambda tools, job: self._one(job))
        return self.stage(len(tasks), [one for task in tasks for one in self._task(work, task)])

    def _one(self, job: Job) -> Finished:
        self.ran.append(job)
        return self.answer(job)

    def _task(self, work: Work, task: Batch) -> list[News]:
        for attempt in range(12):
            try:
                return list(work.run(task, attempt))
            except RuntimeError:
                continue
        raise ClusterLost("a task failed too often")


@dataclass
class Recorder:
    """A watcher that remembers."""

    jobs: list[Job] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    retries: list[str] = field(default_factory=list)

    def begun(self, job: Job) -> None:
        """Remembered, in the order in which jobs are handed out."""
        self.jobs.append(job)

    def finished(self, job: Job, row: Row) -> None:
        """Remembered."""
        assert row["key"] == job.key
        self.rows.append(row)

    def retried(self, job: Job, reason: str) -> None:
        """Remembered."""
        self.retries.append(reason)

    def tick(self) -> None:
        """Nothing to do."""


def answered(job: Job, verdict: str = "proved", seconds: float = 1.0) -> Finished:
    """A row as an executor would make it."""
    violated = verdict == "violated"
    row = {
        **as_row(job),
        "verdict": verdict,
        "ended": "answered",
        "engine": "kinduction",
        "k": 1,
        "seconds": seconds,
        "trace": f"traces/{job.slug}.json" if violated else None,
        "trace_states": 4 if violated else None,
    }
    return Finished(row, ((f"traces/{job.slug}.json", '{"text": "it fails"}'),) if violated else ())


def truth(job: Job) -> Finished:
    """What is true of the counter."""
    false = job.property == "Small" and job.parameters["top"] >= 3
    return answered(job, "violated" if false else "proved")
