"""`bmc certify` on a certificate for all parameter values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bmc.cli.shared.conclusion import write_cost

if TYPE_CHECKING:
    from bmc.cli.shared.answer import Answer
    from bmc.engines.task import Deadline


def certify_for_all(answer: Answer, file: Path, protocol: str | None, deadline: Deadline) -> None:
    """Check a certificate and report. Raises CertificateError, or OutOfTime when undecided."""
    from bmc.cli.shared.certificates import judged, suite_for
    from bmc.evidence.parametric_certificate import ParametricCertificate
    from bmc.evidence.parametric_certify import certify_parametric
    from bmc.reports.traces.text import count
    from bmc.running.interruption import interrupted

    certificate = ParametricCertificate.read(file)
    with interrupted(f"what {certificate.protocol} means", deadline.remaining()):
        suite = suite_for(file, certificate, protocol)
    found, progress = judged(
        file,
        certificate,
        suite,
        lambda progress: certify_parametric(
            certificate, suite, progress.phase, deadline.remaining()
        ),
    )
    if answer.as_json:
        answer.document(
            {
                "file": str(file),
                "protocol": protocol or certificate.protocol,
                "parameters": {},
                "parameters_from": dict(certificate.lows),
                "accepted": True,
                "claims": list(found.claims),
                "conditions": found.conditions,
                "solver": found.solver,
                "found_by": certificate.found_by,
                **({"axioms": {a.name: a.says for a in found.axioms}} if found.axioms else {}),
            }
        )
        return
    ranges = ", ".join(f"{name} >= {low}" for name, low in certificate.lows.items())
    answer.page.line(
        (protocol or certificate.protocol, "bold"), f"  at all parameter values: {ranges}"
    )
    answer.page.blank()
    answer.page.line(
        ("accepted", "bold green"),
        f": {', '.join(found.claims)} ({count(len(certificate.invariants), 'invariant')})",
    )
    answer.page.line(
        f"{count(found.conditions, 'refutation')} without quantifiers checked by {found.solver} in "
        f"{found.seconds:.1f} s; found by {certificate.found_by}"
    )
    if found.axioms:
        answer.page.line("About sizes of sets it assumes, and each was shown anew to be true:")
        for axiom in found.axioms:
            answer.page.line(f"  {axiom.says}")
    write_cost(answer, progress)
