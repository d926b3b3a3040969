"""Nothing that Python decides while it reads a protocol is taken for a formula."""

from collections.abc import Callable
from typing import Any

import pytest

from bmc.lang import (
    FALSE,
    LanguageError,
    Parameter,
    Protocol,
    Step,
    Suite,
    Variable,
    action,
    conj,
    implies,
    invariant,
    one_of,
)
from bmc.lang.describe import model_of
from bmc.lang.sorts import Integer, OptionSort
from bmc.lang.terms import Expr, Term


class Counter(Protocol):
    """A counter beside a parameter."""

    quorum = Parameter("quorum", 2, 1, 9, "how many make a quorum")

    Count = Integer("Count", 0, 4)
    x = Variable(Count)
    o = Variable(OptionSort(Count))

    @action()
    def Init(self, s: Step) -> None:
        s.x = 0
        s.o = None

    @action()
    def Up(self, s: Step) -> None:
        s.require(s.x < 4)
        s.x = s.x + 1

    Next = one_of(Up)


@pytest.mark.parametrize(
    ("comparison", "text"),
    [
        (lambda m: m.quorum == 2, "quorum = 2"),
        (lambda m: m.quorum != 2, "quorum # 2"),
        (lambda m: m.quorum > 2, "2 < quorum"),
        (lambda m: m.quorum - 1 == 3, "quorum - 1 = 3"),
        (lambda m: m.quorum - 1 == m.quorum - 1, "quorum - 1 = quorum - 1"),
        (lambda m: m.quorum - 1 != m.quorum, "quorum - 1 # quorum"),
        (lambda m: m.quorum <= m.quorum + 1, "quorum <= quorum + 1"),
        (lambda m: 2 < m.quorum, "2 < quorum"),
    ],
)
def test_comparing_a_parameter_is_a_formula(
    comparison: Callable[[Counter], Any], text: str
) -> None:
    formula = comparison(Counter())
    assert isinstance(formula, Expr)
    assert repr(formula) == text


def test_a_property_of_a_parameter_is_decided_at_its_value() -> None:
    from bmc.engines.kinduction import prove
    from bmc.engines.task import Task
    from bmc.evidence.verdict import Verdict

    class Stated(Counter):
        @invariant("the quorum is not 2")
        def NotTwo(self, s: Step) -> Term:
            return self.quorum != 2

        @invariant("if the quorum is 2, x stays below 3")
        def Below(self, s: Step) -> Term:
            return implies(self.quorum == 2, s.x < 3)

    suite = Suite.of(Stated, "stated")
    names = ("NotTwo", "Below")
    at_two = prove(Task(suite, {"quorum": 2}, names))
    assert [r.verdict for r in at_two] == [Verdict.VIOLATED, Verdict.VIOLATED]
    at_three = prove(Task(suite, {"quorum": 3}, names))
    assert [r.verdict for r in at_three] == [Verdict.PROVED, Verdict.PROVED]


def _guarded(guard: Callable[[Any, Step], Any]) -> type[Protocol]:
    class Guarded(Counter):
        @action()
        def Up(self, s: Step) -> None:
            s.require(guard(self, s))
            s.x = s.x + 1

        Next = one_of(Up)

    return Guarded


@pytest.mark.parametrize(
    ("guard", "said"),
    [
        (lambda m, s: s.o is None, "found Python's False"),
        (lambda m, s: True, "found Python's True"),
        (lambda m, s: conj(s.x < 4, s.x is not None), "found Python's True"),
        (lambda m, s: m.x < 3, r"write s\.x, not self\."),
        (lambda m, s: m.x == 3, r"write s\.x, not self\."),
        (lambda m, s: s.x < 3 if m.quorum == 2 else s.x < 4, "no truth value in Python"),
        (lambda m, s: s.x < 3 if m.quorum else s.x < 4, "a parameter has no value"),
    ],
)
def test_a_guard_that_python_decided_is_refused(
    guard: Callable[[Any, Step], Any], said: str
) -> None:
    with pytest.raises(LanguageError, match=said):
        model_of(_guarded(guard))


def test_constants_are_said_in_the_language() -> None:
    (up,) = model_of(_guarded(lambda m, s: FALSE)).actions
    assert repr(up.branches[0].guards[0]) == "FALSE"


def test_assigning_the_protocol_instead_of_the_state_is_refused() -> None:
    class Astray(Counter):
        @action()
        def Up(self, s: Step) -> None:
            self.x = s.x

        Next = one_of(Up)

    with pytest.raises(LanguageError, match=r"assign s\.x, not self\.x"):
        model_of(Astray)


def test_a_decorator_without_parentheses_is_refused() -> None:
    with pytest.raises(LanguageError, match="Bad: write the decorator with parentheses"):
        invariant(_bad)  # type: ignore[arg-type]
    with pytest.raises(LanguageError, match="Bad: write the decorator with parentheses"):
        action(_bad)


def _bad(self: Any, s: Any) -> Any:
    return s.x


_bad.__name__ = "Bad"


def test_an_action_that_next_leaves_out_is_refused() -> None:
    class Forgetful(Counter):
        @action()
        def Down(self, s: Step) -> None:
            s.x = s.x - 1

    with pytest.raises(LanguageError, match=r"Forgetful\.Down is an action that Next leaves out"):
        model_of(Forgetful)


def test_a_property_that_returns_nothing_is_refused() -> None:
    class Silent(Counter):
        @invariant("nothing")
        def Nothing(self, s: Step) -> None:
            _ = s.x < 3

    suite = Suite.of(Silent, "silent")
    with pytest.raises(LanguageError, match="Nothing returns nothing"):
        suite.describe(suite.find("Nothing"), suite.model(False))
