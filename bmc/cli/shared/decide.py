"""Running an engine so that an interruption loses nothing that was learnt."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bmc.cli.shared import outcome
from bmc.cli.shared.progress import Progress
from bmc.engines.confirmation import confirmed, confirmed_one_by_one, open_unproved
from bmc.engines.task import Observer, OutOfTime, Task
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result, Unanswered, Verdict, Why
from bmc.evidence.wording import count

INTERRUPTED = Unanswered(Why.INTERRUPTED, "interrupted")

Engine = Callable[[Task, Observer], tuple[Result, ...]]


Telling = Callable[[Result], None]


def decide(
    run: Engine, task: Task, progress: Progress, engine: str, tell: Telling | None = None
) -> tuple[Result, ...]:
    """The engine's results; if it is interrupted or out of time, what it had decided by then.

    ``engine`` names it in the results that say `unknown`; ``tell`` is called with each verdict as
    soon as there is one.
    """
    told = Announcing(task, progress, tell)
    try:
        with progress:
            results = confirmed(task, run(task, told))
            told.rest(results)
            return results
    except OutOfTime as error:
        ended = Unanswered(Why.TIME, str(error))
    except KeyboardInterrupt:
        ended = INTERRUPTED
    known = progress.known(task.properties, ended, engine)
    if not told.confirms:
        known = confirmed(task, known)
    # It may have come between a verdict and its line.
    told.rest(known)
    return known


class Announcing:
    """An observer that tells a verdict while other properties are still being worked on.

    ``tell`` hears of each, of one that it has heard of as well; without it a line is shown where
    more than one property is asked about. A verdict on a translated protocol is held against its
    text first, as it is at the end.
    """

    def __init__(self, task: Task, progress: Progress, tell: Telling | None = None) -> None:
        self._task = task
        self._progress = progress
        self._tell = tell
        self._confirm = confirmed_one_by_one(task)
        self.phase = progress.phase
        self.fact = progress.fact
        self.confirms = tell is not None or len(task.properties) > 1
        """Whether verdicts are passed on when they agree with the text: before, where this is false
        and nobody is told of them."""

    def decided(self, result: Result) -> None:
        """Pass a verdict on, and tell it unless it is unknown."""
        if self.confirms:
            result = self._confirm(result)
        result = open_unproved(self._task.suite, result)
        told = self.confirms and result.verdict is not Verdict.UNKNOWN
        # First, so that what was told is never missing from what an interruption leaves.
        self._progress.decided(result)
        if told and self._tell is not None:
            self._tell(result)
        elif told:
            self._progress.announce(_news(result))

    def rest(self, results: Iterable[Result]) -> None:
        """Tell the verdicts among the confirmed results: of an exploration's proofs nobody was."""
        for result in results:
            if result.verdict is not Verdict.UNKNOWN:
                self._progress.decided(result)
                if self._tell is not None:
                    self._tell(result)


def _news(result: Result) -> str:
    by = ""
    if result.trace is not None:
        by = f" by a trace of {count(len(result.trace), 'state')}"
    return (
        f"{result.property} is {result.verdict.value}{by} after {result.seconds:.1f} s; "
        "Ctrl-C shows it and leaves the rest open"
    )


def overflow_of(results: tuple[Result, ...]) -> Trace | None:
    """The path that leaves the model's bounds, if one was found."""
    return next((result.overflow for result in results if result.overflow is not None), None)


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


def is_cut_short(results: Iterable[Result | TemporalResult]) -> bool:
    """Whether an interruption left something open."""
    return any(result.why is Why.INTERRUPTED for result in results)
