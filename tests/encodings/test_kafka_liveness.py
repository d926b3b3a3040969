"""Which progress KIP-320 promises, as docs/protocols.md has it, at the smallest constants."""

from bmc.properties.kafka import KAFKA_KIP320

from bmc.engines.liveness.decide import Question, decide
from bmc.evidence.verdict import Verdict

SMALLEST = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


def test_followers_have_to_fetch_for_anything_to_be_committed() -> None:
    claims = tuple(declared.name for declared in KAFKA_KIP320.temporal)
    found = {one.property: one for one in decide(Question(KAFKA_KIP320, SMALLEST, claims))}
    violated = {name for name, one in found.items() if one.verdict is Verdict.VIOLATED}
    assert violated == {
        "StableLeaderCommitsAsPublished",
        "StableFollowerJoinsAsPublished",
        "EveryLeaderCommits",
    }
    assert {one.verdict for name, one in found.items() if name not in violated} == {Verdict.PROVED}
    for name in violated:
        lasso = found[name].lasso
        assert lasso is not None
        assert lasso.closing is None
