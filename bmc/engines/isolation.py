"""One engine in a process of its own, so that limits and interruptions hold inside a solver."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from bmc.engines.task import Observer, OutOfTime, Task
from bmc.engines.team import GRACE, Relay, Team, Work
from bmc.evidence.verdict import Result, Unanswered, Verdict, Why

__all__ = ["GRACE", "Relay", "Work", "isolated"]


def isolated(work: Work, task: Task, observer: Observer) -> tuple[Result, ...]:
    """Run ``work(task, …)`` in a forked process and pass on what it tells.

    When a limit of the task passes, or the process dies, what is not decided is unknown, with
    what was known of it so far. On an interruption the process is stopped, the observer is told
    what is known, and KeyboardInterrupt goes on.
    """
    known: dict[str, Result] = {}
    final: set[str] = set()
    started = monotonic()

    def rest(ended: Unanswered) -> tuple[Result, ...]:
        found = []
        for name in task.properties:
            result = known.get(name)
            if result is None:
                seconds = monotonic() - started
                result = Result(name, Verdict.UNKNOWN, "none", seconds, reason=ended.text)
            elif name not in final:
                result = replace(result, reason=f"{ended.text}; {result.reason}")
            if name not in final:
                result = replace(result, why=ended.why, exit=ended.exit)
            found.append(result)
            if name not in final:
                observer.decided(result)
        return tuple(found)

    with Team(task) as team:
        team.start("engine", work, task)
        try:
            while (event := team.next()) is not None:
                content = event.content
                match event.kind:
                    case "results":
                        results: tuple[Result, ...] = content
                        return results
                    case "failed":
                        raise content
                    case "ended":
                        return rest(content)
                    case "phase":
                        observer.phase(content)
                    case "fact":
                        observer.fact(content)
                    case _:
                        known[content.property] = content
                        if event.kind == "decided":
                            final.add(content.property)
                            observer.decided(content)
        except OutOfTime as limit:
            return rest(Unanswered(Why.TIME, str(limit)))
        except KeyboardInterrupt:
            rest(Unanswered(Why.INTERRUPTED, "interrupted"))
            raise
    return rest(Unanswered(Why.DIED, "the engine's process is gone"))
