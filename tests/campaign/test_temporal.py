"""A few random temporal claims; ``benchmarks/fuzz_temporal.py`` looks at many."""

from dataclasses import replace

import pytest

from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Verdict
from tests.campaign.engines import Disagreement
from tests.campaign.temporal import Tally, agree, look


def test_engines_agree_on_random_claims() -> None:
    tally = Tally()
    for number in (105, 112, 116, 118, 121):
        look(number, tally)
    found = tally.verdicts
    assert found["explicit proved"] > 0
    assert found["explicit violated"] > 0
    assert found["lasso violated"] > 0
    assert found["monitored proved"] > 0
    assert found["inductive proved"] > 0
    assert tally.certificates == found["monitored proved"] + found["inductive proved"]


def test_a_disagreement_is_noticed() -> None:
    one = TemporalResult("Claim", Verdict.PROVED, "Drawn", 0.0)
    other = replace(one, verdict=Verdict.VIOLATED, engine="lasso")
    with pytest.raises(Disagreement, match="explicit proves what lasso refutes"):
        agree(0, [one, other])
