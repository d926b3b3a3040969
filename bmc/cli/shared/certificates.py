"""Certificate files: where each is written, and what it is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TypeAlias, TypeVar

from bmc.cli.shared import catalogue, specifications
from bmc.cli.shared.progress import Progress
from bmc.cli.shared.user_file import names_a_file
from bmc.engines.task import OutOfTime
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.exploration_certificate import ExplorationCertificate, is_exploration
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.panel import NotDecided
from bmc.evidence.parametric_certificate import ParametricCertificate, is_parametric
from bmc.evidence.untrusted import document, text_in
from bmc.evidence.verdict import Result
from bmc.lang.errors import ParameterError, UnknownName
from bmc.lang.suite import Suite
from bmc.running.files import numbered, operand

Found = TypeVar("Found")

AnyCertificate: TypeAlias = Certificate | ParametricCertificate | ExplorationCertificate


def write_certificates(
    results: Sequence[Result | TemporalResult], suite: Suite, path: Path
) -> dict[str, Path]:
    """Write every certificate once; where that of each property is.

    Each says by which paths the bounds of the suite that it is about were made larger.

    Properties proven together share one. When there are several they are numbered:
    ``proof.json``, ``proof-2.json``.
    """
    distinct: list[Certificate | ExplorationCertificate] = []
    found: dict[str, Path] = {}
    for result in results:
        certificate = certificate_of(result)
        if certificate is None:
            continue
        if suite.origin is not None:
            certificate = replace(certificate, widened=suite.origin.paths)
        if certificate not in distinct:
            distinct.append(certificate)
            certificate.write(numbered(path, len(distinct)))
        found[result.property] = numbered(path, distinct.index(certificate) + 1)
    return found


def certificate_of(
    result: Result | TemporalResult,
) -> Certificate | ExplorationCertificate | None:
    """What can be checked again of a proof: a conjunction, or the counts of all states."""
    return result.proof() if isinstance(result, Result) else result.certificate


def kind_of(path: Path) -> type[AnyCertificate]:
    """Return what a file says that it is; an unreadable one is of no special kind.

    Raises CertificateError for a pipe or a device, which cannot be read a second time.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise CertificateError(
            f"{path} is no file but a pipe or a device: write the certificate into a file"
        )
    try:
        found = document(text_in(path))
    except (OSError, ValueError):
        return Certificate
    if is_parametric(found):
        return ParametricCertificate
    return ExplorationCertificate if is_exploration(found) else Certificate


def judged(
    file: Path,
    certificate: AnyCertificate,
    suite: Suite,
    judge: Callable[[Progress], Found],
) -> tuple[Found, Progress]:
    """What a judge says of a certificate in ``file`` and a suite, and what it cost.

    Raises OutOfTime when it is undecided, and CertificateError, with the file's name, when it is
    rejected.
    """
    progress = Progress()
    try:
        with progress:
            return judge(progress), progress
    except NotDecided as error:
        raise OutOfTime(f"{file} is neither accepted nor rejected: {error}") from error
    except (CertificateError, ParameterError, UnknownName) as error:
        said = f"{file} is rejected: {error}"
        if suite.name != certificate.protocol:
            said += f" (the certificate is of {certificate.protocol})"
        raise CertificateError(said) from error


def suite_for(
    file: Path,
    certificate: AnyCertificate,
    protocol: str | None,
    command: str = "certify",
    options: str = "",
) -> Suite:
    """The suite a certificate in ``file`` is about.

    Without ``protocol`` it is that of the catalogue which the certificate names; with it that one.
    Where it has to be named, ``command`` says how, with the ``options`` that it was given.
    Raises NamesCode, UnknownName or UserModelError.
    """
    if protocol is None:
        remedy = f"{command} {operand(file)}{options}"
        suite = catalogue.named_by_data(certificate.protocol, str(file), remedy)
    else:
        suite = catalogue.find(protocol, partly=True)
    if isinstance(certificate, ParametricCertificate) or not certificate.widened:
        return suite
    wider = None if suite.origin is None else suite.origin.along(certificate.widened)
    if wider is None:
        raise CertificateError(
            f"{file} is rejected: the bounds of {certificate.protocol} were made larger by paths "
            "that it does not have: was the text changed since?"
        )
    return replace(wider, name=suite.name)


def command_to_check(written: object, protocol: str) -> str:
    """The command that checks a certificate again which was just written for a protocol."""
    elsewhere = specifications.names_a_specification(protocol) and not specifications.is_here(
        protocol
    )
    file = names_a_file(protocol) or elsewhere
    named = f" --protocol {quote(protocol)}" if file else ""
    return f"bmc certify {operand(written)}{named}{specifications.options_given()}"
