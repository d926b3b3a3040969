"""The main job: KIP-320 is proved for every depth, its ancestors are not."""

import pytest
from bmc.properties.kafka import (
    KAFKA_KIP101,
    KAFKA_KIP279,
    KAFKA_KIP320,
    KAFKA_KIP320_FIRST_TRY,
    KAFKA_TRUNCATE_TO_HW,
)

from bmc.engines.bounded import check
from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.verdict import Verdict
from bmc.lang.suite import Suite

CLAIMS = ("TypeOk", "WeakIsr", "StrongIsr", "ElectedLeaderInIsr")


def kafka(replicas: int, log_size: int, max_records: int, max_leader_epoch: int) -> dict[str, int]:
    """Parameters in the specification's order."""
    return {
        "replicas": replicas,
        "log_size": log_size,
        "max_records": max_records,
        "max_leader_epoch": max_leader_epoch,
    }


@pytest.mark.parametrize(
    "parameters",
    [
        kafka(3, 2, 2, 2),
        kafka(1, 1, 1, 0),
        kafka(2, 1, 3, 2),
        pytest.param(kafka(3, 3, 3, 3), marks=pytest.mark.nightly),
        pytest.param(kafka(5, 2, 2, 2), marks=pytest.mark.nightly),
        pytest.param(kafka(5, 5, 5, 5), marks=pytest.mark.nightly),
    ],
    ids=str,
)
def test_kip320_is_proved_for_every_depth(parameters: dict[str, int]) -> None:
    for result in prove(Task(KAFKA_KIP320, parameters, CLAIMS)):
        assert result.verdict is Verdict.PROVED
        assert result.k == 1
        assert len(result.lemmas) == len(KAFKA_KIP320.lemmas)
        assert result.certificate is not None


def test_without_lemmas_it_is_honestly_unknown() -> None:
    for result in prove(Task(KAFKA_KIP320, {}, CLAIMS, depth=6, lemmas=False)):
        assert result.verdict is Verdict.UNKNOWN
        assert result.trace is None
        assert result.depth == 6
        assert result.induction_failure is not None
        assert result.induction_failure.k == 1


@pytest.mark.parametrize(
    ("suite", "replicas", "broken"),
    [
        (KAFKA_TRUNCATE_TO_HW, 2, "replica_keeps_below_its_high_watermark"),
        (KAFKA_KIP101, 2, "leader_isr_keeps_committed"),
        (KAFKA_KIP279, 3, "leader_isr_keeps_committed"),
        (KAFKA_KIP320_FIRST_TRY, 3, "leader_isr_keeps_committed"),
    ],
    ids=lambda v: v.name if isinstance(v, Suite) else str(v),
)
@pytest.mark.nightly
def test_the_lemmas_fail_on_broken_variants_by_name(
    suite: Suite, replicas: int, broken: str
) -> None:
    parameters = kafka(replicas, 2, 2, 2)
    (result,) = prove(Task(suite, parameters, ("StrongIsr",), depth=1))
    assert result.verdict is Verdict.UNKNOWN
    assert broken not in result.lemmas


def test_the_published_claim_that_no_leader_is_a_leader_is_false() -> None:
    (result,) = check(Task(KAFKA_KIP320, {}, ("LeaderInIsr",), depth=3))
    assert result.verdict is Verdict.VIOLATED
    assert result.trace is not None
    assert len(result.trace) == 1


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("suite", "parameters", "name"),
    [
        (KAFKA_KIP279, kafka(3, 2, 2, 2), "StrongIsr"),
        (KAFKA_KIP320_FIRST_TRY, kafka(3, 2, 2, 2), "StrongIsr"),
    ],
    ids=lambda v: v.name if isinstance(v, Suite) else str(v),
)
def test_broken_variants_are_violated(suite: Suite, parameters: dict[str, int], name: str) -> None:
    (result,) = check(Task(suite, parameters, (name,), depth=14))
    assert result.verdict is Verdict.VIOLATED
