"""What survives is the greatest set that supports itself, however the questions are asked."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from bmc.engines.houdini import Round, greatest

Needs = dict[int, list[frozenset[int]]]
"""By candidate, sets of candidates each of which is enough for it."""


def holds(needs: Needs, one: int, alive: set[int]) -> bool:
    return any(enough <= alive for enough in needs[one])


def by_looking_at_every_set(needs: Needs) -> set[int]:
    for size in range(len(needs), 0, -1):
        for chosen in map(set, combinations(needs, size)):
            if all(holds(needs, one, chosen) for one in chosen):
                return chosen
    return set()


subsets = st.frozensets(st.integers(0, 5), max_size=3)
tables = st.fixed_dictionaries({n: st.lists(subsets, max_size=2) for n in range(6)})


@given(tables)
def test_all_at_once_without_reasons(needs: Needs) -> None:
    def ask(_: dict[int, None], alive: dict[int, None]) -> Round[int, int]:
        failing = [one for one in alive if not holds(needs, one, set(alive))]
        return Round({one: None for one in alive if one not in failing}, failing)

    assert set(greatest({n: n for n in needs}, ask)) == by_looking_at_every_set(needs)


@given(tables)
def test_one_by_one_with_what_each_needs(needs: Needs) -> None:
    def ask(wanted: dict[int, None], alive: dict[int, None]) -> Round[int, int]:
        one = next(iter(wanted))
        for enough in needs[one]:
            if enough <= set(alive):
                return Round({one: enough}, [])
        return Round({}, [one])

    found = greatest({n: n for n in needs}, ask)
    assert set(found) == by_looking_at_every_set(needs)
    assert all(by is not None and by <= set(found) for by in found.values())
