"""How many values a sort has is known without listing them, and too many are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bmc.lang.sorts import (
    Integer,
    MapSort,
    OptionSort,
    Record,
    Sequence,
    SetSort,
    Sort,
    Variant,
)
from bmc.layout.affordable import TooLarge
from bmc.layout.domain import Domains
from tests.strategies.world import PARAMETERS, SCALARS

SCALAR = st.sampled_from(SCALARS)


@st.composite
def small_sorts(draw: st.DrawFn) -> Sort:
    one, other, third = draw(SCALAR), draw(SCALAR), draw(SCALAR)
    forms: tuple[Sort, ...] = (
        one,
        OptionSort(one),
        Record("R", a=one, b=OptionSort(other)),
        Variant("V", a=one, b=Record("R", a=other, b=third)),
        SetSort(one),
        MapSort(one, OptionSort(other)),
        Sequence(one, draw(st.integers(0, 3))),
    )
    return draw(st.sampled_from(forms))


@given(small_sorts(), st.integers(0, 3))
def test_the_number_of_values_is_that_of_the_list(sort: Sort, size: int) -> None:
    domains = Domains(dict.fromkeys((p.name for p in PARAMETERS), size))
    if domains.number(sort) <= 5_000:
        assert domains.number(sort) == len(domains.values(sort))


@pytest.mark.parametrize("size", [40, 10**9])
def test_what_nobody_could_list_is_refused_at_once(size: int) -> None:
    wide = SetSort(Integer("Wide", 1, size))
    assert Domains({}).number(wide) >= 2**40
    with pytest.raises(TooLarge, match="more than 4,000,000 values"):
        Domains({}).values(wide)
