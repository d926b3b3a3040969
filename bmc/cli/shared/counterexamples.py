"""How a command shows counterexamples: how much of them, made simple, and into what file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from bmc.cli.shared.options import TraceForm

if TYPE_CHECKING:
    from pathlib import Path

    from bmc.cli.shared.answer import Answer
    from bmc.cli.shared.decide import Engine
    from bmc.cli.shared.request import Request
    from bmc.engines.preference import TracePreference
    from bmc.engines.task import Deadline, Observer, Task
    from bmc.evidence.verdict import Result
    from bmc.reports.vocabulary import Vocabulary

INTERRUPTED = "interrupted before it was as simple as can be"


@dataclass(frozen=True)
class Counterexamples:
    """What the options say. ``taste`` is None where the first trace found is good enough.

    ``as_tlc`` has traces shown in TLC's form.
    """

    full: bool
    only: tuple[str, ...]
    file: Path | None
    taste: TracePreference | None
    as_tlc: bool

    @staticmethod
    def of(
        full: bool,
        only: list[str] | None,
        file: Path | None,
        traces: int,
        seed: int,
        raw: bool,
        form: TraceForm,
    ) -> Counterexamples:
        """The options of a command line; OptionError or UnwritableFile for what cannot be done."""
        from bmc.cli.commands.trace_output import require_trace_file
        from bmc.engines.preference import TracePreference

        if file is not None:
            require_trace_file(file)
        taste = TracePreference(traces, seed)
        return Counterexamples(
            full,
            tuple(only or ()),
            file,
            None if raw and traces == 1 else taste,
            form is TraceForm.TLA,
        )

    @staticmethod
    def given(only: list[str] | None, traces: int, seed: int, raw: bool) -> dict[str, bool]:
        """Whether each of the options that only traces of states are shown by is given."""
        return {
            "--only": bool(only),
            "--max-traces": traces != 1,
            "--seed": seed != 0,
            "--raw": raw,
        }

    def words(self, request: Request) -> Vocabulary:
        """The names to show; UnknownName for what is neither a variable nor an alias."""
        from bmc.reports.vocabulary import Vocabulary

        words = Vocabulary.of(request.suite, request.parameters)
        words = words.only(self.only) if self.only else words
        return words.in_tlc_form() if self.as_tlc else words

    def simplifying(self, run: Engine) -> Engine:
        """An engine whose shortest traces are made simple as well, within the task's limit."""
        from bmc.engines.task import Deadline

        def search(task: Task, observer: Observer) -> tuple[Result, ...]:
            deadline = Deadline(task.timeout)
            found = run(task, observer)
            return found if self.taste is None else self._simpler(task, found, observer, deadline)

        return search

    def simpler(
        self, task: Task, results: tuple[Result, ...], observer: Observer, deadline: Deadline
    ) -> tuple[Result, ...]:
        """The results with simpler traces; as they are if that is interrupted or time is up."""
        if self.taste is None or all(result.trace is None for result in results):
            return results
        try:
            return self._simpler(task, results, observer, deadline)
        except KeyboardInterrupt:
            from bmc.evidence.verdict import Why

            cut = partial(replace, reason=INTERRUPTED, why=Why.INTERRUPTED)
            return tuple(r if r.trace is None else cut(r) for r in results)

    def _simpler(
        self, task: Task, results: tuple[Result, ...], observer: Observer, deadline: Deadline
    ) -> tuple[Result, ...]:
        from bmc.engines.minimisation import simplest

        assert self.taste is not None
        return simplest(task, results, self.taste, observer, deadline)

    def write(self, request: Request, results: tuple[Result, ...]) -> dict[str, str]:
        """Write the traces if there is a file for them; where that of each property is."""
        from bmc.cli.commands.trace_output import write_traces
        from bmc.reports.vocabulary import Vocabulary

        if self.file is None:
            return {}
        words = Vocabulary.of(request.suite, request.parameters)
        written = write_traces(request.suite, words, results, self.file)
        return {name: str(path) for name, path in written.items()}


def write_places(answer: Answer, written: dict[str, str], file: Path | None) -> None:
    """Say which files have traces, or that none has, and which are of an earlier run."""
    from bmc.cli.commands.trace_output import left_behind

    paths = set(written.values())
    for path in sorted(paths):
        answer.page.line(f"Trace: {path}")
    if file is None:
        return
    if not paths:
        answer.page.line("No trace: none was found")
    for older in left_behind(file, paths):
        answer.page.line(f"Trace of an earlier run, not of this one: {older}")
