"""Which progress Kafka transactions promise, and what is missing, as docs/protocols.md has it."""

import pytest
from bmc.properties.kafka_transactions import KAFKA_TRANSACTIONS

from bmc.engines.liveness.decide import Question, decide
from bmc.evidence.verdict import Verdict


def violated(ids: int, changes: int) -> set[str]:
    """The claims that fail; all others are proved."""
    parameters = {"transaction_ids": ids, "max_coordinator_changes": changes}
    claims = tuple(declared.name for declared in KAFKA_TRANSACTIONS.temporal)
    found = decide(Question(KAFKA_TRANSACTIONS, parameters, claims))
    assert Verdict.UNKNOWN not in {one.verdict for one in found}
    return {one.property for one in found if one.verdict is Verdict.VIOLATED}


@pytest.mark.parametrize("ids", [1, 2])
def test_without_a_change_both_promises_are_kept(ids: int) -> None:
    assert violated(ids, 0) == set()


@pytest.mark.nightly
def test_with_a_change_clients_may_ask_for_ever() -> None:
    """And only where a transaction stays half done: with that assumption, and with no weaker one,
    every client has a producer id in the end."""
    assert violated(1, 1) == {"EventuallyAllClientsGetPid"}


@pytest.mark.nightly
@pytest.mark.parametrize(("ids", "changes"), [(2, 1), (1, 2)])
def test_with_a_second_change_both_clients_may_be_fenced(ids: int, changes: int) -> None:
    """And only where a leader has copied entries that were not committed."""
    broken = {"EventuallyAllClientsGetPid"}
    if changes == 2:
        broken |= {"EventuallyOneClientAddsAllPartitions"}
    assert violated(ids, changes) == broken
