"""Kafka transactions: TLC's states, level by level; what holds, and what breaks, and how soon."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from bmc.properties.kafka_transactions import KAFKA_TRANSACTIONS

from bmc.engines.explicit import explore
from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.verdict import Verdict
from tests.encodings.levels import levels

Constants = tuple[int, int, int, int, int, int]

CLAIMS = (
    "TypeOK",
    "NoBadStateResponse",
    "ProducerIdUnique",
    "ClientProducerIdUnique",
    "SameHighWatermark",
)

# fmt: off
# What TLC finds in kafka_transactions_for_web.tla.
LEVELS: dict[Constants, tuple[int, ...]] = {
    (1, 2, 2, 1, 1, 0): (
        1, 2, 3, 4, 6, 10, 14, 18, 22, 28, 34, 38, 44, 46, 42, 36, 30, 26, 18, 12, 10, 4,
    ),
    (1, 2, 2, 1, 1, 1): (
        1, 3, 8, 18, 34, 60, 89, 130, 173, 226, 303, 386, 474, 578, 704, 806, 870, 966, 1026,
        1018, 1002, 958, 880, 726, 588, 514, 354, 228, 192, 106, 44, 38, 18, 4, 4, 2,
    ),
    (2, 2, 2, 1, 1, 0): (
        1, 4, 8, 12, 20, 28, 40, 52, 68, 80, 96, 108, 120, 116, 108, 96, 72, 52, 36, 24, 20, 8,
    ),
}
# fmt: on


def parameters(constants: Constants) -> dict[str, int]:
    """Parameters in the specification's order."""
    names = (
        "transaction_ids",
        "clients",
        "brokers",
        "txn_log_partitions",
        "topic_partitions",
        "max_coordinator_changes",
    )
    return dict(zip(names, constants, strict=True))


@pytest.mark.parametrize("constants", LEVELS, ids=str)
def test_states_by_level_are_those_of_tlc(constants: Constants) -> None:
    found = explore(Task(KAFKA_TRANSACTIONS, parameters(constants), CLAIMS))
    assert found.complete
    assert found.levels == LEVELS[constants]
    assert found.holds == CLAIMS


@pytest.mark.parametrize("constants", [(1, 2, 2, 1, 1, 0), (2, 2, 2, 1, 1, 0)], ids=str)
def test_the_interpreter_finds_them_too(constants: Constants) -> None:
    assert tuple(levels(KAFKA_TRANSACTIONS, parameters(constants))) == LEVELS[constants]


@pytest.mark.parametrize(
    "constants",
    [
        (2, 2, 2, 1, 1, 1),
        (1, 2, 2, 1, 2, 1),
        (2, 2, 2, 2, 1, 1),
        (3, 3, 2, 1, 1, 0),
        pytest.param((1, 2, 2, 1, 1, 2), marks=pytest.mark.nightly),
    ],
    ids=str,
)
@pytest.mark.nightly
def test_beyond_what_was_published_all_holds_and_no_bound_is_met(constants: Constants) -> None:
    found = explore(Task(KAFKA_TRANSACTIONS, parameters(constants), CLAIMS))
    assert found.complete
    assert found.overflow is None
    assert found.holds == CLAIMS


def test_a_producer_id_is_handed_out_twice() -> None:
    """A retried request takes ``pid_source`` back, and the next id is one that is in use."""
    task = Task(KAFKA_TRANSACTIONS, parameters((3, 4, 2, 1, 1, 0)), ("ProducerIdUnique",))
    found = explore(task, stop_at_violation=True)
    trace = found.violations["ProducerIdUnique"]
    # Which of the shortest it is depends on who searches: numpy or machine code.
    assert Counter(step.action for step in trace.steps[1:]) == {
        "SendInitPidRequest": 4,
        "ReceiveInitPidRequest": 4,
    }
    sources = [step.state["pid_source"] for step in trace.steps]
    changes = [new for old, new in pairwise(sources) if new != old]
    assert changes == [1, 2, 1, 2]


@pytest.mark.parametrize(
    ("constants", "claim", "states"),
    [
        pytest.param((3, 4, 2, 1, 1, 0), "ClientProducerIdUnique", 14, marks=pytest.mark.nightly),
        ((2, 3, 2, 1, 1, 1), "ProducerIdUnique", 11),
        pytest.param((2, 3, 2, 1, 1, 1), "ClientProducerIdUnique", 16, marks=pytest.mark.nightly),
    ],
)
def test_two_transactional_ids_share_a_producer_id(
    constants: Constants, claim: str, states: int
) -> None:
    task = Task(KAFKA_TRANSACTIONS, parameters(constants), (claim,))
    found = explore(task, stop_at_violation=True)
    assert len(found.violations[claim]) == states


def test_a_second_change_of_coordinator_gives_two_clients_one_epoch() -> None:
    """A follower that copied an entry too early leads, and does not know that it is there."""
    task = Task(KAFKA_TRANSACTIONS, parameters((1, 2, 2, 1, 1, 2)), ("ClientEpochUnique",))
    trace = explore(task, stop_at_violation=True).violations["ClientEpochUnique"]
    changes = [s.action for s in trace.steps if s.action in ("BecomeLeader", "BecomeFollower")]
    assert len(trace) == 13
    assert changes == ["BecomeLeader", "BecomeFollower"] * 2


LEMMAS = tuple(lemma.name for lemma in KAFKA_TRANSACTIONS.lemmas)


@pytest.mark.parametrize(
    "constants",
    [
        (1, 2, 2, 1, 1, 1),
        (2, 2, 2, 1, 1, 0),
        pytest.param((1, 2, 2, 1, 2, 1), marks=pytest.mark.nightly),
        pytest.param((2, 2, 2, 1, 1, 1), marks=pytest.mark.nightly),
    ],
    ids=str,
)
def test_lemmas_hold_in_every_reachable_state(constants: Constants) -> None:
    names = (*LEMMAS, "ClientEpochUnique")
    assert explore(Task(KAFKA_TRANSACTIONS, parameters(constants), names)).holds == names


OF_ONE_CHANGE = {
    "uncommitted_entry_is_the_transition": 6,
    "uncommitted_entries_differ": 8,
    "transitions_are_in_the_log": 6,
    "log_is_not_far_ahead": 8,
    "init_requests_are_awaited": 11,
    "init_responses_are_awaited": 9,
    "entries_are_awaited": 8,
    "one_exchange_at_a_time": 6,
    "entry_goes_on": 7,
    "coordinator_has_the_latest_epoch": 15,
    "epoch_is_given_once": 11,
    "epochs_are_paid_for": 12,
    "entries_are_paid_for": 9,
}
"""Lemmas that a second change breaks, and the states of a shortest trace."""


@pytest.mark.nightly
def test_the_lemmas_that_speak_of_one_change_are_these() -> None:
    found = explore(Task(KAFKA_TRANSACTIONS, parameters((1, 2, 2, 1, 1, 2)), LEMMAS))
    assert found.complete
    assert {name: len(trace) for name, trace in found.violations.items()} == OF_ONE_CHANGE


@pytest.mark.nightly
@pytest.mark.parametrize(
    "constants",
    [
        (1, 1, 2, 1, 1, 1),
        (1, 2, 2, 1, 1, 1),
        (1, 2, 2, 1, 2, 1),
    ],
    ids=str,
)
def test_all_claims_hold_at_every_depth(constants: Constants) -> None:
    claims = (*CLAIMS, "ClientEpochUnique")
    for result in prove(Task(KAFKA_TRANSACTIONS, parameters(constants), claims, depth=1)):
        assert result.verdict is Verdict.PROVED
        assert result.certificate is not None
