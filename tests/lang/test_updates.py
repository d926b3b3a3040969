"""Assignments to parts make terms no larger than what is written."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from bmc.lang import EnumSort, Integer, MapSort, Record, Scalarset, Step
from bmc.lang.show import show
from bmc.lang.state import branches
from bmc.lang.terms import Term, subterms

Node = Scalarset("Node", 3)
Number = Integer("Number", 0, 3)
Colour = EnumSort("Colour", ("red", "green"))
MANY = 100
Inner = Record("Inner", **{f"g{i}": Number for i in range(MANY)})
Wide = Record("Wide", **{f"f{i}": Number for i in range(MANY)}, inner=Inner)
SORTS = {"x": MapSort(Node, Wide), "n": Node, "c": MapSort(Colour, Wide)}


def tree(term: Term) -> int:
    """Nodes of a term when it is written out."""
    sizes: dict[int, int] = {}
    for one in subterms([term]):
        sizes[one.uid] = 1 + sum(sizes[a.uid] for a in one.args)
    return sizes[term.uid]


def assigned(paths: list[tuple[str, int]]) -> Term:
    """The new value of ``x`` where these fields of one entry, or of its inner record, are set."""
    s = Step(SORTS, frozenset(SORTS))
    for kind, i in paths:
        part = s.x[s.n].inner if kind == "g" else s.x[s.n]
        setattr(part, f"{kind}{i}", 1)
    return branches(s)[0].updates["x"]


@given(st.permutations([(k, i) for k in "fg" for i in range(12)]), st.integers(1, 24))
@settings(max_examples=50, deadline=None)
def test_the_tree_grows_with_the_number_of_assignments(
    paths: list[tuple[str, int]], many: int
) -> None:
    # A field is a few nodes; the entry and its inner record are read once each.
    assert tree(assigned(paths[:many])) <= 20 + 5 * many


def test_a_hundred_assignments_are_written_out_at_once() -> None:
    start = time.process_time()
    term = assigned([("f", i) for i in range(MANY)])
    assert tree(term) <= 20 + 5 * MANY
    assert show(term).count("EXCEPT") == MANY + 1
    assert time.process_time() - start < 2


def test_entries_at_different_constants_do_not_read_each_other() -> None:
    s = Step(SORTS, frozenset(SORTS))
    for i in range(20):
        for colour in ("red", "green"):
            setattr(s.c[colour], f"f{i}", 1)
    assert tree(branches(s)[0].updates["c"]) <= 300


def test_entries_at_keys_that_may_be_one_read_each_other() -> None:
    s = Step({**SORTS, "o": Node}, frozenset(SORTS))
    s.x[s.n].f0 = 1
    s.x[s.o].f1 = 2
    first = "[x EXCEPT ![n] = [x[n] EXCEPT !.f0 = 1]]"
    assert repr(branches(s)[0].updates["x"]) == (
        f"[{first} EXCEPT ![o] = [{first}[o] EXCEPT !.f1 = 2]]"
    )
