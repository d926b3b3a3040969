"""At all parameter values no broken Kafka is proven, and what fails shows a CTI."""

from __future__ import annotations

import pytest
from bmc.properties.kafka import (
    KAFKA_KIP101,
    KAFKA_KIP279,
    KAFKA_KIP320,
    KAFKA_KIP320_FIRST_TRY,
    KAFKA_TRUNCATE_TO_HW,
)

from bmc.engines.allparams import small
from bmc.engines.allparams.condition import Decider
from bmc.engines.allparams.prove import ParametricTask, prove_for_all
from bmc.engines.task import SILENT
from bmc.evidence.verdict import Verdict
from bmc.lang import Suite
from bmc.system.parametric import Name
from tests.encodings.weakened import without_guard
from tests.engines.test_allparams import CLAIMS, system_of

VARIANTS = (KAFKA_TRUNCATE_TO_HW, KAFKA_KIP101, KAFKA_KIP279, KAFKA_KIP320_FIRST_TRY)


@pytest.mark.nightly
@pytest.mark.parametrize("suite", VARIANTS, ids=lambda suite: suite.name)
def test_a_broken_variant_is_not_proven_as_a_whole(suite: Suite) -> None:
    """Whatever the lemmas lose, no false claim is proven in the end, and a step shows why."""
    proof = prove_for_all(ParametricTask(suite, CLAIMS, goal_seconds=4.0, processes=2), SILENT)
    found = {r.property: r for r in proof.results}
    for false in ("WeakIsr", "StrongIsr"):
        assert found[false].verdict is Verdict.UNKNOWN
        assert found[false].induction_failure is not None
        assert proof.certificate is None or not any(
            claim.name == false for claim in proof.certificate.claims
        )


# Where each variant goes wrong: a condition that must stay open.
LEADS = "leader_is_as_new_as_its_followers"
OPEN = {
    "kafka-truncate-to-hw": (
        KAFKA_TRUNCATE_TO_HW,
        Name(LEADS, "BecomeFollowerTruncateToHighWatermark"),
    ),
    "kafka-kip101": (KAFKA_KIP101, Name(LEADS, "BecomeFollowerTruncateKip101")),
    "kafka-kip279": (KAFKA_KIP279, Name(LEADS, "BecomeFollowerTruncateKip279")),
    "kafka-kip320-first-try": (KAFKA_KIP320_FIRST_TRY, Name("follower_prefix", "BecomeFollower")),
}


@pytest.mark.parametrize("variant", OPEN)
def test_the_proof_fails_on_a_broken_variant_with_a_cti(variant: str) -> None:
    suite, name = OPEN[variant]
    assert_open_with_cti(suite, name)


# As in tests/encodings/test_kafka_guards.py: (action, branch, guard) that is dropped, and the
# lemma that breaks.
DROPPED = {
    "shrinks a leader out of the ISR": ("ControllerShrinkIsr", 2, 0, "request_leader_in_its_isr"),
    "elects outside the ISR": ("ControllerElectLeader", 0, 0, "request_leader_in_its_isr"),
    "a leader takes another's request": ("BecomeLeader", 0, 0, "leader_comes_from_the_request"),
    "becomes leader at an old epoch": ("BecomeLeader", 0, 1, "record_not_newer_than_replica"),
    "expands by a follower that lags": (
        "FencedLeaderExpandIsr",
        0,
        2,
        "quorum_isr_keeps_committed",
    ),
    "expands before its own epoch": ("FencedLeaderExpandIsr", 0, 3, "quorum_isr_keeps_committed"),
    "shrinks as a deposed leader": ("FencedLeaderShrinkIsr", 0, 2, "quorum_isr_is_the_latest"),
    "commits without its ISR": ("FencedLeaderIncHighWatermark", 0, 1, "quorum_isr_keeps_committed"),
    "follows an old epoch": (
        "FencedBecomeFollowerAndTruncate",
        0,
        2,
        "quorum_isr_is_the_latest",
    ),
    "truncates by a stale leader": (
        "FencedBecomeFollowerAndTruncate",
        0,
        3,
        "leader_is_as_new_as_its_followers",
    ),
    "fetches across epochs": ("FencedFollowerFetch", 0, 0, "log_matching"),
    "writes past the end": ("LeaderWrite", 0, 4, "records_fill_the_log"),
}


# One from each group of lemmas by day.
BY_DAY = {"elects outside the ISR", "expands by a follower that lags", "fetches across epochs"}


@pytest.mark.parametrize(
    "why",
    [pytest.param(w, marks=() if w in BY_DAY else pytest.mark.nightly) for w in DROPPED],
)
def test_the_proof_fails_without_a_guard_with_a_cti(why: str) -> None:
    action_name, branch, guard, lemma_name = DROPPED[why]
    suite = without_guard(KAFKA_KIP320, action_name, branch, guard)
    assert_open_with_cti(suite, Name(lemma_name, action_name, branch))


def assert_open_with_cti(suite: Suite, name: Name) -> None:
    system = system_of(suite)
    assert not Decider(system, 1.0).decide(name).closed
    stated = system.invariants[name.goal]
    found = small.find(system.model, list(system.invariants.values()), name, stated, 60.0)
    assert found is not None
    assert found.failure.conjunct == name.goal
    assert len(found.failure.path) == 2


@pytest.mark.parametrize(
    ("action_name", "guard"), [("ControllerElectLeader", 2), ("LeaderWrite", 0)]
)
def test_a_guard_on_bounds_is_missed(action_name: str, guard: int) -> None:
    suite = without_guard(KAFKA_KIP320, action_name, 0, guard)
    assert not Decider(system_of(suite), 1.0).decide(Name("WithinBounds", action_name)).closed
