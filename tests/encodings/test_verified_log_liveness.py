"""The verified log's Progress, as docs/protocols.md has it."""

import pytest
from bmc.properties.verified_log import VERIFIED_LOG

from bmc.engines.engine import temporal_engine
from bmc.engines.liveness.question import Question
from bmc.evidence.verdict import Verdict
from tests.campaign.temporal import Nobody


@pytest.mark.nightly
def test_a_loss_that_nobody_notices_stops_the_log() -> None:
    allowed = {"old_producer_timeouts": 0, "drops": 1}
    question = Question(VERIFIED_LOG, allowed, ("Progress",), depth=2)
    (found,) = temporal_engine("lasso").decide(question, Nobody())  # type: ignore[arg-type]
    assert found.verdict is Verdict.VIOLATED
    assert found.lasso is not None
    assert (len(found.lasso.trace), found.lasso.closing) == (2, None)
