"""`bmc step`: an execution by hand, in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import ParameterOption, ProtocolArgument, VerboseOption

if TYPE_CHECKING:
    from bmc.cli.shared.request import Request
    from bmc.evidence.trace import TraceStep
    from bmc.evidence.walk import Walk
    from bmc.reports.page import Page

_HELP = (
    ("NUMBER", "take that step"),
    ("/TEXT", "list only the steps in which TEXT stands"),
    ("b", "take the last step back"),
    ("i, i NUMBER", "list the initial states; begin again in one of them"),
    ("s", "show the whole state"),
    ("t", "show the way here"),
    ("w FILE", "write the way here: .itf.json, .html, .json or .txt"),
    ("q", "end"),
)
_SHOWN = 25
"""So many steps are listed at once."""
_DIGITS = 9
"""Longer numbers are of no step, and Python reads none of some thousand digits."""


def step(
    protocol: ProtocolArgument,
    parameters: ParameterOption = None,
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE", help="Write the way here at the end, as w does."),
    ] = None,
    verbose: VerboseOption = False,
) -> None:
    """Walk through a protocol by hand.

    Every enabled step has a number. One that is taken shows what it changes, and which claims are
    false then. The exit code is 0: a walk is no verdict.
    """
    with Answer("step", verbose=verbose) as answer:
        from bmc.cli.commands.trace_output import require_trace_file
        from bmc.cli.shared.request import Request

        if trace is not None:
            require_trace_file(trace)
        request = Request.of(protocol, parameters)
        walk = _walk(request)
        _Conversation(answer.page, request, walk).hold()
        if trace is not None:
            answer.stored(lambda: _write(request, walk, trace), None)


def _walk(request: Request) -> Walk:
    from bmc.evidence.walk import Walk
    from bmc.layout.domain import Domains
    from bmc.readings.value import Interpreter

    suite = request.suite
    model = suite.model(False)
    claims = [suite.describe(suite.find(name), model) for name in request.plain_claims()]
    return Walk(Interpreter(model, Domains(request.parameters)), claims)


def _write(request: Request, walk: Walk, file: Path) -> None:
    from bmc.cli.commands.trace_output import form_of, trace_text
    from bmc.reports.traces.instances import violation
    from bmc.reports.vocabulary import Vocabulary
    from bmc.running.files import write_file

    words = Vocabulary.of(request.suite, request.parameters)
    false = [
        violation(request.suite, request.parameters, name, walk.trace) for name in walk.violated()
    ]
    write_file(file, trace_text(request.suite, words, walk.trace, false, form_of(file)))


class _Conversation:
    """What is asked and answered on the way."""

    def __init__(self, page: Page, request: Request, walk: Walk) -> None:
        from bmc.reports.traces.steps import StepWriter
        from bmc.reports.vocabulary import Vocabulary

        self._page = page
        self._request = request
        self._walk = walk
        self._words = Vocabulary.of(request.suite, request.parameters)
        self._steps = StepWriter(page, self._words, full=False)

    def hold(self) -> None:
        """Answer until the reader ends it, by `q`, the end of the input or Ctrl-C."""
        from bmc.lang.errors import BmcError
        from bmc.reports.proofs.verdicts import write_heading

        write_heading(self._page, self._request.name, self._request.parameters)
        self._initial()
        self._offer("")
        while True:
            self._page.flush()
            try:
                word = self._next()
                if word is None or word == "q":
                    return
                self._answer(word)
            except KeyboardInterrupt:
                return
            except BmcError as refused:
                self._page.line((str(refused), "red"))

    def _next(self) -> str | None:
        """Return what the reader wrote; None at the end of the input."""
        sys.stderr.write(f"step {len(self._walk.trace)}> ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            return None
        if not sys.stdin.isatty():
            sys.stderr.write("\n")
        return line.strip()

    def _answer(self, word: str) -> None:
        order, _, rest = word.partition(" ")
        rest = rest.strip()
        if _is_number(word):
            self._walk.take(int(word) - 1)
            self._changed()
            self._offer("")
        elif word.startswith("/") or not word:
            self._offer(word[1:])
        elif word == "b":
            self._walk.back()
            self._here()
        elif word == "i":
            self._starts()
        elif order == "i" and _is_number(rest):
            self._walk.begin(int(rest) - 1)
            self._here()
        elif word == "s":
            self._steps.state(self._walk.trace.steps[-1].state)
        elif word == "t":
            from bmc.reports.traces.text import write_trace

            write_trace(self._page, self._words, self._walk.trace)
        elif order == "w" and rest:
            _write(self._request, self._walk, Path(rest))
            self._page.line(f"Trace: {rest}")
        else:
            self._explain()

    def _here(self) -> None:
        if len(self._walk.trace) == 1:
            self._initial()
        else:
            self._changed()
        self._offer("")

    def _initial(self) -> None:
        number = len(self._walk.starts)
        more = f"; 1 of {number}, i lists them" if number > 1 else ""
        self._steps.line("  0  ", ("initial state", "bold"), more)
        self._steps.state(self._walk.trace.steps[-1].state)
        self._false()

    def _changed(self) -> None:
        *_, before, last = self._walk.trace.steps
        self._steps.step(len(self._walk.trace) - 1, before.state, last)
        self._false()

    def _false(self) -> None:
        for name in self._walk.violated():
            self._page.line("     ", (f"{name} is false", "bold red"))

    def _offer(self, containing: str) -> None:
        offered = [(n, self._steps.action(one)) for n, one in enumerate(self._walk.enabled, 1)]
        chosen = [(n, text) for n, text in offered if containing in text]
        self._page.blank()
        for number, text in chosen[:_SHOWN]:
            self._page.line(f"  {number:>3}  ", (text, "cyan"))
        if chosen[_SHOWN:]:
            self._page.line(f"       and {len(chosen) - _SHOWN} more: /TEXT lists those with TEXT")
        if not offered:
            self._page.line("  no step is enabled here")
        elif not chosen:
            self._page.line(f"  none of {len(offered)} steps has {containing!r} in it")
        for said in self._walk.beyond:
            self._page.line("  ", (said, "yellow"))

    def _starts(self) -> None:
        from bmc.reports.traces.differences import changes

        first: TraceStep = self._walk.starts[0]
        for number, start in enumerate(self._walk.starts[:_SHOWN], 1):
            found = changes(self._words, first.state, start.state)
            told = ", ".join(f"{one.path}: {one.new}" for one in found if one.new is not None)
            self._page.line(f"  {number:>3}  ", told or "the one that came first")

    def _explain(self) -> None:
        for word, text in _HELP:
            self._page.line(f"  {word.ljust(12)} {text}")


def _is_number(word: str) -> bool:
    return word.isdecimal() and len(word) <= _DIGITS
