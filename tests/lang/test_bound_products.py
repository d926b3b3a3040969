"""A bound can multiply parameters: how often something happens an each of something else."""

from bmc.lang import Bound, Integer, Scalarset
from bmc.layout.domain import Domains
from tests.lang.zoo import NODES, SIZE

VALUES = {"size": 5, "nodes": 3}


def test_a_product_is_a_number_at_parameters() -> None:
    bound = (SIZE + 1) * (NODES - 2) + 7
    assert Bound.of(bound).at(VALUES) == 13
    assert repr(bound) == "nodes + nodes*size - 2*size + 5"


def test_products_commute_and_cancel() -> None:
    assert Scalarset("A", SIZE * NODES) == Scalarset("A", NODES * SIZE)
    assert Scalarset("A", SIZE * NODES - NODES * SIZE) == Scalarset("A", 0)


def test_a_product_ends_a_sort() -> None:
    assert Domains(VALUES).range(Integer("Id", 1, SIZE * NODES)) == (1, 15)
