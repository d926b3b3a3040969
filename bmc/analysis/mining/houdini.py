"""Houdini that remembers cores: the greatest set of candidates that a step preserves together.

A candidate that some step breaks is dropped, with all others that the same step breaks; only what
leant on a dropped one is asked again (Flanagan and Leino, *Houdini*, 2001).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from bmc.analysis.mining.consecution import Broken, Consecution, Preserved
from bmc.engines.conjuncts import Conjunct
from bmc.engines.task import Observer
from bmc.layout.domain import Value
from bmc.readings.circuit import evaluate

Goal = tuple[str, tuple[Value, ...]]


@dataclass
class Inductive:
    """What survived, in the order given; ``needs`` names for each survivor what its step needs,
    and ``broken`` has for each one dropped a step that breaks it."""

    survivors: tuple[Conjunct, ...] = ()
    needs: dict[str, frozenset[str]] = field(default_factory=dict)
    broken: dict[str, Broken] = field(default_factory=dict)


def houdini(
    consecution: Consecution,
    candidates: Iterable[Conjunct],
    known: Iterable[str],
    observer: Observer,
) -> Inductive:
    """The greatest subset that is inductive on top of what is ``known``.

    Initiation is the caller's to check. Raises OutOfTime.
    """
    alive = {one.name: one for one in candidates}
    assumed = list(known)
    found = Inductive()
    leaning: dict[Goal, frozenset[str]] = {}
    for one in alive.values():
        consecution.know(one)
    work = [(one, goal) for one in alive.values() for goal in one.goals]
    while work:
        one, goal = work.pop()
        if one.name not in alive:
            continue
        observer.phase(f"induction: {len(alive)} candidates, {len(work)} goals")
        answer = consecution.after_step(goal, [*assumed, *alive])
        if isinstance(answer, Preserved):
            leaning[one.name, goal.arguments] = answer.by
            continue
        numbers = consecution.system.encode(answer.after)
        gone = {n for n, other in alive.items() if not _holds(other, numbers)} | {one.name}
        for name in gone:
            del alive[name]
            found.broken[name] = answer
        again = {(n, a) for (n, a), by in leaning.items() if by & gone and n in alive}
        leaning = {key: by for key, by in leaning.items() if key not in again}
        work += [(alive[n], g) for n, a in again for g in alive[n].goals if g.arguments == a]
    found.survivors = tuple(alive.values())
    for (name, _), by in leaning.items():
        if name in alive:
            found.needs[name] = found.needs.get(name, frozenset()) | by
    return found


def _holds(one: Conjunct, numbers: list[int]) -> bool:
    return all(evaluate([instance.holds for instance in one.instances], numbers))
