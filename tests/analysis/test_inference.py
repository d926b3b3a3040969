"""What is inferred closes the proof, is never assumed, and comes out the same for the same seed."""

import os
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from bmc.analysis.inference.harvest import harvested
from bmc.analysis.inference.infer import InferenceOptions, Inferred, infer
from bmc.analysis.inference.nodes import action_of
from bmc.analysis.inference.prospect import Prospect
from bmc.analysis.inference.search import LemmaSearch
from bmc.analysis.inference.separators import Smallest, greedily
from bmc.analysis.inference.state import LemmaFolder, candidate
from bmc.analysis.inference.subject import Subject
from bmc.analysis.inference.table import LiteralRows
from bmc.analysis.inference.vocabulary import Words
from bmc.analysis.inference.worlds import explored_worlds
from bmc.analysis.mining.consecution import BreakingStep, Consecution
from bmc.analysis.mining.mine import ClaimViolated
from bmc.cli.shared.inference import furnished
from bmc.engines.allparams.prove import ParametricTask, prove_for_all
from bmc.engines.conjuncts import conjunct
from bmc.engines.kinduction import prove
from bmc.engines.samples import Explored
from bmc.engines.spill.files import FolderInUse
from bmc.engines.task import SILENT, Deadline, OptionError, Silent, Task
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import certify
from bmc.evidence.independent.judge import judge
from bmc.evidence.parametric_certificate import ParametricCertificate
from bmc.evidence.parametric_certify import certify_parametric
from bmc.evidence.verdict import Verdict
from bmc.lang.build import argument, exists, member, record
from bmc.lang.model import Source
from bmc.lang.properties import Kind, Property
from bmc.lang.protocol import Protocol
from bmc.lang.ready import with_lemmas
from bmc.lang.show import show
from bmc.lang.sorts import SetSort
from bmc.lang.state import state_variable
from bmc.lang.suite import Suite
from bmc.lang.terms import term_of
from bmc.lang.written import Unreadable, read_lemma, write_property
from bmc.readings.value import ConcreteState
from bmc.reports.proofs.lemma_text import LemmaText
from bmc.system.transition import TransitionSystem
from tests.analysis.protocols import Commit, CountingLock, Lock
from tests.engines.machines import Pair, Tokens

CASES: list[tuple[type[Protocol], str, dict[str, int]]] = [
    (Pair, "OtherBelowLimit", {}),
    (Tokens, "AtMostOne", {}),
    (Lock, "Mutex", {"nodes": 2}),
    (Commit, "Agreement", {"nodes": 2}),
]


def task_of(protocol: type[Protocol], name: str, parameters: dict[str, int]) -> Task:
    return Task(Suite.of(protocol, protocol.__name__), parameters, (name,))


@cache
def inferred(number: int) -> tuple[Task, Inferred]:
    """One of the cases, inferred once."""
    task = task_of(*CASES[number])
    return task, infer(task, InferenceOptions())


def texts(found: Inferred) -> list[str]:
    return [show(one.body) for one in found.lemmas]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_lemmas_make_a_proof_that_both_judges_accept(number: int) -> None:
    task, found = inferred(number)
    (name,) = task.properties
    assert found.closed
    assert found.lemmas
    assert found.worlds[0].complete
    (result,) = prove(furnished(task, found))
    assert result.verdict is Verdict.PROVED
    assert set(result.lemmas) == {one.name for one in found.lemmas}
    # The certificate is enough: the suite of the protocol's own text knows none of the lemmas.
    assert result.certificate is not None
    carried = Certificate.from_json(result.certificate.to_json())
    assert certify(carried, task.suite).claims == (name,)
    assert judge(carried, task.suite).claims == (name,)


def test_each_lemma_is_needed() -> None:
    _, found = inferred(2)
    for left_out in found.lemmas:
        rest = tuple(one for one in found.lemmas if one is not left_out)
        suite = with_lemmas(Suite.of(Lock, "Lock"), rest)
        (result,) = prove(Task(suite, {"nodes": 2}, ("Mutex",), 1))
        assert result.verdict is Verdict.UNKNOWN


def test_a_false_property_is_named() -> None:
    with pytest.raises(ClaimViolated, match=r"Kept .*`bmc explore Lock -p nodes=2`"):
        infer(task_of(Lock, "Kept", {"nodes": 2}), InferenceOptions())


def wrong() -> Property:
    """That the second counter stays 0: false after a step, and the claim follows from it."""
    body = term_of(state_variable("other", Pair.Count) == 0)
    return Property("never_counts", Kind.LEMMA, (), body, "", "inferred", Source("", 0))


def test_a_wrong_lemma_is_never_assumed() -> None:
    suite = with_lemmas(Suite.of(Pair, "Pair"), [wrong()])
    (result,) = prove(Task(suite, {}, ("OtherBelowLimit",), 1, lemma_groups=("inferred",)))
    assert result.verdict is Verdict.UNKNOWN


def test_a_certificate_that_carries_a_wrong_lemma_is_rejected() -> None:
    task, found = inferred(0)
    (result,) = prove(furnished(task, found))
    assert result.certificate is not None
    document = result.certificate.to_json()
    bad = wrong()
    (lemma,) = document["lemmas"]
    document["lemmas"] = [{**write_property(bad), "name": lemma["name"]}]
    with pytest.raises(CertificateError, match="is not what the certificate says"):
        certify(Certificate.from_json(document), task.suite)


def test_a_certificate_whose_lemma_is_no_formula_is_rejected_by_both_judges() -> None:
    task, found = inferred(0)
    (result,) = prove(furnished(task, found))
    assert result.certificate is not None
    document = result.certificate.to_json()
    (lemma,) = document["lemmas"]
    lemma["body"] = ["member", "Bool", None, *lemma["body"][3:]]
    for judged in (certify, judge):
        with pytest.raises(CertificateError, match="member is applied to what it does not take"):
            judged(Certificate.from_json(document), task.suite)


def test_a_certificate_claims_nothing_that_it_states_itself() -> None:
    task, found = inferred(0)
    (result,) = prove(furnished(task, found))
    assert result.certificate is not None
    document = result.certificate.to_json()
    document["claims"] = [one for one in document["conjuncts"] if one["kind"] == "lemma"]
    for judged in (certify, judge):
        with pytest.raises(CertificateError, match="nobody but itself states"):
            judged(Certificate.from_json(document), task.suite)


def test_what_is_carried_is_read_back_as_the_very_term() -> None:
    for number in range(len(CASES)):
        task, found = inferred(number)
        variables = task.suite.model(False).variables
        for one in found.lemmas:
            again = read_lemma(write_property(one), variables)
            assert again.body is one.body
            assert again.arguments == one.arguments


@pytest.mark.parametrize(
    "damage",
    [
        {"name": "not a name"},
        {"body": ["variable", "Bool", ["absent", False]]},
        {"body": ["variable", ["int", "Count", [0, []], [4, []]], ["one", True]]},
        {"body": ["bound_variable", "Bool", [0, "x"]]},
        {"body": ["nonsense", "Bool", None]},
        {"body": [["not"], "Bool", None]},
        {"body": None},
        {"arguments": [["bool", "Bool", True]]},
    ],
)
def test_what_is_no_lemma_of_the_model_is_refused(damage: dict[str, object]) -> None:
    with pytest.raises(Unreadable):
        read_lemma(
            {**write_property(wrong()), **damage}, Suite.of(Pair, "P").model(False).variables
        )


def test_the_same_seed_finds_the_same() -> None:
    task = task_of(Commit, "Agreement", {"nodes": 2})
    one, other = inferred(3)[1], infer(task, InferenceOptions())
    assert texts(one) == texts(other)
    assert (one.found, one.asked) == (other.found, other.asked)


def test_a_second_run_goes_on_from_what_was_kept(tmp_path: Path) -> None:
    task = task_of(Lock, "Mutex", {"nodes": 2})
    first = infer(task, InferenceOptions(folder=tmp_path))
    again = infer(task, InferenceOptions(folder=tmp_path))
    assert again.closed
    assert again.found == len(first.lemmas)
    assert sorted(texts(again)) == sorted(texts(first))
    assert again.asked < first.asked
    with pytest.raises(OptionError, match="another protocol"):
        infer(task_of(Commit, "Agreement", {}), InferenceOptions(folder=tmp_path))


def test_two_at_once_do_not_keep_their_lemmas_in_one_folder(tmp_path: Path) -> None:
    """What the first one to end had kept was lost."""
    task = task_of(Lock, "Mutex", {"nodes": 2})
    with (
        LemmaFolder(tmp_path, task.model(ghosts=False), {"nodes": 2}),
        pytest.raises(FolderInUse, match="another process keeps lemmas in"),
    ):
        infer(task, InferenceOptions(folder=tmp_path))
    assert infer(task, InferenceOptions(folder=tmp_path)).closed


def test_what_is_kept_and_false_is_not_used(tmp_path: Path) -> None:
    task = task_of(Pair, "OtherBelowLimit", {})
    infer(task, InferenceOptions(folder=tmp_path))
    file = tmp_path / "lemmas.json"
    text = file.read_text()
    assert '"eq"' in text
    file.write_text(text.replace('"eq"', '"lt"'))
    found = infer(task, InferenceOptions(folder=tmp_path))
    assert found.closed
    assert texts(found) == ["one = other"]


def test_what_is_kept_and_means_nothing_is_refused(tmp_path: Path) -> None:
    task = task_of(Pair, "OtherBelowLimit", {})
    infer(task, InferenceOptions(folder=tmp_path))
    file = tmp_path / "lemmas.json"
    file.write_text(file.read_text().replace('"eq"', '"and"'))
    with pytest.raises(OptionError, match=r"damaged: .* and is applied to what it does not"):
        infer(task, InferenceOptions(folder=tmp_path))


def test_what_cannot_be_kept_is_found_all_the_same(tmp_path: Path) -> None:
    """The folder went away meanwhile, or its disk is full: that ended the run."""

    class Takes(Silent):
        def phase(self, text: str) -> None:
            if folder.is_dir():
                (folder / "lock").unlink()
                folder.rmdir()
                folder.write_text("")

    folder = tmp_path / "kept"
    found = infer(task_of(Lock, "Mutex", {"nodes": 2}), InferenceOptions(folder=folder), Takes())
    assert found.closed
    assert "kept" in str(found.lost)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_lemmas_that_are_no_file_are_not_read(kind: str, tmp_path: Path) -> None:
    """A pipe was waited for, and a device without an end took all memory."""
    place = tmp_path / "lemmas.json"
    match kind:
        case "pipe":
            os.mkfifo(place)
        case "device":
            place.symlink_to("/dev/zero")
        case _:
            place.mkdir()
    with pytest.raises(OptionError, match=r"lemmas\.json is a folder, a pipe or a device: remove"):
        infer(task_of(Lock, "Mutex", {"nodes": 2}), InferenceOptions(folder=tmp_path))


def test_no_time_is_no_proof() -> None:
    found = infer(task_of(Lock, "Mutex", {"nodes": 2}), InferenceOptions(seconds=1e-6))
    assert not found.closed
    assert found.stopped
    assert found.open


@pytest.mark.parametrize("ways", [("think_of", "offer"), ("offer", "think_of"), ("offer",) * 2])
def test_a_lemma_that_comes_up_twice_is_there_once(ways: tuple[str, str]) -> None:
    task, found = inferred(2)
    subject = Subject.of(task)
    explored = Explored(subject.system, 0)
    explored.explore(1000, 5.0, SILENT)
    prospect = Prospect(subject.words(), [explored], 2)
    search = LemmaSearch(subject.system, subject.targets, prospect, Deadline(60.0), SILENT)
    known = [candidate(one.arguments, one.body) for one in found.lemmas]
    for way in ways:
        getattr(search, way)(known)
    search.together()
    bodies = [node.candidate.body.uid for node in search.nodes.values() if node.candidate]
    assert search.closed
    assert len(set(bodies)) == len(bodies) == len(known)


def test_states_of_larger_sizes_rule_out_accidents_of_the_smallest() -> None:
    system = TransitionSystem(Suite.of(Lock, "Lock").model(False), {"nodes": 2})
    worlds = explored_worlds(system, 1000, 10.0, 0, SILENT, lambda _: None)
    assert [world.system.parameters for world in worlds] == [{"nodes": 2}, {"nodes": 3}]


def test_a_table_has_seen_exactly_what_the_states_show() -> None:
    """A pair of literals is a separator just where no state and no choice of values has both."""
    system = TransitionSystem(Suite.of(Tokens, "Tokens").model(False), {"holders": 2})
    explored = Explored(system, 0)
    explored.explore(100, 5.0, SILENT)
    words = Words(system.model, ())
    bound = words.signatures(1)[-1]
    table = LiteralRows(words, bound, [(system, explored.packing)])
    table.add(0, explored.sample(100))
    state = explored.pack([{"started": False, "holds": (True, False)}])
    found = {
        tuple(show(table.literal(x).formula) for x in columns)
        for _, columns in table.separators(state, 2, 9, 99)
    }
    assert ("~started", "holds[holder]") in found or ("holds[holder]", "~started") in found
    reached = explored.pack([{"started": True, "holds": (True, False)}])
    assert not list(table.separators(reached, 4, 9, 99))


def test_what_a_guard_says_of_no_argument_is_in_no_word() -> None:
    model = Suite.of(CountingLock, "CountingLock").model(False)
    words = [show(formula) for formula in harvested(model, ())]
    assert any("\\in holders" in word for word in words)
    assert not any("Cardinality" in word for word in words)


def test_a_lemma_is_found_where_every_guard_counts() -> None:
    task = task_of(CountingLock, "Mutex", {"nodes": 2})
    found = infer(task, InferenceOptions())
    assert found.closed
    (result,) = prove(furnished(task, found))
    assert result.verdict is Verdict.PROVED
    with pytest.raises(ClaimViolated, match="Kept"):
        infer(task_of(CountingLock, "Kept", {"nodes": 2}), InferenceOptions())


def test_a_step_that_breaks_a_lemma_is_one_of_the_protocol() -> None:
    task = task_of(Lock, "Mutex", {"nodes": 2})
    system = TransitionSystem(task.model(ghosts=False), task.parameters)
    (mutex,) = (conjunct(system, one) for one in task.stated(system.model))
    consecution = Consecution(system, Deadline(None))
    consecution.know(mutex)
    answers = [consecution.after_step(goal, ["Mutex"]) for goal in mutex.goals]
    broken = [answer for answer in answers if isinstance(answer, BreakingStep)]
    assert broken
    for step in broken:
        assert tuple(system.encode(step.before)) == step.left
        assert tuple(system.encode(step.after)) == step.reached
        assert action_of(system, step) == "Receive"


def test_a_bound_variable_hides_none_that_is_read_inside() -> None:
    """``\\E source : <<source, target>> \\in sent``, about a target that is called source."""
    sent = state_variable("sent", SetSort(Lock.Grant))
    outer = argument("source", Lock.Node)
    body = exists(
        Lock.Node, lambda source: member(record(Lock.Grant, source=source, target=outer), sent)
    )
    text = LemmaText(Suite.of(Lock, "Lock")).formula(body)
    assert "lambda source2: member(record(self.Grant, source=source2, target=source)" in text


def test_lemmas_of_one_size_make_a_proof_at_all_parameters() -> None:
    task, found = inferred(1)
    proof = prove_for_all(ParametricTask(furnished(task, found).suite, task.properties), SILENT)
    assert [result.verdict for result in proof.results] == [Verdict.PROVED]
    assert proof.certificate is not None
    carried = ParametricCertificate.from_json(proof.certificate.to_json())
    assert carried.lemmas
    assert certify_parametric(carried, task.suite).claims == task.properties


@pytest.mark.parametrize("seed", range(20))
def test_a_separator_is_in_no_row_and_the_smallest_have_none_to_spare(seed: int) -> None:
    random = np.random.default_rng(seed)
    truth = random.random((30, 9)) < 0.6
    truth[truth.all(axis=1), 0] = False
    smallest = Smallest(truth, 3, 99, 9999).run()
    for facts in (*smallest, *greedily(truth, random.uniform(1, 5, 9))):
        assert not truth[:, facts].all(axis=1).any()
        assert all(truth[:, [x for x in facts if x != one]].all(axis=1).any() for one in facts), (
            "each of them is needed"
        )
    sizes = range(1, 1 + min((len(facts) for facts in smallest), default=4))
    for size in sizes[:-1]:
        for facts in combinations(range(9), size):
            assert truth[:, facts].all(axis=1).any(), "a smaller one was overlooked"


def test_a_cube_is_narrowed_until_a_state_no_longer_fits_it() -> None:
    system = TransitionSystem(Suite.of(Tokens, "Tokens").model(False), {"holders": 2})
    worlds = explored_worlds(system, 100, 5.0, 0, SILENT, lambda _: None)
    prospect = Prospect(Words(system.model, ()), worlds, 1)
    wanted = prospect.pack(system.encode({"started": False, "holds": (True, False)}))
    tables = [table for _, layer in prospect.layers() for table in layer]
    cubes = [cube for t in tables for cube in prospect.separating(t, wanted, 2, 9, 99)]
    assert cubes
    for cube in cubes:
        alone = replace(cube, columns=())
        narrowed = prospect.apart(alone, system.encode({"started": True, "holds": (True, True)}))
        assert narrowed is not None
        (column,) = narrowed.columns
        assert column in cube.facts
        # Nothing can be added to all that is seen, nor where the state does not fit anyway.
        same: ConcreteState = {"started": False, "holds": (True, False)}
        assert prospect.apart(replace(cube, columns=cube.facts), system.encode(same)) is None
