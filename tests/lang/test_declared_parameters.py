"""What a protocol, its claims and its rankings say of parameters is said of declared ones."""

from __future__ import annotations

from typing import Any

import pytest

from bmc.lang import (
    Expr,
    Integer,
    LanguageError,
    Parameter,
    ParameterError,
    Protocol,
    Scalarset,
    Sequence,
    State,
    Step,
    Suite,
    Variable,
    action,
    exists,
    invariant,
    lemma,
    one_of,
)
from bmc.lang.describe import model_of
from bmc.lang.ranking import Rank, helpful, rank, ranking
from bmc.lang.temporal import eventually, temporal

OTHER = Parameter("other", 2, 0, 6, "nobody declares it")
MORE = Integer("Count", 0, OTHER)
REFUSED = "uses the parameter other, which the protocol does not declare"


class Counter(Protocol):
    n = Parameter("n", 2, 0, 6, "the end")
    Count = Integer("Count", 0, n)
    count = Variable(Count)

    @action()
    def Init(self, s: Step) -> None:
        s.count = 0

    @action(fairness="weak")
    def Up(self, s: Step) -> None:
        s.require(s.count < self.n)
        s.count = s.count + 1

    Next = one_of(Up)

    @temporal("it ends")
    def Ends(self, s: State) -> Any:
        return eventually(s.count == self.n)


class Queueing(Counter):
    queue = Variable(Sequence(Counter.Count, OTHER + 1))

    @action()
    def Init(self, s: Step) -> None:
        s.count = 0
        s.queue = ()


class Guarded(Counter):
    @action()
    def Up(self, s: Step) -> None:
        s.require(s.count < OTHER)
        s.count = s.count + 1


class Choosing(Counter):
    @action(who=Scalarset("Who", OTHER))
    def Up(self, s: Step, who: Expr) -> None:
        s.count = self.n


class Constrained(Counter):
    def Constraint(self, s: State) -> Expr:
        return s.count < OTHER


@pytest.mark.parametrize("protocol", [Queueing, Guarded, Choosing, Constrained])
def test_a_model_uses_declared_parameters(protocol: type[Protocol]) -> None:
    with pytest.raises(LanguageError, match=f"{protocol.__name__} {REFUSED}"):
        model_of(protocol)


def test_one_that_a_subclass_calls_otherwise_is_missed() -> None:
    class Renamed(Counter):
        n = Parameter("m", 2, 0, 6, "the end, by another name")

    with pytest.raises(LanguageError, match=r"uses the parameter n, .*\(known: m\)"):
        model_of(Renamed)


class Claiming(Counter):
    @invariant("below")
    def Below(self, s: State) -> Expr:
        return s.count <= OTHER

    @invariant("one of the numbers")
    def Known(self, s: State) -> Expr:
        return exists(MORE, lambda k: k == s.count)

    @lemma("at every number", k=MORE)
    def At(self, s: State, k: Expr) -> Expr:
        return s.count >= 0

    @temporal("it gets there")
    def Gets(self, s: State) -> Any:
        return eventually(s.count == OTHER)

    @ranking("it comes nearer", proves="Ends")
    def Nearer(self, s: State) -> Rank:
        return rank(self.n - s.count + OTHER, by=helpful("Up"))


@pytest.mark.parametrize("name", ["Below", "Known", "At"])
def test_a_property_uses_declared_parameters(name: str) -> None:
    suite = Suite.of(Claiming, "claiming")
    with pytest.raises(LanguageError, match=f"{name} {REFUSED}"):
        suite.describe(suite.find(name), suite.model(False))


def test_a_temporal_claim_and_a_ranking_use_declared_parameters() -> None:
    suite = Suite.of(Claiming, "claiming")
    model = suite.model(False)
    assert suite.describe_temporal("Ends", model).name == "Ends"
    with pytest.raises(LanguageError, match=f"Gets {REFUSED}"):
        suite.describe_temporal("Gets", model)
    with pytest.raises(LanguageError, match=f"Nearer {REFUSED}"):
        suite.describe_ranking("Nearer", "Ends", model)


@pytest.mark.parametrize("name", ["", "two words", "a-b"])
def test_a_parameter_has_a_name_that_can_be_given_a_value(name: str) -> None:
    with pytest.raises(ParameterError, match="is no name of a parameter"):
        Parameter(name, 2, 0, 6, "how many")


class Beside(Counter):
    one: Any = Counter()
    at_one: Any = Counter(n=1)

    @action()
    def Init(self, s: Step) -> None:
        s.count = self.one.n

    @invariant("it is small")
    def Small(self, s: State) -> Any:
        return s.count <= self.at_one.n


def test_what_depends_on_a_value_is_read_off_no_instance() -> None:
    suite = Suite.of(Beside, "beside")
    model = suite.model(False)
    with pytest.raises(LanguageError, match=r"Counter\(n=1\)\.n would be that of all values"):
        suite.describe(suite.find("Small"), model)
    with pytest.raises(LanguageError, match=r"Counter\(n=1\)\.Count would be"):
        Variable(Beside.at_one.Count)


def test_values_of_parameters_are_given_by_their_names() -> None:
    with pytest.raises(ParameterError, match=r"by their names: Counter\(n=…\)$"):
        Counter(1)
