"""A term that comes as data is one that the language's words make, or it is refused."""

from random import Random
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.lang.terms import Term, subterms
from bmc.lang.well_sorted import require_well_sorted
from bmc.lang.written import Unreadable, read_lemma
from tests.campaign.engines import drawn

N: Any = ["int", "N", [0, []], [3, []]]
R: Any = ["scalarset", "R", [2, []]]
ODD: Any = ["scalarset", "R", [0, [[[], 1], [["n"], 1]]]]
MODE: Any = ["enum", "Mode", ["on", "off"]]
PAIR: Any = ["record", "Pair", [["mode", MODE], ["n", N]]]
TRUE, ONE, ON = ["bool", "Bool", True], ["int", N, 1], ["enum", MODE, "on"]
X = ["bound_variable", R, [0, "x"]]
M: Any = ["int", "M", [0, []], [3, []]]
QUEUE: Any = ["sequence", N, [2, []]]
NOTHING: Any = ["empty", QUEUE, None]
MODES: Any = ["empty", ["set", MODE], None]
SET = ["empty", ["set", R], None]


@pytest.mark.parametrize(
    "body",
    [
        ["eq", "Bool", None, ONE, ON],
        ["not", "Bool", None, ONE],
        ["and", "Bool", None, TRUE, SET],
        ["implies", N, None, TRUE, TRUE],
        ["bool", "Bool", 1],
        ["eq", "Bool", None, ["enum", MODE, "away"], ON],
        # A member of a scalarset has no name.
        ["eq", "Bool", None, ["int", R, 0], ["int", R, 0]],
        ["eq", "Bool", None, ["choose", R, None, X, TRUE], ["choose", R, None, X, TRUE]],
        ["eq", "Bool", None, ["some", ["option", R], None, ONE], ["none", ["option", R], None]],
        ["is_none", "Bool", None, ON],
        ["eq", "Bool", None, ["field", N, "away", ["record", PAIR, None, ON, ONE]], ONE],
        ["eq", "Bool", None, ["field", MODE, "n", ["record", PAIR, None, ON, ONE]], ON],
        ["eq", "Bool", None, ["record", PAIR, None, ONE, ON], ["record", PAIR, None, ONE, ON]],
        # What its word refuses, or makes of another sort.
        ["member", "Bool", None, ONE, SET],
        [
            "member",
            N,
            None,
            ["choose", MODE, None, ["bound_variable", MODE, [0, "m"]], TRUE],
            MODES,
        ],
        ["eq", "Bool", None, ["insert", ["set", R], None, SET, ON], SET],
        ["eq", "Bool", None, ["remove", ["set", MODE], None, SET, ON], MODES],
        ["eq", "Bool", None, ["the", MODE, None, ["none", ["option", N], None]], ON],
        ["eq", "Bool", None, ["append", QUEUE, None, NOTHING, ON], NOTHING],
        ["eq", "Bool", None, ["append", QUEUE, None, NOTHING, ["int", M, 1]], NOTHING],
        ["eq", "Bool", None, ["at", MODE, None, NOTHING, ONE], ON],
        ["eq", "Bool", None, ["at", N, None, NOTHING, ON], ONE],
        ["eq", "Bool", None, ["tail", ["set", R], None, SET], SET],
        ["eq", "Bool", None, ["take", QUEUE, None, NOTHING, TRUE], NOTHING],
        ["lookup", "Bool", None, SET, ONE],
        ["le", "Bool", None, ["size", "Bool", None, SET], ONE],
        ["forall", "Bool", None, TRUE, TRUE],
        ["forall", "Bool", None, X, ONE],
        # The set is read outside of what is bound.
        ["forall", "Bool", None, X, ["insert", ["set", R], None, SET, X], TRUE],
        ["forall", "Bool", None, ["bound_variable", ["int", "I", None, None], [0, "i"]], TRUE],
        ["forall", "Bool", None, ["bound_variable", R, [True, "x"]], TRUE],
        ["eq", "Bool", None, ["div", N, None, ONE, ["int", N, 0]], ONE],
        # Its text is that of the size n, and it is n + 1.
        ["forall", "Bool", None, ["bound_variable", ODD, [0, "x"]], TRUE],
    ],
)
def test_what_no_word_makes_is_refused(body: Any) -> None:
    with pytest.raises(Unreadable):
        read_lemma({"name": "Forged", "text": "", "arguments": [], "body": body}, {})


@pytest.mark.parametrize("name", ["kafka", "elasticsearch", "verified-log", "kafka-transactions"])
def test_what_protocols_say_is_well_sorted(name: str) -> None:
    suite = catalogue.find(name)
    model = suite.model(ghosts=True)
    said = [suite.describe(one, model).body for one in (*suite.properties, *suite.lemmas)]
    for action in (model.initial, *model.actions):
        for branch in action.branches:
            said += [*branch.guards, *branch.updates.values()]
    assert _looked_at(said) > 400


def test_what_random_protocols_say_is_well_sorted() -> None:
    said = []
    for seed in range(300):
        _, plan = drawn(Random(seed).randbytes(2500))
        said += [claim.body for claim in plan.claims]
        for act in (plan.initial, *plan.actions):
            for disjunct in act.disjuncts:
                said += [*disjunct.guards, *disjunct.updates.values()]
    assert _looked_at(said) > 10_000


def _looked_at(said: list[Term]) -> int:
    terms = list(subterms(said))
    for term in terms:
        require_well_sorted(term)
    return len(terms)
