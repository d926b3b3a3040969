"""Shapes hold values: each value in one way, and nothing else."""

from __future__ import annotations

from itertools import product
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from bmc.lang import Sort
from bmc.layout.domain import Domains
from bmc.readings.circuit import Node, evaluate
from bmc.readings.shapes import Shapes
from tests.semantics.outcomes import Leaves
from tests.strategies import Draw, Values, World, count, draws, effort, world_of
from tests.strategies.values import Value

MOST_ASSIGNMENTS = 3000


def sorts() -> st.SearchStrategy[tuple[World, Sort]]:
    """A world and a sort in it."""
    return draws().map(sort_of)


def sort_of(draw: Draw) -> tuple[World, Sort]:
    """The world and the sort that these choices make."""
    world = world_of(draw)
    return world, world.sort(draw)


def pairs() -> st.SearchStrategy[tuple[Domains, Sort, Value, Value]]:
    """Two values of a sort, often the same."""
    return draws().map(pair_of)


def pair_of(draw: Draw) -> tuple[Domains, Sort, Value, Value]:
    """The values that these choices make."""
    world, sort = sort_of(draw)
    values = Values(draw, world.domains)
    return world.domains, sort, values.of(sort), values.of(sort)


def numbers(shapes: Shapes, sort: Sort, value: Value) -> list[int]:
    """The scalars of a constant."""
    return [leaf.data for leaf in shapes.leaves(shapes.constant(sort, value))]


def holds(leaves: Leaves, node: Node) -> bool:
    """Whether a Bool node is true under the leaves' numbers."""
    return evaluate([node], leaves.numbers) == [1]


@effort(200)
@given(pairs())
def test_a_constant_decodes_to_its_value(pair: tuple[Domains, Sort, Value, Value]) -> None:
    domains, sort, value, _ = pair
    shapes = Leaves(domains).shapes
    assert shapes.layouts.decode(sort, iter(numbers(shapes, sort, value))) == value


@effort(200)
@given(pairs())
def test_an_encoded_value_is_well_formed(pair: tuple[Domains, Sort, Value, Value]) -> None:
    domains, sort, value, _ = pair
    leaves = Leaves(domains)
    shape = leaves.holding(sort, value)
    assert holds(leaves, leaves.shapes.well_formed(sort, shape))
    read = evaluate(list(leaves.shapes.leaves(shape)), leaves.numbers)
    assert read == numbers(leaves.shapes, sort, value)


@effort(200)
@given(sorts())
def test_the_default_is_a_value(drawn: tuple[World, Sort]) -> None:
    world, sort = drawn
    assert world.domains.contains(sort, world.domains.default(sort))


@effort(150)
@given(sorts())
def test_well_formed_assignments_are_the_values(drawn: tuple[World, Sort]) -> None:
    world, sort = drawn
    leaves = Leaves(world.domains)
    shape = leaves.fresh(sort)
    ranges = [range(n.low, n.high + 1) for n in leaves.nodes]
    if prod(map(len, ranges)) > MOST_ASSIGNMENTS:
        return
    nodes = [leaves.shapes.well_formed(sort, shape), *leaves.shapes.leaves(shape)]
    found = []
    for assignment in product(*ranges):
        well_formed, *scalars = evaluate(nodes, assignment)
        if well_formed:
            value = leaves.shapes.layouts.decode(sort, iter(scalars))
            assert world.domains.contains(sort, value)
            assert scalars == numbers(leaves.shapes, sort, value)
            found.append(value)
    assert len(found) == len(set(found)) == count(world.domains, sort)


@effort(200)
@given(pairs())
def test_equal_shapes_are_equal_values(pair: tuple[Domains, Sort, Value, Value]) -> None:
    domains, sort, one, other = pair
    leaves = Leaves(domains)
    left, right = leaves.holding(sort, one), leaves.holding(sort, other)
    assert holds(leaves, leaves.shapes.equal(left, right)) == (one == other)


@effort(200)
@given(pairs())
def test_the_order_of_shapes_is_total(pair: tuple[Domains, Sort, Value, Value]) -> None:
    domains, sort, one, other = pair
    leaves = Leaves(domains)
    left, right = leaves.holding(sort, one), leaves.holding(sort, other)
    below, above = leaves.shapes.less(left, right), leaves.shapes.less(right, left)
    assert holds(leaves, below) + holds(leaves, above) == (one != other)
    scalars = numbers(leaves.shapes, sort, one), numbers(leaves.shapes, sort, other)
    assert holds(leaves, below) == (scalars[0] < scalars[1])


@effort(100)
@given(pairs(), st.booleans())
def test_a_conditional_is_the_branch_taken(
    pair: tuple[Domains, Sort, Value, Value], condition: bool
) -> None:
    domains, sort, one, other = pair
    leaves = Leaves(domains)
    left, right = leaves.holding(sort, one), leaves.holding(sort, other)
    gate = leaves.circuit.variable(len(leaves.numbers))
    chosen = leaves.shapes.ite(gate, left, right)
    read = evaluate(list(leaves.shapes.leaves(chosen)), [*leaves.numbers, condition])
    assert read == numbers(leaves.shapes, sort, one if condition else other)


@effort(150)
@given(draws())
def test_listed_values_are_all_values(draw: Draw) -> None:
    world = world_of(draw)
    sort = world.listable(draw, 30)
    listed = world.domains.values(sort)
    assert len(listed) == len(set(listed)) == count(world.domains, sort)
    assert all(world.domains.contains(sort, value) for value in listed)
    assert [world.domains.position(sort, value) for value in listed] == list(range(len(listed)))
    ordered = [numbers(Leaves(world.domains).shapes, sort, value) for value in listed]
    assert ordered == sorted(ordered)
