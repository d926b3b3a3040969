"""Engines in processes of their own, so that limits and interruptions hold inside a solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from bmc.engines.agreement import require_agreement
from bmc.engines.task import Observer, OutOfTime, Task
from bmc.engines.team import GRACE, Relay, Report, Team, Work
from bmc.evidence.verdict import Contradiction, Result, Unanswered, Verdict, Why

__all__ = ["GRACE", "Relay", "Work", "first_answer", "isolated"]


def isolated(work: Work, task: Task, observer: Observer) -> tuple[Result, ...]:
    """Run ``work(task, …)`` in a forked process and pass on what it tells.

    When a limit of the task passes, or the process dies, what is not decided is unknown, with
    what was known of it so far. On an interruption the process is stopped, the observer is told
    what is known, and KeyboardInterrupt goes on.
    """
    return first_answer({"engine": work}, task, observer)


def first_answer(works: Mapping[str, Work], task: Task, observer: Observer) -> tuple[Result, ...]:
    """Run several works by their names side by side, and return whatever is first decided.

    What one decides of a property is final, and what the first returns or raises ends them all.
    The others help: one that returns nothing, fails or dies leaves the task to the rest, but for
    a Contradiction, which is raised, as it is where two of them cannot both be right. Only the
    first is heard on what it is doing, and on what is known of a property that nobody decided.
    Limits and interruptions are as for :func:`isolated`.
    """
    answers = _Answers(task.properties, observer)
    with Team(task) as team:
        for name, work in works.items():
            team.start(name, work, task)
        main = next(iter(works))
        ended = Unanswered(Why.DIED, "the engine's process is gone")
        try:
            while (event := team.next()) is not None:
                helps = event.source.name != main
                if event.kind == "results" and (event.content or not helps):
                    return answers.taken_over(event)
                if event.kind == "failed" and (
                    not helps or isinstance(event.content, Contradiction)
                ):
                    raise event.content
                if event.kind == "ended" and not helps:
                    ended = event.content
                answers.heed(event, helps)
                if answers.complete_without(main):
                    return answers.all()
        except OutOfTime as limit:
            ended = Unanswered(Why.TIME, str(limit))
        except KeyboardInterrupt:
            answers.leave_open(Unanswered(Why.INTERRUPTED, "interrupted"))
            raise
    answers.leave_open(ended)
    return answers.all()


@dataclass
class _Answers:
    """What is known of each property: what is ``final`` and ``by`` whom, what is ``known`` so far
    by the first, and what each ``said`` last."""

    properties: Sequence[str]
    observer: Observer
    known: dict[str, Result] = field(default_factory=dict)
    final: dict[str, Result] = field(default_factory=dict)
    by: dict[str, str] = field(default_factory=dict)
    said: dict[str, dict[str, Result]] = field(default_factory=dict)
    started: float = field(default_factory=monotonic)

    @property
    def open(self) -> list[str]:
        """The properties that nobody has decided."""
        return [name for name in self.properties if name not in self.final]

    def all(self) -> tuple[Result, ...]:
        """Return the final results in the order of the properties."""
        return tuple(self.final[name] for name in self.properties)

    def complete_without(self, main: str) -> bool:
        """Whether all is decided, and not by the first alone, whose results are still to come."""
        return not self.open and any(name != main for name in self.by.values())

    def taken_over(self, event: Report) -> tuple[Result, ...]:
        """Return the results of whoever has all, but for what another decided before."""
        source, results = event.source.name, event.content
        for result in results:
            self._compare(source, result)
        return tuple(
            result
            if self.by.get(result.property, source) == source
            else self.final[result.property]
            for result in results
        )

    def heed(self, event: Report, helps: bool) -> None:
        """Keep what a process says, or pass it on."""
        content = event.content
        match event.kind:
            case "decided" | "so_far":
                self._compare(event.source.name, content)
                if not helps:
                    self.known[content.property] = content
                if event.kind == "decided" and content.property not in self.final:
                    self.final[content.property] = content
                    self.by[content.property] = event.source.name
                    self.observer.decided(content)
            case "phase" if not helps:
                self.observer.phase(content)
            case "fact" if not helps:
                self.observer.fact(content)

    def leave_open(self, ended: Unanswered) -> None:
        """Make unknown what is open, and say what was known of it when it ended."""
        for name in self.open:
            known = self.known.get(name)
            if known is None:
                seconds = monotonic() - self.started
                result = Result(name, Verdict.UNKNOWN, "none", seconds, reason=ended.text)
            else:
                result = replace(known, reason=f"{ended.text}; {known.reason}")
            self.final[name] = replace(result, why=ended.why, exit=ended.exit)
            self.observer.decided(self.final[name])

    def _compare(self, source: str, result: Result) -> None:
        said = self.said.setdefault(result.property, {})
        said[source] = result
        if len(said) > 1:
            require_agreement(result.property, said)
