"""Results held against the text that a protocol was translated from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from bmc.engines.task import SILENT, Deadline, Listener, Observer, Task
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.panel import NotDecided
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.deadlock import DEADLOCK
from bmc.lang.errors import ClaimUndefined, ClaimWithoutValue, said_of
from bmc.lang.suite import Origin, Suite
from bmc.readings.value import ConcreteState

COMPARED = 2.0
"""Seconds of processor time for which a proof's model is compared with its text."""
REACHED = 1.0
"""Those of them for states that an exploration has reached, however far from the initial ones."""
NEAR = 1_000
"""States along walks that are enough where an exploration has reached all: others follow."""
SHORTEST = 0.25
"""The least seconds for either part where all was explored in less than the comparison may take."""
SHARE, LONGEST = 0.025, 10.0
"""What share of a proof's seconds either part may take where that is more, and how many at most."""


def confirmed(
    task: Task, results: tuple[Result, ...], reached: Sequence[ConcreteState] = ()
) -> tuple[Result, ...]:
    """Return the results once they agree with the text that the protocol was translated from.

    Every trace is taken on the text, where the claim has to be false at its end; a proof costs a
    comparison along random walks, and at what an exploration has ``reached``; the two together
    take no longer than half of what the process has taken before, or a twentieth of what the proof
    has, where that is more. A protocol in Python has no other text. One whose claim has no value
    there is unknown, with the path to it if it has a trace, so that the others are not lost, and a
    proof is unknown where the comparison met a state without a value of it. Raises what says that
    text and model differ; ClaimWithoutValue of a single result whose translation alone has none.
    """
    origin = task.suite.origin
    if origin is not None and any(result.verdict is Verdict.PROVED for result in results):
        _compare(origin, reached, _longest(results))
    if origin is None:
        return results
    results = tuple(open_unproved(task.suite, result) for result in results)
    results = tuple(_open_at_a_failing_step(origin, result) for result in results)
    if len(results) > 1:
        return tuple(open_without_a_value(task, result) for result in results)
    return tuple(_open_where_undefined(origin, result) for result in results)


def _longest(results: Sequence[Result | TemporalResult]) -> float:
    return max(one.seconds for one in results if one.verdict is Verdict.PROVED)


def _compare(
    origin: Origin,
    reached: Sequence[ConcreteState],
    proof_seconds: float,
    behaviours: bool = False,
) -> None:
    """Compare along walks, and at what was ``reached``. Raises what says that they differ."""
    share = min(LONGEST, SHARE * proof_seconds)
    if not reached:
        origin.compare(max(COMPARED, 2 * share), None, behaviours)
        return
    each = max(share, min(REACHED, max(SHORTEST, time.process_time() / 4)))
    origin.compare(each, NEAR, behaviours)
    origin.compare_at(reached, each, behaviours)


def require_agreement(
    suite: Suite, claims: Iterable[str], behaviours: bool, deadline: Deadline
) -> None:
    """Hold a certificate's model against the text that it was translated from, if it was.

    A certificate is of the model; see :func:`confirmed`. Raises what says that text and model
    differ, what :func:`require_value` raises, and NotDecided where no time is left.
    """
    if suite.origin is None:
        return
    if deadline.has_passed():
        raise NotDecided("the time limit passed before its model was compared with the text")
    left = deadline.remaining()
    suite.origin.compare(COMPARED if left is None else min(COMPARED, left), None, behaviours)
    require_value(suite, claims)


def require_value(suite: Suite, claims: Iterable[str]) -> None:
    """Raise NotDecided for a claim that the text gave no value where it was compared."""
    known = {} if suite.origin is None else suite.origin.without_value
    for name in claims:
        if name in known:
            raise NotDecided(f"{name} has no value in a state of the text: {known[name]}")


def open_unproved(suite: Suite, result: Result) -> Result:
    """Return a proof as unknown where a comparison met a state without a value of its claim."""
    why = None if suite.origin is None else suite.origin.without_value.get(result.property)
    if why is None or result.verdict is not Verdict.PROVED:
        return result
    return _open(result, why)


def _open_at_a_failing_step(origin: Origin, result: Result) -> Result:
    """Return a deadlock as unknown where the text gives a step out of its last state no value.

    Whether a step is possible has no value there: TLC ends with the error and judges no deadlock.
    """
    if result.property != DEADLOCK or result.verdict is not Verdict.VIOLATED:
        return result
    assert result.trace is not None
    failing = origin.stuck(result.trace.steps[-1].state)
    if failing is None:
        return result
    return Result(
        result.property,
        Verdict.UNKNOWN,
        result.engine,
        result.seconds,
        reason=failing,
        overflow=result.trace,
    )


def open_without_a_value(task: Task, result: Result) -> Result:
    """Return a result once the text allows its trace; unknown where the claim has no value there.

    Raises what says that text and model differ.
    """
    origin = task.suite.origin
    if origin is None:
        return result
    result = _open_at_a_failing_step(origin, result)
    try:
        return _open_where_undefined(origin, result)
    except ClaimWithoutValue as error:
        return _open(result, said_of(error))


def _open_where_undefined(origin: Origin, result: Result) -> Result:
    """Return a result once the text allows its trace; unknown where it gives the claim no value."""
    try:
        _require_on_the_text(origin, result)
    except ClaimUndefined as error:
        return replace(_open(result, said_of(error)), undefined=result.trace)
    return result


def _open(result: Result, why: str) -> Result:
    return Result(result.property, Verdict.UNKNOWN, result.engine, result.seconds, reason=why)


def _require_on_the_text(origin: Origin, result: Result) -> None:
    if result.trace is not None:
        steps = result.trace.steps
        states = [step.state for step in steps]
        origin.replay([step.action for step in steps], states)
        if result.verdict is Verdict.VIOLATED:
            origin.refute(result.property, states)


def confirmed_one_by_one(task: Task) -> Callable[[Result], Result]:
    """Return what holds a task's verdicts against its text one after the other, while others are
    still open.

    It returns and raises what :func:`confirmed` does of all together. One proof is compared for
    all, and what is unknown stays as it is.
    """
    compared = False

    def confirm(result: Result) -> Result:
        nonlocal compared
        if result.verdict is Verdict.VIOLATED and len(task.properties) > 1:
            return open_without_a_value(task, result)
        if result.verdict is Verdict.VIOLATED or (
            result.verdict is Verdict.PROVED and not compared
        ):
            (result,) = confirmed(task, (result,))
            compared |= result.verdict is Verdict.PROVED
        return open_unproved(task.suite, result)

    return confirm


class VerdictsTold:
    """An observer that passes verdicts on, each once and when it agrees with the protocol's text.

    None that is unknown is passed on. ``told`` has the properties of those that were, also while
    bounds were smaller, which a search of a text has had to enlarge.
    """

    def __init__(self, observer: Observer, task: Task, told: set[str]) -> None:
        self._observer = observer
        self._told = told
        self._confirm = confirmed_one_by_one(task)
        self.phase = observer.phase
        self.fact = observer.fact

    def decided(self, result: Result) -> None:
        """Pass it on; raises what :func:`confirmed` does."""
        if result.verdict is not Verdict.UNKNOWN and result.property not in self._told:
            self.rest((self._confirm(result),))

    def rest(self, results: Iterable[Result]) -> None:
        """Pass on which of the confirmed results nobody was told of: an exploration's proofs."""
        for result in results:
            if result.verdict is not Verdict.UNKNOWN and result.property not in self._told:
                self._told.add(result.property)
                self._observer.decided(result)


def confirmed_temporal(
    suite: Suite, results: tuple[TemporalResult, ...], compare: bool = True
) -> tuple[TemporalResult, ...]:
    """Return the results of temporal claims once they agree with the protocol's text.

    Every lasso is taken on the text; a proof costs a comparison as those of other claims do, of
    what behaviours are described by as well, unless what was compared before is to do (``compare``
    is false). Raises what says that text and model differ.
    """
    origin = suite.origin
    proved = [result for result in results if result.verdict is Verdict.PROVED]
    if origin is not None and proved and compare:
        reached = max((one.reached for one in proved), key=len)
        _compare(origin, reached, _longest(proved), behaviours=True)
    return tuple(_confirmed_of_behaviours(origin, result) for result in results)


def confirmed_in_turn(
    suite: Suite, tell: Callable[[TemporalResult], None]
) -> Callable[[TemporalResult], None]:
    """Return what tells a verdict on a temporal claim once it agrees with the protocol's text.

    It is given one after the other, and tells none that is unknown. Raises what
    :func:`confirmed_temporal` does.
    """
    compared = False

    def confirm(found: TemporalResult) -> None:
        nonlocal compared
        (result,) = confirmed_temporal(suite, (found,), not compared)
        compared |= result.verdict is Verdict.PROVED
        if result.verdict is not Verdict.UNKNOWN:
            tell(result)

    return confirm


def verdicts_told(suite: Suite, observer: Listener) -> Callable[[TemporalResult], None]:
    """Return what tells an observer, as :func:`confirmed_in_turn` does."""
    if observer is SILENT:
        # To compare with a text takes time, and nobody would hear of it.
        return lambda found: None
    return confirmed_in_turn(suite, observer.decided)


def _confirmed_of_behaviours(origin: Origin | None, result: TemporalResult) -> TemporalResult:
    """Return a result once the text agrees; unknown where it gives what it reads no value."""
    if origin is None:
        return result
    why = None
    if result.verdict is Verdict.PROVED:
        why = origin.without_value.get(result.property)
    elif result.verdict is Verdict.UNKNOWN and result.reached:
        # Their reason is in the model's words: the text's own have the place.
        why = origin.unvalued(result.reached, LONGEST)
        why = why or next(filter(None, map(origin.stuck, result.reached)), None)
    elif (lasso := result.lasso) is not None:
        steps = lasso.trace.steps
        actions, states = [step.action for step in steps], [step.state for step in steps]
        closing = None if lasso.closing is None else lasso.closing.action
        try:
            origin.replay_lasso(actions, states, lasso.loop, closing)
        except ClaimUndefined as error:
            why = said_of(error)
    if why is None:
        return result
    return TemporalResult(
        result.property,
        Verdict.UNKNOWN,
        result.specification,
        result.seconds,
        result.states,
        reason=why,
        engine=result.engine,
    )
