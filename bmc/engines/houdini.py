"""Houdini: the greatest set of candidates that support each other.

Candidates are assumed together; whichever fails is dropped, and what may have needed it is asked
again, until nothing fails (Flanagan and Leino, *Houdini, an annotation assistant for ESC/Java*,
2001). How a question is asked is the engines' own: of one goal or of all at once, of a solver that
names what it used or of one that does not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Generic, TypeVar

Candidate = TypeVar("Candidate")
Goal = TypeVar("Goal")


@dataclass(frozen=True)
class Round(Generic[Goal, Candidate]):
    """What was found out: goals that hold with what they need, and candidates that fail.

    A goal needs the candidates that are named, all there are where that is None. What is neither
    answered nor a goal of a dropped candidate is asked again.
    """

    holds: Mapping[Goal, AbstractSet[Candidate] | None]
    dropped: Collection[Candidate]


Question = Callable[[dict[Goal, None], dict[Candidate, None]], Round[Goal, Candidate]]


def greatest(
    goals: Mapping[Goal, Candidate], ask: Question[Goal, Candidate]
) -> Mapping[Goal, AbstractSet[Candidate] | None]:
    """Return the goals of the candidates that survive, each with what it needs.

    ``goals`` says whose goal each is; a candidate survives if all of its goals hold. ``ask`` is
    given the goals that are open and the candidates that are left, in order, and answers at
    least one goal or drops at least one candidate.
    """
    alive = dict.fromkeys(goals.values())
    known: dict[Goal, AbstractSet[Candidate] | None] = {}
    wanted = dict.fromkeys(goals)
    while wanted:
        found = ask(wanted, alive)
        for goal, needs in found.holds.items():
            known[goal] = needs
            del wanted[goal]
        gone = frozenset(found.dropped)
        if gone:
            alive = {one: None for one in alive if one not in gone}
            known = {
                goal: needs
                for goal, needs in known.items()
                if goals[goal] in alive and needs is not None and not needs & gone
            }
            left = (goal for goal, owner in goals.items() if owner in alive)
            wanted = dict.fromkeys(goal for goal in left if goal not in known)
    return known
