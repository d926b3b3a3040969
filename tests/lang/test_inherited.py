"""What a class inherits is told of, or refused: Python takes one of several in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bmc.lang import (
    BOOL,
    History,
    Integer,
    LanguageError,
    Protocol,
    Scalarset,
    Sort,
    State,
    Step,
    Suite,
    Variable,
    action,
    after,
    invariant,
    lemma,
    one_of,
)
from bmc.lang.declared import Declaring
from bmc.lang.describe import model_of
from bmc.lang.errors import DeclaredTwice


class Light(Protocol):
    """A light that is switched."""

    on = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.on = False

    @action()
    def Switch(self, s: Step) -> None:
        s.on = ~s.on

    Next = one_of(Switch)


def made(name: str, bases: tuple[type, ...], members: dict[str, Any]) -> Any:
    return Declaring(name, bases, members)


class Breaks:
    """An action to be mixed in."""

    @action()
    def Break(self, s: Step) -> None:
        s.on = False


class Breaking(Light):
    """Its Next is its base's."""

    @action()
    def Break(self, s: Step) -> None:
        s.on = False


@pytest.mark.parametrize("bases", [(Breaking,), (Breaks, Light), (Light, Breaks)])
def test_an_action_that_an_inherited_next_leaves_out_is_refused(bases: tuple[type, ...]) -> None:
    with pytest.raises(LanguageError, match=r"Break is an action that Next leaves out: .* of Made"):
        model_of(made("Made", bases, {}))


def test_a_next_of_its_own_may_leave_out_what_its_bases_have() -> None:
    class Chosen(Breaking):
        Next = one_of(Breaking.Break)

    assert [one.name for one in model_of(Chosen).actions] == ["Break"]


def test_an_action_of_another_class_is_not_taken_for_its_namesake() -> None:
    class Other(Protocol):
        @action()
        def Switch(self, s: Step) -> None:
            s.on = True

    class Mixed(Light):
        Next = one_of(Other.Switch)

    with pytest.raises(LanguageError, match="lists a Switch that is neither its own nor of its"):
        model_of(Mixed)


def test_a_next_lists_no_action_of_a_base_that_its_class_replaces() -> None:
    class Replacing(Breaking):
        @action()
        def Break(self, s: Step) -> None:
            s.on = ~s.on

    class Listing(Replacing):
        Next = one_of(Breaking.Break)

    with pytest.raises(LanguageError, match="Next lists the Break of a base, and Listing"):
        model_of(Listing)
    assert model_of(made("Later", (Replacing,), {"Next": one_of(Replacing.Break)})).actions


def test_a_next_may_stand_in_what_is_mixed_in() -> None:
    beside = type("Beside", (), {"Next": one_of(Light.Switch, Breaking.Break)})
    assert model_of(made("Mixed", (beside, Breaking), {})).actions


def said(name: str) -> type:
    def saying(self: Any, s: Any) -> Any:
        return s.on

    return type("Saying", (), {name: saying})


@pytest.mark.parametrize("name", ["Constraint", "terminated", "drawn"])
def test_what_two_bases_say_of_states_is_not_said_by_one(name: str) -> None:
    for bases in ((said(name), said(name), Light), (Light, said(name))):
        with pytest.raises(DeclaredTwice, match=f"Made gets {name} from"):
            model_of(made("Made", bases, {}))
    assert model_of(made("Made", (said(name), Light), {})).actions


def test_an_invariant_does_not_become_a_lemma() -> None:
    class Claimed(Light):
        @invariant("what is asked")
        def Dark(self, s: State) -> Any:
            return ~s.on

    class Weakened(Claimed):
        @lemma("what may be left out")
        def Dark(self, s: State) -> Any:
            return ~s.on

    with pytest.raises(DeclaredTwice, match="Dark, which is invariant of Claimed, as lemma"):
        model_of(Weakened)


TWICE = """from bmc.lang import *
from tests.lang.test_inherited import Light
class Mixed:
    @invariant()
    def Dark(self, s): return ~s.on
    @invariant()
    def Dark(self, s): return s.on | ~s.on
class Made(Mixed, Light):
    pass
@lemma()
def Apart(m, s): return ~s.on
@lemma()
def Apart(m, s): return s.on | ~s.on
@lemma()
def Alone(m, s): return s.on | ~s.on
"""


def test_two_claims_of_a_name_are_refused_outside_of_protocols_as_well(tmp_path: Path) -> None:
    file = tmp_path / "twice.py"
    file.write_text(TWICE, encoding="utf-8")
    found: dict[str, Any] = {"__name__": "twice"}
    exec(compile(TWICE, str(file), "exec"), found)
    suite = Suite.of(found["Made"], "made")
    apart = Suite("apart", Light, "", (), (found["Apart"], found["Alone"]))
    model = apart.model(ghosts=False)
    for one, number in ((suite.find("Dark"), 6), (apart.find("Apart"), 12)):
        with pytest.raises(DeclaredTwice, match=rf"twice\.py:{number + 1}: {one.name} is declared"):
            apart.describe(one, model)
    assert apart.describe(found["Alone"], model).name == "Alone"


class Row(Light):
    """It has places."""

    Place = Integer("Place", 0, 2)
    at = Variable(Place)

    @action()
    def Init(self, s: Step) -> None:
        s.on, s.at = False, 0


@pytest.mark.parametrize("other", [Integer("Place", 0, 0), Scalarset("Place", 1), BOOL])
def test_a_sort_that_variables_are_of_is_not_given_another_meaning(other: Sort) -> None:
    with pytest.raises(DeclaredTwice, match="Made gives the sort Place another meaning than Row"):
        model_of(made("Made", (Row,), {"Place": other}))


def test_a_sort_that_is_written_again_is_the_same() -> None:
    assert model_of(made("Made", (Row,), {"Place": Integer("Place", 0, 2)})).variables


class Lit(History):
    """Whether the light was ever on."""

    lit = Variable(BOOL)

    def initially(self, s: Step) -> None:
        s.lit = False

    @after("Switch")
    def Follow(self, s: Step) -> None:
        s.lit = s.lit | ~s.on


def unmarked(self: Any, s: Any) -> None:
    s.lit = True


def test_a_history_inherits_as_a_protocol_does() -> None:
    replaced = made("Replaced", (Lit,), {"Follow": unmarked})
    with pytest.raises(DeclaredTwice, match="Replaced gives Follow"):
        model_of(Light, replaced)
    beside = made("Beside", (History,), {"Follow": after("Switch")(unmarked)})
    with pytest.raises(DeclaredTwice, match="Both gets Follow from Lit and from Beside"):
        model_of(Light, made("Both", (Lit, beside), {}))


def test_a_method_of_a_history_that_follows_nothing_is_refused() -> None:
    named = made("Named", (Lit,), {"Switch": unmarked})
    with pytest.raises(LanguageError, match=r"Switch follows no action: write @after\('Switch'\)"):
        model_of(Light, named)
