"""What is not asked for, since something else makes sure of it or reads it, is never missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from random import Random

import pytest

from bmc.frontends.tla.translate import asked, surely
from bmc.frontends.tla.translate.asked import without_repeated
from bmc.frontends.tla.translate.formulas import PARTIAL
from bmc.frontends.tla.translate.surely import Surely
from bmc.lang import BOOL, BoundTooSmall, Integer, OptionSort, Sort, Variant, build
from bmc.lang import Sequence as SequenceOf
from bmc.lang.state import state_variable
from bmc.lang.terms import Term, subterms
from bmc.layout.domain import Domains
from bmc.readings.value import Evaluator

Place = Integer("Place", 1, 2)
Held = Variant("Held", number=Place, maybe=OptionSort(Place), truth=BOOL)
SORTS: dict[str, Sort] = {"v": Held, "o": OptionSort(Place), "q": SequenceOf(Place, 1), "b": BOOL}
CHOSEN, OPTION, QUEUE, FLAG = (state_variable(name, sort) for name, sort in SORTS.items())
TAKEN = asked._under
DOMAINS = Domains({})
EVALUATOR = Evaluator(DOMAINS)
STATES = [dict(zip(SORTS, s, strict=True)) for s in product(*map(DOMAINS.values, SORTS.values()))]
MAYBE = build.payload(CHOSEN, "maybe")
TELLING = (
    *(build.is_case(CHOSEN, tag) for tag in ("number", "maybe", "truth")),
    build.is_some(OPTION),
    build.conj(build.is_case(CHOSEN, "maybe"), build.is_some(MAYBE)),
    build.disj(build.is_case(CHOSEN, "number"), build.is_case(CHOSEN, "truth")),
)
READING = (
    FLAG,
    build.payload(CHOSEN, "truth"),
    build.payload(CHOSEN, "number") == 1,
    build.is_none(MAYBE),
    build.the(MAYBE) == 2,
    build.the(OPTION) == 1,
    build.at(QUEUE, 1) == 2,
)
DRAWN = 1_000


def test_what_surely_has_a_value_has_one_wherever_the_conditions_hold() -> None:
    assert not list(wrongly_sure())
    assert sum(sure for _, _, sure in sures()) > DRAWN // 20


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("_is_case", lambda payload, known: True),
        ("_is_some", lambda held, known: True),
        ("_not", lambda formula: formula),
        ("_parts", lambda formula: formula.args or (formula,)),
    ],
    ids=["any case is the one", "there is always some", "not negated", "parts of a choice hold"],
)
def test_a_fault_in_what_is_sure_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, planted: object
) -> None:
    monkeypatch.setattr(surely, name, planted)
    assert next(wrongly_sure(), None)


def test_guards_say_the_same_without_those_that_others_read() -> None:
    assert not list(wrongly_left_out())
    assert sum(len(without_repeated(guards)) < len(guards) for guards in runs()) > DRAWN // 20


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("_FIRST_ONLY", frozenset[str]()),
        ("_under", lambda condition, holds, read: TAKEN(condition, not holds, read)),
        ("_needless", lambda asking, read: True),
    ],
    ids=["all of a choice is read", "the other branch is taken", "nothing is needed"],
)
def test_a_fault_in_what_is_left_out_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, planted: object
) -> None:
    monkeypatch.setattr(asked, name, planted)
    assert next(wrongly_left_out(), None)


def wrongly_sure() -> Iterator[tuple[Sequence[Term], Term]]:
    """Terms that are said to have a value behind guards, and have none in some state."""
    for guards, term, sure in sures():
        where = (s for s in range(len(STATES)) if outcome([*guards], s) is True)
        if sure and any(outcome([term], state) is None for state in where):
            yield guards, term


def sures() -> Iterator[tuple[Sequence[Term], Term, bool]]:
    """Guards, a formula that may be without a value, and whether it surely has one there."""
    random, told = Random(0), Surely(is_partial)
    for _ in range(DRAWN):
        told_of = random.sample(TELLING, random.randrange(3))
        guards = [sometimes_not(random, one) for one in told_of]
        term = formula(random, 2)
        yield guards, term, is_partial(term) and told.has_value(term, guards)


def wrongly_left_out() -> Iterator[Sequence[Term]]:
    """Guards that have another outcome in some state without those that are left out."""
    for guards in runs():
        kept = without_repeated(guards)
        if any(outcome(guards, state) is not outcome(kept, state) for state in range(len(STATES))):
            yield guards


def runs() -> Iterator[Sequence[Term]]:
    """Guards, many of which only ask whether something has a value."""
    random = Random(1)
    for _ in range(DRAWN):
        guards = [formula(random, 1) for _ in range(random.randrange(1, 3))]
        inside = [one for one in subterms(guards) if is_partial(one)]
        for one in random.sample(inside, min(2, len(inside))):
            asking = itself(one)
            if random.random() < 0.4:
                asking = build.implies(premise(random, guards), asking)
            guards.insert(random.randrange(len(guards) + 1), asking)
        yield guards


def premise(random: Random, guards: Sequence[Term]) -> Term:
    """Return a formula: mostly a condition of the guards, or that it does not hold."""
    conditions = [one.args[0] for one in subterms(guards) if one.op == "ite"]
    return sometimes_not(random, random.choice(conditions) if conditions else formula(random, 1))


def sometimes_not(random: Random, formula: Term) -> Term:
    return build.conj(~formula if random.random() < 0.3 else formula)


def outcome(guards: Sequence[Term], state: int) -> bool | None:
    """Whether guards hold, one read behind the other; None where one that is read has no value."""
    for guard in guards:
        found = truth(guard, state)
        if not found:
            return found
    return True


@cache
def truth(guard: Term, state: int) -> bool | None:
    try:
        return bool(EVALUATOR.evaluate(guard, STATES[state]))
    except BoundTooSmall:
        return None


def itself(term: Term) -> Term:
    return term == term  # type: ignore[return-value]


def is_partial(term: Term) -> bool:
    return any(one.op in PARTIAL for one in subterms([term]))


def formula(random: Random, depth: int) -> Term:
    """Return a random formula; what stands first in it often tells of what is read behind it."""
    if not depth or random.random() < 0.2:
        return build.conj(random.choice(READING))
    first = sometimes_not(random, random.choice(TELLING) if random.random() < 0.6 else FLAG)
    second = formula(random, depth - 1)
    match random.randrange(4):
        case 0:
            return build.conj(first, second)
        case 1:
            return build.disj(first, second)
        case 2:
            return build.implies(first, second)
        case _:
            return build.ite(first, second, formula(random, depth - 1))
