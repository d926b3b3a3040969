"""Texts with more initial states than can be listed: some are listed, others asked about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from bmc.frontends.tla import agreement
from bmc.frontends.tla.agreement import Disagreement, compare_walks
from bmc.frontends.tla.lazy_sets import Selection
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.limits import Rounds
from bmc.frontends.tla.oracle.machine import Machine, State
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.samples import Samples
from bmc.frontends.tla.specification import Specification
from bmc.frontends.tla.translate.model import translate
from bmc.frontends.tla.translated_model import TranslatedModel

from .small_texts import Text

INITS = (
    "x \\in 0..5 /\\ y \\in {n \\in 0..5 : n > x}",
    "x \\in {n \\in 0..9 : n % 2 = 0} /\\ y = x \\div 2",
    "(x = 1 \\/ x = 4) /\\ \\E n \\in 0..x : y = x - n",
    "LET far == 3 IN y = far /\\ x \\in 0..y",
    "IF 2 > 1 THEN x = 5 /\\ y \\in {0, x} ELSE x = 0 /\\ y = 0",
    "x = 2 /\\ y = 1 /\\ x < y",
)


def text(folder: Path, init: str, definitions: str = "") -> Specification:
    """Return the specification of a module of x and y, where y may go to 0."""
    small = Text(
        "starts",
        f"VARIABLES x, y\n{definitions}\nInit == {init}\nNext == y > 0 /\\ y' = 0 /\\ UNCHANGED x",
        "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n",
    )
    return load(small.write(folder))


@pytest.mark.parametrize("init", INITS)
def test_a_state_begins_if_it_is_listed(init: str, tmp_path: Path) -> None:
    machine = Machine(text(tmp_path, init))
    listed = machine.initial_states()
    for state in product(range(-1, 10), repeat=2):
        assert machine.begins(state) is (state in listed)
    for most in range(1, len(listed) + 2):
        assert machine.initial_states(most) == listed[:most]
    assert machine.initial_states() == listed


def test_samples_are_taken_of_a_million_initial_states(tmp_path: Path) -> None:
    """None was met within the limits of work: all were to be listed first."""
    pairs = "{p \\in [{1, 2} -> 0..999] : p[1] + p[2] > 9}"
    for init in ("x \\in 0..999 /\\ y \\in 0..999", f"y = 1 /\\ x \\in {pairs}"):
        samples = Samples(text(tmp_path, init))
        assert len(samples) >= 1_000
        assert not samples.complete
    few = Samples(text(tmp_path, "x \\in 0..9 /\\ y \\in 0..9"))
    assert (len(few), few.complete) == (100, True)


def test_a_large_constant_set_is_listed_no_further_than_asked(tmp_path: Path) -> None:
    rounds = Rounds()
    pairs = "{p \\in [{1, 2} -> 0..999] : p[1] < 1000}"
    machine = Machine(text(tmp_path, f"y = 0 /\\ x \\in {pairs}"), rounds)
    with rounds.limited(1_000):
        found = machine.initial_states(10)
    assert [first for first, _ in found] == [(0, number) for number in range(10)]


def test_a_member_without_a_value_ends_no_later_listing() -> None:
    failing = True
    asked: list[int] = []

    def accepts(member: int) -> bool:
        asked.append(member)
        if member == 6 and failing:
            raise ZeroDivisionError
        return member % 2 == 0

    chosen = Selection(frozenset(range(10)), accepts)
    outer = iter(chosen)
    assert [next(outer), next(outer)] == [0, 2]
    with pytest.raises(ZeroDivisionError):
        list(chosen)
    with pytest.raises(ZeroDivisionError):
        chosen.members()
    failing = False
    assert list(chosen) == [0, 2, 4, 6, 8]
    assert list(outer) == [4, 6, 8]
    asked.clear()
    assert chosen.members() == frozenset(range(0, 10, 2))
    assert asked == []


def test_initial_states_that_are_not_listed_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agreement, "_LISTED", 4)
    specification = text(tmp_path, "x \\in 0..9 /\\ y \\in {n \\in 0..9 : n >= x}")
    translation = translate(specification)

    class Changed(TranslatedModel):
        def initial_states(self) -> Iterator[State]:
            listed = list(super().initial_states())
            yield from (state for state in listed if state not in missing)
            yield from added

    def compared() -> agreement.Compared:
        model = Changed(translation)
        return compare_walks(Search(Machine(specification)), model, seconds=60)

    missing: list[State] = []
    added: list[State] = []
    assert (compared().states, compared().complete) == (64, True)
    added = [(7, 6)]
    with pytest.raises(Disagreement, match="only the translation has the initial state"):
        compared()
    missing, added = [(8, 9)], []
    with pytest.raises(Disagreement, match="only the text has the initial state"):
        compared()
