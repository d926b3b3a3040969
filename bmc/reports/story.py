"""How a violation came about: the few steps that matter, what each did, and what was lost in it.

Nothing of it is written by hand: a step matters if it was the last to change a value that the
false formula speaks of, or if a log lost an entry in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bmc.evidence.causes import NOTHING, Cause
from bmc.evidence.explanation import Truth
from bmc.lang.terms import Term
from bmc.readings.domain import Value
from bmc.reports.explanations import formula_text
from bmc.reports.notation import value_text
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
            formula = formula_text(words, cause.atom.term, env)
            settled = ((formula, _word(cause.atom.truth)),)
        known = together.get(part)
        if known is not None:
            settled = tuple(dict.fromkeys((*known.settled, *settled)))
        together[part] = Turn(part, before, now, settled)
    yield from together.values()


def _word(truth: Truth) -> str:
    return truth.value


def _text(words: Vocabulary, part: Term, value: Value) -> str:
    return NO_VALUE if value is NOTHING else value_text(words, part.sort, value)


def turn_text(turn: Turn) -> str:
    """A turn on one line."""
    return f"{turn.part}  {turn.before} → {turn.now}"
