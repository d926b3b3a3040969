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


def violated(**parameters: int) -> dict[str, int]:
    """The claims that fail with one node, room for four segments, and how long their lassos are."""
    small = {"log_nodes": 1, "num_replicas": 1, "max_segments": 4, **parameters}
    claims = tuple(one.name for one in VERIFIED_LOG.temporal)
    question = Question(VERIFIED_LOG, small, claims)
    found = temporal_engine("explicit").decide(question, Nobody())  # type: ignore[arg-type]
    assert Verdict.UNKNOWN not in {one.verdict for one in found}
    return {one.property: len(one.lasso.trace) for one in found if one.lasso is not None}


def test_readers_go_on_where_nothing_is_lost_and_old_stays() -> None:
    assert violated(old_producer_timeouts=0) == {}


def test_a_takeover_that_is_lost_is_asked_for_again_by_a_timer() -> None:
    """Where one may fire and does; the next thing to go wrong is further away."""
    lost = violated(old_producer_timeouts=0, drops=1)
    assert (lost["Progress"], lost["ProgressWhereTimersFire"]) == (2, 2)
    asked_again = violated(old_producer_timeouts=1, drops=1)
    assert (asked_again["Progress"], asked_again["ProgressWhereTimersFire"] > 2) == (2, True)


def test_a_takeover_of_a_segment_that_is_ended_meanwhile_is_dropped() -> None:
    """Its node takes the closed segment for suspended, so that nobody reads on, and no timer is
    left that would mend it. There is room: two segments of four are used."""
    broken = violated(old_producer_timeouts=1)
    assert broken == dict.fromkeys(
        ("Progress", "ProgressWhereTimersFire", "ReadersPassSegments"), 18
    )
