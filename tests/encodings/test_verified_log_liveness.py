"""The verified log's Progress, as docs/protocols.md has it."""

import pytest
from bmc.properties.verified_log import VERIFIED_LOG

from bmc.engines.engine import temporal_engine
from bmc.engines.liveness.question import Question
from bmc.evidence.lasso import TemporalResult
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


def decided(**parameters: int) -> TemporalResult:
    allowed = {"old_producer_timeouts": 0, "node_failures": 1, **parameters}
    question = Question(VERIFIED_LOG, allowed, ("Progress",))
    (found,) = temporal_engine("explicit").decide(question, Nobody())  # type: ignore[arg-type]
    return found


def test_the_only_copy_of_a_segment_is_lost_with_its_node() -> None:
    """And not before there is a segment, where the model stops and the program would not."""
    found = decided(log_nodes=2, num_replicas=1)
    assert found.verdict is Verdict.VIOLATED
    assert found.lasso is not None
    assert len(found.lasso.trace.steps[-1].state["logs"]) == 1


@pytest.mark.nightly
def test_the_log_goes_on_without_one_of_three_nodes() -> None:
    assert decided().verdict is Verdict.PROVED
