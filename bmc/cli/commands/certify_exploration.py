"""`bmc certify` on the certificate of an exploration: all states are looked at again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bmc.cli.shared.conclusion import write_cost

if TYPE_CHECKING:
    from bmc.cli.shared.answer import Answer
    from bmc.engines.task import Deadline


def certify_exploration(
    answer: Answer, file: Path, protocol: str | None, deadline: Deadline
) -> None:
    """Explore again and report. Raises CertificateError, or OutOfTime when undecided."""
    from bmc.cli.shared.certificates import judged, suite_for
    from bmc.engines.explored import Budget, certify, shown_by
    from bmc.evidence.exploration_certificate import ExplorationCertificate
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.running.interruption import interrupted

    certificate = ExplorationCertificate.read(file.read_text(encoding="utf-8"), str(file))
    with interrupted(f"what {certificate.protocol} means", deadline.remaining()):
        suite = suite_for(file, certificate, protocol)
    checked_by, progress = judged(
        file,
        certificate,
        suite,
        lambda progress: certify(certificate, suite, Budget(deadline.remaining()), progress),
    )
    claims, unreached = shown_by(certificate, suite)
    if answer.as_json:
        answer.document(
            {
                "file": str(file),
                "protocol": protocol or certificate.protocol,
                "parameters": dict(certificate.parameters),
                "accepted": True,
                "claims": list(claims),
                "unreached": list(unreached),
                "distinct_states": certificate.distinct_states,
                "checked_by": checked_by,
            }
        )
        return
    write_heading(answer.page, protocol or certificate.protocol, certificate.parameters)
    said = [", ".join(claims), f"never reached {', '.join(unreached)}" if unreached else ""]
    answer.page.line(("accepted", "bold green"), f": {'; '.join(filter(None, said))}")
    answer.page.line(
        f"All {certificate.distinct_states:,} reachable states were found again; "
        f"looked at by {checked_by}"
    )
    write_cost(answer, progress)
