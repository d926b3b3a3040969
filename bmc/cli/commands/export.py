"""`bmc export`: a protocol at parameters as a file for other checkers."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import (
    AllOption,
    JsonOption,
    ParameterOption,
    PropertyOption,
    ProtocolArgument,
    VerboseOption,
)
from bmc.cli.shared.temporal import names_temporal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bmc.cli.shared.request import Request
    from bmc.engines.task import Deadline, Task
    from bmc.readings.circuit import Node
    from bmc.system.fair_monitor import Justice
    from bmc.system.transition import TransitionSystem

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

OutputOption = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write.", show_default=False),
]
LemmasOption = Annotated[
    bool,
    typer.Option("--lemmas", help="Prove the lemmas first, and constrain states by those proven."),
]


TimeoutOption = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", help="Stop then; nothing is written."),
]
MemoryOption = Annotated[
    int | None,
    typer.Option("--memory", metavar="MB", help="Hold no more memory; else nothing is written."),
]


@app.callback()
def export() -> None:
    """Write a protocol for other checkers: AIGER 1.9, SMT-LIB 2 or TLA+."""


@app.command()
def aiger(
    protocol: ProtocolArgument,
    output: OutputOption,
    ascii_: Annotated[bool, typer.Option("--ascii", help="Write text instead of binary.")] = False,
    properties: PropertyOption = None,
    parameters: ParameterOption = None,
    every: AllOption = False,
    lemmas: LemmasOption = False,
    justice: Annotated[
        bool,
        typer.Option(
            "--justice",
            help="Write a temporal claim as a justice property with fairness constraints.",
        ),
    ] = False,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Write a sequential circuit with latches, a bad output a property, and constraints.

    A bad output WithinBounds is true where a bound of the model is too small. A temporal claim is
    exported as safety, beside a monitor of its fairness; with --justice, as what a run shows again
    and again that violates it.
    """
    with Answer("export", as_json, verbose) as answer:
        from bmc.reports.exports.aiger import write_aiger
        from bmc.system.latches import sequential

        with _asked(protocol, parameters, timeout, memory) as (request, limit):
            one = _Export(request, properties, every, lemmas, limit, justice)
            circuit = sequential(one.system, one.claims, one.known, one.recurrent)
            content = write_aiger(circuit, one.about, text=ascii_)
        _write(answer, one, output, content)


@app.command()
def smtlib(
    protocol: ProtocolArgument,
    output: OutputOption,
    depth: Annotated[
        int | None,
        typer.Option("--depth", metavar="N", help="Unroll, with a question a depth up to N steps."),
    ] = None,
    properties: PropertyOption = None,
    parameters: ParameterOption = None,
    every: AllOption = False,
    lemmas: LemmasOption = False,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Write `init`, `trans` and the properties as VMT-LIB, or a script that searches to a depth."""
    with Answer("export", as_json, verbose) as answer:
        from bmc.engines.task import OptionError
        from bmc.reports.exports.smtlib import write_transition_system, write_unrolling

        if depth is not None and depth < 0:
            raise OptionError(f"the depth must be 0 or more, you gave {depth}")
        with _asked(protocol, parameters, timeout, memory) as (request, limit):
            one = _Export(request, properties, every, lemmas, limit)
            if depth is None:
                text = write_transition_system(one.system, one.claims, one.known, one.about)
            else:
                text = write_unrolling(one.system, one.claims, one.known, one.about, depth)
        _write(answer, one, output, text.encode())


@app.command()
def tla(
    protocol: ProtocolArgument,
    output: OutputOption,
    properties: PropertyOption = None,
    parameters: ParameterOption = None,
    every: AllOption = False,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Write a TLA+ module with its properties and lemmas, and a configuration beside it for TLC.

    Where lemmas speak of a history, a module that extends the first one has it.
    """
    with Answer("export", as_json, verbose) as answer:
        from bmc.cli.commands.export_tla import export as export_tla
        from bmc.cli.shared.request import Request

        export_tla(
            answer, Request.of(protocol, parameters, timeout, memory), properties, every, output
        )


@contextmanager
def _asked(
    protocol: str, parameters: list[str] | None, timeout: float | None, memory: int | None
) -> Iterator[tuple[Request, Deadline]]:
    """Yield what is exported, and the limit of what is done with it.

    Raises LimitMet where that takes longer, or more memory, and what finding the protocol raises.
    """
    from bmc.cli.shared.request import Request
    from bmc.engines.task import Deadline
    from bmc.running.interruption import interrupted

    limit = Deadline(timeout)
    request = Request.of(protocol, parameters, timeout, memory)
    with interrupted(f"what {request.name} is to others", limit.remaining(), memory):
        yield request, limit


class _Export:
    """What is to be exported: the system, its claims, and what is proven of every state.

    Raises OutOfTime where the limit passes before the lemmas are proven.
    """

    def __init__(
        self,
        request: Request,
        properties: list[str] | None,
        every: bool,
        lemmas: bool,
        limit: Deadline,
        justice: bool = False,
    ) -> None:
        from bmc.engines.task import Task
        from bmc.evidence.certificate import WITHIN_BOUNDS
        from bmc.lang.properties import Kind
        from bmc.system.justice import grounded
        from bmc.system.latches import LatchClaim
        from bmc.system.transition import TransitionSystem

        self.request = request
        properties = list(self.request.meant(properties))
        said: list[str] = []
        shown_again: Justice | None = None
        temporal = properties if properties and names_temporal(self.request, properties) else None
        if justice:
            said, shown_again = self._recur(temporal)
        elif temporal:
            said = self._watch(temporal)
        wanted = () if justice else self.request.claims(properties, every)
        task = Task(self.request.suite, self.request.parameters, wanted)
        model = task.model(ghosts=False)
        self.system: TransitionSystem = TransitionSystem(model, task.parameters)
        self.claims = [
            LatchClaim(
                stated.name,
                self.system.circuit.all(i.holds for i in self.system.instances(stated)),
                stated.kind is Kind.STEP_INVARIANT,
            )
            for stated in task.stated(model)
        ]
        self.claims.append(LatchClaim(WITHIN_BOUNDS, self.system.within_bounds))
        self.known: list[tuple[str, Node]] = self._proven(task, limit) if lemmas else []
        self.recurring = () if shown_again is None or temporal is None else tuple(temporal)
        self.recurrent = None if shown_again is None else grounded(self.system, shown_again)
        values = " ".join(f"{name}={value}" for name, value in task.parameters.items())
        self.about = [f"{request.name} {values}", *said, f"written by bmc {_version()}"]

    def _recur(self, names: Sequence[str] | None) -> tuple[list[str], Justice]:
        """Put a monitor beside the protocol that bans nothing; what is to be said of that."""
        from bmc.lang.temporal import shown
        from bmc.system.watched import recurring

        name, suite = self._only(names or ()), self.request.suite
        stated = suite.describe_temporal(name, suite.model(ghosts=False))
        beside, justice = recurring(suite, name)
        self.request = replace(self.request, suite=beside)
        return [
            f"{name} under {stated.specification}: {shown(stated.formula)}",
            "it is violated by a run on which j0 and every fairness constraint recur",
        ], justice

    @staticmethod
    def _only(names: Sequence[str]) -> str:
        from bmc.cli.shared.request import NothingAsked

        if not names:
            raise NothingAsked("--justice is for a temporal claim: name one with --property")
        if len(set(names)) > 1:
            raise NothingAsked("a temporal claim is exported beside a monitor of its own: name one")
        return names[0]

    def _watch(self, names: Sequence[str]) -> list[str]:
        """Put the monitor of a temporal claim beside the protocol; what is to be said of that."""
        from bmc.lang.temporal import shown
        from bmc.system.fair_monitor import Return
        from bmc.system.watched import watched

        name, suite = self._only(names), self.request.suite
        stated = suite.describe_temporal(name, suite.model(ghosts=False))
        self.request = replace(self.request, suite=watched(suite, name, Return()))
        return [
            f"{name} under {stated.specification}, liveness as safety: {shown(stated.formula)}",
            "it is violated where a state comes back after all that a fair violation shows",
        ]

    def _proven(self, task: Task, limit: Deadline) -> list[tuple[str, Node]]:
        from bmc.cli.shared.progress import Progress
        from bmc.engines.lemmas import proven_lemmas

        progress = Progress()
        with progress:
            found = proven_lemmas(task, self.system, progress, limit)
        return [(i.property, i.holds) for one in found for i in one.instances]


def _version() -> str:
    from bmc import __version__

    return __version__


def _write(answer: Answer, exported: _Export, output: Path, content: bytes) -> None:
    from bmc.running.files import require_writable, write_file

    require_writable(output)
    write_file(output, content)
    names = [*exported.recurring, *(claim.name for claim in exported.claims)]
    if answer.as_json:
        answer.document(
            {
                "protocol": exported.request.name,
                "parameters": exported.request.parameters,
                "file": str(output),
                "properties": names,
                "constraints": len(exported.known),
            }
        )
        return
    answer.page.line(f"{output}: {', '.join(names)}")
