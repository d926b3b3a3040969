"""Symmetry in a re-check is shown, not believed: where members differ, every instance is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest
from bmc.properties.elasticsearch import ELASTICSEARCH
from bmc.properties.kafka import KAFKA_KIP320

from bmc.engines.conjuncts import conjuncts
from bmc.evidence import certify as certifying
from bmc.evidence.certificate import Certificate, CertificateError, Statement
from bmc.evidence.certify import certify
from bmc.evidence.families import Family, NoCounterpart
from bmc.evidence.interchange import Interchange
from bmc.evidence.panel import Inquiry, Refuted
from bmc.evidence.path import SymbolicPath
from bmc.lang import Suite
from bmc.lang.fingerprint import fingerprint
from bmc.lang.protocol import parameter_values
from bmc.layout.domain import Value
from bmc.layout.renaming import Naming, generators, namings, renamed
from bmc.solving.factory import create
from bmc.system.renaming import Renaming
from bmc.system.transition import Instance, TransitionSystem

SMALL = {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
MAPPED = "replicaState"
"""A map from replicas: its scalars move when replicas are renamed."""


def system_and_families(
    suite: Suite, parameters: dict[str, int]
) -> tuple[TransitionSystem, list[Family]]:
    model = suite.model(ghosts=True)
    system = TransitionSystem(model, parameters)
    stated = [suite.describe(d, model) for d in suite.lemmas]
    return system, [
        Family(p.name, [a.sort for a in p.arguments], system.instances(p)) for p in stated
    ]


def shown(system: TransitionSystem, families: list[Family]) -> Interchange:
    """The interchange, when the solver agrees; raises Refuted or NoCounterpart."""
    found = Interchange(system, families)
    found.require(
        Inquiry(count().__next__, lambda text: None), SymbolicPath(system, create("bitwuzla"))
    )
    return found


@pytest.mark.parametrize("replicas", [2, 3, 4])
def test_replicas_can_be_interchanged_and_their_orbits_are_those_of_the_finder(
    replicas: int,
) -> None:
    system, families = system_and_families(KAFKA_KIP320, {**SMALL, "replicas": replicas})
    interchange = shown(system, families)
    model = KAFKA_KIP320.model(ghosts=True)
    stated = [KAFKA_KIP320.describe(d, model) for d in KAFKA_KIP320.lemmas]
    for number, one in enumerate(conjuncts(system, stated)):
        orbits = interchange.orbits(number)
        assert sorted(i for orbit in orbits for i in orbit) == list(range(len(one.instances)))
        assert len(orbits) == len(one.goals)


@pytest.mark.parametrize("replicas", [2, 3, 4])
def test_every_last_step_is_an_image_of_one_that_is_asked_for(replicas: int) -> None:
    system, families = system_and_families(KAFKA_KIP320, {**SMALL, "replicas": replicas})
    interchange = Interchange(system, families)
    actions = {a.name: {x.name: x.variable.sort for x in a.arguments} for a in system.model.actions}
    every_naming = list(namings(system.domains, system.model.variables.values()))

    def rules_named(naming: Naming) -> list[object]:
        """By position the names of the images; rules of one name are told apart by their order."""
        seen: Counter[object] = Counter()
        found: list[object] = []
        for rule in system.rules:
            values = tuple(
                renamed(system.domains, actions[rule.action][argument], value, naming)
                for argument, value in rule.arguments.items()
            )
            name = rule.action, rule.branch, values
            seen[name] += 1
            found.append((name, seen[name]))
        return found

    rule_images = [rules_named(naming) for naming in every_naming]
    assert len(set(rule_images[0])) == len(system.rules)
    for number, family in enumerate(families):
        asked = 0
        images = set()
        for position, *_ in interchange.orbits(number):
            arguments = family.instances[position].arguments
            for rule in interchange.last_rules(number, position):
                asked += 1
                images.add(
                    frozenset(
                        (_renamed(system, family, arguments, naming), names[rule])
                        for naming, names in zip(every_naming, rule_images, strict=True)
                    )
                )
        reached = {pair for orbit in images for pair in orbit}
        assert len(reached) == len(family.instances) * len(system.rules)
        assert asked == len(images)


def _renamed(
    system: TransitionSystem, family: Family, arguments: tuple[Value, ...], naming: Naming
) -> tuple[Value, ...]:
    pairs = zip(family.sorts, arguments, strict=True)
    return tuple(renamed(system.domains, sort, value, naming) for sort, value in pairs)


def test_a_rule_that_only_members_of_an_instance_take_is_asked_for() -> None:
    system, families = system_and_families(KAFKA_KIP320, SMALL)
    interchange = Interchange(system, families)
    fixed = next(n for n, f in enumerate(families) if not f.sorts)
    named = next(n for n, f in enumerate(families) if len(f.instances) == 3)
    assert len(interchange.last_rules(fixed, 0)) < len(interchange.last_rules(named, 0))
    assert len(interchange.last_rules(named, 0)) < len(system.rules)


def test_what_is_indexed_by_members_only_changes_places() -> None:
    system, _ = system_and_families(KAFKA_KIP320, SMALL)
    (naming, *_) = generators(system.domains, system.model.variables.values())
    image = Renaming(system).image(naming)
    sets_in_requests = [n for i, n in image.items() if system.leaves[i].boolean]
    assert sets_in_requests
    assert {node.op for node in sets_in_requests} == {"var"}


def _one_rule_less(system: TransitionSystem, families: list[Family]) -> None:
    system.rules = system.rules[:-1]


def _a_guard_that_names_a_replica(system: TransitionSystem, families: list[Family]) -> None:
    first = next(i for i, r in enumerate(system.rules) if r.arguments)
    narrowed = replace(
        system.rules[first],
        guard=system.circuit.and_(system.rules[first].guard, system.leaf_node(_boolean(system))),
    )
    system.rules = (*system.rules[:first], narrowed, *system.rules[first + 1 :])


def _an_update_that_names_a_replica(system: TransitionSystem, families: list[Family]) -> None:
    first = next(i for i, r in enumerate(system.rules) if r.arguments and r.updates)
    updates = {**system.rules[first].updates, _boolean(system): system.circuit.true}
    changed = replace(system.rules[first], updates=updates)
    system.rules = (*system.rules[:first], changed, *system.rules[first + 1 :])


def _an_instance_that_says_less(system: TransitionSystem, families: list[Family]) -> None:
    number = next(n for n, f in enumerate(families) if len(f.instances) > 2)
    family = families[number]
    weaker = Instance(family.name, family.instances[0].arguments, system.circuit.true)
    families[number] = replace(family, instances=[weaker, *family.instances[1:]])


def _an_instance_less(system: TransitionSystem, families: list[Family]) -> None:
    number = next(n for n, f in enumerate(families) if len(f.instances) > 2)
    families[number] = replace(families[number], instances=families[number].instances[1:])


def _a_constraint_that_names_a_replica(system: TransitionSystem, families: list[Family]) -> None:
    system.constraint = system.circuit.and_(system.constraint, system.leaf_node(_boolean(system)))


def _an_initial_state_that_names_a_replica(
    system: TransitionSystem, families: list[Family]
) -> None:
    system.initial = system.circuit.or_(system.initial, system.leaf_node(_boolean(system)))


def _boolean(system: TransitionSystem) -> int:
    return next(leaf.index for leaf in system.leaves if leaf.boolean and leaf.variable == MAPPED)


@pytest.mark.parametrize(
    "spoil",
    [
        _one_rule_less,
        _a_guard_that_names_a_replica,
        _an_update_that_names_a_replica,
        _an_instance_that_says_less,
        _an_instance_less,
        _a_constraint_that_names_a_replica,
        _an_initial_state_that_names_a_replica,
    ],
)
def test_a_system_that_tells_members_apart_is_found_out(
    spoil: Callable[[TransitionSystem, list[Family]], None],
) -> None:
    system, families = system_and_families(KAFKA_KIP320, SMALL)
    shown(system, families)
    spoil(system, families)
    with pytest.raises((Refuted, NoCounterpart)):
        shown(system, families)


def test_slots_that_a_renaming_reorders_are_not_called_symmetric() -> None:
    values = parameter_values(ELASTICSEARCH.protocol, {"nodes": 2}, "elasticsearch")
    system, families = system_and_families(ELASTICSEARCH, values)
    with pytest.raises((Refuted, NoCounterpart)):
        shown(system, families)


def certificate(conjuncts_: list[str]) -> Certificate:
    model = KAFKA_KIP320.model(ghosts=True)

    def statement(name: str) -> Statement:
        return Statement.of(KAFKA_KIP320.describe(KAFKA_KIP320.find(name), model))

    return Certificate(
        "kafka-kip320",
        SMALL,
        fingerprint(model, SMALL),
        1,
        (statement("StrongIsr"),),
        tuple(statement(name) for name in conjuncts_),
        "cadical",
    )


LEMMAS = [declared.name for declared in KAFKA_KIP320.lemmas]


def accepted(proof: Certificate, judges: int, every_instance: bool) -> bool:
    try:
        done = certify(proof, KAFKA_KIP320, judges=judges, every_instance=every_instance)
    except CertificateError:
        return False
    assert done.every_instance == every_instance
    return True


@pytest.fixture
def symmetry_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certifying, "_WORTHWHILE", 1)


@pytest.mark.usefixtures("symmetry_is_used")
def test_symmetry_and_more_judges_accept_what_one_accepts_without() -> None:
    proof = certificate(LEMMAS)
    assert all(accepted(proof, judges, every) for judges in (1, 2) for every in (True, False))


@pytest.mark.usefixtures("symmetry_is_used")
@pytest.mark.parametrize(
    "left_out",
    [
        pytest.param(name, marks=() if number % 18 == 0 else pytest.mark.nightly)
        for number, name in enumerate(LEMMAS)
        if number % 3 == 0
    ],
)
def test_symmetry_and_more_judges_reject_what_one_rejects_without(left_out: str) -> None:
    proof = certificate([name for name in LEMMAS if name != left_out])
    alone = accepted(proof, 1, every_instance=True)
    assert accepted(proof, 2, every_instance=True) == alone
    assert accepted(proof, 1, every_instance=False) == alone
    assert accepted(proof, 2, every_instance=False) == alone
