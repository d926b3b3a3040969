"""What grounding holds in less memory is what it stands for, and what nobody reads is not made."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bmc.lang import BOOL, Integer, OptionSort, Record, SetSort
from bmc.layout.domain import Domains
from bmc.readings import shapes as shapes_module
from bmc.readings.circuit import Circuit
from bmc.readings.positions import Positions
from bmc.readings.shapes import Shapes
from bmc.readings.single import compact
from bmc.system.transition import TransitionSystem
from tests.readings.test_remembered import grounded

Place = Integer("Place", 1, 3)
Pair = Record("Pair", one=OptionSort(Place), other=BOOL)


@pytest.mark.parametrize("mapping", [{}, {3: "x"}, {3: "x", 4: "y"}], ids=len)
def test_a_small_mapping_is_the_dictionary(mapping: Mapping[int, str]) -> None:
    made = compact(mapping)
    assert made == mapping
    assert {**made} == mapping
    assert [key in made for key in (3, 5)] == [key in mapping for key in (3, 5)]
    assert made.get(5) is None


def test_a_record_stands_where_its_parts_say() -> None:
    shapes = Shapes(Circuit(), Domains({}))
    positions = Positions(shapes)
    values = shapes.domains.values(Pair)
    listed = shapes.constants(Pair)
    assert listed == tuple(shapes.constant(Pair, value) for value in values)
    assert [positions.position(Pair, one) for one in listed] == list(range(len(values)))
    beyond = (shapes.circuit.true, shapes.circuit.number(4)), shapes.circuit.false
    assert positions.position(Pair, beyond) is None
    free = listed[0][0], shapes.circuit.variable(0)
    assert positions.position(Pair, free) is None


def test_the_members_of_a_wide_set_are_those_of_a_narrow_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sort = SetSort(Pair)
    found = []
    for wide in (0, 1_000):
        monkeypatch.setattr(shapes_module, "_WIDE", wide)
        circuit = Circuit()
        shapes = Shapes(circuit, Domains({}))
        bits = tuple(circuit.variable(i) for i in range(len(shapes.constants(Pair))))
        members = shapes.members(sort, bits)
        assert len(bits) not in members
        assert -1 not in members
        found.append([(i, present.uid, repr(one)) for i, (present, one) in members.items()])
    assert found[0] == found[1]


def test_what_follows_from_anything_needs_no_gate() -> None:
    circuit = Circuit()
    premise = circuit.variable(0)
    before = len(circuit)
    assert circuit.implies(premise, circuit.true) is circuit.true
    assert len(circuit) == before


def test_scalars_after_a_step_are_made_when_they_are_spoken_of() -> None:
    system: TransitionSystem = grounded("elasticsearch")
    (name, *_) = system.state
    before = len(system.circuit)
    shape = system.expander.variables[name, True]
    assert len(system.circuit) > before
    assert system.expander.variables[name, True] is shape
    with pytest.raises(KeyError):
        system.expander.variables["nothing", True]
