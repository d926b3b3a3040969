"""`bmc certificate`: certificate files for readers and solvers outside of bmc."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import JsonOption, VerboseOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bmc.cli.shared.progress import Progress

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def certificate() -> None:
    """Write a certificate for others to check."""


@app.command("export")
def export_certificate(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A certificate.", show_default=False)
    ],
    smtlib: Annotated[
        Path,
        typer.Option(
            "--smtlib",
            metavar="DIR",
            help="Write SMT-LIB files into this folder, one for each obligation.",
            show_default=False,
        ),
    ],
    drat: Annotated[
        bool,
        typer.Option(
            "--drat",
            help="Write what is to be unsat as clauses, with a proof in DRAT, besides.",
        ),
    ] = False,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            metavar="PROTOCOL",
            help="Where the protocol is now, if the certificate's own name for it is not.",
        ),
    ] = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Write each obligation of a certificate as a question that any SMT solver can answer.

    A README.md beside the files says what each question means and which answer is expected. None
    of them is judged here: `bmc certify --independent` asks the same questions itself. Of a claim
    about behaviours no file asks whether any is fair, which is looked at before. With --drat a
    checker of proofs can take the place of the solver.
    """
    with Answer("certificate export", as_json, verbose) as answer:
        from bmc.cli.shared.certificates import judged, kind_of, suite_for
        from bmc.engines.liveness.fair_behaviour import require_fair_behaviour
        from bmc.engines.task import Deadline
        from bmc.evidence.certificate import Certificate, CertificateError
        from bmc.evidence.exploration_certificate import ExplorationCertificate
        from bmc.evidence.independent.export import PAGE, export
        from bmc.evidence.parametric_certificate import ParametricCertificate
        from bmc.reports.traces.text import count

        kind = kind_of(file)
        if kind is ExplorationCertificate:
            raise CertificateError(
                f"{file} is of an exploration, which no formula states: `bmc certify` explores "
                "again, and `bmc prove --engine ic3 --certificate` looks for a conjunction"
            )
        if kind is ParametricCertificate:
            raise CertificateError(
                f"{file} is for all parameters: `bmc export smtlib` writes bounded questions, and "
                "`bmc certify` judges this file"
            )
        read = Certificate.read(file)
        options = f" --smtlib {quote(str(smtlib))}{' --drat' if drat else ''}"
        suite = suite_for(file, read, protocol, "certificate export", options)

        def questions(_: Progress) -> Sequence[Path]:
            # Every question of a proof about no behaviour would be answered as it should be.
            require_fair_behaviour(read, suite, Deadline(None))
            return export(read, suite, smtlib, drat)

        written, _ = judged(file, read, suite, questions)
        scripts = [path.name for path in written if path.suffix == ".smt2"]
        proofs = [path.name for path in written if path.suffix == ".drat"]
        if answer.as_json:
            answer.document(
                {
                    "file": str(file),
                    "protocol": read.protocol,
                    "parameters": dict(read.parameters),
                    "folder": str(smtlib),
                    "scripts": scripts,
                    "proofs": proofs,
                }
            )
            return
        proven = f", {count(len(proofs), 'proof')}" if drat else ""
        told = f"{count(len(scripts), 'obligation')}{proven} and {PAGE}"
        answer.page.line(f"{told} written to {smtlib}")
        answer.cost()
