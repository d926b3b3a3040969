"""Where a value of a sort stands among all of them is found part by part, for every sort."""

from __future__ import annotations

from random import Random

import pytest

from bmc.lang import BOOL, Integer, MapSort, OptionSort, Record, SetSort, Sort, Variant
from bmc.layout.domain import Domains
from bmc.readings.circuit import Circuit, Node, evaluate
from bmc.readings.positions import Positions
from bmc.readings.shapes import Shapes

Place = Integer("Place", 1, 3)
Content = Variant("Content", to=Place, reset=BOOL, by=OptionSort(Place))
Pair = Record("Pair", one=BOOL, other=OptionSort(Content))


@pytest.mark.parametrize(
    "sort",
    [
        BOOL,
        Place,
        OptionSort(Place),
        Content,
        Pair,
        SetSort(Place),
        MapSort(Place, OptionSort(BOOL)),
        Variant("Either", one=SetSort(BOOL), other=MapSort(BOOL, Content)),
    ],
    ids=str,
)
def test_a_value_stands_where_it_is_listed_and_nowhere_else(sort: Sort) -> None:
    circuit, domains = Circuit(), Domains({})
    shapes = Shapes(circuit, domains)
    positions = Positions(shapes)
    made: list[Node] = []

    def variable(boolean: bool, low: int, high: int) -> Node:
        at = len(made)
        made.append(circuit.variable(at) if boolean else circuit.integer_variable(at, low, high))
        return made[-1]

    shape = shapes.fresh(sort, variable)
    hits = positions.hits(sort, shape)
    values = domains.values(sort)
    assert [place for place, _ in hits] == list(range(len(values)))
    for at in range(len(values)):
        numbers = shapes.numbers(shapes.constants(sort)[at])
        assert numbers is not None
        held = evaluate([node for _, node in hits], numbers)
        assert [place for place, one in enumerate(held) if one] == [at]
        assert evaluate([shapes.well_formed(sort, shape)], numbers) == [1]


@pytest.mark.parametrize(
    "sort",
    [Place, OptionSort(Place), Content, Pair, Variant("Wide", one=Pair, other=Place)],
    ids=str,
)
def test_a_shape_is_inside_of_its_sort_where_it_hits(sort: Sort) -> None:
    circuit = Circuit()
    shapes = Shapes(circuit, Domains({}))
    positions = Positions(shapes)
    ranges: list[tuple[int, int]] = []

    def variable(boolean: bool, low: int, high: int) -> Node:
        at = len(ranges)
        ranges.append((low, high) if boolean else (low - 1, high + 1))
        return circuit.variable(at) if boolean else circuit.integer_variable(at, *ranges[at])

    shape = shapes.fresh(sort, variable)
    inside = positions.inside(sort, shape)
    hit = circuit.any(one for _, one in positions.hits(sort, shape))
    chance, met = Random(1), set()
    for _ in range(400):
        numbers = list(shapes.scalars(chance.choice(shapes.constants(sort))))
        changed = chance.randrange(len(ranges))
        numbers[changed] = chance.randint(*ranges[changed])
        here, there = evaluate([inside, hit], numbers)
        assert here == there
        met.add(here)
    assert met == {0, 1}


def test_an_index_within_a_sequence_is_asked_for_once() -> None:
    """What a guard says of a length, and where its element has a value, are one gate."""
    circuit = Circuit()
    length, tag = circuit.integer_variable(0, 0, 5), circuit.integer_variable(1, 0, 1)
    within = circuit.le(circuit.number(2), length)
    assert within is circuit.lt(circuit.number(1), length)
    either = circuit.or_(*(circuit.eq(tag, circuit.number(n)) for n in (0, 1)))
    assert either is circuit.true
    element = circuit.and_(within, circuit.or_(circuit.not_(within), either), circuit.variable(2))
    assert circuit.needed(within, element) is circuit.implies(within, circuit.variable(2))


def test_parts_that_conditions_share_are_looked_through_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of five levels of eight gates there are 40, and 37,449 ways down to them."""
    circuit = Circuit()
    level = [circuit.variable(n) for n in range(8)]
    for made in (circuit.and_, circuit.or_, circuit.and_, circuit.or_, circuit.and_):
        level = [made(*(part for m, part in enumerate(level) if m != n)) for n in range(8)]
    asked: list[Node] = []
    under = Circuit._under

    def counted(self: Circuit, known: dict[int, Node], node: Node, depth: int, most: int) -> Node:
        asked.append(node)
        return under(self, known, node, depth, most)

    monkeypatch.setattr(Circuit, "_under", counted)
    condition = circuit.or_(*level)
    assert circuit.needed(circuit.variable(8), condition).op == "or"
    assert len(asked) < 400


def test_values_are_not_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    letter = Record("Letter", origin=Place, target=Place, content=Place)
    sort = Variant("Message", letter=letter, reset=OptionSort(letter))
    shapes = Shapes(Circuit(), Domains({}))
    positions = Positions(shapes)
    index = iter(range(100))

    def variable(boolean: bool, low: int, high: int) -> Node:
        circuit, at = shapes.circuit, next(index)
        return circuit.variable(at) if boolean else circuit.integer_variable(at, low, high)

    compared: list[object] = []
    plain = Shapes.equal

    def counted(self: Shapes, left: object, right: object) -> Node:
        compared.append(left)
        return plain(self, left, right)

    shape = shapes.fresh(sort, variable)
    monkeypatch.setattr(Shapes, "equal", counted)
    assert len(positions.hits(sort, shape)) == 27 + 28 > 2 * len(compared)
    found = positions.hits(sort, shape)
    compared.clear()
    # The same parts again, as another rule makes them.
    assert positions.hits(sort, (shape[0], (*shape[1],))) == found
    assert not compared
