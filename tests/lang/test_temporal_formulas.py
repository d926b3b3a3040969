"""A temporal formula is a claim of its own: no part of an invariant, and no truth value."""

from __future__ import annotations

from inspect import currentframe
from operator import and_, or_
from typing import Any

import pytest

from bmc.lang import (
    Integer,
    LanguageError,
    Protocol,
    Step,
    Suite,
    Variable,
    action,
    invariant,
    one_of,
)
from bmc.lang.errors import DecidedByPython
from bmc.lang.temporal import (
    Both,
    Fairness,
    Not,
    Specification,
    TemporalProperty,
    Until,
    always,
    atoms,
    both,
    eventually,
    strong,
    temporal,
    until,
    weak,
)

Count = Integer("Count", 0, 4)


class Machine(Protocol):
    """A counter."""

    x = Variable(Count)

    @action()
    def Init(self, s: Step) -> None:
        s.x = 0

    @action()
    def Act(self, s: Step) -> None:
        s.x = 1

    Next = one_of(Act)


def test_an_invariant_holds_no_temporal_formula() -> None:
    class Claimed(Machine):
        @invariant("in the end")
        def Ends(self, s: Any) -> Any:
            return eventually(s.x == 3)

    suite = Suite.of(Claimed, "claimed")
    with pytest.raises(LanguageError, match="declared with @temporal"):
        suite.describe(suite.find("Ends"), suite.model(False))


def test_a_formula_of_a_state_is_a_part_of_any_temporal_formula() -> None:
    class Claimed(Machine):
        @temporal()
        def Denied(self, s: Any) -> Any:
            return eventually(both(Not(s.x == 1), Not(s.x < 1)))

        @temporal()
        def Joined(self, s: Any) -> Any:
            return Until(s.x < 1, Both(s.x == 1, s.x < 3))

    suite = Suite.of(Claimed, "claimed")
    model = suite.model(False)
    denied = suite.describe_temporal("Denied", model)
    assert [repr(one) for one in atoms(denied.formula)] == ["TRUE", "x = 1", "x < 1"]
    joined = suite.describe_temporal("Joined", model)
    assert [repr(one) for one in atoms(joined.formula)] == ["x < 1", "x = 1", "x < 3"]


def test_a_single_condition_and_a_specification_for_its_name_are_told() -> None:
    with pytest.raises(LanguageError, match="Fair has a single condition: write a tuple"):
        Specification("Fair", weak("Act"))  # type: ignore[arg-type]
    with pytest.raises(LanguageError, match='by its name: specification="Fair"'):
        temporal("it ends", specification=Specification("Fair", ()))  # type: ignore[arg-type]
    with pytest.raises(LanguageError, match='by its name: specification="Name"'):
        temporal("it ends", specification=None)  # type: ignore[arg-type]


def test_a_list_that_grows_after_its_specification_is_refused() -> None:
    """The fairness was not there, and a claim that needs it was violated; or it was gone."""
    filled = [weak("Act")]
    for late in ([weak("Act")], list[Any]()):
        listed: list[Any] = [*filled]
        written = Specification("Fair", listed)  # type: ignore[arg-type]
        written.check(Suite.of(Machine, "machine").model(False))
        listed[:] = [*late, *late]
        with pytest.raises(LanguageError, match="Fair was written before the list"):
            written.check(Suite.of(Machine, "machine").model(False))
    per: list[str] = []
    written = Specification("Fair", (weak("Act", per=per),))  # type: ignore[arg-type]
    per.append("k")
    with pytest.raises(LanguageError, match="Fair was written before the list"):
        written.check(Suite.of(Machine, "machine").model(False))
    for made in ((weak("Act") for _ in (1, 2)), {weak("Act")}, {weak("Act"): 1}):
        Specification("Fair", made).check(  # type: ignore[arg-type]
            Suite.of(Machine, "machine").model(False)
        )


def test_what_is_no_condition_is_told() -> None:
    drained = map(weak, ["Act"])
    assert list(drained)
    given: list[Any] = [("Act",), "Act", (None,), ((weak("Act"),),), drained]
    for one in given:
        with pytest.raises(LanguageError, match=r"Fair is .* write a tuple of"):
            Specification("Fair", one)
    for name in (["Act"], ("Act",), Machine.Act):
        with pytest.raises(LanguageError, match="fairness names actions by their names"):
            weak(name)  # type: ignore[arg-type]
    with pytest.raises(LanguageError, match="and Act is none"):
        weak(Machine.Act)  # type: ignore[arg-type]
    with pytest.raises(LanguageError, match="names no action: write weak"):
        weak()


@pytest.mark.parametrize("made", [weak, strong])
def test_a_name_in_brackets_is_one_argument_and_not_its_letters(made: Any) -> None:
    """``per=("to")`` was fairness for each choice of ``t`` and ``o``, where an action had both."""
    assert made("Act", per=("to")) == made("Act", per=("to",))


@pytest.mark.parametrize("condition", [weak("Init"), weak("Gone"), strong("Act", per=("p",))])
def test_fairness_of_what_is_not_there_is_refused_at_its_line(condition: Fairness) -> None:
    # It was refused with the file alone.
    line = currentframe().f_lineno + 1  # type: ignore[union-attr]
    fair = Specification("Fair", (condition,))
    with pytest.raises(LanguageError, match="Fair") as refused:
        fair.check(Suite.of(Machine, "machine").model(ghosts=False))
    assert refused.value.place == (__file__, line)


def test_a_temporal_formula_is_neither_dropped_nor_a_truth_value() -> None:
    class Claimed(Machine):
        @temporal()
        def Dropped(self, s: Any) -> Any:
            always(s.x < 3)
            return eventually(s.x == 3)

        @temporal()
        def Anded(self, s: Any) -> Any:
            claims: list[Any] = [always(s.x < 3), eventually(s.x == 3)]
            return claims[0] and claims[1]

    suite = Suite.of(Claimed, "claimed")
    model = suite.model(False)
    with pytest.raises(DecidedByPython, match="its value goes nowhere"):
        suite.describe_temporal("Dropped", model)
    with pytest.raises(LanguageError, match="no truth value"):
        suite.describe_temporal("Anded", model)


@pytest.mark.parametrize("join", [and_, or_, lambda left, right: ~right])
def test_what_joins_formulas_of_states_says_what_joins_temporal_ones(join: Any) -> None:
    class Claimed(Machine):
        @temporal("two things in the end")
        def Ends(self, s: Any) -> Any:
            return join(eventually(s.x == 1), eventually(s.x == 2))

    suite = Suite.of(Claimed, "claimed")
    with pytest.raises(LanguageError, match="write both"):
        suite.describe_temporal("Ends", suite.model(False))


def test_one_that_has_a_name_which_nothing_reads_is_refused() -> None:
    def claim(m: Any, s: Any) -> Any:
        ends = eventually(s.x == 3)  # noqa: F841
        return always(s.x < 3)

    with pytest.raises(DecidedByPython, match="`ends = eventually"):
        temporal("half of it")(claim).describe(None, {"x": Count})


def test_an_atom_that_is_there_twice_is_one() -> None:
    def claim(m: Any, s: Any) -> Any:
        return both(eventually(s.x == 3), eventually(s.x == 3), always(s.x < 4))

    described = temporal("twice the same")(claim).describe(None, {"x": Count})
    assert [repr(atom) for atom in atoms(described.formula)] == ["TRUE", "x = 3", "x < 4"]


def described(claim: Any) -> TemporalProperty:
    return temporal("a claim")(claim).describe(None, {"x": Count})


def overwritten(m: Any, s: Any) -> Any:
    found = always(s.x < 3)
    for k in (1, 2):
        found = eventually(s.x == k)
    return found


def one_of_a_list(m: Any, s: Any) -> Any:
    found = [eventually(s.x == k) for k in (1, 2)]
    return found[0]


def under_one_key(m: Any, s: Any) -> Any:
    found = {}
    for k in (1, 2):
        found["a"] = eventually(s.x == k)
    return both(*found.values())


@pytest.mark.parametrize("body", [overwritten, one_of_a_list, under_one_key])
def test_a_temporal_formula_that_nothing_reads_is_refused(body: Any) -> None:
    with pytest.raises(DecidedByPython, match=r"py:\d+: .* a formula is made here that nothing"):
        described(body)


def test_a_temporal_formula_that_is_let_go_is_not_missed() -> None:
    def let_go(m: Any, s: Any) -> Any:
        _ = eventually(s.x == 3)
        parts = [eventually(s.x == k) for k in (1, 2)]
        return both(*parts, until(s.x < 2, s.x == 2))

    assert "x = 3" not in map(repr, atoms(described(let_go).formula))
