"""The independent judge says of sorts that are too large that it does not read them."""

from __future__ import annotations

import pytest

from bmc.evidence.independent.formula import Formulas
from bmc.evidence.independent.universe import NotRead, Universe
from bmc.lang import BOOL, BoundedSet, Integer, Sequence
from bmc.lang.sorts import Sort


@pytest.mark.parametrize("sort", [Integer("Far", 0, 10**30), Sequence(BOOL, 10**6)])
def test_what_nobody_can_list_is_not_listed(sort: Sort) -> None:
    """A lemma that a certificate carries may be of any: there was no end to it."""
    with pytest.raises(NotRead, match="too many to list"):
        Universe(Formulas(), {}).listed(sort)


@pytest.mark.parametrize("sort", [Sequence(BOOL, 10**9), BoundedSet(BOOL, 10**9)])
def test_a_container_that_no_machine_has_is_not_read(sort: Sort) -> None:
    """A ghost that a certificate carries may be one."""
    with pytest.raises(NotRead, match="too many to list"):
        Universe(Formulas(), {}).unknown(sort, "far", [])
