"""Bounds that were guessed too small: a specification is translated anew and decided again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import TypeVar

from bmc.cli.shared import catalogue, specifications
from bmc.cli.shared.progress import Progress
from bmc.cli.shared.request import Request
from bmc.engines.task import Task
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result
from bmc.lang.errors import BmcError, BoundTooSmall
from bmc.lang.suite import Suite

Found = TypeVar("Found")

MOST = 12
"""Times that bounds are made larger for one answer."""

_EXPLORED = 2_000_000
"""States among which a path that leaves guessed bounds is looked for."""


_NEAREST = 20_000
"""States, nearest first, looked at before a text is locked, swept, or asked of behaviours."""


def roomy(suite: Suite, parameters: Mapping[str, int], seconds: float | None = None) -> Suite:
    """Return the suite once none of its nearest states has a step that leaves guessed bounds.

    How many states are looked at is counted: without a limit of ``seconds``, behind which the suite
    stays as it is, the same text has the same bounds wherever it is read. A suite whose bounds are
    its own, or that cannot be explored, stays.
    """
    from bmc.engines.explicit import explore

    start = monotonic()
    for _ in range(MOST):
        left = None if seconds is None else seconds - (monotonic() - start)
        if suite.origin is None or (left is not None and left <= 0):
            break
        try:
            task = Task(suite, dict(parameters), (), timeout=left)
            path = explore(task, max_states=_NEAREST).overflow
        except BmcError:
            break
        if path is None:
            break
        wider = suite.origin.widened([step.state for step in path.steps])
        if wider is None:
            break
        suite = replace(wider, name=suite.name)
    return suite


def roomy_request(request: Request, timeout: float | None) -> Request:
    """Return a request for claims about behaviours with :func:`roomy` bounds, in a command's time.

    What that takes is spent as the reading is.
    """
    start = monotonic()
    wider = roomy(request.suite, request.parameters, request.left(timeout))
    return replace(request, suite=wider, spent=request.spent + monotonic() - start)


def find_with_room(name: str) -> Suite:
    """Return the suite that a name stands for; that of a text as :func:`roomy` does.

    Raises what :func:`bmc.cli.shared.catalogue.find` raises.
    """
    found = catalogue.find(name)
    return roomy(found, {}) if specifications.names_a_specification(name) else found


def text_reason(request: Request, path: Trace | None) -> str | None:
    """Return what the text says no more of behind a path that leaves the bounds, if it does not.

    A step without a value is no matter of bounds.
    """
    origin = request.suite.origin
    if path is None or origin is None:
        return None
    return origin.stuck(path.steps[-1].state)


def in_the_text_s_words(request: Request, results: tuple[Result, ...]) -> tuple[Result, ...]:
    """Return results of which those that end at a step without a value say so."""
    found = []
    for one in results:
        said = text_reason(request, one.overflow)
        found.append(one if said is None else replace(one, reason=said))
    return tuple(found)


@contextmanager
def begun(suite: Suite) -> Iterator[None]:
    """Let the text say what has no value in an initial state, which is no matter of bounds."""
    try:
        yield
    except BoundTooSmall:
        if suite.origin is not None:
            suite.origin.require_starts()
        raise


def with_room(
    request: Request,
    task: Task,
    decide: Callable[[Request, Task, Progress], Found],
    beyond: Callable[[Found], Trace | None],
) -> tuple[Request, Task, Progress, Found]:
    """Return what is decided once no path that was found leaves the guessed bounds.

    ``beyond`` says which path leaves them. Where bounds are the protocol's own, or are no larger
    after `MOST` translations, the answer is the last one, which says that a bound is too small.
    """
    start = monotonic()
    progress = Progress()
    with begun(request.suite):
        found = decide(request, task, progress)
    for _ in range(MOST):
        path = beyond(found)
        origin = request.suite.origin
        if path is None or origin is None:
            break
        wider = origin.widened([step.state for step in path.steps])
        if wider is None:
            break
        left = task.timeout
        if left is not None:
            left -= monotonic() - start
            start = monotonic()
            if left <= 0:
                break
        request = replace(request, suite=wider)
        task = replace(task, suite=wider, timeout=left)
        progress = Progress()
        found = decide(request, task, progress)
    return request, task, progress, found


def with_room_to_explore(
    request: Request, task: Task, decide: Callable[[Request, Task, Progress], Found]
) -> tuple[Request, Task, Progress, Found]:
    """Return what is decided by one who explores first, and raises BoundMet where a bound is met.

    Where guessed bounds are met, an exploration shows the path that they are made larger by. Raises
    BoundMet where they are the protocol's own, or are met all the same.
    """
    from bmc.engines.explicit import explore
    from bmc.engines.exploration import Exploration
    from bmc.engines.samples import BoundMet

    met: list[BoundMet] = []

    def attempt(request: Request, task: Task, progress: Progress) -> Found | Exploration:
        try:
            return decide(request, task, progress)
        except BoundMet as error:
            met[:] = [error]
            if request.suite.origin is None:
                raise
        with Progress() as told:
            return explore(task, told, max_states=_EXPLORED)

    def beyond(found: Found | Exploration) -> Trace | None:
        return found.overflow if isinstance(found, Exploration) else None

    request, task, progress, found = with_room(request, task, attempt, beyond)
    if isinstance(found, Exploration):
        raise met[0]
    return request, task, progress, found
