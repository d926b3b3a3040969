"""Lemmas that speak of the specification's own variables, proven to help a search."""

from __future__ import annotations

from bmc.engines.conjuncts import Conjunct, conjuncts
from bmc.engines.induction import Induction
from bmc.engines.task import Deadline, Observer, Task
from bmc.system.transition import TransitionSystem


def proven_lemmas(
    task: Task, system: TransitionSystem, observer: Observer, deadline: Deadline
) -> tuple[Conjunct, ...]:
    """The task's lemmas without ghosts that hold in every reachable state.

    They are proven here, together, by induction at ``k = 1``. Raises OutOfTime when the deadline
    passes: then none is.
    """
    lemmas = conjuncts(system, task.plain_strengthening())
    induction = Induction(system, task.solver, observer, deadline)
    initially = induction.fails_initially(lemmas)
    found = induction.strengthen([c for c in lemmas if c.name not in initially], (), 1).survivors
    if lemmas:
        observer.fact(f"{len(found)} of {len(lemmas)} lemmas proven, to be used as known")
    return found
