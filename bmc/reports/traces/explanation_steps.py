"""How a violation came about: the few steps that matter, what each did, and what was lost in it.

Nothing of it is written by hand: a step matters if it was the last to change a value that the
false formula speaks of, or if a log lost an entry in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bmc.evidence.causes import NOTHING, Cause
from bmc.evidence.sources import ReadPart
from bmc.evidence.trace import Trace
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.reports.notation import value_text
from bmc.reports.traces.explanations import formula_text
from bmc.reports.vocabulary import Vocabulary

NO_VALUE = "no value"


@dataclass(frozen=True)
class Turn:
    """A value that a step changed for the last time, and the formulas that it settled by that.

    ``settled`` has formulas with their truth from this step on to the end.
    """

    part: str
    before: str
    now: str
    settled: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Chapter:
    """A step that matters, and its turns."""

    step: int
    turns: tuple[Turn, ...]


def chapters(words: Vocabulary, found: Sequence[Cause]) -> tuple[Chapter, ...]:
    """The steps that made a formula what it is at the end of a trace, in their order."""
    by_step: dict[int, list[Cause]] = {}
    for cause in found:
        by_step.setdefault(cause.step, []).append(cause)
    return tuple(Chapter(step, tuple(_turns(words, by_step[step]))) for step in sorted(by_step))


def _turns(words: Vocabulary, found: Sequence[Cause]) -> Iterator[Turn]:
    together: dict[str, Turn] = {}
    for cause in found:
        env = cause.atom.environment
        part = formula_text(words, cause.part, env)
        before, now = (_text(words, cause.part, value) for value in (cause.before, cause.now))
        settled: tuple[tuple[str, str], ...] = ()
        if cause.settles and cause.part is not cause.atom.term:
            settled = ((formula_text(words, cause.atom.term, env), cause.atom.truth.value),)
        known = together.setdefault(part, Turn(part, before, now, ()))
        together[part] = replace(known, settled=tuple(dict.fromkeys((*known.settled, *settled))))
    for part, turn in together.items():
        # Where a field has come with its record, the field is what is compared.
        inner = next((other for other in together if other.startswith(f"{part}.")), None)
        if inner is None:
            yield turn


def _text(words: Vocabulary, part: Term, value: Value) -> str:
    return NO_VALUE if value is NOTHING else value_text(words, part.sort, value)


def source_text(words: Vocabulary, source: ReadPart) -> str:
    """What a step read: ``next = 3``."""
    part = formula_text(words, source.part, source.environment)
    return f"{part} = {value_text(words, source.part.sort, source.value)}"


def causes_json(words: Vocabulary, trace: Trace, found: Sequence[Cause]) -> list[dict[str, Any]]:
    """The causes as data, a value as text."""
    return [
        {
            "step": cause.step,
            "action": trace.steps[cause.step].action,
            "part": formula_text(words, cause.part, cause.atom.environment),
            "before": _json(words, cause, cause.before),
            "now": _json(words, cause, cause.now),
            "formula": formula_text(words, cause.atom.term, cause.atom.environment),
            "truth": cause.atom.truth.value,
            "settles": cause.settles,
        }
        for cause in found
    ]


def _json(words: Vocabulary, cause: Cause, value: Value) -> str | None:
    return None if value is NOTHING else value_text(words, cause.part.sort, value)
