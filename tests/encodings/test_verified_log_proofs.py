"""What is proved of the verified log for all depths, where senders wait while an inbox is full."""

from collections.abc import Mapping

import pytest
from bmc.properties.verified_log import (
    VERIFIED_LOG,
    VERIFIED_LOG_REPAIRED,
    VERIFIED_LOG_REPAIRED_WAITING,
    VERIFIED_LOG_WAITING,
)

from bmc.engines.explicit import explore
from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.verdict import Verdict
from bmc.lang import Suite
from bmc.lang.properties import Kind

CLAIMS = tuple(d.name for d in VERIFIED_LOG.properties if d.kind is not Kind.WITNESS)
SMALL = {"atomic_broadcast": 1, "log_nodes": 2, "old_producer_timeouts": 0}
FULL = {
    "drops": 2,
    "old_producer_timeouts": 1,
    "new_producer_timeouts": 1,
    "coordinator_timeouts": 1,
    "node_failures": 1,
}
OPEN = {"ConsumerSeesCommitted"}
"""No lemmas were found for it."""

PAIRS = [
    (VERIFIED_LOG, VERIFIED_LOG_WAITING),
    (VERIFIED_LOG_REPAIRED, VERIFIED_LOG_REPAIRED_WAITING),
]
WAITING = [waiting for _, waiting in PAIRS]


def proved(suite: Suite, parameters: Mapping[str, int]) -> set[str]:
    results = prove(Task(suite, parameters, CLAIMS, depth=1))
    return {r.property for r in results if r.verdict is Verdict.PROVED}


@pytest.mark.parametrize(("published", "waiting"), PAIRS, ids=lambda s: s.name)
def test_nobody_has_to_wait_where_all_is_explored(published: Suite, waiting: Suite) -> None:
    levels = [explore(Task(suite, SMALL, ())).levels for suite in (published, waiting)]
    assert levels[0] == levels[1]


def test_waiting_hides_no_violation() -> None:
    bounds = {"atomic_broadcast": 1, "drops": 1}
    found = explore(Task(VERIFIED_LOG_WAITING, bounds, CLAIMS), max_depth=17)
    assert {name: len(trace) for name, trace in found.violations.items()} == {
        "ConsumerSeesCommitted": 18
    }


@pytest.mark.parametrize("suite", WAITING, ids=lambda s: s.name)
def test_the_lemmas_hold_in_every_reachable_state(suite: Suite) -> None:
    names = tuple(lemma.name for lemma in suite.lemmas)
    found = explore(Task(suite, {**SMALL, "drops": 1}, names))
    assert found.complete
    assert set(found.holds) == set(names)


# By day the lock holds what these say, and it is looked at whether its evidence is as it was.
@pytest.mark.parametrize("suite", WAITING, ids=lambda s: s.name)
@pytest.mark.nightly
def test_all_but_what_is_refuted_or_open_is_proved(suite: Suite) -> None:
    assert proved(suite, SMALL) == set(CLAIMS) - OPEN - set(suite.refuted)


@pytest.mark.parametrize("suite", WAITING, ids=lambda s: s.name)
@pytest.mark.nightly
def test_as_much_is_proved_with_every_kind_of_event(suite: Suite) -> None:
    assert proved(suite, FULL) == set(CLAIMS) - OPEN - set(suite.refuted)
