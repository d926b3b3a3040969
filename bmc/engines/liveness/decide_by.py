"""Temporal claims decided by an engine of that name, or by several side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import monotonic

from bmc.engines.engine import AUTO, TEMPORAL_ENGINES, TemporalEngine, temporal_engine
from bmc.engines.liveness.conditions import OF_NOTHING
from bmc.engines.liveness.question import Question
from bmc.engines.task import SILENT, Deadline, Interrupted, Observer, OutOfTime, Task
from bmc.engines.team import Engaged, Relay, Report, Team
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Contradiction, Unanswered, Verdict, Why
from bmc.system.transition import NoInitialState

ALONE = 5.0
"""Seconds that the first engine has the processors for itself: most questions are small."""


def decide_by(
    name: str,
    question: Question,
    observer: Observer = SILENT,
    *,
    certified: bool = False,
    tell: Callable[[TemporalResult], None] = lambda result: None,
) -> tuple[TemporalResult, ...]:
    """Return a result for each claim, in order, from processes that limits hold in.

    ``name`` is that of an engine, or AUTO: then the first definite answer to a claim counts, and
    ``tell`` is told it. Where a proof has to be ``certified``, AUTO leaves those out that give no
    certificate; where no claim has a ranking, the one that needs them. Raises UnknownEngine,
    NoInitialState, and Contradiction when engines disagree or what one of them found does not
    survive its re-check; Interrupted on Ctrl-C, with what is known of each claim by then.
    """
    engines: tuple[TemporalEngine, ...]
    engines = TEMPORAL_ENGINES if name == AUTO else (temporal_engine(name),)
    if name == AUTO and not any(map(question.suite.rankings_of, question.claims)):
        engines = tuple(one for one in engines if not one.ranks)
    silenced: tuple[TemporalEngine, ...] = ()
    if certified and name == AUTO:
        silenced = tuple(one for one in engines if one.proves and not one.certifies)
        engines = tuple(one for one in engines if one not in silenced)
    side = _Side(engines, question, observer, tell)
    for one in silenced:
        side.leaves_out(f"{one.name} gives no certificate and is left out: ask without one")
    return side.run()


class _Side:
    def __init__(
        self,
        engines: tuple[TemporalEngine, ...],
        question: Question,
        observer: Observer,
        tell: Callable[[TemporalResult], None],
    ) -> None:
        self._tell = tell
        self._engines = engines
        self._question = question
        self._observer = observer
        self._deadline = Deadline(question.timeout)
        self._known: dict[str, TemporalResult] = {}
        self._reasons: dict[str, list[str]] = {claim: [] for claim in question.claims}
        self._of_nothing: set[str] = set()
        self._failure: Exception | None = None
        self._ended: dict[str, Unanswered] = {}
        self._started = monotonic()

    def leaves_out(self, why: str) -> None:
        """Say of every claim that stays open why an engine was not asked."""
        self._observer.fact(why)
        for reasons in self._reasons.values():
            reasons.append(why)

    def run(self) -> tuple[TemporalResult, ...]:
        question = self._question
        task = Task(
            question.suite,
            question.parameters,
            (),
            timeout=question.timeout,
            memory=question.memory,
        )
        try:
            with Team(task) as team:
                first, *others = self._engines
                if others and not first.proves:
                    # It may search for ever.
                    first, *others = others[0], first, *others[1:]
                self._start(team, first, task)
                alone = Deadline(ALONE)
                while self._open():
                    event = team.next(alone.remaining() if others else None)
                    if event is not None:
                        self._hear(event)
                    if others and (alone.remaining() == 0 or not team.running):
                        while others and self._open():
                            self._start(team, others.pop(0), task)
                    elif event is None:
                        break
        except OutOfTime as stop:
            self._end(Unanswered(Why.TIME, str(stop)))
        except KeyboardInterrupt:
            self._end(Unanswered(Why.INTERRUPTED, "interrupted"))
            raise Interrupted(self._results()) from None
        if self._failure is not None and len(self._open()) == len(question.claims):
            raise self._failure
        return self._results()

    def _results(self) -> tuple[TemporalResult, ...]:
        return tuple(self._result(claim) for claim in self._question.claims)

    def _open(self) -> tuple[str, ...]:
        return tuple(
            claim
            for claim in self._question.claims
            if claim not in self._of_nothing
            and (claim not in self._known or self._known[claim].verdict is Verdict.UNKNOWN)
        )

    def _start(self, team: Team, one: TemporalEngine, task: Task) -> Engaged:
        open_ = tuple(self._open())
        asked = replace(self._question, claims=open_, timeout=self._deadline.remaining())
        work: Callable[[Task, Relay], tuple[object, ...]] = partial(_worked, one, asked)
        return team.start(one.name, work, task)

    def _hear(self, event: Report) -> None:
        match event.kind:
            case "phase":
                several = len(self._engines) > 1
                said = f"{event.source.name}: {event.content}" if several else event.content
                self._observer.phase(said)
            case "fact":
                self._observer.fact(event.content)
            case "failed":
                self._fail(event.source.name, event.content)
            case "ended":
                ended: Unanswered = event.content
                self._end(replace(ended, text=f"{event.source.name}: {ended.text}"))
            case "results":
                for result in event.content:
                    self._learn(result)
            case "decided":
                self._learn(event.content)
            case _:
                self._known.setdefault(event.content.property, event.content)

    def _end(self, ended: Unanswered) -> None:
        """Remember what kept an engine, or all of them, from an answer about what is open."""
        for claim in self._open():
            self._reasons[claim].append(ended.text)
            self._ended[claim] = ended

    def _fail(self, name: str, error: Exception) -> None:
        """Go on without an engine; what every engine would meet ends them all."""
        if isinstance(error, Contradiction | NoInitialState):
            raise error
        self._failure = self._failure or error
        for claim in self._open():
            self._reasons[claim].append(f"{name} failed: {type(error).__name__}: {error}")

    def _learn(self, result: TemporalResult) -> None:
        known = self._known.get(result.property)
        if result.reason in OF_NOTHING:
            # All states say so: what another engine proves is proved of nothing.
            self._of_nothing.add(result.property)
            if known is not None and known.verdict is not Verdict.UNKNOWN:
                raise Contradiction(
                    f"{known.engine} says {known.verdict.value} of {result.property}, and "
                    f"{result.engine} that {result.reason}"
                )
        if result.verdict is Verdict.UNKNOWN:
            if result.reason is not None:
                said = (
                    f"{result.engine}: {result.reason}"
                    if len(self._engines) > 1
                    else (result.reason)
                )
                self._reasons[result.property].append(said)
            if known is None:
                self._known[result.property] = result
            elif known.verdict is Verdict.UNKNOWN:
                reached = result.reached or known.reached
                self._known[result.property] = replace(result, reached=reached)
            return
        if known is not None and known.verdict not in (Verdict.UNKNOWN, result.verdict):
            raise Contradiction(
                f"{known.engine} says {known.verdict.value} of {result.property}, and "
                f"{result.engine} {result.verdict.value}"
            )
        if known is None or known.verdict is Verdict.UNKNOWN:
            self._known[result.property] = result
            self._tell(result)

    def _result(self, claim: str) -> TemporalResult:
        known = self._known.get(claim)
        if known is not None and known.verdict is not Verdict.UNKNOWN:
            return known
        reason = "; ".join(dict.fromkeys(self._reasons[claim])) or "no engine answered"
        seconds = monotonic() - self._started
        ended = self._ended.get(claim)
        why, code = (None, None) if ended is None else (ended.why, ended.exit)
        if known is not None:
            why = why or known.why
            return replace(known, reason=reason, seconds=seconds, why=why, exit=code)
        stated = self._question.suite.describe_temporal(
            claim, self._question.suite.model(ghosts=False)
        )
        return TemporalResult(
            claim,
            Verdict.UNKNOWN,
            stated.specification,
            seconds,
            reason=reason,
            engine="none",
            why=why,
            exit=code,
        )


def _worked(
    one: TemporalEngine, question: Question, task: Task, relay: Relay
) -> tuple[object, ...]:
    return one.decide(question, relay)
