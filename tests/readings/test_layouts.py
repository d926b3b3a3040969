"""Layouts: an absent part holds the default, and symmetry is read off how a sort is held."""

from __future__ import annotations

import pytest

from bmc.lang import BoundedSet, MapSort, OptionSort, Sequence, Sort
from bmc.lang.sort_parts import symmetric_parts
from bmc.layout.domain import Domains
from bmc.layout.layouts import Layouts, blank, flat, keeps_order
from tests.lang.zoo import SORTS, Epoch, Letter, Node

LAYOUTS = Layouts(Domains({"size": 2, "nodes": 3}))


@pytest.mark.parametrize("name", SORTS)
def test_what_fills_an_absent_part_is_the_default(name: str) -> None:
    sort = SORTS[name]
    default = LAYOUTS.domains.default(sort)
    assert LAYOUTS.blank(sort) == LAYOUTS.encode(sort, default) == blank(LAYOUTS.of(sort))
    assert LAYOUTS.decode(sort, flat(LAYOUTS.blank(sort))) == default


@pytest.mark.parametrize("name", SORTS)
def test_a_layout_names_the_scalarsets_of_its_sort(name: str) -> None:
    assert LAYOUTS.of(SORTS[name]).scalarsets == symmetric_parts(SORTS[name])


@pytest.mark.parametrize(
    ("sort", "kept"),
    [
        (BoundedSet(Letter, 2), True),
        (BoundedSet(Epoch, 2), False),
        (MapSort(Node, BoundedSet(Epoch, 2)), False),
        (MapSort(Epoch, OptionSort(Sequence(BoundedSet(Node, 2), 2))), True),
        (Sequence(Node, 2), False),
    ],
    ids=str,
)
def test_only_slots_in_canonical_order_are_reordered_by_a_renaming(sort: Sort, kept: bool) -> None:
    assert keeps_order(LAYOUTS.of(sort)) is kept
