"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bmc.engines.engine import AUTO, ENGINES, TEMPORAL_ENGINES

ProtocolArgument = Annotated[
    str,
    typer.Argument(
        metavar="PROTOCOL",
        help="Spec.tla with its .cfg, path/to/file.py:ClassName, or a name from `bmc list`.",
        show_default=False,
    ),
]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option("-p", "--parameter", metavar="NAME=VALUE", help="Set a parameter; repeatable."),
]
PropertyOption = Annotated[
    list[str] | None,
    typer.Option("-P", "--property", metavar="NAME", help="Decide this property; repeatable."),
]
AllOption = Annotated[
    bool, typer.Option("--all", help="Include published claims that are known to be refuted.")
]
ContinueOption = Annotated[
    bool, typer.Option("--continue", help="Do not stop at the first violated claim.")
]
DeadlockOption = Annotated[
    bool,
    typer.Option(
        "--deadlock",
        help="Claim NoDeadlock too: a step follows every state that the protocol does not call "
        "terminated.",
    ),
]
TimeoutOption = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", help="Stop then; what is open is unknown."),
]
WalkSeedOption = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="N",
        help="The same seed takes the same walks, if their number and length are the same.",
    ),
]
MemoryOption = Annotated[
    int | None,
    typer.Option("--memory", metavar="MB", help="Hold no more memory; what is open is unknown."),
]
FullOption = Annotated[
    bool, typer.Option("--full", help="Show whole states instead of what changed.")
]


class TraceForm(StrEnum):
    """How a trace is shown in a terminal."""

    TEXT = "text"
    TLA = "tla"


FormatOption = Annotated[
    TraceForm,
    typer.Option(
        "--format", help="Show traces as text, or as TLC prints them: tla, whole states in TLA+."
    ),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only", metavar="VAR", help="Show only this variable or alias of each state; repeatable."
    ),
]
TraceOption = Annotated[
    Path | None,
    typer.Option(
        "--trace",
        metavar="FILE",
        help="Write the traces here: .html is a page, .itf.json is ITF, .tla.txt as TLC prints it, "
        "or .json, .txt.",
    ),
]
TracesOption = Annotated[
    int,
    typer.Option(
        "--max-traces", help="How many traces of each, of one length, that differ in kind."
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", help="In which order equally simple traces are tried.")
]
RawOption = Annotated[
    bool, typer.Option("--raw", help="Show the first trace that is found, however noisy.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Write one JSON document to stdout instead of text.")
]
WatchOption = Annotated[
    bool,
    typer.Option("--watch", help="Run again whenever the protocol's file changes, until Ctrl-C."),
]
JsonLinesOption = Annotated[
    bool,
    typer.Option(
        "--json-lines",
        help="Write each verdict as a line of JSON once it is known, the document last.",
    ),
]
VerboseOption = Annotated[
    bool, typer.Option("--verbose", "-v", help="Say more: lemmas, time, memory, tracebacks.")
]
SOLVER = "cadical"
"""The solver unless another one is asked for."""
SolverOption = Annotated[
    str,
    typer.Option(
        "--solver",
        metavar="NAME",
        help="The engine's solver: cadical, z3, bitwuzla or glucose.",
    ),
]
CertificateOption = Annotated[
    Path | None,
    typer.Option("--certificate", metavar="FILE", help="Write the proof's certificate here."),
]


def engines_offered(*, proving: bool) -> str:
    """Return the help of an option that names an engine."""
    names = [one.also or one.name for one in ENGINES if one.proves or not proving]
    *front, last = [AUTO, *names] if proving else names
    offered = f"{', '.join(front)} or {last}."
    if not proving:
        return offered
    *front, last = [one.name for one in TEMPORAL_ENGINES]
    return f"{offered} For temporal claims: {AUTO}, {', '.join(front)} or {last}."
