"""Operators on terms mean what a specification means, and Python's own meanings are refused."""

import copy
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bmc.lang import Expr, LanguageError, SortError, State, Term, exists, ite, member, some
from bmc.lang.build import argument
from bmc.lang.sorts import BOOL, MapSort, SetSort
from bmc.lang.terms import coerce, literal, make, term_of, truth
from tests.lang.zoo import NODES, SORTS, Colour, Epoch, Node, Offset, state, step

s = state


@pytest.mark.parametrize(
    "write",
    [
        lambda: s.epoch == s.offset,
        lambda: s.epoch != s.offset,
        lambda: s.epoch < s.offset,
        lambda: s.epoch + s.offset,
        lambda: s.offset - s.epoch,
        lambda: s.queue[0],
        lambda: s.logs[s.node].entries[s.epoch],
        lambda: s.logs[s.client],
        lambda: s.node == s.client,
        lambda: s.isr | s.epoch,
        lambda: member(s.client, s.isr),
        lambda: s.node < s.peer,
        lambda: s.node + 1,
        lambda: s.node == 0,
        lambda: s.colour == 1,
        lambda: s.flag & s.epoch,
        lambda: s.flag == 1,
        lambda: s.epoch == True,  # noqa: E712
        lambda: ~s.epoch,
        lambda: ite(s.epoch, 1, 2),
        lambda: ite(s.flag, s.epoch, s.offset),
        lambda: s.leader == s.client,
        lambda: s.requests - s.requests,
        lambda: s.network & s.network,
    ],
)
def test_sorts_do_not_mix(write: Callable[[], object]) -> None:
    with pytest.raises(SortError):
        write()


def test_the_message_names_both_identities() -> None:
    with pytest.raises(SortError, match=r"different identity \(Epoch and Offset\): they do not"):
        s.epoch <= s.offset  # noqa: B015
    with pytest.raises(SortError, match=r"offset and epoch .* \(Offset and Epoch\): they do not"):
        s.offset <= s.epoch  # noqa: B015


def test_numbers_and_sums_keep_the_identity() -> None:
    total = s.epoch + 1
    assert term_of(total).sort.name == "Epoch"
    assert term_of(2 - s.offset).sort.name == "Offset"
    with pytest.raises(SortError, match="do not mix"):
        total == s.offset  # noqa: B015
    assert term_of(s.offset == s.logs[s.node].end).sort == BOOL


@pytest.mark.parametrize(
    "write",
    [
        lambda: bool(s.flag),
        lambda: s.flag and s.flag,
        lambda: s.flag or s.flag,
        lambda: not s.flag,
        lambda: 1 if s.flag else 2,
        lambda: 0 < s.epoch < 2,
        lambda: s.epoch in [s.offset + 1],
    ],
)
def test_a_term_has_no_truth_value(write: Callable[[], object]) -> None:
    with pytest.raises(LanguageError):
        write()


def test_the_refusal_says_what_to_write() -> None:
    with pytest.raises(LanguageError, match=r"use & \| ~ and implies"):
        assert s.flag


@pytest.mark.parametrize("name", ["isr", "epochs", "queue", "entry"])
def test_a_term_is_not_iterated(name: str) -> None:
    with pytest.raises(LanguageError, match="forall, exists, filtered or mapping"):
        list(getattr(s, name))


def test_in_is_refused() -> None:
    with pytest.raises(LanguageError, match=r"member\(element, collection\)"):
        s.node in s.isr  # noqa: B015


def test_equal_construction_is_the_identical_term() -> None:
    assert term_of(s.epoch + 1 == 2) is term_of(State(SORTS).epoch + 1 == 2)
    assert term_of(s.epoch == 1) is not term_of(s.epoch == 2)
    assert literal(1) is not truth(True)
    assert make("int", (), Epoch, 1) is not make("int", (), Offset, 1)


def test_reflected_operators_read_as_written() -> None:
    assert repr(3 - s.epoch) == "3 - epoch"
    assert repr(1 + s.epoch) == "1 + epoch"
    assert term_of(2 >= s.epoch) is term_of(s.epoch <= 2)


@pytest.mark.parametrize(
    ("value", "sort", "text"),
    [
        (3, Epoch, "3"),
        ("red", Colour, '"red"'),
        (None, SORTS["leader"], "None"),
        (s.node, SORTS["leader"], "node"),
        (frozenset(), SORTS["isr"], "{}"),
        (frozenset([term_of(s.node)]), SORTS["isr"], "{node}"),
        (s.epoch + 1, Epoch, "(epoch + 1)"),
    ],
)
def test_plain_values_are_read_by_the_sort(value: Any, sort: Any, text: str) -> None:
    term = coerce(value, sort)
    assert term.sort == sort
    assert repr(term) == text


@pytest.mark.parametrize(
    ("value", "sort", "message"),
    [
        ("rod", Colour, "'rod' is no Colour: use one of red, green, blue"),
        (1, Node, "expected a Node, found 1"),
        (None, Node, "expected a Node, found None; None is a value of Option"),
        (s.offset + 1, Epoch, "they do not mix"),
        (frozenset([1]), Epoch, "expected a Epoch"),
        ("red", Epoch, "cannot be read as a term"),
        (1.5, Epoch, "cannot be read as a term"),
        (Fraction(1, 2), Epoch, "numbers are integers"),
        (np.int64(1), Epoch, r"write int\(…\)"),
        ("red", MapSort(Node, Colour), "assign one entry"),
        ("red", SetSort(Node), "write {element"),
    ],
)
def test_what_does_not_fit_is_refused(value: Any, sort: Any, message: str) -> None:
    with pytest.raises(SortError, match=message):
        coerce(value, sort)


@pytest.mark.parametrize(
    "write",
    [
        *(lambda: s.epoch < np.int64(1), lambda: np.int64(1) > s.epoch),
        *(lambda: np.int64(1) + s.epoch, lambda: s.epoch == np.int64(1)),
    ],
)
def test_a_number_of_another_library_is_to_be_one_of_pythons(write: Callable[[], object]) -> None:
    with pytest.raises(SortError, match=r"write int\(…\)"):
        write()


def test_an_unknown_field_suggests_the_nearest() -> None:
    with pytest.raises(SortError, match=r"Entry has no field 'epok': did you mean epoch\?"):
        s.entry.epok  # noqa: B018
    with pytest.raises(SortError, match="not a record: it has no field 'end'"):
        s.epoch.end  # noqa: B018
    with pytest.raises(SortError, match=r"assign insert\(collection, element\)"):
        s.isr.add  # noqa: B018
    with pytest.raises(SortError, match=r"where is_some\(x\) holds, write the\(x\)\.epoch"):
        some(s.entry).epoch  # noqa: B018
    with pytest.raises(SortError, match=r"where is_some\(x\) holds, write the\(x\)$"):
        some(s.epoch) + 1


@pytest.mark.parametrize("question", [lambda: len(s.isr), lambda: list(Node)])
def test_python_neither_counts_nor_lists(question: Callable[[], object]) -> None:
    with pytest.raises(LanguageError, match=r"in Python: use"):
        question()


def test_a_python_set_is_a_set() -> None:
    node = term_of(s.node)
    assert coerce({node}, SetSort(Node)) is coerce(frozenset([node]), SetSort(Node))


def test_a_name_beside_a_connective_tells_of_precedence() -> None:
    with pytest.raises(SortError, match=r"write \(x == 'red'\) & y"):
        s.colour == "red" & (s.epoch == 0)  # noqa: B015


def test_only_maps_are_indexed() -> None:
    with pytest.raises(SortError, match="not a map: it cannot be indexed"):
        s.queue[0]
    with pytest.raises(SortError, match=r"write lookup\(set, key\)"):
        s.requests[s.epoch]


@pytest.mark.parametrize("refused", [pickle.dumps, copy.deepcopy])
def test_terms_refuse_to_travel(refused: Callable[[Term], object]) -> None:
    with pytest.raises(LanguageError, match="send the protocol's name and parameters"):
        refused(s.epoch + 1)


def test_free_variables_are_those_no_binder_binds() -> None:
    x = argument("x", Node)
    assert term_of(exists(Node, lambda y: y == x)).free == {x}
    assert term_of(exists(Node, lambda y: y == s.node)).free == frozenset()
    bodies: list[Term] = []

    def body(y: Expr) -> Expr:
        bodies.append(term_of(y == x))
        return y == x

    exists(Node, body)
    assert len(bodies[0].free) == 2


def test_a_place_stands_for_its_term_everywhere() -> None:
    place: Expr = step().epoch
    assert term_of(place + 1) is term_of(s.epoch + 1)
    assert term_of(place) is term_of(s.epoch)


def test_operands_stand_as_they_are_written() -> None:
    assert repr((s.epoch + 0) == s.epoch) == "epoch + 0 = epoch"
    assert repr(s.epoch == s.epoch + 0) == "epoch = epoch + 0"
    assert repr((s.epoch + 0) < s.epoch) == "epoch + 0 < epoch"


def test_products_keep_a_sort_in_common_and_quotients_have_none() -> None:
    sorts = [
        2 * s.epoch,
        s.epoch * s.epoch,
        s.epoch * s.offset,
        s.epoch // 2,
        s.epoch % NODES,
        NODES // 2,
        5 % s.epoch,
    ]
    names = [term_of(made).sort.name for made in sorts]
    assert names == ["Epoch", "Epoch", "", "", "", "", ""]


@pytest.mark.parametrize("divisor", [0, -2])
def test_no_number_below_one_divides(divisor: int) -> None:
    with pytest.raises(LanguageError, match="a divisor is positive"):
        s.epoch // divisor
    with pytest.raises(LanguageError, match="a divisor is positive"):
        s.epoch % divisor


def test_products_and_sums_read_as_written() -> None:
    assert repr(s.epoch * (s.epoch + 1) // 2 % NODES) == "((epoch * (epoch + 1)) \\div 2) % nodes"
    assert repr(s.epoch * (NODES + 1)) == "epoch * (nodes + 1)"
