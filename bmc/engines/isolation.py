"""Engines in processes of their own, so that limits and interruptions hold inside a solver."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from time import monotonic
from traceback import format_exc
from typing import Any

from bmc.engines.task import Deadline, Observer, Task
from bmc.evidence.verdict import Result, Verdict

GRACE = 2.0
"""Seconds an engine may take beyond its limit to say what it knows before it is stopped."""


class Relay:
    """The observer inside the process: sends everything through the pipe."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def phase(self, text: str) -> None:
        """What is being done now."""
        self._pipe.send(("phase", text))

    def fact(self, text: str) -> None:
        """Something that is known from now on."""
        self._pipe.send(("fact", text))

    def decided(self, result: Result) -> None:
        """A verdict that will not change any more."""
        self._pipe.send(("decided", result))

    def so_far(self, result: Result) -> None:
        """What is to be answered about a property if the process is stopped now."""
        self._pipe.send(("so_far", result))


Work = Callable[[Task, Relay], tuple[Result, ...]]


def _child(work: Work, task: Task, pipe: Connection) -> None:
    try:
        pipe.send(("results", work(task, Relay(pipe))))
    except KeyboardInterrupt:
        pass
    except Exception as error:
        error.add_note(f"in the engine's process:\n{format_exc()}")
        pipe.send(("failed", error))


def isolated(work: Work, task: Task, observer: Observer) -> tuple[Result, ...]:
    """Run ``work(task, …)`` in a forked process and pass on what it tells.

    When the task's time limit passes, or the process dies, what is not decided is unknown, with
    what was known of it so far. On an interruption the process is stopped, the observer is told
    what is known, and KeyboardInterrupt goes on.
    """
    # A forked process has the task's suite; protocols and properties are code, not data.
    context: Any = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(work, task, theirs), daemon=True)
    known: dict[str, Result] = {}
    final: set[str] = set()
    started = monotonic()
    process.start()
    theirs.close()

    def rest(reason: str) -> tuple[Result, ...]:
        found = []
        for name in task.properties:
            result = known.get(name)
            if result is None:
                seconds = monotonic() - started
                result = Result(name, Verdict.UNKNOWN, "none", seconds, reason=reason)
            elif name not in final:
                result = replace(result, reason=f"{reason}; {result.reason}")
            found.append(result)
            if name not in final:
                observer.decided(result)
        return tuple(found)

    limit = Deadline(None if task.timeout is None else task.timeout + GRACE)
    try:
        while ours.poll(limit.remaining()):
            kind, content = ours.recv()
            match kind:
                case "results":
                    results: tuple[Result, ...] = content
                    return results
                case "failed":
                    raise content
                case "phase":
                    observer.phase(content)
                case "fact":
                    observer.fact(content)
                case _:
                    known[content.property] = content
                    if kind == "decided":
                        final.add(content.property)
                        observer.decided(content)
        return rest(f"the time limit of {task.timeout:g} seconds passed")
    except EOFError:
        process.join()
        return rest(f"the engine's process ended without an answer (exit {process.exitcode})")
    except KeyboardInterrupt:
        rest("interrupted")
        raise
    finally:
        process.kill()
        process.join()
        ours.close()
