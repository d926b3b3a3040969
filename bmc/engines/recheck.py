"""From a certificate to verdicts: a proof counts only after another solver re-checked it."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from bmc.engines.task import Deadline, Observer, ReChecking, Task
from bmc.evidence.certificate import WITHIN_BOUNDS, Certificate, CertificateError
from bmc.evidence.certify import Certified, NotDecided, certify
from bmc.evidence.panel import Panel
from bmc.evidence.statements import as_judged
from bmc.evidence.verdict import Contradiction, Result, Verdict


def recheck(
    certificate: Certificate,
    task: Task,
    observer: Observer,
    deadline: Deadline,
    panel: Callable[[Certificate], Panel] | None = None,
) -> Certified:
    """Have a certificate judged, by as many processes as the task says or by another ``panel``.

    Raises NotDecided, whose text says what to tell the user, when time does not suffice;
    Contradiction when it is rejected.
    """
    stated, suite = as_judged(certificate, task.suite)
    try:
        return certify(
            stated,
            suite,
            lambda text: observer.phase(ReChecking(f"re-checking the proof: {text}")),
            deadline.remaining(),
            judges=task.judges,
            panel=None if panel is None else panel(stated),
        )
    except NotDecided as limit:
        raise NotDecided(f"a proof was found, but it could not be re-checked: {limit}") from limit
    except CertificateError as error:
        raise Contradiction(f"a proof did not survive its re-check: {error}") from error


def proved(
    name: str,
    engine: str,
    started: float,
    certificate: Certificate,
    judged: Certified,
    k: int | None = None,
) -> Result:
    """The verdict about one claim of an accepted certificate; ``started`` is a monotonic time."""
    without = (WITHIN_BOUNDS, name)
    return Result(
        name,
        Verdict.PROVED,
        engine,
        monotonic() - started,
        k=k,
        certificate=certificate,
        lemmas=tuple(one.name for one in certificate.conjuncts if one.name not in without),
        checked_by=judged.solver,
        reason="; ".join(judged.remarks) or None,
    )
