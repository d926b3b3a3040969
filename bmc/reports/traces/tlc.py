"""Traces as TLC prints them: a numbered state after each action, a conjunct for each variable.

A single variable has no conjunction, as in TLC."""

from __future__ import annotations

from collections.abc import Iterator

from bmc.evidence.lasso import Lasso
from bmc.evidence.trace import Trace, TraceStep
from bmc.reports.tla_values import tla_text
from bmc.reports.vocabulary import Vocabulary


def tlc_text(words: Vocabulary, trace: Trace) -> str:
    """Return a trace in TLC's form, which pastes into a TLA+ module as formulas of states."""
    return "\n".join(_lines(words, trace))


def lasso_tlc_text(words: Vocabulary, lasso: Lasso) -> str:
    """Return a lasso in TLC's form, which says at its end where it goes back to."""
    if lasso.closing is None:
        end = f"State {len(lasso.trace) + 1}: Stuttering"
    else:
        end = f"Back to state {lasso.loop + 1}: <{_taken(words, lasso.closing)}>"
    return f"{tlc_text(words, lasso.trace)}\n{end}\n"


def _lines(words: Vocabulary, trace: Trace) -> Iterator[str]:
    for number, step in enumerate(trace.steps, 1):
        yield f"State {number}: <{_taken(words, step)}>"
        # A trace without the history has no ghosts.
        shown = {n: sort for n, sort in words.variables.items() if n in step.state}
        bullet = "/\\ " if len(shown) > 1 else ""
        for name, sort in shown.items():
            yield f"{bullet}{name} = {tla_text(words, sort, step.state[name])}"
        yield ""


def _taken(words: Vocabulary, step: TraceStep) -> str:
    if step.action is None:
        return "Initial predicate"
    if words.origin is not None:
        return words.origin.step_text(step.action, step.arguments)
    sorts = words.action_arguments(step.action)
    shown = [tla_text(words, sorts[n], v) for n, v in step.arguments.items() if n in sorts]
    return f"{step.action}({', '.join(shown)})" if shown else step.action
