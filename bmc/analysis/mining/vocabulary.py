"""What a protocol lets one speak of: the parts of its state, addressed by bound variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from bmc.lang.build import argument, at, is_case, is_some, lookup, payload, size, the
from bmc.lang.by_parts import ByParts
from bmc.lang.model import Model
from bmc.lang.sort_parts import inside
from bmc.lang.sorts import (
    AnySet,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalar,
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.lang.state import state_variable
from bmc.lang.terms import Term, field, select, term_of

Variables = tuple[Term, ...]
"""Bound variables, at most two of one sort."""

_SAME = 2


@dataclass(frozen=True)
class Reading(ByParts):
    """A part of the state, or a bound variable.

    ``guards`` are the conditions under which it has a value, in reading order. ``weight`` counts
    the steps of its path: what is deep inside is rarely what a lemma speaks of.
    """

    term: Term
    guards: tuple[Term, ...]
    weight: int

    @property
    def sort(self) -> Sort:
        """The sort of the part."""
        return self.term.sort


def key_sorts(model: Model) -> tuple[Sort, ...]:
    """The sorts by which parts of the state are addressed, most used first."""
    found: dict[Sort, int] = {}
    indexes = [s for v in model.variables.values() for s in inside(v) if isinstance(s, IntSort)]
    for sort in model.variables.values():
        for part in inside(sort):
            key = _key(part, indexes)
            if key is not None:
                found[key] = found.get(key, 0) + 1
    return tuple(sorted(found, key=lambda sort: -found[sort]))


def sequence_index(model: Model, sort: SequenceSort) -> Sort | None:
    """The sort by which the places of a sequence are addressed; None where the state has none."""
    variables = model.variables.values()
    return _key(sort, [s for v in variables for s in inside(v) if isinstance(s, IntSort)])


def _key(sort: Sort, indexes: Sequence[Sort]) -> Sort | None:
    match sort:
        case MapSort(key, _):
            return key
        case KeyedSetSort():
            return sort.key_sort
        case SetSort(Scalarset() as element):
            return element
        case SequenceSort(_, capacity):
            for index in indexes:
                if _counts(index, capacity - 1):
                    return index
                if isinstance(index, IntSort) and _counts(index, capacity):
                    return index.to(capacity - 1)
            return None
        case _ if isinstance(sort, Scalar | OptionSort | RecordSort | VariantSort | AnySet):
            return None
        case _:
            unknown_sort(sort)


def _counts(sort: Sort, high: object) -> bool:
    return isinstance(sort, IntSort) and sort.bounded and sort.high == high


def signatures(model: Model, most: int) -> tuple[Variables, ...]:
    """The choices of ``most`` bound variables (fewer where there are not as many).

    A candidate over fewer variables is one over any signature that holds them.
    """
    sorts = key_sorts(model)
    most = min(most, _SAME * len(sorts))
    found = []
    for chosen in combinations_with_replacement(sorts, most):
        if all(chosen.count(sort) <= _SAME for sort in chosen):
            found.append(variables(chosen))
    return tuple(found)


def variables(sorts: Sequence[Sort]) -> Variables:
    """Variables of these sorts, named after them: ``replica``, ``replica2``, ``epoch``."""
    short = {sort: _word(sort, last=True) for sort in sorts}
    made: list[Term] = []
    for place, sort in enumerate(sorts):
        alike = [other for other in short if short[other] == short[sort]]
        word = short[sort] if len(alike) == 1 else _word(sort, last=False)
        number = list(sorts[:place]).count(sort) + 1
        made.append(argument(word if number == 1 else f"{word}{number}", sort))
    return tuple(made)


def _word(sort: Sort, last: bool) -> str:
    name = re.sub(r"\W", "", sort.name) or "x"
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name) or [name]
    word: str = words[-1].lower() if last else words[0].lower() + "".join(words[1:])
    return word


def readings(model: Model, bound: Variables, deepest: int) -> tuple[Reading, ...]:
    """Everything of at most ``deepest`` steps that can be read with these bound variables."""
    found: list[Reading] = []
    for variable in bound:
        found.extend(_parts(Reading(variable, (), 0), bound, deepest))
    for name, sort in model.variables.items():
        found.extend(_parts(Reading(state_variable(name, sort), (), 0), bound, deepest))
    return tuple(found)


def _parts(whole: Reading, bound: Variables, deepest: int) -> Iterator[Reading]:
    yield whole
    if whole.weight >= deepest:
        return
    for part in _next(whole, bound):
        yield from _parts(part, bound, deepest)


def _next(whole: Reading, bound: Variables) -> Iterator[Reading]:
    term, guards, weight = whole.term, whole.guards, whole.weight + 1
    sort = term.sort
    match sort:
        case RecordSort(_, parts):
            for name, _ in parts:
                if name != _known_field(term):
                    yield Reading(field(term, name), guards, weight)
        case OptionSort(RecordSort() | VariantSort() | MapSort() | IntSort()):
            # Of an option of a name nothing is gained by its value: equality takes both.
            yield Reading(the(term), (*guards, is_some(term)), whole.weight)
        case VariantSort(_, cases):
            for tag, _ in cases:
                yield Reading(payload(term, tag), (*guards, is_case(term, tag)), weight)
        case MapSort(key, _):
            for variable in bound:
                if variable.sort == key:
                    yield Reading(select(term, variable), guards, weight)
        case KeyedSetSort() as keyed:
            for variable in bound:
                if variable.sort == keyed.key_sort:
                    yield Reading(lookup(term, variable), guards, weight)
        case SequenceSort(_, capacity):
            yield Reading(size(term), guards, weight)
            for variable in bound:
                if _counts(variable.sort, capacity - 1):
                    below = term_of(variable < size(term))
                    yield Reading(at(term, variable), (*guards, below), weight)
        case _ if isinstance(sort, Scalar | OptionSort | AnySet):
            pass
        case _:
            unknown_sort(sort)


def _known_field(term: Term) -> str | None:
    """The field of a record that was looked up by that field's value."""
    if term.op == "the" and term.args[0].op == "lookup":
        held = term.args[0].args[0].sort
        return held.key if isinstance(held, KeyedSetSort) else None
    return None
