"""Which progress Elasticsearch's replication promises, as docs/protocols.md has it."""

from bmc.properties.elasticsearch import ELASTICSEARCH

from bmc.engines.liveness.decide import Question, decide
from bmc.evidence.verdict import Verdict


def test_clients_are_answered_and_copies_agree_where_messages_are_handled() -> None:
    claims = tuple(declared.name for declared in ELASTICSEARCH.temporal)
    found = {one.property: one for one in decide(Question(ELASTICSEARCH, {}, claims))}
    assert {name: one.verdict for name, one in found.items()} == {
        "EveryRequestIsAnswered": Verdict.PROVED,
        "EveryRequestIsAnsweredAsPublished": Verdict.VIOLATED,
        "CopiesAgreeOnceChangesStop": Verdict.PROVED,
        "CopiesLearnTheCheckpoint": Verdict.VIOLATED,
    }
    silent = found["CopiesLearnTheCheckpoint"].lasso
    assert silent is not None
    # All is handled and applied; nobody has anything to say any more.
    assert silent.closing is None
    assert {met.at for met in silent.met} == {None}
