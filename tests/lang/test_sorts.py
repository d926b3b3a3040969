"""Sorts that make no sense are refused where they are declared."""

from collections.abc import Callable
from typing import Any

import pytest

from bmc.lang import (
    BOOL,
    BoundedSet,
    EnumSort,
    Integer,
    KeyedSetSort,
    MapSort,
    OptionSort,
    Record,
    Scalarset,
    Sequence,
    SetSort,
    Sort,
    SortError,
    Variant,
)
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import (
    IntSort,
    RecordSort,
    VariantSort,
)
from tests.lang.zoo import SORTS, Client, Entry, Epoch, Letter, Log, Node, Offset

LETTERS: Any = "red"
ANY_ORDER: Any = {"red", "green"}
NUMBERS: Any = (1, 2)


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: Integer("", 0, 1), "needs a name"),
        (lambda: EnumSort("Colour", ()), "at least one value"),
        (lambda: EnumSort("Colour", ("red", "red")), "no value twice"),
        (lambda: EnumSort("Colour", LETTERS), r"a tuple of names, and this is 'red': .*only"),
        (lambda: EnumSort("Colour", ANY_ORDER), "are a tuple of names"),
        (lambda: EnumSort("Colour", NUMBERS), "are a tuple of names"),
        (lambda: OptionSort(OptionSort(BOOL)), "option of an option"),
        (lambda: Record("Nothing"), "at least one field"),
        (lambda: Variant("Nothing"), "at least one case"),
        # Data can say them twice.
        (lambda: RecordSort("Entry", (("n", BOOL), ("n", BOOL))), "a field of Entry is told by"),
        (lambda: VariantSort("Entry", (("n", BOOL), ("n", Epoch))), "a case of Entry is told by"),
        (lambda: SetSort(KeyedSetSort(Entry, "epoch")), "a set's element cannot be"),
        (lambda: SetSort(SetSort(IntSort("Epoch"))), "must have a range"),
        (lambda: SetSort(IntSort("Epoch")), "must have a range"),
        (lambda: MapSort(KeyedSetSort(Entry, "epoch"), BOOL), "a map's key cannot be"),
        (lambda: MapSort(SetSort(IntSort("Epoch")), BOOL), "must have a range"),
        (lambda: KeyedSetSort(Entry, "epok"), "did you mean epoch"),
        (lambda: KeyedSetSort(Log, "entries"), "the key entries of a set cannot be"),
    ],
)
def test_a_senseless_sort_is_refused(declare: Callable[[], Sort], message: str) -> None:
    with pytest.raises(SortError, match=message):
        declare()


def test_sorts_of_equal_make_are_equal() -> None:
    assert Record("Entry", epoch=Epoch, owner=OptionSort(Node)) == Entry
    assert Record("Entry", owner=OptionSort(Node), epoch=Epoch) != Entry
    assert Offset.to(7) == Integer("Offset", 0, 7)
    assert Scalarset("Node", 2) != Scalarset("Peer", 2)


def test_an_intermediate_integer_has_no_range() -> None:
    assert not IntSort("Epoch").bounded
    with pytest.raises(SortError, match="Epoch has no range: use a declared integer sort"):
        IntSort("Epoch").range()


@pytest.mark.parametrize(
    ("sort", "parts"),
    [
        (BOOL, set()),
        (Epoch, set()),
        (Node, {Node}),
        (Entry, {Node}),
        (Letter, {Node}),
        (MapSort(Client, Entry), {Node, Client}),
        (SetSort(OptionSort(Client)), {Client}),
        (KeyedSetSort(Entry, "epoch"), {Node}),
        (Sequence(Client, 2), {Client}),
        (BoundedSet(Letter, 2), {Node}),
    ],
    # Not the sets: their order differs between processes, and so would the tests' names.
    ids=lambda value: str(value) if isinstance(value, Sort) else "",
)
def test_the_scalarsets_in_a_sort_are_found(sort: Sort, parts: set[Scalarset]) -> None:
    assert symmetric_parts(sort) == parts


@pytest.mark.parametrize("name", SORTS)
def test_sorts_have_readable_names(name: str) -> None:
    text = str(SORTS[name])
    assert text
    assert "Sort(" not in text
