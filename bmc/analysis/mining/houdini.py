"""Houdini that remembers cores: the greatest set of candidates that a step preserves together.

A candidate that some step breaks is dropped, with all others that the same step breaks; only what
leant on a dropped one is asked again (:mod:`bmc.engines.houdini`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bmc.analysis.mining.consecution import BreakingStep, Consecution, Preserved
from bmc.engines.conjuncts import Conjunct
from bmc.engines.houdini import Round, greatest
from bmc.engines.task import Observer
from bmc.layout.domain import Value
from bmc.readings.circuit import evaluate

Goal = tuple[str, tuple[Value, ...]]


@dataclass
class Survivors:
    """What survived, in the order given; ``needs`` names for each survivor what its step needs,
    and ``broken`` has for each one dropped a step that breaks it."""

    survivors: tuple[Conjunct, ...] = ()
    needs: dict[str, frozenset[str]] = field(default_factory=dict)
    broken: dict[str, BreakingStep] = field(default_factory=dict)


Answers = Mapping[Goal, Preserved | BreakingStep]
Ask = Callable[[dict[Goal, None], list[str]], Answers]
"""Answers at least one of the goals, where the named conjuncts hold before a step."""
Asker = Callable[[Consecution, Mapping[str, Conjunct]], Ask]
"""Makes what answers goals of these candidates."""


def asked_here(consecution: Consecution, named: Mapping[str, Conjunct]) -> Ask:
    """Return what asks the last of the goals of this process' solver."""
    goals = {(one.name, goal.arguments): goal for one in named.values() for goal in one.goals}

    def ask(wanted: dict[Goal, None], assumed: list[str]) -> Answers:
        asked = next(reversed(wanted))
        ask_of = consecution.over_step if named[asked[0]].of_steps else consecution.after_step
        return {asked: ask_of(goals[asked], assumed)}

    return ask


def houdini(
    consecution: Consecution,
    candidates: Iterable[Conjunct],
    known: Iterable[str],
    observer: Observer,
    asker: Asker = asked_here,
) -> Survivors:
    """The greatest subset that is inductive on top of what is ``known``.

    Step invariants among the candidates survive where every step from states in which the rest
    holds meets them; they are never assumed. Initiation is the caller's to check. Raises OutOfTime.
    """
    named = {one.name: one for one in candidates}
    beside = list(known)
    found = Survivors()
    for one in named.values():
        if not one.of_steps:
            consecution.know(one)
    goals = {(one.name, goal.arguments): one.name for one in named.values() for goal in one.goals}
    asked = asker(consecution, named)

    def ask(wanted: dict[Goal, None], alive: dict[str, None]) -> Round[Goal, str]:
        observer.phase(f"induction: {len(alive)} candidates, {len(wanted)} goals")
        states = [name for name in alive if not named[name].of_steps]
        holds: dict[Goal, frozenset[str]] = {}
        gone: set[str] = set()
        for goal, answer in asked(wanted, [*beside, *states]).items():
            if isinstance(answer, Preserved):
                holds[goal] = answer.by
                continue
            broken = {n for n in states if not _holds(named[n], answer.reached)} | {goal[0]}
            found.broken |= dict.fromkeys(broken - gone, answer)
            gone |= broken
        return Round(holds, gone)

    leaning = greatest(goals, ask)
    found.survivors = tuple(one for name, one in named.items() if name not in found.broken)
    for (name, _), by in leaning.items():
        found.needs[name] = found.needs.get(name, frozenset()) | (by or frozenset())
    return found


def _holds(one: Conjunct, numbers: Sequence[int]) -> bool:
    return all(evaluate([instance.holds for instance in one.instances], numbers))
