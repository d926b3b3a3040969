"""Sequences."""

from __future__ import annotations

from bmc.lang.errors import NothingThere
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.value.evaluator import Environment, Evaluation, rule


@rule("append")
def _append(run: Evaluation, term: Term, env: Environment) -> Value:
    sequence, element = run.all(term, env)
    return run.fits(term.sort, (*sequence, element), term)


@rule("at")
def _at(run: Evaluation, term: Term, env: Environment) -> Value:
    sequence, index = run.all(term, env)
    if not 0 <= index < len(sequence):
        raise NothingThere(f"{term!r} reads position {index} of {len(sequence)} elements")
    return sequence[index]


@rule("tail")
def _tail(run: Evaluation, term: Term, env: Environment) -> Value:
    sequence = run.run(term.args[0], env)
    if not sequence:
        raise NothingThere(f"{term!r} is the tail of an empty sequence")
    return sequence[1:]


@rule("take")
def _take(run: Evaluation, term: Term, env: Environment) -> Value:
    sequence, length = run.all(term, env)
    if not 0 <= length <= len(sequence):
        raise NothingThere(f"{term!r} takes {length} of {len(sequence)} elements")
    return sequence[:length]
