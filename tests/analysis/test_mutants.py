"""Faults planted into protocols: each is another protocol, and is known by its name."""

import pytest

from bmc.analysis.mutants import faults, mutated
from bmc.cli.shared import catalogue
from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.lang.errors import UnknownName
from bmc.lang.fingerprint import fingerprint
from tests.cli.running import bmc
from tests.sweep.counters import SUITE

VALUES = {"top": 4, "rounds": 2}


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


def test_the_catalogue_has_a_protocol_with_a_fault() -> None:
    assert catalogue.find("id-sequence~NextId.guard2.dropped").name.endswith("guard2.dropped")
    with pytest.raises(UnknownName, match=r"did you mean|NextId"):
        catalogue.find("id-sequence~NextId.guard9.dropped")
    kafka = catalogue.find("kafka")
    lemma = kafka.lemmas[0].name
    less = catalogue.find(f"kafka~without.{lemma}")
    assert [one.name for one in less.lemmas] == [one.name for one in kafka.lemmas[1:]]


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
