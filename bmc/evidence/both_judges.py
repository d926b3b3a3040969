"""Two judges of one certificate: `certify`, and the independent one, which shares nothing with it.

They must agree. Where one accepts what the other one rejects, one of them is wrong, and so may be
every verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from bmc.evidence.certificate import Certificate, CertificateError, Disproved
from bmc.evidence.certify import Certified, NotDecided
from bmc.evidence.independent.judge import (
    SOLVERS,
    Judged,
    NotJudged,
    Progress,
    SolversDisagree,
    judge,
)
from bmc.evidence.verdict import Contradiction
from bmc.lang.suite import Suite
from bmc.solving.scripts import ScriptSolver

SMALL = 17_000
"""So many formulas are judged in a few seconds."""


def certify_by_both(
    certified: Callable[[], Certified],
    certificate: Certificate,
    suite: Suite,
    progress: Progress = lambda text: None,
    timeout: float | None = None,
    solvers: Sequence[ScriptSolver] = SOLVERS,
) -> tuple[Certified, Judged]:
    """Return what both judges say of a certificate that both accept.

    ``certified`` is the call of the first one, ``solvers`` are those of the independent one, and
    the first of them decides long questions alone; ``timeout`` is in seconds for both. Raises
    CertificateError when both reject it, NotDecided when one of them does not decide, and
    Contradiction when they disagree.
    """
    end = None if timeout is None else monotonic() + timeout
    try:
        first = certified()
    except Disproved as error:
        _require_rejection(certificate, suite, progress, end, solvers, str(error))
        raise
    try:
        return first, confirm(certificate, suite, progress, _left(end), solvers)
    except NotDecided as error:
        raise NotDecided(f"{first.solver} accepts it, but {error}") from error


def confirm(
    certificate: Certificate,
    suite: Suite,
    progress: Progress = lambda text: None,
    timeout: float | None = None,
    solvers: Sequence[ScriptSolver] = SOLVERS,
    most: int | None = None,
) -> Judged:
    """Have the independent judge look at a certificate that `certify` accepts.

    Raises NotDecided when it does not decide in ``timeout`` seconds and ``most`` formulas,
    Contradiction when it rejects.
    """
    try:
        return judge(certificate, suite, progress, timeout, solvers, most)
    except NotJudged as error:
        raise NotDecided(f"the independent judge: {error}") from error
    except SolversDisagree as error:
        raise Contradiction(str(error)) from error
    except CertificateError as error:
        raise Contradiction(
            f"a certificate that certify accepts is rejected by the independent judge: {error}"
        ) from error


def confirm_if_small(
    certificate: Certificate,
    suite: Suite,
    progress: Progress = lambda text: None,
    timeout: float | None = None,
) -> Judged | None:
    """Have it look at an accepted certificate that takes at most SMALL formulas, by z3 alone.

    Return None where it takes more, or time runs out; raise Contradiction when it is rejected.
    """
    try:
        return confirm(certificate, suite, progress, timeout, ("z3",), SMALL)
    except NotDecided:
        return None


def _require_rejection(
    certificate: Certificate,
    suite: Suite,
    progress: Progress,
    end: float | None,
    solvers: Sequence[ScriptSolver],
    reason: str,
) -> None:
    """Raise Contradiction when the independent judge accepts what `certify` has rejected."""
    try:
        judge(certificate, suite, progress, _left(end), solvers)
    except (Disproved, NotJudged):
        return
    except SolversDisagree as error:
        raise Contradiction(str(error)) from error
    raise Contradiction(
        f"a certificate that certify rejects is accepted by the independent judge: {reason}"
    )


def _left(end: float | None) -> float | None:
    return None if end is None else max(0.0, end - monotonic())
