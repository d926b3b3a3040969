"""Several engines side by side, each in its process: the first verdict on a property wins.

Who is good at what decides the order. K-induction closes in seconds where a protocol has its
lemmas, so there it runs alone at first; bounded search has the shortest traces; IC3 finds
invariants nobody wrote. Engines that contradict each other are a bug in bmc, and fatal.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from bmc.engines.agreement import require_agreement
from bmc.engines.engine import Engine, engine
from bmc.engines.task import SILENT, Deadline, Explores, Observer, OutOfTime, ReChecking, Task
from bmc.engines.team import Engaged, Relay, Report, Team, Work
from bmc.evidence.verdict import Contradiction, Result, Unanswered, Verdict, Why
from bmc.lang.errors import BmcError
from bmc.layout.affordable import TooLarge
from bmc.solving.interface import SolverError
from bmc.system.transition import GhostTooSmall

HEAD_START = 30.0
"""Seconds for which k-induction with lemmas runs alone, unless it meets a failed induction."""
PATIENCE = 300.0
"""Seconds for which IC3 goes on when all others are done and no time limit was given."""
_NICENESS = 10
_UNBOUNDED = "ic3"
"""Who may go on for ever: it knows no depth, and no number of states."""


@dataclass
class Contender:
    """An engine that takes part, and what it has said so far.

    ``waits`` until the head start of the first one is over. ``said`` has its last word on each
    property, ``decided`` those on which it was the first; ``outcome`` how it ended by itself.
    """

    name: str
    title: str
    work: Work
    waits: bool = False
    process: Engaged | None = None
    said: dict[str, Result] = field(default_factory=dict)
    decided: list[str] = field(default_factory=list)
    outcome: str = ""

    @staticmethod
    def of(one: Engine, waits: bool = False) -> Contender:
        """Return an engine as a member; one that waits is loaded when it starts, if it does."""
        return Contender(one.name, one.title, _loaded_later(one) if waits else one.work, waits)

    def report(self, limit: str | None) -> str:
        """What became of it in the end."""
        if self.process is None:
            return "not started" + ("" if limit else ", it was not needed")
        ended = self.outcome or f"stopped{': ' + limit if limit else ', nothing was open any more'}"
        return f"decided {', '.join(self.decided)}; {ended}" if self.decided else ended


def _loaded_later(one: Engine) -> Work:
    def work(task: Task, observer: Relay) -> tuple[object, ...]:
        return one.work(task, observer)

    return work


def members(task: Task) -> tuple[Contender, ...]:
    """Who takes part: the engine that is the likeliest to decide comes first."""
    with_lemmas = task.lemmas and bool(task.suite.lemmas)
    suspect = any(name in task.suite.refuted for name in task.properties)
    taking_part = [
        Contender.of(engine("kinduction")),
        Contender.of(engine("bounded"), with_lemmas and not suspect),
        Contender.of(engine("ic3"), with_lemmas),
    ]
    waits = with_lemmas or task.explores is Explores.AT_LAST
    if task.explores is not Explores.NEVER:
        taking_part.append(Contender.of(engine("explicit"), waits))
    return tuple(taking_part)


def prove(task: Task, observer: Observer = SILENT) -> tuple[Result, ...]:
    """Decide the task's properties for every depth, by whichever engine does it first.

    A refuted property has a shortest trace, up to ``task.depth`` steps, which also limits
    k-induction; IC3 knows no depth, and goes on alone for :data:`PATIENCE` seconds if the task
    has no time limit. Raises Contradiction when engines disagree, and what an engine raises
    when the task cannot be worked on at all.
    """
    return Portfolio(task, observer, members(task)).run()


class Portfolio:
    """One race of some engines for one task."""

    def __init__(self, task: Task, observer: Observer, taking_part: Sequence[Contender]) -> None:
        self._task = task
        self._observer = observer
        self._members = taking_part
        self._began = monotonic()
        self._time = Deadline(task.timeout)
        self._head_start = Deadline(HEAD_START)
        self._alone: Deadline | None = None
        self._failure: Exception | None = None
        self._results: dict[str, Result] = {}

    def run(self) -> tuple[Result, ...]:
        """The results, in the order of the task's properties."""
        limit = None
        with Team(self._task) as team:
            try:
                self._race(team)
            except OutOfTime as passed:
                limit = Unanswered(Why.TIME, str(passed))
            except KeyboardInterrupt:
                self._settle(Unanswered(Why.INTERRUPTED, "interrupted"))
                raise
        if self._failure is not None and not self._results:
            raise self._failure
        self._settle(limit)
        return tuple(self._results[name] for name in self._task.properties)

    def _race(self, team: Team) -> None:
        self._tell_choice()
        self._start(team, [m for m in self._members if not m.waits])
        while self._open():
            event = team.next(self._patience())
            if event is not None:
                self._heed(event)
            waiting = [m for m in self._members if m.waits and self._open()]
            if waiting and (self._head_start.remaining() == 0 or not team.running):
                self._start(team, waiting)
            elif not team.running:
                break
            elif [one.name for one in team.running] == [_UNBOUNDED]:
                self._wait_for(team)
        # Whoever was about to say something may still contradict the others.
        while (event := team.next(0)) is not None:
            self._heed(event)

    def _open(self) -> list[str]:
        return [name for name in self._task.properties if name not in self._results]

    def _patience(self) -> float | None:
        if any(m.waits for m in self._members):
            return self._head_start.remaining()
        return None if self._alone is None else self._alone.remaining()

    def _start(self, team: Team, chosen: Sequence[Contender]) -> None:
        task = self._task.within(self._time)
        for member in chosen:
            member.process = team.start(
                member.name,
                _politely(member.work) if member.waits else member.work,
                task,
            )
            member.waits = False

    def _wait_for(self, team: Team) -> None:
        """Nobody but IC3 is left: it need not come to an end in this life."""
        if self._task.timeout is not None or len(self._members) == 1:
            return
        if self._alone is None:
            self._alone = Deadline(PATIENCE)
        elif self._alone.remaining() == 0:
            (last,) = team.running
            team.stop(last)
            self._of(
                last
            ).outcome = (
                f"stopped after {PATIENCE:g} seconds alone; --timeout gives it another limit"
            )

    def _of(self, process: Engaged) -> Contender:
        return next(m for m in self._members if m.process is process)

    def _heed(self, event: Report) -> None:
        member = self._of(event.source)
        match event.kind:
            case "phase":
                # Whoever has a proof is not to be held up by those who look for one.
                if member is self._members[0] and isinstance(event.content, ReChecking):
                    self._head_start = Deadline(HEAD_START)
                self._observer.phase(self._signed(member, event.content))
            case "fact":
                self._observer.fact(self._signed(member, event.content))
            case "so_far" | "decided":
                if member is self._members[0] and event.content.induction_failure is not None:
                    self._head_start = Deadline(0.0)
                self._weigh(member, event.content, event.kind == "decided")
            case "results":
                for result in event.content:
                    self._weigh(member, result, True)
                seconds = monotonic() - event.source.started
                member.outcome = f"ended after {seconds:.1f} s with {_summary(event.content)}"
            case "failed":
                self._fail(member, event.content)
            case "ended":
                ended: Unanswered = event.content
                member.outcome = ended.text
                for name in self._open():
                    known = member.said.get(name)
                    seconds = monotonic() - self._began
                    result = (
                        Result(name, Verdict.UNKNOWN, "none", seconds, reason=ended.text)
                        if known is None
                        else replace(known, reason=f"{ended.text}; {known.reason}")
                    )
                    member.said[name] = replace(result, why=ended.why, exit=ended.exit)

    def _signed(self, member: Contender, text: str) -> str:
        known = member is self._members[0] or text.startswith(member.title)
        return text if known else f"{member.title}: {text}"

    def _fail(self, member: Contender, error: Exception) -> None:
        own = SolverError | TooLarge | GhostTooSmall
        alone = isinstance(error, own) or not isinstance(error, BmcError)
        if isinstance(error, Contradiction) or not (alone or self._results):
            raise error
        # The others may still answer, or have; if nobody does, this is what is said.
        self._failure = error
        member.outcome = f"failed: {type(error).__name__}: {error}"

    def _weigh(self, member: Contender, result: Result, final: bool) -> None:
        name = result.property
        member.said[name] = result
        require_agreement(name, {m.title: m.said[name] for m in self._members if name in m.said})
        if not final or name in self._results:
            return
        # Where a bound is too small, nothing deeper can be said by anybody.
        beyond = result.overflow is not None and not result.of_history
        if result.verdict is not Verdict.UNKNOWN or beyond:
            member.decided.append(name)
            self._decide(result)

    def _decide(self, result: Result) -> None:
        self._results[result.property] = result
        self._observer.decided(result)

    def _settle(self, limit: Unanswered | None) -> None:
        """Put together what all engines know of the properties that none decided."""
        for member in self._members:
            self._observer.fact(f"{member.title}: {member.report(limit.text if limit else None)}")
        for name in self._open():
            said = [m.said[name] for m in self._members if name in m.said]
            self._decide(_together(name, said, limit, monotonic() - self._began))

    def _tell_choice(self) -> None:
        at_once = ", ".join(m.title for m in self._members if not m.waits)
        later = " and ".join(m.title for m in self._members if m.waits)
        self._observer.fact(
            f"engines: {at_once} at once"
            + (f", {later} beside it if it does not close within {HEAD_START:g} s" if later else "")
        )


def _politely(work: Work) -> Work:
    """The same work in the time that those who started first leave over."""

    def working(task: Task, observer: Relay) -> tuple[object, ...]:
        os.nice(_NICENESS)
        return work(task, observer)

    return working


def _together(
    name: str, said: Sequence[Result], limit: Unanswered | None, seconds: float
) -> Result:
    why = limit.why if limit else None
    if not said:
        reason = limit.text if limit else "no engine came to an answer"
        return Result(name, Verdict.UNKNOWN, "none", seconds, reason=reason, why=why)
    violated = [result for result in said if result.verdict is Verdict.VIOLATED]
    base = violated[0] if violated else said[0]
    reasons = [limit.text if limit else None, base.reason]
    if not violated:
        others = [r.reason for r in said[1:] if r.engine == _UNBOUNDED and r.reason]
        reasons += [] if limit else [f"IC3: {reason}" for reason in others]
        clean = [r.depth for r in said if r.depth is not None]
        base = replace(base, depth=max(clean, default=None))
    reason = "; ".join(r for r in reasons if r)
    return replace(base, reason=reason, seconds=seconds, why=why or base.why)


def _summary(results: Sequence[Result]) -> str:
    counts = {v: sum(r.verdict is v for r in results) for v in Verdict}
    return ", ".join(f"{n} {v.value}" for v, n in counts.items() if n)
