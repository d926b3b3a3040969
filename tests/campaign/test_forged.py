"""No judge accepts a forged certificate of a claim that fails. The large campaign is
``benchmarks/forged_certificates.py``."""

from collections import Counter
from random import Random

import pytest

from bmc.evidence.certificate import Certificate
from tests.campaign import forged
from tests.campaign.campaign import truth_numbered
from tests.campaign.engines import Disagreement
from tests.campaign.forged import forgeries, held_against

NUMBERS = (41, 42, 43, 44)


def _judged(number: int, told: Counter[str]) -> None:
    truth = truth_numbered(number)
    for certificate in forgeries(truth, Random(number), 6):
        held_against(truth, certificate, told)


def test_what_is_forged_is_judged_by_what_it_says() -> None:
    told: Counter[str] = Counter()
    for number in NUMBERS:
        _judged(number, told)
    # Nothing was refused for its form: the judges' solvers were asked.
    assert {name.split()[1] for name in told} == {"accepts", "disproves"}, told


def test_a_judge_that_accepts_everything_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def credulous(certificate: Certificate, suite: object) -> None:
        return None

    monkeypatch.setattr(forged, "certify", credulous)
    with pytest.raises(Disagreement, match="certify accepts a forged certificate"):
        _judged(NUMBERS[0], Counter())
