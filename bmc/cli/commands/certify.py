"""`bmc certify`: a certificate checked again, by another solver than the one that found it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bmc.cli.shared import processors
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.conclusion import write_cost
from bmc.cli.shared.options import JsonOption, TimeoutOption, VerboseOption

if TYPE_CHECKING:
    from bmc.cli.shared.progress import Progress
    from bmc.engines.task import Deadline
    from bmc.evidence.certificate import Certificate
    from bmc.evidence.certify import Certified
    from bmc.evidence.independent.judge import Judged
    from bmc.lang.suite import Suite


def certify(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A certificate.", show_default=False)
    ],
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            metavar="PROTOCOL",
            help="The protocol, where the certificate's name for it is none of the catalogue's.",
        ),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            metavar="SOLVER",
            help="Who gives the second opinion: bitwuzla, or glucose where there are more than "
            "1,000 found clauses, unless another one is named.",
        ),
    ] = None,
    every_instance: Annotated[
        bool,
        typer.Option(
            "--every-instance",
            help="Ask of every instance of a lemma, also where symmetry would do.",
        ),
    ] = False,
    independent: Annotated[
        bool,
        typer.Option(
            "--independent",
            help="Ask a second judge as well, who shares no code with whoever found the proof.",
        ),
    ] = False,
    timeout: TimeoutOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Check a certificate again, with another solver.

    Its conjunction must hold initially, be kept by every step, and imply what it claims, of the
    very model it was made for. Of a lemma's instances that differ in the names of symmetric members
    one is enough, once it is shown that names do not matter in this model. Where the evidence is an
    exploration, all states are found again, and an interpreter looks at them. A certificate is
    data: the protocol that it names is looked for in the catalogue, and a Python file that it names
    is not run unless --protocol names it too.
    """
    with Answer("certify", as_json, verbose) as answer:
        from bmc.cli.shared.certificates import kind_of, suite_for
        from bmc.engines.task import Deadline, OptionError, require_seconds
        from bmc.evidence.certificate import Certificate, CertificateError
        from bmc.evidence.exploration_certificate import ExplorationCertificate
        from bmc.evidence.parametric_certificate import ParametricCertificate
        from bmc.running.interruption import interrupted
        from bmc.solving.factory import require_solver

        if solver is not None:
            require_solver(solver)
        require_seconds(timeout)
        # One limit for all: what the protocol means, each judge, and whether a behaviour is fair.
        deadline = Deadline(timeout)
        kind = kind_of(file)
        if kind is not Certificate:
            what = "for all parameters" if kind is ParametricCertificate else "of an exploration"
            if independent:
                raise CertificateError(
                    f"{file} is {what}, which the independent judge does not read: "
                    "leave out --independent"
                )
            named = "--solver" if solver is not None else "--every-instance"
            if solver is not None or every_instance:
                raise OptionError(
                    f"{file} is {what}, and {named} would change nothing there: leave it out"
                )
        if kind is ParametricCertificate:
            from bmc.cli.commands.certify_for_all import certify_for_all

            certify_for_all(answer, file, protocol, deadline)
            return
        if kind is ExplorationCertificate:
            from bmc.cli.commands.certify_exploration import certify_exploration

            certify_exploration(answer, file, protocol, deadline)
            return
        certificate = Certificate.read(file)
        with interrupted(f"what {certificate.protocol} means", deadline.remaining()):
            suite = suite_for(file, certificate, protocol)
        _certify(
            answer,
            file,
            protocol or certificate.protocol,
            certificate,
            suite,
            _Way(solver, deadline, every_instance, independent),
        )


@dataclass(frozen=True)
class _Way:
    """How a certificate is to be checked."""

    solver: str | None
    deadline: Deadline
    every_instance: bool
    independent: bool


def _certify(
    answer: Answer,
    file: Path,
    named: str,
    certificate: Certificate,
    suite: Suite,
    way: _Way,
) -> None:
    from bmc.cli.shared.certificates import judged

    (found, independently), progress = judged(
        file,
        certificate,
        suite,
        lambda progress: _of_behaviours(certificate, suite, way, progress),
    )
    if answer.as_json:
        answer.document(
            {
                "file": str(file),
                "protocol": named,
                "parameters": dict(certificate.parameters),
                "accepted": True,
                "claims": list(found.claims),
                "conditions": found.conditions,
                "every_instance": found.every_instance,
                "remarks": list(found.remarks),
                "solver": found.solver,
                "found_by": certificate.found_by,
                "k": certificate.k,
                **_independent(independently),
            }
        )
        return
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.reports.traces.text import count

    write_heading(answer.page, named, certificate.parameters)
    answer.page.line(
        ("accepted", "bold green"),
        f": {', '.join(found.claims)} (k={certificate.k}, {_size(certificate)})",
    )
    answer.page.line(
        f"{count(found.conditions, 'condition')} checked by {found.solver} in "
        f"{found.seconds:.1f} s; found by {certificate.found_by}"
    )
    if independently is not None:
        answer.page.line(
            f"{count(independently.conditions, 'obligation')} judged independently "
            f"{_by_whom(independently)} in {independently.seconds:.1f} s"
        )
    for remark in found.remarks:
        answer.page.line(("note", "bold yellow"), f": {remark}")
    if not found.every_instance:
        answer.page.line(
            "Of instances that differ in the names of symmetric members one was asked for; that "
            "names do not matter was checked too."
        )
    write_cost(answer, progress)


def _of_behaviours(
    certificate: Certificate, suite: Suite, way: _Way, progress: Progress
) -> tuple[Certified, Judged | None]:
    """What the judges say of a proof that is about some behaviour, if it is about behaviours.

    Of a translated protocol they say it of its text.
    """
    from bmc.engines.confirmation import require_agreement

    found = _by_all(certificate, suite, way, progress)
    if suite.origin is not None:
        progress.phase("comparing with the text")
    of_behaviours = certificate.watching is not None
    require_agreement(suite, found[0].claims, of_behaviours, way.deadline)
    if certificate.watching is not None:
        from bmc.engines.liveness.fair_behaviour import require_fair_behaviour

        progress.phase("looking for a behaviour that is fair")
        require_fair_behaviour(certificate, suite, way.deadline)
    return found


def _by_all(
    certificate: Certificate, suite: Suite, way: _Way, progress: Progress
) -> tuple[Certified, Judged | None]:
    """What the judges say that were asked for; the second of them is loaded only then."""
    from bmc.evidence.certify import certify as check

    def first() -> Certified:
        return check(
            certificate,
            suite,
            progress.phase,
            way.deadline.remaining(),
            way.solver,
            processors.usable(),
            way.every_instance,
        )

    if not way.independent:
        return first(), None
    from bmc.cli.shared.progress import to_stderr
    from bmc.evidence.both_judges import certify_by_both
    from bmc.evidence.independent.judge import SOLVERS

    # Who has re-checked the proof already is not to judge its long questions alone.
    solvers = tuple(sorted(SOLVERS, key=lambda one: one == way.solver))

    def told() -> Certified:
        """What the first judge says, said at once: the other one may be interrupted."""
        found = first()
        limit = "" if way.deadline.remaining() is not None else "; --timeout SECONDS would end it"
        to_stderr(
            f"bmc: accepted by {found.solver} in {found.seconds:.1f} s; the independent judge, "
            f"asked now, takes many times as long for a large proof{limit}\n"
        )
        return found

    left = way.deadline.remaining()
    return certify_by_both(told, certificate, suite, progress.phase, left, solvers)


def _by_whom(judged: Judged) -> str:
    """By which solvers, and how many obligations the first of them has decided alone."""
    alone = judged.conditions - judged.by_all
    said = f"by {' and '.join(judged.solvers)}"
    return f"{said} (the {alone} longest by {judged.solvers[0]} alone)" if alone else said


def _independent(judged: Judged | None) -> dict[str, Any]:
    if judged is None:
        return {}
    return {
        "independent": {
            "solvers": list(judged.solvers),
            "conditions": judged.conditions,
            "by_all": judged.by_all,
        }
    }


def _size(certificate: Certificate) -> str:
    """How much there is to a certificate: stated conjuncts, found clauses, or both."""
    from bmc.reports.traces.text import count

    parts = {"conjunct": certificate.conjuncts, "clause": certificate.clauses}
    said = [count(len(part), name) for name, part in parts.items() if part]
    return " and ".join(said) or "no conjunct"
