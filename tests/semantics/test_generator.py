"""The hunters look everywhere: every operator, on every kind of sort, with and without a value.

A law that holds of random terms says nothing of an operator that no random term contains.
"""

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from bmc.lang.sorts import BoundedSetSort, KeyedSetSort, MapSort, RecordSort, SetSort, Sort
from bmc.lang.terms import Term
from bmc.readings import expand, value
from bmc.readings.value import Interpreter
from tests.semantics.outcomes import TOO_SMALL, by_value, subterms
from tests.semantics.steps import explicit_steps
from tests.semantics.test_steps_agree import system_of
from tests.strategies import Case, Drawn, cases, protocols

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("generator")

# The same examples in each run: what is judged here is the generator, not the readings.
FIXED = settings(
    max_examples=1000,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)

SETS = (SetSort, KeyedSetSort, BoundedSetSort)
ON_EACH_KIND: dict[str, tuple[type[Sort], ...]] = {
    "insert": SETS,
    "remove": SETS,
    "member": SETS,
    "subset": SETS,
    "size": SETS,
    "forall": SETS,
    "exists": SETS,
    "union": SETS,
    "union_of": SETS,
    "store": (MapSort,),
    "with_field": (RecordSort,),
}
"""Operators that mean something of its own on each of these kinds of collections."""


def collection(term: Term) -> Term:
    """What says which kind of collection a term works on."""
    if term.op == "union_of":
        return term
    if term.op in ("forall", "exists", "member"):
        return term.args[1]
    return term.args[0]


@pytest.fixture(scope="module")
def seen() -> Counter[object]:
    """How often a fixed number of examples holds each operator, kind and outcome."""
    counted: Counter[object] = Counter()

    @FIXED
    @given(cases())
    def look(case: Case) -> None:
        for term in subterms(case.term):
            counted[term.op] += 1
            if term.op in ON_EACH_KIND:
                counted[term.op, type(collection(term).sort)] += 1
        outcome = by_value(case)
        counted["too small" if outcome is TOO_SMALL else "has a value"] += 1
        if isinstance(outcome, bool):
            counted[outcome] += 1

    look()
    return counted


def test_both_tables_of_rules_know_the_same_operators() -> None:
    assert set(value.RULES) == set(expand.RULES)


@pytest.mark.parametrize("op", sorted(value.RULES))
@pytest.mark.nightly
def test_every_operator_is_generated(op: str, seen: Counter[object]) -> None:
    assert seen[op] >= 5


@pytest.mark.parametrize(
    ("op", "kind"), [(op, kind) for op, kinds in ON_EACH_KIND.items() for kind in kinds]
)
def test_every_operator_is_generated_on_each_kind_of_set(
    op: str, kind: type[Sort], seen: Counter[object]
) -> None:
    assert seen[op, kind] >= 3


@pytest.mark.parametrize("outcome", ["too small", "has a value", True, False])
def test_every_outcome_is_frequent(outcome: object, seen: Counter[object]) -> None:
    assert seen[outcome] >= 50


def test_random_protocols_move() -> None:
    counted: Counter[str] = Counter()

    @settings(FIXED, max_examples=80)
    @given(protocols())
    def look(drawn: Drawn) -> None:
        if system_of(drawn) is None:
            return
        evaluator = Interpreter(drawn.model, drawn.world.domains).evaluator
        for state in drawn.states:
            for after in explicit_steps(drawn.model, evaluator, state).values():
                counted["overflow" if after is TOO_SMALL else "step"] += 1
                if after is not TOO_SMALL:
                    counted["move"] += any(one != state for one in after)

    look()
    assert min(counted["overflow"], counted["step"], counted["move"]) >= 20
