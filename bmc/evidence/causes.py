"""How a formula came to be false: of each value that it speaks of, the step that changed it last.

It reads what :mod:`bmc.evidence.explanation` found, and the states of the trace before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bmc.evidence.explanation import Explanation
from bmc.evidence.trace import Trace
from bmc.lang.by_parts import ByParts
from bmc.lang.errors import BoundTooSmall
from bmc.lang.operator_table import BINDERS
from bmc.lang.properties import Kind
from bmc.lang.terms import Term, subterms
from bmc.layout.domain import Value
from bmc.readings.value import Evaluator

NOTHING = object()
"""The value of a term that has none in a state."""


@dataclass(frozen=True)
class Cause(ByParts):
    """The last change of a value that an atom of a false formula speaks of.

    ``part`` is the value's term, under the environment of ``atom``; ``before`` and ``now`` are
    its values around the step, :data:`NOTHING` for none. ``settles`` says that the atom has the
    truth that it has at the end since this very step. Where ``part`` is the atom itself, the
    values are its truth.
    """

    step: int
    part: Term
    atom: Explanation
    before: Value
    now: Value
    settles: bool


def causes(evaluator: Evaluator, trace: Trace, why: Explanation, kind: Kind) -> tuple[Cause, ...]:
    """The causes of an explanation of a property's failure at the end of a trace, by step.

    What is as it is since the initial state has no cause.
    """
    reader = _Past(evaluator, trace, kind is Kind.STEP_INVARIANT)
    found: dict[tuple[int, int, tuple[Value, ...]], Cause] = {}
    for atom in why.leaves():
        for cause in reader.causes(atom):
            values = tuple(atom.environment[v] for v in _read(cause.part, atom))
            key = (cause.step, cause.part.uid, values)
            if key not in found or cause.settles:
                found[key] = cause
    return tuple(sorted(found.values(), key=lambda cause: cause.step))


def _read(part: Term, atom: Explanation) -> list[Term]:
    return sorted((v for v in atom.environment if v in part.free), key=lambda v: v.uid)


class _Past:
    """The values of terms in each state of a trace (or over each step)."""

    def __init__(self, evaluator: Evaluator, trace: Trace, over_steps: bool) -> None:
        self._evaluator = evaluator
        self._states = [step.state for step in trace.steps]
        self._over_steps = over_steps

    def causes(self, atom: Explanation) -> Iterator[Cause]:
        """The causes of one atom."""
        settled = self._last_change(atom.term, atom)
        changed = False
        for part in _parts(atom):
            last = self._last_change(part, atom)
            if last is None:
                continue
            changed = True
            step, before, now = last
            settles = settled is not None and settled[0] == step
            whole = _held_by_cases(part)
            if whole is not None and (before is NOTHING or now is NOTHING):
                # The case was another one, which has values of its own.
                _, _, value = self._history(whole, atom)
                part, before, now = whole, value(step - 1), value(step)
            yield Cause(step, part, atom, before, now, settles)
        if not changed and settled is not None:
            step, before, now = settled
            yield Cause(step, atom.term, atom, before, now, True)

    def _last_change(self, term: Term, atom: Explanation) -> tuple[int, Value, Value] | None:
        first, last, value = self._history(term, atom)
        now = value(last)
        for step in range(last, first, -1):
            before = value(step - 1)
            if before != now:
                return step, before, now
        return None

    def _history(self, term: Term, atom: Explanation) -> tuple[int, int, Callable[[int], Value]]:
        """The first and the last step for which a term has a value, and what it is there."""
        last = len(self._states) - 1
        if _is_primed(term):
            return 1, last, lambda i: self._value(term, atom, i - 1, i)
        # What a step invariant says of the state before its step came about by then.
        return 0, last - self._over_steps, lambda i: self._value(term, atom, i, None)

    def _value(self, term: Term, atom: Explanation, state: int, after: int | None) -> Value:
        before, later = self._states[state], None if after is None else self._states[after]
        try:
            return self._evaluator.evaluate(term, before, dict(atom.environment), later)
        except BoundTooSmall:
            return NOTHING


def _parts(atom: Explanation) -> Iterator[Term]:
    """The values that an atom compares; what it reads, where it is a value itself."""
    term = atom.term
    if term.op in BINDERS or term.op in ("variable", "select", "field", "bound_variable"):
        return
    yield from (child for child in term.args if child.op not in ("int", "bound", "bool", "enum"))


def _held_by_cases(part: Term) -> Term | None:
    """Return the value of several cases in one of which a part is; None where it is in none."""
    while part.op in ("field", "select", "at", "the", "narrow"):
        part = part.args[0]
    return part.args[0] if part.op == "payload" else None


def _is_primed(term: Term) -> bool:
    found: Any = (one.data for one in subterms([term]) if one.op == "variable")
    return any(primed for _, primed in found)
