"""Faults planted into protocols: each is another protocol, and is known by its name."""

import json
import runpy
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from bmc.analysis.mutant_steps import BEYOND, Mutants, New, ReachedGraph, TooManyStates
from bmc.analysis.mutants import faults, mutated, original
from bmc.cli.shared import catalogue
from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.lang.errors import UnknownName
from bmc.lang.fingerprint import fingerprint
from bmc.lang.ghosts import Ghost, with_ghosts
from bmc.lang.historic import beside_ghosts
from bmc.lang.sorts import BOOL
from bmc.lang.terms import coerce
from tests.cli.running import bmc
from tests.sweep.counters import SUITE

ROOT = Path(__file__).resolve().parents[2]
VALUES = {"top": 4, "rounds": 2}
SMALL = {"top": 2, "rounds": 2}


def test_every_fault_is_another_protocol() -> None:
    model = SUITE.model(ghosts=False)
    names = [fault.name for fault in faults(model)]
    assert len(set(names)) == len(names) > 10
    prints = {fingerprint(fault.planted(model), {}) for fault in faults(model)}
    assert len(prints) == len(names)
    assert fingerprint(model, {}) not in prints


def test_what_only_weakens_a_guard_has_every_step_of_the_protocol() -> None:
    whole = explore(Task(SUITE, VALUES, ()))
    for fault in faults(SUITE.model(ghosts=False)):
        if fault.weakens:
            found = explore(Task(mutated(SUITE, fault.name), VALUES, ()))
            # One that leaves the bounds stops there.
            if found.overflow is not None:
                continue
            assert found.generated_states >= whole.generated_states, fault.name
            assert found.distinct_states >= whole.distinct_states, fault.name


def test_a_fault_in_what_has_one_leaves_that_one_in() -> None:
    """The name says both: it was answered of the protocol with the last fault alone."""
    first, second = "Again.round.unchanged", "Count.guard1.dropped"
    for ghosts in (False, True):
        both = mutated(mutated(SUITE, first), second).model(ghosts)
        (planted,) = (one for one in faults(SUITE.model(ghosts)) if one.name == first)
        (again,) = (
            one for one in faults(planted.planted(SUITE.model(ghosts))) if one.name == second
        )
        wanted = again.planted(planted.planted(SUITE.model(ghosts)))
        assert fingerprint(both, {}) == fingerprint(wanted, {})
        assert both.name == f"{SUITE.name}~{first}~{second}"


def test_a_fault_brings_no_history_back_that_was_taken_out() -> None:
    changed = catalogue.find("kafka~BecomeLeader.replicaState.part3.unchanged")
    assert changed.model(ghosts=True).ghosts
    assert not replace(changed, history=None).model(ghosts=True).ghosts


def test_ghosts_beside_a_fault_leave_it_in() -> None:
    """`infer` invents a history: with it the protocol was proved, in the name of its mutant."""
    changed = mutated(SUITE, "Again.round.unchanged")
    beside = beside_ghosts(changed, (Ghost("met", BOOL, "", coerce(True, BOOL), {}),))
    assert fingerprint(beside.model(False), {}) == fingerprint(changed.model(False), {})
    with_it = with_ghosts(changed.model(False), (Ghost("met", BOOL, "", coerce(True, BOOL), {}),))
    assert fingerprint(beside.model(True), {}) == fingerprint(with_it, {})


def test_claims_are_read_once_for_all_faults() -> None:
    """A text was read anew for each fault and claim, some ten minutes for elasticsearch."""
    claim = SUITE.find("Small")
    described = {
        id(one.describe(claim, one.model(ghosts=False)))
        for one in (SUITE, *(mutated(SUITE, fault.name) for fault in faults(SUITE.model(False))))
    }
    assert len(described) == 1


@pytest.mark.parametrize(
    ("fault", "violated", "overflows"),
    [
        ("Count.guard1.negated", [], False),
        ("Count.guard1.dropped", ["Small"], True),
        ("Count.value.off-by-one", ["Small"], False),
        ("Count.value.unchanged", [], False),
        ("Again.round.unchanged", ["Small"], False),
    ],
)
def test_what_a_fault_does(fault: str, violated: list[str], overflows: bool) -> None:
    found = explore(Task(mutated(SUITE, fault), VALUES, ("InRange", "Small")))
    assert list(found.violations) == violated
    assert (found.overflow is not None) is overflows


def test_a_fault_is_planted_once_also_beside_a_history() -> None:
    """The model with ghosts was made of one that had the fault, and was to have it again."""
    suite = catalogue.find("kafka-kip320")
    plain, followed = suite.model(ghosts=False), suite.model(ghosts=True)
    assert followed.ghosts
    for fault in islice(faults(plain), 3):
        found = mutated(suite, fault.name).model(ghosts=True)
        (planted,) = (one for one in faults(followed) if one.name == fault.name)
        assert fingerprint(found, {}) == fingerprint(planted.planted(followed), {})


def test_the_catalogue_has_a_protocol_with_a_fault() -> None:
    assert catalogue.find("id-sequence~NextId.guard2.dropped").name.endswith("guard2.dropped")
    with pytest.raises(UnknownName, match=r"did you mean|NextId"):
        catalogue.find("id-sequence~NextId.guard9.dropped")
    kafka = catalogue.find("kafka")
    lemma = kafka.lemmas[0].name
    less = catalogue.find(f"kafka~without.{lemma}")
    assert [one.name for one in less.lemmas] == [one.name for one in kafka.lemmas[1:]]


def test_a_sign_of_a_fault_in_a_path_is_none(tmp_path: Path) -> None:
    # No protocol could be named below a folder such as `lease~1`.
    folder = tmp_path / "lease~1"
    folder.mkdir()
    text = (ROOT / "docs" / "examples" / "lease.py").read_text()
    (folder / "lease~2.py").write_text(text)
    named = f"{folder}/lease~2.py:Lease"
    assert catalogue.find(named).name == named
    assert original(f"{named}~Tick.guard1.dropped~without.Lemma") == named
    (mutant,) = islice(faults(catalogue.find(named).model(ghosts=False)), 1)
    assert catalogue.find(f"{named}~{mutant.name}").name == f"{named}~{mutant.name}"
    assert [
        original(name) for name in ("S~1.tla", "S.tla@a~b.cfg", "S~.tla~Up.guard1.dropped")
    ] == [
        "S~1.tla",
        "S.tla@a~b.cfg",
        "S~.tla",
    ]


def test_a_sweep_of_mutants_asks_about_each_of_them() -> None:
    asked = bmc(
        "sweep",
        "id-sequence",
        "-p",
        "max_id=3",
        "--mutants",
        "--dry-run",
        "--json",
        "--out",
        "nowhere",
    )
    protocols = {job["protocol"] for job in asked.document["jobs"]}
    model = catalogue.find("id-sequence").model(ghosts=False)
    assert protocols == {"id-sequence", *(f"id-sequence~{f.name}" for f in faults(model))}


@pytest.mark.parametrize("values", [VALUES, SMALL])
def test_mutants_together_do_what_each_does_alone(values: dict[str, int]) -> None:
    model = SUITE.model(ghosts=False)
    whole = explore(Task(SUITE, values, ("InRange", "Small")))
    claims = [SUITE.describe(SUITE.find(name), model) for name in whole.holds]
    graph = ReachedGraph(model, values, 1000)
    seen = set()
    for action in ("Count", "Again"):
        planted = [fault for fault in faults(model) if fault.action == action]
        mutants = Mutants(graph, action, planted, claims)
        for number, fault in enumerate(planted):
            alone = explore(Task(mutated(SUITE, fault.name), values, whole.holds))
            lengths = {name: len(trace) for name, trace in alone.violations.items()}
            if alone.overflow is not None:
                lengths[BEYOND] = len(alone.overflow)
            did = mutants.did(number)
            seen.add((did.new, bool(did.noticed)))
            assert min(did.noticed.values(), default=None) == min(lengths.values(), default=None)
            if not lengths:
                happened = {name for name, times in alone.fired.items() if times}
                assert did.happened == happened, fault.name
    assert {(New.NOTHING, False), (New.STATES, True)} <= seen


def test_a_protocol_with_too_many_states_is_refused() -> None:
    with pytest.raises(TooManyStates, match="more than 3 states"):
        ReachedGraph(SUITE.model(ghosts=False), VALUES, 3)


def test_what_a_protocol_satisfies_is_what_an_exploration_finds() -> None:
    suite = catalogue.find("kafka-kip320-deployed-unclean")
    values = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1, "restarts": 1}
    model = suite.model(ghosts=False)
    graph = ReachedGraph(model, values, 10_000)
    names = ("TypeOk", "IsrNonEmpty", "StrongIsr", "LogsChangeWithinAnEpoch", "JoinsWhileFollowing")
    found = explore(Task(suite, values, names))
    assert found.violations
    assert found.holds
    declared = {one.name: one for one in suite.properties}
    holds = {one for one in names if graph.satisfies(suite.describe(declared[one], model))}
    assert holds == set(found.holds)


def test_what_nothing_notices_has_a_reason_in_every_protocol() -> None:
    kept = json.loads((ROOT / "docs" / "mutants.json").read_text(encoding="utf-8"))
    assert kept.keys() == catalogue.built_in().keys()
    reason = runpy.run_path(str(ROOT / "benchmarks" / "mutation_reasons.py"))["reason"]
    unnoticed = [
        (name, fault)
        for name, one in kept.items()
        for standing in ("steps", "states", "open")
        for faults_of in one["mutants"].get(standing, {}).values()
        for fault, _ in faults_of
    ]
    assert len(unnoticed) > 100
    assert not [(name, fault) for name, fault in unnoticed if not reason(name, fault)]
