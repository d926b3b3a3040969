"""A fault in the expansion, which finder and judge share, is caught by the independent judge."""

from __future__ import annotations

import pytest

from bmc.evidence.both_judges import certify_by_both
from bmc.evidence.certificate import Certificate, Disproved, Statement
from bmc.evidence.certify import certify
from bmc.evidence.verdict import Contradiction
from bmc.lang import Suite
from bmc.lang.fingerprint import fingerprint
from bmc.lang.properties import Kind, PropertyDeclaration
from tests.semantics.expansion_faults import FAULTS
from tests.semantics.planting import Fault, Probe


def claimed(fault: Fault) -> tuple[Certificate, Suite]:
    """A certificate that says of every state what the fault judges wrongly."""

    def claim(m: object, s: object) -> object:
        return fault.claim(s)  # type: ignore[arg-type]

    declared = PropertyDeclaration(claim, Kind.INVARIANT, fault.name, "", {})
    suite = Suite("probe", Probe, "", (declared,))
    model = suite.model(False)
    statement = Statement.of(suite.describe(declared, model))
    print_of = fingerprint(model, {})
    return Certificate("probe", {}, print_of, 1, (statement,), (), "cadical 1.9.5"), suite


def accepts(call: object) -> bool:
    """Whether a judge accepts."""
    try:
        call()  # type: ignore[operator]
    except Disproved:
        return False
    return True


# Every third one each time, all of them in the nightly run.
SOME = [
    pytest.param(
        fault,
        id=fault.name.replace(" ", "-"),
        marks=[] if number % 3 == 0 else [pytest.mark.nightly],
    )
    for number, fault in enumerate(FAULTS)
]


@pytest.mark.parametrize("fault", SOME)
def test_a_planted_fault_is_a_contradiction(fault: Fault) -> None:
    certificate, suite = claimed(fault)
    truth = accepts(lambda: certify(certificate, suite))
    with fault.planted():
        judged_wrongly = accepts(lambda: certify(certificate, suite)) != truth
        assert judged_wrongly
        with pytest.raises(Contradiction, match="independent judge"):
            certify_by_both(lambda: certify(certificate, suite), certificate, suite)
