"""Running an engine so that an interruption loses nothing that was learnt."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bmc.cli.shared import outcome
from bmc.cli.shared.progress import Progress
from bmc.engines.confirmation import confirmed
from bmc.engines.task import Observer, OutOfTime, Task
from bmc.evidence.verdict import Result, Unanswered, Verdict, Why

INTERRUPTED = Unanswered(Why.INTERRUPTED, "interrupted")

Engine = Callable[[Task, Observer], tuple[Result, ...]]


def decide(run: Engine, task: Task, progress: Progress, engine: str) -> tuple[Result, ...]:
    """The engine's results; if it is interrupted or out of time, what it had decided by then.

    ``engine`` names it in the results that say `unknown`.
    """
    try:
        with progress:
            return confirmed(task, run(task, progress))
    except OutOfTime as error:
        return progress.known(task.properties, Unanswered(Why.TIME, str(error)), engine)
    except KeyboardInterrupt:
        return progress.known(task.properties, INTERRUPTED, engine)


def code_of(result: Result) -> int:
    """The exit code of one verdict."""
    match result.verdict:
        case Verdict.PROVED:
            return outcome.OK
        case Verdict.VIOLATED:
            return outcome.VIOLATION
    return outcome.UNKNOWN


def undecided(names: Iterable[str], reason: str, engine: str) -> tuple[Result, ...]:
    """Every property unknown, for one reason."""
    return tuple(Result(name, Verdict.UNKNOWN, engine, 0.0, reason=reason) for name in names)


def is_cut_short(results: Iterable[Result]) -> bool:
    """Whether an interruption left something open."""
    return any(result.why is Why.INTERRUPTED for result in results)
