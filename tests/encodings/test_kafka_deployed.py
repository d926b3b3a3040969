"""KIP-320 as brokers run it: proved with restarts, and what each safeguard is there for."""

import pytest
from bmc.encodings.kafka import Kip320, Kip320Deployed
from bmc.properties.kafka import KAFKA_KIP320_DEPLOYED, KAFKA_KIP320_DEPLOYED_UNCLEAN
from bmc.properties.kafka.commit import CommitHistory

from bmc.engines.bounded import check
from bmc.engines.explicit import explore
from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.verdict import Verdict
from bmc.lang import Expr, Step, Suite, action, one_of
from tests.encodings.test_kafka_proofs import kafka

CLAIMS = (
    *("TypeOk", "WeakIsr", "StrongIsr", "ElectedLeaderInIsr"),
    *("CommitsAreKept", "NothingCommittedIsCut"),
)


@pytest.mark.parametrize(
    "parameters",
    [
        kafka(3, 1, 1, 2),
        pytest.param(kafka(2, 2, 2, 2), marks=pytest.mark.nightly),
        pytest.param(kafka(3, 2, 2, 2), marks=pytest.mark.nightly),
        pytest.param(kafka(3, 3, 3, 3), marks=pytest.mark.nightly),
        pytest.param(kafka(5, 2, 2, 2), marks=pytest.mark.nightly),
        pytest.param(kafka(5, 5, 5, 5), marks=pytest.mark.nightly),
    ],
    ids=str,
)
def test_it_is_proved_for_every_depth(parameters: dict[str, int]) -> None:
    for result in prove(Task(KAFKA_KIP320_DEPLOYED, parameters, CLAIMS)):
        assert result.verdict is Verdict.PROVED
        assert result.k == 1
        assert result.certificate is not None


class ShrinksByOffsets(Kip320Deployed):
    """The leader removes followers as the published model does."""

    FencedLeaderShrinkIsr = Kip320.FencedLeaderShrinkIsr
    Next = one_of(
        *(a for a in Kip320Deployed.Next if a.name != "FencedLeaderShrinkIsr"),
        Kip320.FencedLeaderShrinkIsr,
    )


@pytest.mark.parametrize(
    ("parameters", "states"),
    [
        (kafka(2, 2, 2, 2) | {"restarts": 1}, 127_019),
        pytest.param(kafka(3, 2, 2, 2) | {"restarts": 0}, 2_079_880, marks=pytest.mark.nightly),
    ],
)
def test_the_published_properties_hold_in_all_states(
    parameters: dict[str, int], states: int
) -> None:
    """The counts are those that another writing of the same steps has."""
    stated = KAFKA_KIP320_DEPLOYED.properties
    suite = Suite("by-offsets", ShrinksByOffsets, "", stated, history=CommitHistory)
    found = explore(Task(suite, parameters, ("WeakIsr", "StrongIsr")))
    assert found.complete
    assert found.distinct_states == states
    assert set(found.holds) == {"WeakIsr", "StrongIsr"}


class LosesTheLogsEnd(Kip320Deployed):
    """A broker comes back without what it had not flushed."""

    @action(replica=Kip320Deployed.Replica, end=Kip320Deployed.Offset)
    def Restart(self, s: Step, replica: Expr, end: Expr) -> None:
        self.ReplicaLog.TruncateTo(s, replica, end)
        s.replicaState[replica].hw = 0
        s.replicaState[replica].leaderEpoch = s.quorumState.leaderEpoch
        s.replicaState[replica].leader = None

    Next = one_of(*(a for a in Kip320Deployed.Next if a.name != "Restart"), Restart)


class HearsOldRequests(Kip320Deployed):
    """A broker comes back and takes whatever the controller has ever sent."""

    @action(replica=Kip320Deployed.Replica)
    def Restart(self, s: Step, replica: Expr) -> None:
        s.replicaState[replica].leaderEpoch = -1
        s.replicaState[replica].leader = None

    Next = one_of(*(a for a in Kip320Deployed.Next if a.name != "Restart"), Restart)


@pytest.mark.parametrize("broken", [LosesTheLogsEnd, HearsOldRequests])
def test_what_a_restart_must_keep_is_needed(broken: type[Kip320Deployed]) -> None:
    sound = KAFKA_KIP320_DEPLOYED
    suite = Suite(
        "broken", broken, "", sound.properties, lemmas=sound.lemmas, history=sound.history
    )
    (result,) = check(Task(suite, kafka(2, 1, 1, 2), ("CommitsAreKept",), depth=9))
    assert result.verdict is Verdict.VIOLATED


def test_unclean_election_forgets_and_cuts_what_was_committed() -> None:
    task = Task(
        KAFKA_KIP320_DEPLOYED_UNCLEAN,
        kafka(2, 1, 2, 2),
        ("StrongIsr", "CommitsAreKept", "NothingCommittedIsCut"),
        depth=10,
    )
    for result in check(task):
        assert result.verdict is Verdict.VIOLATED
