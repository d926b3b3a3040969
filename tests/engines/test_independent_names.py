"""The independent judge reads names that no script of its solvers may hold as they are."""

from __future__ import annotations

import pytest

from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.independent.judge import judge
from bmc.lang import (
    BOOL,
    EnumSort,
    Expr,
    Integer,
    OptionSort,
    Protocol,
    SetSort,
    State,
    Step,
    Variable,
    action,
    implies,
    insert,
    invariant,
    is_some,
    member,
    one_of,
    some,
    the,
)
from tests.engines import machines

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("independent")


class Words(Protocol):
    """Its variables are called as what texts of SMT-LIB have words for, which bars do not hide."""

    repeat = Variable(Integer("Place", 0, 2))
    true = Variable(BOOL)
    xor = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.repeat = 0
        s.true = False
        s.xor = True

    @action()
    def Go(self, s: Step) -> None:
        s.repeat = 1
        s.true = ~s.xor

    Next = one_of(Go)

    @invariant("there is more to it than a word says")
    def Untrue(self, s: State) -> Expr:
        return ~s.true & s.xor & (s.repeat < 2)


def test_a_variable_is_called_as_a_word_of_the_solvers_language() -> None:
    suite = machines.suite(Words)
    found = prove(Task(suite, {}, ("Untrue",), 2))[0].certificate
    assert found is not None
    assert judge(found, suite).claims == ("Untrue",)


Sign = EnumSort("Sign", ("nul\x00", "|bars|", "back\\slash", "two\nlines", "\u202e"))


class Signs(Protocol):
    """The values of its variable are called by what no name in a script may hold."""

    marked = Variable(SetSort(Sign))
    last = Variable(OptionSort(Sign))

    @action()
    def Init(self, s: Step) -> None:
        s.marked = set()
        s.last = None

    @action(one=Sign)
    def Go(self, s: Step, one: Expr) -> None:
        s.marked = insert(s.marked, one)
        s.last = some(one)

    Next = one_of(Go)

    @invariant("the last one is marked")
    def Marked(self, s: State) -> Expr:
        return implies(is_some(s.last), member(the(s.last), s.marked))


def test_values_are_called_by_what_no_name_of_a_script_may_hold() -> None:
    suite = machines.suite(Signs)
    found = prove(Task(suite, {}, ("Marked",), 2))[0].certificate
    assert found is not None
    assert judge(found, suite).claims == ("Marked",)
