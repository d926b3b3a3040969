"""States that nobody need reach, where a translation has to say what its text says as well.

Behind the states that a comparison walks to the translation alone decides, and what a claim or a
step reads may lose its value only there. A formula's translation is one at every value of its
sorts: so the two are asked at states that are met, with some variables at any other value.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from bmc.lang.sorts import (
    BoolSort,
    BoundedSetSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.layout.affordable import TooLarge
from bmc.layout.domain import Domains, key_of

from . import core as c
from .agreement import Disagreement, OutsideBounds, require_same, state_text
from .errors import TlaError
from .oracle.errors import EvaluationError, EvaluationLimit
from .oracle.machine import Machine, State
from .oracle.search import Search
from .translate.model import Translation
from .translated_model import TranslatedModel

_CHANGED = (1, 1, 1, 2, 3)
"""How many variables have another value than in the state that was met."""

_LONGEST = 40
"""Elements of a collection: a state is made and read in little time."""


def unlike(
    search: Search, model: TranslatedModel, met: Sequence[State], seconds: float
) -> Mapping[str, str]:
    """Return the claims that are true by the translation alone in some state, each with the reason.

    That is the place where the text gives them no value, or that it says they are false, and the
    state, which need not be reachable. As many states are looked at as so much processor time
    allows; a claim that the translation gives no value is proved by nobody.
    """
    found: dict[str, str] = {}
    machine, end = search.machine, time.process_time() + seconds
    judged_here = {model.translation.whole(one.name) for one in model.claims}
    claims = [one for one in search.obligations.invariants if one.name in judged_here]
    # Under ACTION_CONSTRAINT a claim is one of the steps to a state as well.
    if not met or not claims or search.machine.specification.action_constraints:
        return found
    try:
        with machine.limited(seconds):
            for state in _anywhere(model.translation, met):
                if time.process_time() >= end or len(found) == len(claims):
                    break
                try:
                    judged = model.judged(state)
                except OutsideBounds:
                    continue
                silent = judged.false | judged.without_value | found.keys()
                for claim in (one for one in claims if one.name not in silent):
                    if (why := _why_not_true(machine, claim.expression, state)) is not None:
                        at = state_text(search, state)
                        found[claim.name] = f"{why} at {at}, where its translation has it true"
    except EvaluationLimit:
        pass
    return found


def steps_unlike(
    search: Search, model: TranslatedModel, met: Sequence[State], seconds: float
) -> str | None:
    """Return what the steps out of some state are by the text and not by its translation, if any.

    Either one has a step that the other has not, or the text gives a step no value, whose place is
    told, where the translation has each. As many states are looked at as so much processor time
    allows; where a step has no value for the translation either, or leaves its sorts, nothing is
    said.
    """
    if not met:
        return None
    end = time.process_time() + seconds
    try:
        with search.machine.limited(seconds):
            for state in _anywhere(model.translation, met):
                if time.process_time() >= end:
                    break
                try:
                    # The translation first: it is quick to say that nothing can be compared.
                    steps = {*model.steps(state)}
                    text = {(step.action, step.state) for step in search.steps(state)}
                    require_same(search, state, text, steps)
                except OutsideBounds:
                    continue
                except Disagreement as error:
                    return str(error)
                except EvaluationLimit:
                    raise
                except EvaluationError as error:
                    told = f"{error.span}: {error.message} at {state_text(search, state)}"
                    return f"{told}, where its translation gives each step a value"
    except EvaluationLimit:
        pass
    return None


def _why_not_true(machine: Machine, formula: c.Expression, state: State) -> str | None:
    """Return why the text has a formula not true, with the place. Raises EvaluationLimit."""
    try:
        return None if machine.holds(formula, state) else f"{formula.span}: this is false"
    except EvaluationLimit:
        raise
    except EvaluationError as error:
        return f"{error.span}: {error.message}"


def _anywhere(translation: Translation, met: Sequence[State]) -> Iterator[State]:
    """Yield states without an end, the same ones for the same states that were met."""
    random, domains = Random(0), Domains({})
    sorts = list(translation.model.variables.values())
    decoders = [translation.layout.decoder(sort) for sort in sorts]
    while True:
        state = list(random.choice(met))
        for _ in range(random.choice(_CHANGED)):
            at = random.randrange(len(sorts))
            try:
                state[at] = decoders[at](_any_value(sorts[at], domains, random))
            except (TooLarge, TlaError, LookupError, ValueError):
                continue  # Its sort has no values, some that are none of the text's, or too many.
        yield tuple(state)


def _any_value(sort: Sort, domains: Domains, random: Random) -> Any:
    """Return a value of a sort. Raises TooLarge where its members are too many to be listed."""

    def of(part: Sort) -> Any:
        return _any_value(part, domains, random)

    match sort:
        case BoolSort():
            return random.random() < 0.5
        case EnumSort(_, values):
            return random.choice(values)
        case IntSort() | Scalarset():
            return random.randint(*domains.range(sort))
        case OptionSort(inner):
            return None if random.random() < 0.3 else of(inner)
        case RecordSort(_, fields):
            return tuple(of(part) for _, part in fields)
        case VariantSort(_, cases):
            tag, part = random.choice(cases)
            return tag, of(part)
        case MapSort(key, value):
            return tuple(of(value) for _ in domains.values(key))
        case SetSort(element):
            likely = random.choice((0.0, 0.1, 0.5, 1.0))
            return frozenset(v for v in domains.values(element) if random.random() < likely)
        case KeyedSetSort(element, _):
            drawn = [of(element) for _ in range(random.randint(0, 3))]
            return frozenset({key_of(sort, one): one for one in drawn}.values())
        case SequenceSort(element, most):
            return tuple(of(element) for _ in range(_length(most.at({}), random)))
        case BoundedSetSort(element, most):
            return frozenset(of(element) for _ in range(_length(most.at({}), random)))
        case _:
            unknown_sort(sort)


def _length(most: int, random: Random) -> int:
    """Return how long a collection is, often empty or full."""
    longest = min(most, _LONGEST)
    return random.choice((0, longest, random.randint(0, longest)))
