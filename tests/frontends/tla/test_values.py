"""Values are equal as TLA+ has it, ordered and printed as TLC does."""

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bmc.frontends.tla.lazy_sets import (
    INTEGERS,
    NATURALS,
    Functions,
    NotEnumerable,
    Records,
    Sequences,
    SetTooLarge,
    Subsets,
    Tuples,
    Union,
    members,
)
from bmc.frontends.tla.values import (
    FALSE,
    TRUE,
    Function,
    function,
    graph_of,
    in_order,
    model_value,
    order_key,
    record,
    show,
)

R1, R2, R10 = model_value("r1"), model_value("r2"), model_value("r10")

atoms = st.one_of(
    st.sampled_from((TRUE, FALSE)),
    st.integers(-3, 3),
    st.sampled_from(("", "a", "b")),
    st.sampled_from((R1, R2, R10)),
)
values = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.frozensets(inner, max_size=3),
        st.dictionaries(inner, inner, max_size=3).map(function),
        st.lists(inner, max_size=3).map(tuple),
    ),
    max_leaves=8,
)


@given(values, values)
def test_the_order_is_total_and_agrees_with_equality(a: Any, b: Any) -> None:
    assert (order_key(a) == order_key(b)) == (a == b)
    assert (order_key(a) < order_key(b)) + (order_key(b) < order_key(a)) == (a != b)


@given(st.dictionaries(values, values, max_size=4))
def test_a_function_is_its_graph(graph: dict[Any, Any]) -> None:
    made = function(graph)
    assert graph_of(made) == graph
    assert made == function(dict(reversed(graph.items())))
    assert hash(made) == hash(function(dict(reversed(graph.items()))))


@given(values)
def test_values_survive_pickling(value: Any) -> None:
    assert pickle.loads(pickle.dumps(value)) == value


def test_a_function_on_one_to_n_is_a_tuple_and_a_record_is_a_function_on_strings() -> None:
    assert function({1: "x", 2: "y"}) == ("x", "y")
    assert function({}) == ()
    assert record(a=1) == function({"a": 1})
    assert function({0: "x", 1: "y"}) != ("x", "y")


def test_kinds_do_not_mix() -> None:
    assert len({TRUE, 1, FALSE, 0}) == 4
    assert function({R1: TRUE}) != function({R1: 1})
    assert "a" != model_value("a")


def test_sets_are_in_order_as_in_tlc() -> None:
    assert in_order({R10, R2, R1}) == [R1, R2, R10]
    assert in_order([frozenset({5}), frozenset({1, 2}), frozenset()]) == [
        frozenset(),
        frozenset({5}),
        frozenset({1, 2}),
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (TRUE, "TRUE"),
        (-1, "-1"),
        ('say "x"', '"say \\"x\\""'),
        (frozenset({2, 1}), "{1, 2}"),
        ((1, ()), "<<1, <<>>>>"),
        (record(b=1, a=R1), "[a |-> r1, b |-> 1]"),
        (function({R2: 0, R1: 1}), "(r1 :> 1 @@ r2 :> 0)"),
        (function({"a b": 0}), '("a b" :> 0)'),
    ],
)
def test_values_are_printed_as_tlc_prints_them(value: Any, text: str) -> None:
    assert show(value) == text


@pytest.mark.parametrize(
    "lazy",
    [
        Subsets(frozenset({1, 2, 3})),
        Functions(frozenset({1, 2}), frozenset({R1, R2})),
        Functions(frozenset({R1}), Subsets(frozenset({R1, R2}))),
        Functions(frozenset(), frozenset()),
        Tuples((frozenset({1, 2}), Subsets(frozenset({1})))),
        Records(("b", "a"), (frozenset({1, 2}), frozenset({TRUE}))),
        Union((frozenset({1}), Subsets(frozenset({1})))),
    ],
    ids=str,
)
def test_what_is_listed_is_what_is_contained(lazy: Any) -> None:
    listed = list(lazy)
    assert len(listed) == lazy.size == len(set(listed))
    assert all(value in lazy for value in listed)
    assert in_order(listed) == listed
    assert not any(value in lazy for value in (0, "no", (1,), function({0: 0})))


def test_infinite_sets_have_members_and_no_list() -> None:
    assert 0 in NATURALS
    assert -1 not in NATURALS
    assert TRUE not in INTEGERS
    assert (1, 2) in Sequences(NATURALS)
    assert function({R1: -1}) in Functions(frozenset({R1}), INTEGERS)
    assert isinstance(function({R1: -1}), Function)
    assert frozenset({3}) in Subsets(NATURALS)
    with pytest.raises(NotEnumerable, match="Nat"):
        members(Union((NATURALS, frozenset({-1}))))


def test_a_set_that_is_too_large_is_refused_before_it_is_built() -> None:
    with pytest.raises(SetTooLarge, match="more than 1,000,000"):
        members(Subsets(frozenset(range(64))))
