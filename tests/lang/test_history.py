"""A history follows a protocol with ghosts, and cannot touch it."""

import pickle
from types import FunctionType
from typing import Any

import pytest

from bmc.lang import (
    BOOL,
    Expr,
    History,
    LanguageError,
    OptionSort,
    State,
    Step,
    Suite,
    Term,
    Variable,
    action,
    after,
    one_of,
)
from bmc.lang.describe import model_of
from bmc.lang.fingerprint import fingerprint
from bmc.lang.formulas import Formula
from bmc.lang.ranking import Rank, helpful, rank, ranking
from bmc.lang.temporal import eventually, temporal
from tests.lang.test_protocol import Node, Ring


class Latest(History):
    """Remembers who joined last."""

    latest = Variable(OptionSort(Node), "who joined last")
    rested = Variable(BOOL)

    def initially(self, s: Step) -> None:
        s.latest = None
        s.rested = False

    @after("Join")
    def remember(self, s: Step, node: Expr) -> None:
        s.latest = node

    @after("Rest", "Join")
    def rest(self, s: Step) -> None:
        s.rested = s.count > 0


class Other(Ring):
    """The same with an action of another name."""

    @action()
    def Leave(self, s: Step) -> None:
        s.require(s.count > 0)

    Next = one_of(Ring.Join, Leave)


def changed(**members: Any) -> type[History]:
    """A history with other members."""
    return type("Changed", (Latest,), members)


def test_ghosts_come_last_and_follow_the_actions() -> None:
    model = model_of(Ring, Latest)
    assert list(model.variables) == ["joined", "count", "latest", "rested"]
    assert model.ghosts == {"latest", "rested"}
    assert set(model.initial.branches[0].updates) == set(model.variables)
    join, rest = model.actions
    assert repr(join.branches[0].updates["latest"]) == "node"
    assert set(rest.branches[0].updates) == {"rested"}
    assert model.about["latest"] == "who joined last"


def test_a_suite_runs_the_methods_of_its_protocol_once() -> None:
    runs = []

    class Told(Ring):
        @action()
        def Rest(self, s: Step) -> None:
            runs.append("Rest")
            s.require(s.count > 0)

        Next = one_of(Ring.Join, Rest)

    suite = Suite("told", Told, "Joins are told.", (), history=Latest)
    assert fingerprint(suite.model(True), {}) == fingerprint(model_of(Told, Latest, "told"), {})
    without = model_of(Told, None, "told")
    runs.clear()
    assert fingerprint(suite.model(False), {}) == fingerprint(without, {})
    assert suite.model(True).actions[1].branches[0].updates.keys() == {"rested"}
    assert not runs


def test_without_the_history_nothing_else_changes() -> None:
    plain, followed = model_of(Ring), model_of(Ring, Latest)
    for one, other in zip(plain.actions, followed.actions, strict=True):
        for before, behind in zip(one.branches, other.branches, strict=True):
            assert behind.guards == before.guards
            kept = {n: t for n, t in behind.updates.items() if n not in followed.ghosts}
            assert kept == before.updates


def initially_meddles(self: History, s: Step) -> None:
    Latest.initially(self, s)  # type: ignore[arg-type]
    s.count = 1


def initially_forgets(self: History, s: Step) -> None:
    s.latest = None


def initially_reads(self: History, s: Step) -> None:
    s.latest = None
    s.rested = s.count > 0


def meddles(self: History, s: Step) -> None:
    s.count = 0


def restricts(self: History, s: Step) -> None:
    s.require(s.rested)


def branches(self: History, s: Step) -> None:
    with s.either():
        s.latest = None
    with s.either():
        s.rested = True


def misnames(self: History, s: Step, nod: Expr) -> None:
    s.latest = nod


def rests(self: History, s: Step) -> None:
    s.rested = True


def again(self: History, s: Step) -> None:
    s.latest = None


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"initially": initially_meddles}, "count cannot be assigned here"),
        ({"initially": initially_forgets}, "Changed.initially gives rested no value"),
        ({"initially": initially_reads}, "Changed.initially reads a variable"),
        ({"rest": after("Rest")(meddles)}, "count cannot be assigned here"),
        ({"rest": after("Rest")(restricts)}, "a history cannot restrict Rest"),
        ({"rest": after("Rest")(branches)}, "a history cannot restrict Rest"),
        ({"rest": after("Join")(misnames)}, "Join has no argument 'nod' .*: did you mean node"),
        ({"rest": after("Join")(again)}, "two methods of the history assign latest after Join"),
        ({"rest": after("Rset")(again)}, "follows Rset, which is no action .*: did you mean Rest"),
        ({"rest": after("Rest", "Jion")(again)}, "follows Jion, which is .*: did you mean Join"),
        ({"rest": after("Rest", Ring.Init)(again)}, "follows Init, which is no action"),
        ({"rest": after(Other.Leave)(again)}, "follows Leave, which is no action of the protocol"),
        ({"rest": after("Init")(again)}, "follows Init, which is no action of the protocol"),
        ({"rest": after()(again)}, "follows nothing, which is no action of the protocol"),
        ({"count": Variable(BOOL)}, "the history's count is a variable already"),
        ({"either": Variable(BOOL)}, "a variable cannot be called 'either'"),
    ],
)
def test_a_history_cannot_touch_the_protocol(members: dict[str, Any], message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        model_of(Ring, changed(**members))


@pytest.mark.parametrize(
    ("members", "refused"),
    [
        ({"initially": initially_forgets}, initially_forgets),
        ({"initially": initially_reads}, initially_reads),
        ({"rest": after("Rest")(restricts)}, restricts),
        ({"rest": after("Join")(misnames)}, misnames),
        ({"rest": after("Join")(again)}, again),
    ],
)
def test_a_history_is_refused_where_it_stands(
    members: dict[str, Any], refused: FunctionType
) -> None:
    """It was refused at the class of its protocol, which may be in another file."""
    with pytest.raises(LanguageError) as caught:
        model_of(Ring, changed(**members))
    assert caught.value.place is not None
    file, line = caught.value.place
    assert (file, line) == (__file__, refused.__code__.co_firstlineno)


def test_what_follows_an_action_is_decorated_once() -> None:
    with pytest.raises(LanguageError, match="follow is decorated twice"):
        after("Rest")(after("Join")(again))


def test_what_a_history_follows_is_named_as_an_action() -> None:
    follows: Any = after
    for given in (again, ["Join"], Node):
        with pytest.raises(LanguageError, match=r"^@after names the actions .* is none"):
            follows(given)


def test_what_a_base_says_of_an_action_may_be_built_on() -> None:
    def rests_twice(self: History, s: Step) -> None:
        Latest.rest(self, s)

    followed = model_of(Ring, changed(rest=after("Rest")(rests_twice)))
    plain = model_of(Ring, Latest)
    assert [a.branches for a in followed.actions if a.name == "Rest"] == [
        a.branches for a in plain.actions if a.name == "Rest"
    ]


def test_a_history_serves_protocols_whose_actions_have_other_names() -> None:
    shared = changed(rest=after(Ring.Rest, Other.Leave)(rests))
    for protocol, name in ((Ring, "Rest"), (Other, "Leave")):
        model = model_of(protocol, shared)
        assert [a.name for a in model.actions if "rested" in a.branches[0].updates] == [name]


def test_a_history_keeps_nothing_on_itself() -> None:
    """A method declared before this one read it as well, so that a false claim was proved."""

    def keeps(self: Any, s: Step) -> None:
        self.kept = False
        s.rested = self.kept

    with pytest.raises(LanguageError, match=r"a history holds no values: assign a ghost s\.kept"):
        model_of(Ring, changed(kept=True, rest=after("Rest")(keeps)))


def test_the_protocol_cannot_name_a_ghost() -> None:
    def Join(self: Ring, s: Step) -> None:
        s.require(s.rested)

    def constraint(self: Ring, s: State) -> Term:
        return s.rested == True  # noqa: E712

    joining = action()(Join)
    for members in ({"Join": joining, "Next": (joining,)}, {"Constraint": constraint}):
        with pytest.raises(LanguageError, match="there is no variable 'rested'"):
            model_of(type("Nosy", (Ring,), members), Latest)


def test_a_claim_of_behaviours_that_reads_a_ghost_is_told_of_monitors() -> None:
    @temporal()
    def Rests(m: Ring, s: State) -> Formula:
        return eventually(s.rested)

    @temporal()
    def Ends(m: Ring, s: State) -> Formula:
        return eventually(s.count > 0)

    @ranking(proves="Ends")
    def Nearer(m: Ring, s: State) -> Rank:
        return rank(0, by=helpful("Rest", when=s.rested))

    suite = Suite(
        "ring", Ring, "a ring", (), history=Latest, temporal=(Rests, Ends), rankings=(Nearer,)
    )
    plain = suite.model(ghosts=False)
    said = r"rested is a ghost of Latest, .* rested = Monitor\(sort, "
    with pytest.raises(LanguageError, match=said) as refused:
        suite.describe_temporal("Rests", plain)
    assert refused.value.place is not None
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)
    with pytest.raises(LanguageError, match=said):
        suite.describe_ranking("Nearer", "Ends", plain)


def test_an_argument_behind_a_star_is_given_by_name() -> None:
    @after("Join")
    def remember(self: History, s: Step, *, node: Expr) -> None:
        s.latest = node

    joined = model_of(Ring, changed(remember=remember)).actions[0]
    assert joined.branches == model_of(Ring, Latest).actions[0].branches
