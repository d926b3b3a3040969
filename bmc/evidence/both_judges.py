"""Two judges of one certificate: `certify`, and the independent one, which shares nothing with it.

They must agree. Where one accepts what the other one rejects, one of them is wrong, and so may be
every verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from bmc.evidence.certificate import Certificate, Disproved
from bmc.evidence.certify import Certified, NotDecided
from bmc.evidence.independent.judge import Judged, NotJudged, Progress, SolversDisagree, judge
from bmc.evidence.verdict import Contradiction
from bmc.lang.suite import Suite


def certify_by_both(
    certified: Callable[[], Certified],
    certificate: Certificate,
    suite: Suite,
    progress: Progress = lambda text: None,
    timeout: float | None = None,
) -> tuple[Certified, Judged]:
    """Return what both judges say of a certificate that both accept.

    ``certified`` is the call of the first one; ``timeout`` is in seconds for both. Raises
    CertificateError when both reject it, NotDecided when one of them does not decide, and
    Contradiction when they disagree.
    """
    end = None if timeout is None else monotonic() + timeout
    try:
        first = certified()
    except Disproved as error:
        _require_rejection(certificate, suite, progress, end, str(error))
        raise
    return first, confirm(certificate, suite, progress, _left(end))


def confirm(
    certificate: Certificate,
    suite: Suite,
    progress: Progress = lambda text: None,
    timeout: float | None = None,
) -> Judged:
    """Have the independent judge look at a certificate that `certify` accepts.

    Raises NotDecided when it does not decide in ``timeout`` seconds, Contradiction when it rejects.
    """
    try:
        return judge(certificate, suite, progress, timeout)
    except NotJudged as error:
        raise NotDecided(f"the independent judge: {error}") from error
    except SolversDisagree as error:
        raise Contradiction(str(error)) from error
    except Disproved as error:
        raise Contradiction(
            f"a certificate that certify accepts is rejected by the independent judge: {error}"
        ) from error


def _require_rejection(
    certificate: Certificate, suite: Suite, progress: Progress, end: float | None, reason: str
) -> None:
    """Raise Contradiction when the independent judge accepts what `certify` has rejected."""
    try:
        judge(certificate, suite, progress, _left(end))
    except (Disproved, NotJudged):
        return
    except SolversDisagree as error:
        raise Contradiction(str(error)) from error
    raise Contradiction(
        f"a certificate that certify rejects is accepted by the independent judge: {reason}"
    )


def _left(end: float | None) -> float | None:
    return None if end is None else max(0.0, end - monotonic())
