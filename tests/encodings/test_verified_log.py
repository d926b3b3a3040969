"""The verified log: what holds, what does not and how, and that the repair repairs."""

from collections.abc import Mapping

import pytest
from bmc.encodings.verified_log import VerifiedLog
from bmc.properties.verified_log import VERIFIED_LOG, VERIFIED_LOG_REPAIRED

from bmc.engines.explicit import Exploration, explore
from bmc.engines.task import Task
from bmc.lang import BmcError, Expr, State, Suite, Term
from bmc.lang.properties import Kind
from bmc.lang.terms import term_of

ALL = tuple(declared.name for declared in VERIFIED_LOG.properties)
CLAIMS = {d.name for d in VERIFIED_LOG.properties if d.kind is not Kind.WITNESS}
WITNESSES = {d.name for d in VERIFIED_LOG.properties if d.kind is Kind.WITNESS}
COARSE = {"atomic_broadcast": 1}
ONE_DROP = {"drops": 1}

STORY = [
    "Producer_eTimeOut",
    "Coordinator_eNewSegment",
    "LogNode_eSuspendSegment",
    "LogNode_eEndSegment",
    "Consumer_reads",
]
"""Steps that either way to lose a committed entry has, in this order."""


def explored(suite: Suite, parameters: Mapping[str, int], **options: int) -> Exploration:
    return explore(Task(suite, parameters, ALL), **options)


def assert_all_hold(found: Exploration) -> None:
    assert found.complete
    assert found.overflow is None
    assert set(found.holds) == CLAIMS


def assert_all_witnessed(found: Exploration) -> None:
    assert set(found.witnesses) == WITNESSES
    assert None not in found.witnesses.values()


@pytest.mark.parametrize("suite", [VERIFIED_LOG, VERIFIED_LOG_REPAIRED], ids=lambda s: s.name)
def test_everything_holds_while_no_message_is_lost(suite: Suite) -> None:
    assert_all_hold(explored(suite, {**COARSE, "log_nodes": 2, "old_producer_timeouts": 0}))


@pytest.mark.parametrize("suite", [VERIFIED_LOG, VERIFIED_LOG_REPAIRED], ids=lambda s: s.name)
@pytest.mark.nightly
def test_everything_holds_while_no_message_is_lost_with_a_timeout(suite: Suite) -> None:
    found = explored(suite, {})
    assert_all_hold(found)
    assert_all_witnessed(found)
    assert found.distinct_states == 821790


@pytest.mark.parametrize("granularity", [{}, COARSE], ids=["sends", "handlers"])
def test_a_lost_message_can_cost_a_committed_entry(granularity: Mapping[str, int]) -> None:
    found = explored(VERIFIED_LOG, {**granularity, **ONE_DROP}, max_depth=17)
    assert set(found.violations) == {"ConsumerSeesCommitted"}
    trace = found.violations["ConsumerSeesCommitted"]
    assert len(trace) == 18
    actions = iter(step.action for step in trace.steps)
    assert all(action in actions for action in STORY)
    last = trace.steps[-1].state
    assert last["committed"][0] == frozenset({0})
    assert last["consumer"] == (1, 0, frozenset())


@pytest.mark.parametrize("granularity", [{}, COARSE], ids=["sends", "handlers"])
def test_the_repair_repairs_as_far_as_it_broke(granularity: Mapping[str, int]) -> None:
    found = explored(VERIFIED_LOG_REPAIRED, {**granularity, **ONE_DROP}, max_depth=17)
    assert not found.violations


RETRIES = {**COARSE, **ONE_DROP, "log_nodes": 2, "coordinator_timeouts": 1}
"""The least bounds found at which all three properties break."""


@pytest.mark.nightly
def test_retries_cut_what_is_committed() -> None:
    found = explored(VERIFIED_LOG, RETRIES, max_depth=27)
    lengths = {name: len(trace) for name, trace in found.violations.items()}
    assert lengths == {
        "ConsumerSeesCommitted": 18,
        "CommittedNotTruncated": 24,
        "ClosedReplicasAgree": 28,
    }


@pytest.mark.parametrize("bounds", [ONE_DROP, RETRIES], ids=["drop", "retries"])
@pytest.mark.nightly
def test_the_repair_repairs(bounds: Mapping[str, int]) -> None:
    found = explored(VERIFIED_LOG_REPAIRED, bounds)
    assert_all_hold(found)
    assert_all_witnessed(found)


class ReadsTheLastEntry(VerifiedLog):
    def is_closed_at(self, s: State, place: Expr) -> Term:
        return super().is_closed_at(s, place) | self.can_ask(s, place)


class CommitsByOneAnswer(VerifiedLog):
    def is_replicated(self, appendAcks: Expr) -> Term:
        return appendAcks == term_of(appendAcks)


class AppendsAtAnyTime(VerifiedLog):
    def refuses_appends(self, status: Expr) -> Term:
        return status != term_of(status)


@pytest.mark.parametrize(
    ("broken", "by"),
    [
        (ReadsTheLastEntry, "ReadCommitted"),
        (CommitsByOneAnswer, "CommitDurability"),
        (AppendsAtAnyTime, "SingleActiveProducer"),
    ],
)
@pytest.mark.nightly
def test_a_monitor_finds_what_it_is_for(broken: type[VerifiedLog], by: str) -> None:
    suite = Suite("broken", broken, "", VERIFIED_LOG.properties)
    bounds = {**COARSE, "log_nodes": 2, "old_producer_timeouts": 0, "old_entries": 2}
    assert by in explored(suite, bounds, max_depth=23).violations


def test_a_failure_is_reported_when_it_leaves_too_few_nodes() -> None:
    bounds = {**COARSE, "log_nodes": 2, "node_failures": 1, "old_producer_timeouts": 0}
    found = explored(VERIFIED_LOG, bounds, max_depth=7)
    assert "EnoughLogNodes" in found.violations


def test_parameters_are_checked() -> None:
    with pytest.raises(BmcError, match="num_replicas"):
        Task(VERIFIED_LOG, {"num_replicas": 4}, ALL)
