"""Quorums: what a protocol demands of sets that it counts, and the words that are made of it."""

from pathlib import Path

import pytest

from bmc.analysis.inference.harvest import harvested
from bmc.analysis.inference.infer import InferenceOptions, infer
from bmc.analysis.inference.quorums import quorums
from bmc.analysis.inference.vocabulary import Words
from bmc.analysis.inference.weights import accidents
from bmc.cli.shared.inference import furnished
from bmc.engines.explicit import explore
from bmc.engines.kinduction import prove
from bmc.engines.task import SILENT, Task
from bmc.evidence.certificate import Certificate
from bmc.evidence.certify import certify
from bmc.evidence.independent.judge import judge
from bmc.evidence.verdict import Verdict
from bmc.frontends.tla.suite import suite_of
from bmc.lang.show import show
from bmc.lang.suite import Suite
from tests.analysis.protocols import Ballot, Lock

TEXTS = Path(__file__).parents[2] / "benchmarks" / "inference"


def test_what_is_demanded_of_a_counted_set_is_demanded_of_any() -> None:
    model = Suite.of(Ballot, "Ballot").model(False)
    demands = {show(one.demand) for one in quorums(model, ())}
    # The voters whose votes were counted, and those that an action chooses among the members.
    assert demands == {
        "Cardinality(Node) < Cardinality(Q) * 2",
        "Cardinality(members) < Cardinality(Q) * 2 /\\ Q \\subseteq members",
    }


def test_nothing_is_a_quorum_where_nothing_is_counted() -> None:
    assert quorums(Suite.of(Lock, "Lock").model(False), ()) == ()


def test_a_word_says_that_there_is_a_quorum_all_of_which() -> None:
    suite = Suite.of(Ballot, "Ballot")
    model = suite.model(False)
    words = Words(model, harvested(model, ()), quorums(model, ()))
    (node,) = words.signatures(1)[1]
    said = {show(one.formula) for one in words.literals((node,))}
    assert {
        "\\E Q \\in SUBSET Node : Cardinality(Node) < Cardinality(Q) * 2 /\\ "
        "(\\A n \\in Q : node = choice[n])",
        "\\E Q \\in SUBSET Node : (Cardinality(members) < Cardinality(Q) * 2 /\\ "
        "Q \\subseteq members) /\\ (\\A n \\in Q : choice[n] # node)",
    } <= said


def test_a_quorums_own_numbers_are_no_accident() -> None:
    model = Suite.of(Ballot, "Ballot").model(False)
    assert [accidents(one.demand) for one in quorums(model, ())] == [0, 0]


def test_one_leader_is_proved_by_what_a_majority_said() -> None:
    task = Task(Suite.of(Ballot, "Ballot"), {"nodes": 3}, ("OneLeader",))
    found = infer(task, InferenceOptions())
    assert found.closed
    (result,) = prove(furnished(task, found))
    assert result.verdict is Verdict.PROVED
    assert result.certificate is not None
    carried = Certificate.from_json(result.certificate.to_json())
    assert certify(carried, task.suite).claims == ("OneLeader",)
    assert judge(carried, task.suite).claims == ("OneLeader",)


@pytest.mark.parametrize(
    ("module", "constants", "states"),
    [("ChordRing", {"Nodes": 3}, 2_348), ("HybridReliableBroadcast", {}, 81_476)],
)
def test_our_texts_have_the_states_that_tlc_counts(
    module: str, constants: dict[str, int], states: int
) -> None:
    suite = suite_of(module, TEXTS / f"{module}.tla", constants=constants)
    assert explore(Task(suite, {}, ()), SILENT).distinct_states == states
