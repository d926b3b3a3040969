"""The form in which the judge compares renamed circuits means what the circuits mean."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, product
from random import Random

import pytest
from bmc.properties.kafka import KAFKA_KIP320

from bmc.evidence import normal_form
from bmc.evidence.families import Family
from bmc.evidence.interchange import Interchange
from bmc.evidence.normal_form import NormalForm, simplified
from bmc.evidence.panel import Inquiry, Refuted
from bmc.evidence.path import SymbolicPath
from bmc.layout.renaming import generators
from bmc.readings.circuit import Circuit, Node, Substitution, evaluate
from bmc.solving.factory import create
from bmc.system.renaming import Renaming
from bmc.system.transition import TransitionSystem

SMALL = {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
STATES = list(product((0, 1), (0, 1), (0, 1, 2), (0, 1, 2)))


def some_junction(random: Random, c: Circuit, depth: int) -> Node:
    """A formula over two Booleans and two numbers, of literals that often meet again."""
    if not depth:
        atom = random.choice(
            [c.variable(0), c.variable(1)]
            + [
                c.eq(c.integer_variable(x, 0, 2), c.number(random.randrange(3)))
                for x in (2, 3)
                for _ in range(2)
            ]
        )
        return random.choice([atom, c.not_(atom)])
    parts = [some_junction(random, c, random.randrange(depth)) for _ in range(random.randint(2, 4))]
    made = random.choice([c.all, c.any])(parts)
    return random.choice([made, made, c.not_(made)])


@pytest.mark.parametrize("seed", range(12))
def test_a_simplified_formula_is_true_in_the_same_states(seed: int) -> None:
    random, c = Random(seed), Circuit()
    smaller = 0
    for _ in range(100):
        node = some_junction(random, c, 4)
        found = simplified(c, node)
        smaller += found is not node
        assert [evaluate([node], s) for s in STATES] == [evaluate([found], s) for s in STATES]
    assert smaller > 5


def test_what_the_parts_of_a_junction_say_of_each_other_is_used() -> None:
    c = Circuit()
    a, b, x = c.variable(0), c.variable(1), c.integer_variable(2, 0, 2)
    zero, one, two = (c.eq(x, c.number(n)) for n in range(3))
    assert simplified(c, c.and_(a, c.or_(c.not_(a), b))) is c.and_(a, b)
    assert simplified(c, c.or_(a, c.and_(c.not_(a), b))) is c.or_(a, b)
    assert simplified(c, c.and_(one, c.not_(zero))) is one
    assert simplified(c, c.and_(c.not_(zero), c.not_(one))) is two
    assert simplified(c, c.or_(zero, one)) is c.not_(two)
    assert simplified(c, c.and_(zero, two)) is c.false


def kafka() -> tuple[TransitionSystem, list[Family]]:
    model = KAFKA_KIP320.model(ghosts=True)
    system = TransitionSystem(model, SMALL)
    stated = [KAFKA_KIP320.describe(d, model) for d in KAFKA_KIP320.lemmas]
    return system, [
        Family(p.name, [a.sort for a in p.arguments], system.instances(p)) for p in stated
    ]


def test_a_lemma_of_an_image_means_the_same_where_what_is_to_be_shown_holds() -> None:
    system, families = kafka()
    random, images = Random(0), Renaming(system)
    lemmas = [instance.holds for family in families for instance in family.instances]
    compared = 0
    for naming in generators(system.domains, system.model.variables.values()):
        image = images.image(naming)
        form, plain = NormalForm(system, image), Substitution.by_index(system.circuit, image)
        assert form.to_show
        nodes = [form(node) for node in lemmas], [plain(node) for node in lemmas]
        for _ in range(400):
            state = [random.choice((leaf.low, leaf.high)) for leaf in system.leaves]
            for place, leaf in enumerate(system.leaves):
                if random.random() < 0.3:
                    state[place] = random.randint(leaf.low, leaf.high)
            if all(evaluate(form.to_show, state)):
                compared += 1
                assert evaluate(nodes[0], state) == evaluate(nodes[1], state)
    assert compared > 10


def require(system: TransitionSystem, interchange: Interchange) -> None:
    path = SymbolicPath(system, create("bitwuzla"))
    interchange.require(Inquiry(count().__next__, lambda text: None), path)


def test_few_equalities_of_kafka_are_left_to_be_asked() -> None:
    system, families = kafka()
    interchange = Interchange(system, families)
    require(system, interchange)
    # Without the form it was 259.
    assert len(interchange.left) < 180


def test_what_a_renamed_member_was_is_shown_and_not_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: Callable[..., list[int]] = evaluate
    monkeypatch.setattr(normal_form, "evaluate", lambda *given: [2 - told(*given)[0]])
    system, families = kafka()
    with pytest.raises(Refuted):
        require(system, Interchange(system, families))
