"""A name of a protocol means one thing, or the protocol is refused."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from bmc.lang import (
    BOOL,
    TRUE,
    EnumSort,
    Integer,
    LanguageError,
    Parameter,
    Protocol,
    Scalarset,
    State,
    Step,
    Suite,
    Variable,
    action,
    forall,
    invariant,
    one_of,
)
from bmc.lang.describe import model_of
from bmc.lang.errors import DeclaredTwice
from bmc.lang.temporal import Specification, weak

HEAD = (
    "from bmc.lang import *\nfrom bmc.lang.temporal import *\n"
    "class Light(Protocol):\n    x = Variable(BOOL)\n"
)
BODIES = {
    "action": "@action()\ndef A(self, s): s.x = True\n@action()\ndef A(self, s): s.x = False\n",
    "invariant": "@invariant()\ndef I(m, s): return s.x\n@invariant()\ndef I(m, s): return ~s.x\n",
    "lemma": "@lemma()\ndef I(m, s): return s.x\n@invariant()\ndef I(m, s): return ~s.x\n",
    "variable": "y = Variable(BOOL)\ny = Variable(BOOL)\n",
    "variable and action": "@action()\ndef x(self, s): s.x = True\n",
    "sort": "S = Scalarset('S', 2)\nS = Scalarset('S', 3)\n",
    "parameter": "n = Parameter('n', 1, 1, 2, '')\nn = Parameter('n', 2, 1, 2, '')\n",
    "helper": "def h(self, s): return s.x\ndef h(self, s): return ~s.x\n",
    "specification": "S = Specification('A', ())\nS = Specification('A', (weak('A'),))\n",
    "temporal claim": "@temporal()\ndef T(m, s): return 1\n@temporal()\ndef T(m, s): return 2\n",
    "alias": "@alias()\ndef a(self, s): return s.x\n@alias()\ndef a(self, s): return ~s.x\n",
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_class_body_binds_a_name_once(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "light.py"
    file.write_text(HEAD + textwrap.indent(BODIES[kind], "    "))
    with pytest.raises(DeclaredTwice) as refused:
        exec(compile(file.read_text(), str(file), "exec"), {"__name__": "light"})
    assert str(refused.value).count("light.py:") == 2


def test_a_class_body_computes_as_any_other() -> None:
    class Computed(Protocol):
        names: Any = ()
        for name in ("a", "b"):
            names = (*names, name)

        @property
        def size(self) -> int:
            return 1

        @size.setter
        def size(self, value: int) -> None:
            pass

    assert Computed.names == ("a", "b")


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


def test_a_subclass_replaces_by_the_same_kind() -> None:
    class Stuck(Light):
        @action()
        def Switch(self, s: Step) -> None:
            s.on = True

    assert repr(model_of(Stuck).actions[0].branches[0].updates["on"]) == "TRUE"


def test_a_subclass_does_not_change_what_a_name_is() -> None:
    class Other(Light):
        @invariant("an action no more")
        def Switch(self, s: State) -> Any:
            return s.on

    with pytest.raises(DeclaredTwice, match="Other declares Switch, which is action of Light"):
        model_of(Other)


def undecorated(self: Any, s: Any) -> Any:
    return ~s.on


@pytest.mark.parametrize("given", [undecorated, None, True])
def test_what_is_declared_is_not_replaced_by_something_undeclared(given: Any) -> None:
    class Claimed(Light):
        @invariant("judged under its name")
        def Dark(self, s: State) -> Any:
            return s.on

    replaced = type(Claimed)("Replaced", (Claimed,), {"Dark": given})
    with pytest.raises(DeclaredTwice, match="Replaced gives Dark, which is invariant of Claimed"):
        model_of(replaced)


def test_bases_beside_each_other_do_not_hide_each_other() -> None:
    class Left(Light):
        @action()
        def Switch(self, s: Step) -> None:
            s.on = True

    class Right(Light):
        @action()
        def Switch(self, s: Step) -> None:
            s.on = False

    class Both(Left, Right):
        pass

    with pytest.raises(DeclaredTwice, match="Both gets Switch from Left and from Right"):
        model_of(Both)

    class Chosen(Left, Right):
        Switch = Right.Switch

    assert repr(model_of(Chosen).actions[0].branches[0].updates["on"]) == "FALSE"


def test_an_action_is_listed_once() -> None:
    class Listed(Light):
        Next = one_of(Light.Switch, Light.Switch)

    with pytest.raises(DeclaredTwice, match=r"Next lists Switch twice"):
        model_of(Listed)


def test_two_actions_of_one_name_are_told_from_one_that_is_listed_twice() -> None:
    def made() -> Any:
        @action()
        def Turn(self: Any, s: Any) -> None:
            s.on = ~s.on

        return Turn

    class Generated(Light):
        TurnLeft, TurnRight = made(), made()
        Next = one_of(Light.Switch, TurnLeft, TurnRight)

    with pytest.raises(DeclaredTwice, match=r"two actions called Turn: .*Turn.__name__ = ") as told:
        model_of(Generated)
    assert "leave one" not in str(told.value)


def test_a_generated_action_has_the_name_that_its_function_is_given() -> None:
    def made(side: str) -> Any:
        def Turn(self: Any, s: Any) -> None:
            s.on = ~s.on

        Turn.__name__ = f"Turn{side}"
        return action()(Turn)

    class Generated(Light):
        TurnLeft, TurnRight = made("Left"), made("Right")
        Next = one_of(Light.Switch, TurnLeft, TurnRight)

    assert [one.name for one in model_of(Generated).actions] == ["Switch", "TurnLeft", "TurnRight"]


def test_a_parameter_is_not_called_as_a_variable() -> None:
    class Dimmed(Light):
        level = Parameter("on", 1, 1, 2, "how bright")

    with pytest.raises(DeclaredTwice, match="a parameter and a variable on"):
        model_of(Dimmed)


def test_two_parameters_have_two_names() -> None:
    class Dimmed(Light):
        level = Parameter("level", 1, 1, 2, "how bright")
        other = Parameter("level", 2, 1, 2, "how bright")

    with pytest.raises(DeclaredTwice, match="two parameters level"):
        model_of(Dimmed)


SORTS = [
    (Scalarset("S", 2), Scalarset("S", 3)),
    (EnumSort("S", ("a", "b")), EnumSort("S", ("a", "c"))),
]


@pytest.mark.parametrize(("one", "other"), SORTS)
def test_two_sorts_of_one_name_are_one(one: Any, other: Any) -> None:
    class Two(Light):
        first = Variable(one)
        second = Variable(other)

        @action(a=one, b=other)
        def Init(self, s: Step, a: Any, b: Any) -> None:
            s.on, s.first, s.second = False, a, b

    with pytest.raises(DeclaredTwice, match="two sorts S that differ"):
        model_of(Two)


def test_a_binder_in_a_property_has_the_protocols_sort() -> None:
    class Crowd(Light):
        who = Variable(Scalarset("S", 2))

        @action(a=Scalarset("S", 2))
        def Init(self, s: Step, a: Any) -> None:
            s.on, s.who = False, a

        @invariant("over another S")
        def Odd(self, s: State) -> Any:
            return forall(Scalarset("S", 3), lambda x: TRUE)

    suite = Suite.of(Crowd, "crowd")
    with pytest.raises(LanguageError, match="Odd has two sorts S that differ"):
        suite.describe(suite.find("Odd"), suite.model(False))


def test_ends_of_one_identity_differ() -> None:
    class Counted(Light):
        first = Variable(Integer("N", 0, 2))
        second = Variable(Integer("N", 0, 3))

        @action()
        def Init(self, s: Step) -> None:
            s.on, s.first, s.second = False, 0, 0

    assert list(model_of(Counted).variables) == ["on", "first", "second"]


def test_a_specification_has_one_meaning() -> None:
    class Named(Protocol):
        x = Variable(BOOL)

        @action()
        def Init(self, s: Step) -> None:
            s.x = False

        @action(fairness="weak")
        def Go(self, s: Step) -> None:
            s.x = True

        Next = one_of(Go)

    def asked(*stated: Specification) -> Specification:
        suite = Suite("named", Named, "", (), specifications=stated)
        return suite.specification(stated[0].name, suite.model(False))

    fair, free = Specification("Fair", (weak("Go"),)), Specification("Fair", ())
    assert asked(fair) is fair
    with pytest.raises(DeclaredTwice, match="two specifications are called Fair"):
        asked(fair, free)
    with pytest.raises(DeclaredTwice, match=r"Spec is the fairness .*, WF_vars\(Go\): give"):
        asked(Specification("Spec", ()))
