"""Both judges accept the certificates that are proofs, as going through all states finds, and no
others. More of them: ``benchmarks/forged_certificates.py --enumerated``."""

from collections import Counter

import pytest

from bmc.evidence.certificate import Certificate
from bmc.lang import Suite
from tests.campaign import enumerated
from tests.campaign.engines import Disagreement
from tests.campaign.enumerated import held_against_enumeration


def test_what_is_accepted_is_what_is_inductive() -> None:
    told: Counter[str] = Counter()
    for number in range(4):
        held_against_enumeration(number, 4, told)
    # Proofs and what is none were both asked, with clauses and without.
    assert all(
        told[f"{what}{clauses}"] for what in ("proofs", "none") for clauses in ("", " with clauses")
    ), told


@pytest.mark.parametrize("judge", ["certify", "judge"])
def test_a_judge_that_accepts_everything_is_noticed(
    judge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def credulous(certificate: Certificate, suite: Suite, **options: object) -> None:
        return None

    monkeypatch.setattr(enumerated, judge, credulous)
    with pytest.raises(Disagreement, match="accepts what is not inductive"):
        held_against_enumeration(0, 6, Counter())
