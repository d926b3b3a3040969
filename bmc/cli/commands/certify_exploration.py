"""`bmc certify` on the certificate of an exploration: all states are looked at again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bmc.cli.shared.conclusion import write_cost

if TYPE_CHECKING:
    from bmc.cli.shared.answer import Answer


def certify_exploration(
    answer: Answer, file: Path, protocol: str | None, timeout: float | None
) -> None:
    """Explore again and report. Raises CertificateError, or OutOfTime when undecided."""
    from bmc.cli.shared.certificates import suite_for
    from bmc.cli.shared.progress import Progress
    from bmc.engines.explored import Limits, certify
    from bmc.engines.task import OptionError, OutOfTime
    from bmc.evidence.certificate import CertificateError
    from bmc.evidence.certify import NotDecided
    from bmc.evidence.exploration_certificate import ExplorationCertificate
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.running.interruption import interrupted

    if timeout is not None and not timeout > 0:
        raise OptionError(f"the timeout must be positive, you gave {timeout:g} seconds")
    certificate = ExplorationCertificate.read(file.read_text(encoding="utf-8"), str(file))
    with interrupted(f"what {certificate.protocol} means", timeout):
        suite = suite_for(file, certificate, protocol)
    progress = Progress()
    try:
        with progress:
            checked_by = certify(certificate, suite, Limits(timeout), progress)
    except NotDecided as error:
        raise OutOfTime(f"{file} is neither accepted nor rejected: {error}") from error
    except CertificateError as error:
        raise CertificateError(f"{file} is rejected: {error}") from error
    if answer.as_json:
        answer.document(
            {
                "file": str(file),
                "protocol": certificate.protocol,
                "parameters": dict(certificate.parameters),
                "accepted": True,
                "claims": list(certificate.holds),
                "distinct_states": certificate.distinct_states,
                "checked_by": checked_by,
            }
        )
        return
    write_heading(answer.page, certificate.protocol, certificate.parameters)
    answer.page.line(("accepted", "bold green"), f": {', '.join(certificate.holds)}")
    answer.page.line(
        f"All {certificate.distinct_states:,} reachable states were found again; "
        f"looked at by {checked_by}"
    )
    write_cost(answer, progress)
