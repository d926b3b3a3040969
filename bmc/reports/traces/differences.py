"""What changed between two states, addressed as TLA+ addresses parts: ``log[r1].end``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bmc.lang.sorts import (
    AnySet,
    MapSort,
    OptionSort,
    RecordSort,
    Scalar,
    SequenceSort,
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState
from bmc.reports.notation import value_text
from bmc.reports.traces.aliases import derived
from bmc.reports.values import members
from bmc.reports.vocabulary import Vocabulary


@dataclass(frozen=True)
class Change:
    """One changed place: its old and new text; None for what an element of a set was or is not.

    A set of records or messages changes by elements, since all of it would hide what is new.
    What is ``derived`` is no part of the state but an alias.
    """

    path: str
    old: str | None
    new: str | None
    derived: bool = False


def changes(words: Vocabulary, before: ConcreteState, after: ConcreteState) -> list[Change]:
    """Every change of a step, in the order of the variables' declaration; then of aliases."""
    found: list[Change] = []
    for name, sort in words.variables.items():
        if name in before and name in after:
            found.extend(_changes(words, name, sort, before[name], after[name]))
    old, new = derived(words, before), derived(words, after)
    found.extend(Change(n, old[n], new[n], True) for n in new if n in old and old[n] != new[n])
    return found


def _changes(words: Vocabulary, path: str, sort: Sort, old: Value, new: Value) -> Iterator[Change]:
    if old == new:
        return
    match sort:
        case OptionSort() if old is not None and new is not None:
            yield from _changes(words, path, sort.inner, old, new)
        case RecordSort():
            for (name, part), before, after in zip(sort.fields, old, new, strict=True):
                selected = words.part(sort, name)
                yield from _changes(words, f"{path}{selected}", part, before, after)
        case MapSort():
            keys = words.domains.values(sort.key)
            for key, before, after in zip(keys, old, new, strict=True):
                place = f"{path}[{value_text(words, sort.key, key)}]"
                yield from _changes(words, place, sort.value, before, after)
        case _ if isinstance(sort, AnySet) and changes_by_elements(sort):
            for gone in members(sort, old - new):
                yield Change(path, value_text(words, sort.element, gone), None)
            for come in members(sort, new - old):
                yield Change(path, None, value_text(words, sort.element, come))
        case _ if isinstance(sort, Scalar | OptionSort | VariantSort | AnySet | SequenceSort):
            yield Change(path, value_text(words, sort, old), value_text(words, sort, new))
        case _:
            unknown_sort(sort)


def changes_by_elements(sort: Sort) -> bool:
    """Whether what came and went says more of a change than the value before and after."""
    return isinstance(sort, AnySet) and isinstance(sort.element, RecordSort | VariantSort | MapSort)
