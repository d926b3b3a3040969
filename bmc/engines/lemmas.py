"""Lemmas proven together: of every state, before anything else is; to help a search as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bmc.engines.conjuncts import Conjunct, conjuncts
from bmc.engines.induction import Induction, Inductive
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
    found = proven_together(induction, lemmas).survivors
    if lemmas:
        observer.fact(f"{len(found)} of {len(lemmas)} lemmas proven, to be used as known")
    return found


def told(proven: int, lemmas: int) -> str:
    """Return how many lemmas are proven of how many, before any claim is joined to them."""
    return f"{proven} of {lemmas} lemmas proven{' by themselves' if proven < lemmas else ''}"


def proven_together(induction: Induction, lemmas: Sequence[Conjunct]) -> Inductive:
    """Return which lemmas are inductive together, of those that every initial state satisfies.

    Raises OutOfTime when the deadline passes.
    """
    initially = induction.fails_initially(lemmas)
    found = induction.strengthen([c for c in lemmas if c.name not in initially], (), 1)
    first = tuple(c.name for c in lemmas if c.name in initially)
    return replace(found, at_fault=first or found.at_fault)
