"""Inference before a proof: what `bmc infer` does, and `bmc prove --infer` does as well."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bmc.analysis.inference.infer import Inferred, Options
    from bmc.cli.shared.progress import Progress
    from bmc.engines.task import Task
    from bmc.evidence.verdict import Result

_LEAST = 20.0
"""Seconds that the proof may take at least, whatever the inference has left of the limit."""


@dataclass(frozen=True)
class Outcome:
    """What an inference came to: verdicts in the order of the task, and the lemmas behind them.

    ``task`` is the task with the lemmas among its own; ``inferred`` is None where every property
    is violated.
    """

    task: Task
    results: tuple[Result, ...]
    inferred: Inferred | None


def inferred_and_proved(task: Task, options: Options, progress: Progress) -> Outcome:
    """Infer lemmas for a task's properties and prove with them; what is violated gets its trace.

    An interruption leaves what is open unknown. Raises OptionError where nothing can be inferred.
    """
    from bmc.analysis.inference.infer import infer
    from bmc.analysis.mining.mine import ClaimViolated
    from bmc.cli.shared.decide import INTERRUPTED
    from bmc.engines.confirmation import confirmed
    from bmc.evidence.verdict import Result, Verdict

    began = monotonic()
    known: dict[str, Result] = {}
    found: Inferred | None = None
    asked = task
    with progress:
        while len(known) < len(task.properties):
            asked = replace(task, properties=tuple(n for n in task.properties if n not in known))
            try:
                found = infer(asked, options, progress)
                break
            except ClaimViolated as refusal:
                violated = _violated(replace(asked, properties=(refusal.claim,)), progress)
                if not violated:
                    raise
                known |= {result.property: result for result in violated}
        if found is not None:
            if found.stopped == STOPPED:
                known |= {
                    name: Result(
                        name,
                        Verdict.UNKNOWN,
                        "infer",
                        monotonic() - began,
                        reason=INTERRUPTED.text,
                        why=INTERRUPTED.why,
                    )
                    for name in asked.properties
                }
            else:
                left = max(_LEAST, options.seconds - (monotonic() - began))
                asked = replace(furnished(asked, found), timeout=left)
                known |= {r.property: r for r in _proved(asked, found.closed, progress)}
    results = confirmed(asked, tuple(known[name] for name in task.properties))
    return Outcome(asked, results, found)


STOPPED = "it was interrupted"


def furnished(task: Task, found: Inferred) -> Task:
    """Return the task with the inferred lemmas instead of the suite's own, and without history."""
    from bmc.analysis.inference.infer import GROUP
    from bmc.lang.ready import with_lemmas

    asked = tuple(d for d in task.suite.lemmas if d.name in task.properties)
    bare = replace(task.suite, lemmas=asked, history=None)
    groups = (GROUP,) if found.lemmas else ()
    return replace(task, suite=with_lemmas(bare, found.lemmas), lemmas=True, lemma_groups=groups)


def _violated(task: Task, progress: Progress) -> tuple[Result, ...]:
    """Return the shortest trace to what an explored state violates, if exploring comes to it."""
    from bmc.engines.bounded import check
    from bmc.engines.explicit import explore
    from bmc.evidence.verdict import Verdict

    explored = explore(task, progress, stop_at_violation=True).verdicts()
    results = tuple(r for r in explored if r.verdict is Verdict.VIOLATED)
    if results:
        return results
    searched = check(replace(task, bound=40), progress)
    return tuple(r for r in searched if r.verdict is Verdict.VIOLATED)


def _proved(task: Task, closed: bool, progress: Progress) -> tuple[Result, ...]:
    """Prove with the lemmas: by induction where they suffice, or else by whoever can."""
    from bmc.engines.kinduction import prove
    from bmc.engines.portfolio import prove as auto

    return prove(task, progress) if closed else auto(task, progress)


def with_inferred_lemmas(task: Task) -> Task:
    """Return the task with lemmas inferred for its properties instead of the suite's own.

    Half of its limit of time is for the inference. A property that an explored state violates
    needs none: the task is returned as it is, for its engines to find the trace.
    """
    from bmc.analysis.inference.infer import Options, infer
    from bmc.analysis.mining.mine import ClaimViolated
    from bmc.cli.shared.progress import Progress

    began = monotonic()
    options = Options() if task.timeout is None else Options(seconds=task.timeout / 2)
    progress = Progress()
    try:
        with progress:
            found = infer(task, options, progress)
    except ClaimViolated:
        return replace(task, lemmas=False)
    if found.stopped == STOPPED:
        raise KeyboardInterrupt
    left = None if task.timeout is None else task.timeout - (monotonic() - began)
    return replace(furnished(task, found), timeout=None if left is None else max(0.05, left))
