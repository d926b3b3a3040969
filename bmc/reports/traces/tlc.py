"""Traces as TLC prints them: a numbered state after each action, a conjunct for each variable."""

from __future__ import annotations

from collections.abc import Iterator

from bmc.evidence.lasso import Lasso
from bmc.evidence.trace import Trace, TraceStep
from bmc.reports.notation import value_text
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
        for name, sort in words.variables.items():
            yield f"/\\ {name} = {value_text(words, sort, step.state[name])}"
        yield ""


def _taken(words: Vocabulary, step: TraceStep) -> str:
    if step.action is None:
        return "Initial predicate"
    sorts = words.action_arguments(step.action)
    shown = [value_text(words, sorts[n], v) for n, v in step.arguments.items() if n in sorts]
    return f"{step.action}({', '.join(shown)})" if shown else step.action
