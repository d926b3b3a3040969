"""A term in a message: as it is written where it is short, and a part of it where it is long."""

from __future__ import annotations

from bmc.lang.sorts import BOOL
from bmc.lang.terms import Term, make


def doubled(times: int) -> Term:
    """A formula of two parts that are the same one, and so on: twice as long each time."""
    found = make("bound_variable", (), BOOL, (1, "x"))
    for _ in range(times):
        found = make("eq", (found, found), BOOL)
    return found


def test_a_short_term_is_written_as_it_is() -> None:
    assert repr(doubled(2)).count("x") == 4


def test_a_term_whose_parts_are_shared_has_no_text_of_megabytes() -> None:
    assert len(repr(doubled(60))) < 2_000
    assert "…" in repr(doubled(60))
