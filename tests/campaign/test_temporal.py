"""A few random temporal claims; ``benchmarks/fuzz_temporal.py`` looks at many."""

from dataclasses import replace

import pytest

from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Verdict
from tests.campaign.engines import Disagreement
from tests.campaign.temporal import Tally, agree, look


def test_engines_agree_on_random_claims() -> None:
    tally = Tally()
    for number in (101, 107, 108, 110, 118, 123, 126):
        look(number, tally)
    found = tally.verdicts
    assert (found["explicit proved"], found["explicit violated"]) == (4, 3)
    assert (found["monitored proved"], found["lasso violated"]) == (4, 3)
    assert tally.certificates == 4


def test_a_disagreement_is_noticed() -> None:
    one = TemporalResult("Claim", Verdict.PROVED, "Drawn", 0.0)
    other = replace(one, verdict=Verdict.VIOLATED, engine="lasso")
    with pytest.raises(Disagreement, match="explicit proves what lasso refutes"):
        agree(0, [one, other])
