"""A protocol class becomes a model, or its author is told what to mend."""

from pathlib import Path
from typing import Any

import pytest

from bmc.lang import (
    BOOL,
    TRUE,
    Expr,
    Integer,
    LanguageError,
    Protocol,
    Scalarset,
    SetSort,
    State,
    Step,
    Term,
    Variable,
    action,
    alias,
    empty,
    insert,
    invariant,
    member,
    minimum,
    step_invariant,
)
from bmc.lang.describe import model_of
from bmc.lang.formulas import Formula
from bmc.lang.model import Model
from bmc.lang.ranking import Rank, helpful, rank, ranking
from bmc.lang.temporal import eventually, temporal
from tests.lang.zoo import SIZE

Node = Scalarset("Node", 2)
Count = Integer("Count", 0, SIZE)


class Ring(Protocol):
    """Nodes join, and are counted."""

    size = SIZE
    joined = Variable(SetSort(Node), "who is in")
    count = Variable(Count)

    @action()
    def Init(self, s: Step) -> None:
        s.joined = empty(SetSort(Node))
        s.count = 0

    @action(fairness="weak", node=Node)
    def Join(self, s: Step, node: Expr) -> None:
        """A node comes in."""
        s.require(~member(node, s.joined))
        s.joined = insert(s.joined, node)
        s.count += 1

    @action(node=joined)
    def Rest(self, s: Step, node: Expr) -> None:
        s.require(s.count > 0)

    Next = (Join, Rest)

    def Constraint(self, s: State) -> Term:
        return s.count <= 2


class Crowd(Ring):
    """Says only what differs."""

    @action(node=Node, other=Node)
    def Join(self, s: Step, node: Expr, other: Expr) -> None:
        s.require(node != other)
        s.joined = insert(insert(s.joined, node), other)


def changed(**members: Any) -> type[Protocol]:
    """A ring with other members."""
    return type("Changed", (Ring,), members)


def test_a_model_is_what_the_class_says() -> None:
    model = model_of(Ring)
    assert model.name == "Ring"
    assert list(model.variables) == ["joined", "count"]
    assert model.about["joined"] == "who is in"
    assert not model.ghosts
    assert repr(model.constraint) == "count <= 2"
    join, rest = model.actions
    assert (join.name, join.fairness, join.about) == ("Join", "weak", "A node comes in.")
    assert (rest.name, rest.fairness) == ("Rest", None)
    assert [a.collection for a in join.arguments] == [None]
    assert repr(rest.arguments[0].collection) == "joined"
    (branch,) = join.branches
    assert list(map(repr, branch.guards)) == ["node \\notin joined"]
    assert {n: repr(t) for n, t in branch.updates.items()} == {
        "joined": "joined \\union {node}",
        "count": "(count + 1)",
    }


def test_a_subclass_replaces_the_action_of_the_same_name() -> None:
    model = model_of(Crowd, name="crowd")
    assert model.name == "crowd"
    assert [a.name for a in model.actions] == ["Join", "Rest"]
    assert [a.name for a in model.actions[0].arguments] == ["node", "other"]
    assert model.actions[0].fairness is None


def test_actions_know_where_they_are_written() -> None:
    model: Model = model_of(Ring)
    for one in (model.initial, *model.actions):
        lines = Path(one.source.file).read_text(encoding="utf-8").splitlines()
        decorated = lines[one.source.line - 1 : one.source.line + 1]
        assert decorated[0].strip().startswith("@action")
        assert decorated[1].strip().startswith(f"def {one.name}(")


def reads_a_variable(self: Ring, s: Step) -> None:
    s.joined = empty(SetSort(Node))
    s.count = s.count


def guarded_by_a_variable(self: Ring, s: Step) -> None:
    s.require(s.count == 0)
    s.joined = empty(SetSort(Node))
    s.count = 0


def leaves_one_open(self: Ring, s: Step) -> None:
    s.count = 0


def leaves_one_open_in_a_disjunct(self: Ring, s: Step) -> None:
    s.count = 0
    with s.either():
        s.joined = empty(SetSort(Node))
    with s.either():
        s.require(TRUE)


def chooses_from_a_variable(self: Ring, s: Step, node: Expr) -> None:
    s.joined = empty(SetSort(Node))
    s.count = 0


@pytest.mark.parametrize(
    ("init", "choices", "message"),
    [
        (reads_a_variable, {}, r"Init reads a variable, and count has no value yet: write"),
        (guarded_by_a_variable, {}, r"Changed\.Init reads a variable"),
        (leaves_one_open, {}, r"Changed\.Init gives joined no value"),
        (leaves_one_open_in_a_disjunct, {}, r"Changed\.Init gives joined no value"),
        (chooses_from_a_variable, {"node": Ring.joined}, "Init chooses from a variable"),
    ],
)
def test_init_assigns_everything_and_reads_nothing(
    init: Any, choices: dict[str, Any], message: str
) -> None:
    with pytest.raises(LanguageError, match=message):
        model_of(changed(Init=action(**choices)(init)))


class Empty(Protocol):
    """Declares nothing."""


class Still(Protocol):
    """Does nothing."""

    flag = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.flag = False


class Unborn(Protocol):
    """Never begins."""

    flag = Variable(BOOL)
    Next = (Ring.Join,)


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        (Empty, "Empty declares no variables"),
        (Still, "Still needs Next = one_of"),
        (Unborn, "Unborn needs an Init decorated"),
        (changed(Init=Ring.Init.function), r"Changed needs an Init decorated with @action\(\)"),
        (
            changed(Init=action(fairness="weak")(Ring.Init.function)),
            r"Changed\.Init is asked to be weakly fair, and Next does not list it",
        ),
        (changed(require=Variable(BOOL)), "a variable cannot be called 'require'"),
        (changed(either=Variable(BOOL)), "a variable cannot be called 'either'"),
        (changed(_flag=Variable(BOOL)), "a variable cannot be called '_flag'"),
    ],
)
def test_an_incomplete_protocol_is_explained(protocol: type[Protocol], message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        model_of(protocol)


def test_arguments_and_choices_go_together() -> None:
    def Join(self: Ring, s: Step, node: Expr) -> None:
        s.require(TRUE)

    message = r"Join takes \(node\) after self and s, but its decorator declares \(nodes\)"
    with pytest.raises(LanguageError, match=message):
        action(nodes=Node)(Join)
    with pytest.raises(LanguageError, match=r"declares \(\)"):
        action()(Join)


def test_an_argument_is_taken_as_python_has_it() -> None:
    class Names(Ring):
        @action(low=Count, high=Count)
        def Between(self, s: Step, low: Expr, *, high: Expr) -> None:
            s.require((s.count > low) & (s.count < high))

        Next = (Between,)

    (between,) = model_of(Names).actions
    assert [one.name for one in between.arguments] == ["low", "high"]
    (branch,) = between.branches
    assert "low < count" in str(branch.guards)
    assert "count < high" in str(branch.guards)

    def Some(self: Ring, s: Step, *given: Expr) -> None:
        s.require(TRUE)

    for declare in (action, invariant, temporal):
        with pytest.raises(LanguageError, match="Some: write given, without a \\* it is one"):
            declare(given=Node)(Some)


def test_claims_aliases_and_rankings_too() -> None:
    class Names(Ring):
        @invariant(low=Count, high=Count)
        def Below(self, s: State, low: Expr, *, high: Expr) -> Expr:
            return (s.count > low) | (s.count < high)

        @step_invariant(high=Count)
        def Steps(self, s: State, t: State, *, high: Expr) -> Expr:
            return t.count < high

        @alias(high=Count)
        def Least(self, s: State, *, high: Expr) -> Expr:
            return minimum(s.count, high)

        @invariant(high=Count)
        def Both(self, s: State, high: Expr) -> Expr:
            return self.Below(self, s, high, high=high) & (self.Least(self, s, high=high) <= high)

        @temporal(high=Count)
        def Rises(self, s: State, *, high: Expr) -> Formula:
            return eventually(s.count >= high)

        @ranking(proves="Rises", high=Count)
        def Nearer(self, s: State, *, high: Expr) -> Rank:
            return rank(high - s.count, by=helpful("Join"))

    model = model_of(Names)
    sorts = model.variables
    below = Names.Below.describe(Names(), sorts)
    assert str(below.body) == "low < count \\/ count < high"
    assert str(Names.Steps.describe(Names(), sorts).body) == "count' < high"
    assert "count < high" in str(Names.Both.describe(Names(), sorts).body)
    assert "high" in str(Names.Least.describe(Names(), sorts).term)
    rises = Names.Rises.describe(Names(), sorts)
    assert [one.data for one in rises.arguments] == [(-1, "high")]
    assert Names.Nearer.describe(Names(), sorts, rises).name == "Nearer"


def test_a_choice_ranges_over_what_can_be_listed() -> None:
    def Take(self: Ring, s: Step, x: Expr) -> None:
        s.require(TRUE)

    taken = action(x=Ring.count)(Take)
    with pytest.raises(LanguageError, match="x ranges over count, which is no set"):
        model_of(changed(Next=(taken,), Take=taken))


def test_fairness_has_two_words() -> None:
    with pytest.raises(LanguageError, match="'weak' or 'strong', not 'fair'"):
        action(fairness="fair")


def test_an_action_is_built_out_of_another() -> None:
    class Twice(Ring):
        @action(node=Node)
        def Join(self, s: Step, node: Expr) -> None:
            Ring.Join(self, s, node)
            s.require(s.count == 0)

    assert len(model_of(Twice).actions[0].branches[0].guards) == 2


def guard(self: Any, s: Step) -> Any:
    s.count = 1
    return s.count < 2


def generator(self: Any, s: Step) -> Any:
    s.count = 1
    yield


async def coroutine(self: Any, s: Step) -> None:
    s.count = 1


@pytest.mark.parametrize("written", [guard, generator, coroutine])
def test_what_an_action_gives_back_is_not_lost_in_silence(written: Any) -> None:
    acting = action()(written)
    broken = type("Broken", (Ring,), {written.__name__: acting, "Next": (acting,)})
    with pytest.raises(LanguageError, match=f"{written.__name__} returns something"):
        model_of(broken)
