"""Visiting only the elements that leading conditions allow changes nothing but the time.

Two systems are compared: one that narrows, and one whose narrowing is turned off. Then what the
readings say of conditions in an order that forbids it; and how the work grows with the set.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from bmc.lang import (
    BOOL,
    Expr,
    Integer,
    KeyedSetSort,
    OptionSort,
    Parameter,
    Protocol,
    Record,
    SetSort,
    Sort,
    Step,
    Term,
    Variable,
    Variant,
    action,
    conj,
    empty,
    exists,
    filtered,
    forall,
    implies,
    inject,
    insert,
    is_case,
    member,
    one_of,
    payload,
    record,
    remove,
    the,
)
from bmc.lang.describe import model_of
from bmc.lang.state import state_variable
from bmc.lang.terms import lift
from bmc.readings.circuit import evaluate
from bmc.readings.expand import binders
from bmc.readings.expand.expander import Environment, Expanded, Expander
from bmc.system import choices
from bmc.system.transition import TransitionSystem
from tests.semantics.outcomes import TOO_SMALL, by_constants, by_value, by_variables, python
from tests.strategies import Case, World


class Post(Protocol):
    """Letters of two kinds in a set, receipts in a set with a key, a place that may be unknown."""

    last = Parameter("last", 2, 1, 200, "the last place")
    Place = Integer("Place", 0, last)
    Content = Variant("Content", to=Place, reset=BOOL)
    Letter = Record("Letter", origin=Place, content=Content)
    Receipt = Record("Receipt", place=Place, held=OptionSort(Place))
    sent = Variable(SetSort(Letter))
    receipts = Variable(KeyedSetSort(Receipt, "place"))
    here = Variable(OptionSort(Place))

    @action()
    def Init(self, s: Step) -> None:
        s.sent = empty(SetSort(self.Letter))
        s.receipts = empty(KeyedSetSort(self.Receipt, "place"))
        s.here = None

    @action(a=Place, b=Place)
    def Send(self, s: Step, a: Expr, b: Expr) -> None:
        s.require(~exists(s.sent, lambda m: conj(is_case(m.content, "to"), m.origin == a)))
        s.sent = insert(
            s.sent, record(self.Letter, origin=a, content=inject(self.Content, "to", b))
        )

    @action(p=Place, m=sent)
    def Take(self, s: Step, p: Expr, m: Expr) -> None:
        s.require(m.origin == p, is_case(m.content, "to"), payload(m.content, "to") == p)
        s.sent = remove(s.sent, m)
        s.receipts = insert(s.receipts, record(self.Receipt, place=p, held=m.origin))
        s.here = p

    @action(p=Place, m=sent, r=receipts)
    def Answer(self, s: Step, p: Expr, m: Expr, r: Expr) -> None:
        s.require(r.place == p, m.origin == the(s.here), is_case(m.content, "to"))
        s.receipts = remove(s.receipts, r)

    @action(p=Place, r=receipts)
    def Forget(self, s: Step, p: Expr, r: Expr) -> None:
        s.require(r.place == p, the(s.here) == the(r.held))
        s.require(forall(s.receipts, lambda q: implies(conj(q.place == p), the(q.held) == p)))
        s.here = None

    Next = one_of(Send, Take, Answer, Forget)


def _narrow_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (binders, choices):
        monkeypatch.setattr(module, "required", lambda *_: {})


def _behaviour(system: TransitionSystem, states: list[list[int]]) -> list[object]:
    named = [(r.action, dict(r.arguments), r.branch) for r in system.rules]
    leaves = range(len(system.leaves))
    nodes = [n for r in system.rules for n in (r.guard, r.overflow, r.unguarded)]
    updates = [r.updates.get(i, system.leaf_node(i)) for r in system.rules for i in leaves]
    return [named, *[evaluate([*nodes, *updates], state) for state in states]]


def test_rules_are_those_of_a_system_that_visits_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = model_of(Post)
    narrowed = TransitionSystem(model, {"last": 2})
    _narrow_nothing(monkeypatch)
    whole = TransitionSystem(model, {"last": 2})
    random = Random(1)
    drawn = [[random.randint(f.low, f.high) for f in whole.leaves] for _ in range(300)]
    states = [s for s in drawn if evaluate([whole.well_formed], s)[0]]
    states += [[0] * len(whole.leaves)]
    assert narrowed.leaves == whole.leaves
    assert len(states) > 3
    assert _behaviour(narrowed, states) == _behaviour(whole, states)


def test_what_is_ruled_out_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a set that grows with the square of its last place, one place's letters are visited."""
    body = exists(
        state_variable("sent", SetSort(Post.Letter)),
        lambda m: conj(m.origin == 0, is_case(m.content, "to"), payload(m.content, "to") == 1),
    )
    visited: list[Term] = []
    term = lift(body)
    plain = Expander.expand

    def counted(self: Expander, term: Term, environment: Environment | None = None) -> Expanded:
        visited.append(term)
        return plain(self, term, environment)

    def work(last: int) -> int:
        expander = TransitionSystem(model_of(Post), {"last": last}).expander
        monkeypatch.setattr(Expander, "expand", counted)
        visited.clear()
        expander.expand(term)
        monkeypatch.setattr(Expander, "expand", plain)
        return len(visited)

    assert work(8) == work(4)
    _narrow_nothing(monkeypatch)
    assert work(8) > 2 * work(4)


def test_what_is_ruled_out_inside_of_there_is_one_is_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A set of pairs in TLA+ is read so: there are its parts, and this is made of them."""
    here = state_variable("here", OptionSort(Post.Place))
    body = exists(
        state_variable("sent", SetSort(Post.Letter)),
        lambda m: exists(
            Post.Place,
            lambda p: conj(here == p, m.origin == 0, m.content == inject(Post.Content, "to", 1)),
        ),
    )
    visited: list[Term] = []
    plain = Expander.expand

    def counted(self: Expander, term: Term, environment: Environment | None = None) -> Expanded:
        visited.append(term)
        return plain(self, term, environment)

    def work(last: int) -> int:
        expander = TransitionSystem(model_of(Post), {"last": last}).expander
        monkeypatch.setattr(Expander, "expand", counted)
        visited.clear()
        expander.expand(lift(body))
        monkeypatch.setattr(Expander, "expand", plain)
        return len(visited)

    narrowed = work(8) / work(4)
    _narrow_nothing(monkeypatch)
    assert narrowed < 2 < 4 < work(8) / work(4)


Place = Integer("Place", 0, 2)
Pair = Record("Pair", key=Place, other=OptionSort(Place))
SORTS: dict[str, Sort] = {
    "pairs": SetSort(Pair),
    "keyed": KeyedSetSort(Pair, "key"),
    "nobody": OptionSort(Place),
}
HELD = frozenset({(0, 1), (2, None)})
STATE = {"pairs": HELD, "keyed": HELD, "nobody": None}
V = {name: state_variable(name, sort) for name, sort in SORTS.items()}
HOLE = the(V["nobody"])


@pytest.mark.parametrize("name", ["pairs", "keyed"])
@pytest.mark.parametrize(
    ("write", "value"),
    [
        (
            lambda s: exists(s, lambda m: conj(m.key == 0, the(m.other) == 1)),
            True,
        ),
        (lambda s: exists(s, lambda m: conj(m.key == 1, m.key == HOLE)), False),
        (
            lambda s: exists(s, lambda m: conj(m.key == 2, the(m.other) == 1)),
            TOO_SMALL,
        ),
        (
            lambda s: exists(s, lambda m: conj(the(m.other) == 1, m.key == 0)),
            TOO_SMALL,
        ),
        (
            lambda s: exists(s, lambda m: conj(m.key == HOLE, m.key == 1)),
            TOO_SMALL,
        ),
        (lambda s: exists(s, lambda m: conj(HOLE == 0, m.key == 1)), TOO_SMALL),
        (
            lambda s: exists(
                s, lambda m: exists(Place, lambda p: conj(p != 1, m.key == 1, p == HOLE))
            ),
            False,
        ),
        (
            lambda s: exists(
                s, lambda m: exists(Place, lambda p: conj(m.key == 0, the(m.other) == p))
            ),
            True,
        ),
        (
            lambda s: exists(s, lambda m: exists(Place, lambda p: conj(p == HOLE, m.key == 1))),
            TOO_SMALL,
        ),
        (
            lambda s: exists(
                s,
                lambda m: conj(exists(Place, lambda p: p == the(m.other)), m.key == 0),
            ),
            TOO_SMALL,
        ),
        (
            lambda s: exists(
                s, lambda m: conj(member(record(Pair, key=0, other=HOLE), s), m.key == 1)
            ),
            TOO_SMALL,
        ),
        (
            lambda s: forall(s, lambda m: implies(m.key == 0, the(m.other) == 1)),
            True,
        ),
        (
            lambda s: forall(s, lambda m: implies(m.key == 1, m.key == HOLE)),
            True,
        ),
        (
            lambda s: forall(s, lambda m: implies(m.key == HOLE, m.key == 0)),
            TOO_SMALL,
        ),
        (
            lambda s: forall(
                s,
                lambda m: implies(m.key == 0, implies(m.key == 1, m.key == HOLE)),
            ),
            True,
        ),
    ],
)
def test_readings_agree_on_what_is_read(
    name: str, write: Callable[[Expr], Expr], value: object
) -> None:
    case = Case(World({}), lift(write(V[name])), SORTS, STATE, STATE, {})
    assert [by_value(case), by_constants(case), *by_variables(case, python)] == [value] * 3


@pytest.mark.parametrize("name", ["pairs", "keyed"])
@pytest.mark.parametrize(
    ("first", "value"),
    [
        (lambda m: m.key == 0, True),
        (lambda m: conj(m.key == 0, the(m.other) == 1), True),
        (lambda m: conj(m.other != None, the(m.other) == 0), False),  # noqa: E711
        # It has no value for the other pair, whichever place is looked for.
        (lambda m: the(m.other) == 1, TOO_SMALL),
        (lambda m: conj(the(m.other) == 1, m.key == 0), TOO_SMALL),
        (lambda m: conj(the(m.other) == 0, m.key == 0), TOO_SMALL),
    ],
)
def test_what_many_ask_first_has_a_value_for_every_element(
    name: str, first: Callable[[Expr], Expr], value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes first reads no place, so it is asked of each pair once for all places."""
    monkeypatch.setattr(binders, "FEW", 0)
    pairs = V[name]
    some = exists(Place, lambda p: exists(pairs, lambda m: conj(first(m), m.key == p)))
    none = forall(Place, lambda p: forall(pairs, lambda m: implies(first(m), m.key != p)))
    for body, wanted in ((some, value), (none, value if value is TOO_SMALL else not value)):
        case = Case(World({}), lift(body), SORTS, STATE, STATE, {})
        assert [by_value(case), by_constants(case), *by_variables(case, python)] == [wanted] * 3


def test_what_many_ask_first_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of the elements are left out of a set does not depend on the one that is looked at."""
    sent = state_variable("sent", SetSort(Post.Letter))
    body = filtered(
        Post.Letter,
        lambda x: conj(
            member(x, sent),
            ~exists(sent, lambda m: conj(payload(m.content, "to") == 1, m == x)),
        ),
    )
    visited: list[Term] = []
    plain = Expander.expand

    def counted(self: Expander, term: Term, environment: Environment | None = None) -> Expanded:
        visited.extend([term] if term.op == "eq" and term.args[0].op == "payload" else [])
        return plain(self, term, environment)

    def work(last: int) -> int:
        expander = TransitionSystem(model_of(Post), {"last": last}).expander
        monkeypatch.setattr(Expander, "expand", counted)
        visited.clear()
        expander.expand(lift(body))
        monkeypatch.setattr(Expander, "expand", plain)
        return len(visited)

    asked_once = work(8)
    monkeypatch.setattr(binders, "FEW", 10_000)
    assert 4 * asked_once < work(8)
