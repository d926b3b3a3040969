"""Properties speak of one model's states, and a suite keeps them apart by name."""

from collections.abc import Callable
from typing import Any

import pytest

from bmc.lang import (
    TRUE,
    Expr,
    LanguageError,
    Protocol,
    SetSort,
    SortError,
    State,
    Step,
    Suite,
    Term,
    UnknownName,
    Unreached,
    action,
    exists,
    implies,
    invariant,
    lemma,
    member,
    step_invariant,
    witness,
)
from bmc.lang.describe import model_of
from bmc.lang.properties import Kind, PropertyDeclaration
from bmc.lang.terms import term_of
from tests.lang.test_history import Latest
from tests.lang.test_protocol import Node, Ring


@invariant("the count is small")
def Small(m: Ring, s: State) -> Term:
    return s.count <= 2


@step_invariant(node=Node)
def Stays(m: Ring, s: State, t: State, node: Expr) -> Term:
    """Who is in stays in."""
    return implies(member(node, s.joined), member(node, t.joined))


@lemma("who joined last is in", "history", node=Node)
def LatestIsIn(m: Ring, s: State, node: Expr) -> Term:
    return implies(s.latest == node, member(node, s.joined))


@witness()
def Full(m: Ring, s: State) -> Term:
    return s.count == 2


class Claiming(Ring):
    """A ring whose class has a claim."""

    Small = Small


SUITE = Suite("ring", Ring, "A ring", (Small, Stays, Full), (LatestIsIn,), Latest)


def test_a_property_is_a_formula_with_arguments() -> None:
    stated = SUITE.describe(Stays, model_of(Ring))
    assert stated.kind is Kind.STEP_INVARIANT
    assert stated.text == "Who is in stays in."
    assert [a.sort for a in stated.arguments] == [Node]
    assert repr(stated.body) == "node \\in joined => node \\in joined'"
    assert stated.body.free == set(stated.arguments)
    assert SUITE.describe(Small, model_of(Ring)).text == "the count is small"


def test_a_suite_finds_its_properties() -> None:
    assert SUITE.find("LatestIsIn") is LatestIsIn
    assert SUITE.declared(Kind.WITNESS) == (Full,)
    assert SUITE.declared(Kind.LEMMA, Kind.INVARIANT) == (Small, LatestIsIn)
    assert SUITE.model(ghosts=False).ghosts == frozenset()
    assert SUITE.model(ghosts=True).ghosts == {"latest", "rested"}
    assert SUITE.model(ghosts=True).name == "ring"


def test_an_unknown_property_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"ring has no property 'Smal': did you mean Small\?"):
        SUITE.find("Smal")


def test_a_second_name_of_a_claim_is_refused_at_its_line() -> None:
    class Renamed(Ring):
        Little = Small
        Small = Small

    with pytest.raises(LanguageError, match="leave out what is a second name of it") as refused:
        Suite.of(Renamed, "renamed")
    assert refused.value.place == (__file__, Small.function.__code__.co_firstlineno)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Suite("ring", Ring, "", (Small, Small)), "ring states Small twice"),
        (
            lambda: Suite("ring", Ring, "", (Small,), counted=lambda m, s: True),  # type: ignore[arg-type]
            "counted of ring is a function.* and no formula of a state: give a claim's",
        ),
        (
            lambda: Suite(
                "ring", Ring, "", (Small,), goes_on=term_of(State(model_of(Ring).variables).count)
            ),
            "goes_on of ring is .* and no formula of a state",
        ),
        (lambda: Suite("ring", Ring, "", (Small,), (Small,)), "ring states Small twice"),
        (
            lambda: Suite("ring", Ring, "", (Small, LatestIsIn)),
            r"LatestIsIn is a lemma, about which nobody would ask: list it in lemmas=",
        ),
        (
            lambda: Suite("ring", Ring, "", (Small,), refuted=["Small"]),  # type: ignore[arg-type]
            'ring refutes names without why: write {"NAME": "why it is so"}',
        ),
        (
            lambda: Suite("ring", Ring, "", (Small,), unjudged={"Other": 3}),  # type: ignore[dict-item]
            "ring leaves unjudged names without why",
        ),
        (
            lambda: Suite("ring", Ring, "", (Full,), explained={"Full": "never"}),  # type: ignore[dict-item]
            "ring explains Full by 'never': write Unreached",
        ),
        (
            lambda: Suite("ring", Ring, "", (Small,), refuted={"Smal": "false"}),
            r"ring refutes Smal, which it does not state: did you mean Small\?",
        ),
        (
            lambda: Suite("ring", Ring, "", (), (Small,), carried=("Smal",)),
            r"ring carries Smal, which it does not state: did you mean Small\?",
        ),
        (
            lambda: Suite("ring", Ring, "", (Small,), parts={"All": ("Small", "LatestIsIm")}),
            "ring decides All by LatestIsIm, which it does not state",
        ),
        (
            lambda: Suite("ring", Claiming, "", (), unjudged={"Smal": "too large"}),
            r"ring leaves unjudged Smal, which nothing declares: did you mean Small\?",
        ),
        (
            lambda: Suite("ring", Ring, "", (Small,), explained={"Small": Unreached("never")}),
            "ring explains Small, which is neither an action nor a witness",
        ),
        (
            lambda: Suite("ring", Ring, "", (Full,), explained={"Full": Unreached("", {"x": 1})}),
            "ring explains Full by a parameter 'x', which it has not",
        ),
    ],
)
def test_a_contradictory_suite_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        make()


def no_argument(m: Ring, s: State) -> Term:
    return s.count <= 2


def one_state(m: Ring, s: State, node: Expr) -> Term:
    return member(node, s.joined)


@pytest.mark.parametrize(
    ("declare", "kind", "message"),
    [
        (lambda: invariant(node=Node)(no_argument), LanguageError, r"takes \(\) after its states"),
        (lambda: invariant()(one_state), LanguageError, r"takes \(node\) .* declares \(\)"),
        (lambda: step_invariant(node=Node)(one_state), LanguageError, r"takes \(\) after"),
        (lambda: invariant(node=SetSort(Node))(one_state), SortError, "argument node cannot be"),
    ],
)
def test_arguments_have_sorts(
    declare: Callable[[], object], kind: type[LanguageError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        declare()


LEAKED: list[Term] = []


def leaks(m: Ring, s: State) -> Term:
    def body(x: Term) -> Term:
        LEAKED.append(x)
        return member(x, s.joined)

    return exists(Node, body) & member(LEAKED[-1], s.joined)


def no_formula(m: Ring, s: State) -> Expr:
    return s.count


def reads_a_ghost(m: Ring, s: State) -> Expr:
    return s.rested


def assigns(m: Ring, s: State) -> Expr:
    s.count = 0
    return s.count == 0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (leaks, "was made in the binder of x and is used outside"),
        (no_formula, "expected a truth value"),
        (reads_a_ghost, "there is no variable 'rested'"),
        (assigns, "count is assigned in actions"),
    ],
)
def test_a_property_that_is_none_is_refused(function: Callable[..., Any], message: str) -> None:
    declared = invariant()(function)
    with pytest.raises(LanguageError, match=message):
        SUITE.describe(declared, SUITE.model(ghosts=False))


def test_a_class_can_carry_its_properties() -> None:
    class Carrier(Ring):
        """A ring with opinions."""

        Small = Small
        Related = lemma("", "")(no_argument)

    suite = Suite.of(Carrier, "carrier")
    assert suite.about == "A ring with opinions."
    assert suite.properties == (Small,)
    assert [d.kind for d in suite.lemmas] == [Kind.LEMMA]


def test_a_property_is_built_out_of_another() -> None:
    def Both(m: Ring, s: State) -> Term:
        found: Term = Small(m, s) & (s.count >= 0)
        return found

    declared: PropertyDeclaration = invariant()(Both)
    assert repr(SUITE.describe(declared, model_of(Ring)).body) == "count <= 2 /\\ 0 <= count"


def test_a_property_is_built_out_of_another_of_its_class() -> None:
    class Counted(Ring):
        @invariant()
        def Few(self, s: State) -> Term:
            return s.count <= 2

        @invariant()
        def Both(self, s: State) -> Any:
            return self.Few(self, s) & (s.count >= 0)

        @invariant()
        def Mistaken(self, s: State) -> Any:
            return self.Few(s)

    model = model_of(Counted)
    suite = Suite.of(Counted, "Counted")
    assert repr(suite.describe(Counted.Both, model).body) == "count <= 2 /\\ 0 <= count"
    with pytest.raises(LanguageError, match=r"Few is a claim .*: write self\.Few\(self, …\)"):
        suite.describe(Counted.Mistaken, model)


def test_a_protocol_without_the_variable_is_told() -> None:
    class Other(Protocol):
        """Has no count."""

        joined = Ring.joined

        @action()
        def Init(self, s: Step) -> None:
            s.joined = frozenset()

        Next = (Init,)

    with pytest.raises(LanguageError, match="there is no variable 'count': known: joined"):
        SUITE.describe(Small, model_of(Other))


def test_the_name_of_the_models_own_condition_is_taken() -> None:
    """A property of that name would stand for it in a certificate."""
    with pytest.raises(LanguageError, match="WithinBounds is bmc's own name"):

        @invariant("anything")
        def WithinBounds(m: object, s: State) -> Term:
            return s.count <= 2


def test_a_formula_of_a_suite_is_held_as_its_term() -> None:
    suite = Suite("ring", Ring, "", (Small,), counted=TRUE, goes_on=TRUE)  # type: ignore[arg-type]
    assert suite.counted is suite.goes_on is term_of(TRUE)
