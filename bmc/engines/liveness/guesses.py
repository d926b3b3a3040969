"""Lemmas beside a monitor: clauses of what it remembers and watches, guessed and then proven.

A claim is rarely inductive by itself: from what no run reaches, a monitor sees whatever it likes.
Clauses of at most three literals that no state of a sample denies are tried together. One that a
smaller clause implies is left out until that one turns out not to be inductive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from bmc.engines.conjuncts import conjunct
from bmc.engines.induction import Induction
from bmc.engines.lemmas import proven_together
from bmc.engines.samples import Explored
from bmc.engines.task import Deadline, Observer, Task
from bmc.lang.build import disj
from bmc.lang.errors import BmcError
from bmc.lang.model import Source
from bmc.lang.properties import Kind, Property
from bmc.system.fair_monitor import Recurrence
from bmc.system.follower import negation
from bmc.system.transition import TransitionSystem
from bmc.system.watched import WatchedSuite, remarks

_STATES = 2_000
_SECONDS = 3.0
_MOST = 4_000
"""Clauses of three literals that are looked at."""
_PASSES = 5
"""How often clauses take the place of those that are not inductive."""

_Clause = frozenset[Recurrence]


class Denied(BmcError):
    """The claim of a monitor is false in a state of the sample."""


def lemmas_beside(task: Task, observer: Observer, end: Deadline) -> tuple[Property, ...]:
    """Return clauses that are inductive together, of a task about a suite beside a monitor.

    Raises Denied, BoundMet where the model leaves its bounds, and OutOfTime.
    """
    beside = task.suite
    assert isinstance(beside, WatchedSuite)
    model = beside.model(False)
    system = TransitionSystem(model, task.parameters)
    states = Explored(system, 0)
    left = end.remaining()
    states.explore(_STATES, _SECONDS if left is None else min(_SECONDS, left / 4), observer)
    end.check()
    claims = [system.circuit.all(i.holds for i in system.instances(s)) for s in task.stated(model)]
    if any(len(failing) for failing in states.failing(claims)):
        raise Denied("the monitor is seen to see all that a violation shows")
    guessed = _true_of(states, dict.fromkeys(_clauses(beside)))
    induction = Induction(system, task.solver, observer, end)
    proven: list[Property] = []
    known: list[_Clause] = []
    for _ in range(_PASSES):
        tried = _least(guessed, known)
        if not tried:
            break
        asked = [conjunct(system, one) for one in (*proven, *tried.values())]
        kept = {one.name for one in proven_together(induction, asked).survivors}
        for clause, one in tried.items():
            del guessed[clause]
            if one.name in kept:
                proven.append(one)
                known.append(clause)
    return tuple(proven)


def _clauses(beside: WatchedSuite) -> Iterator[_Clause]:
    """Yield clauses, smaller ones first: the largest speak of a place and of two things there."""
    places, others = remarks(beside)
    signed = [(one, _not(one)) for one in others]
    pairs = [
        frozenset(chosen)
        for one, other in combinations(signed, 2)
        for chosen in ((a, b) for a in one for b in other)
    ]
    for pair in signed:
        yield from (frozenset({one}) for one in pair)
    for place in places:
        yield from (frozenset({_not(place), one}) for pair in signed for one in pair)
    yield from pairs
    larger = (frozenset({_not(place), *pair}) for place in places for pair in pairs)
    yield from (one for _, one in zip(range(_MOST), larger, strict=False))


def _true_of(states: Explored, clauses: Iterable[_Clause]) -> dict[_Clause, Property]:
    """Return the clauses that are true of all these states, with the lemmas that they are."""
    system = states.system
    stated = {clause: _stated(number, clause) for number, clause in enumerate(clauses)}
    nodes = [system.circuit.all(i.holds for i in system.instances(s)) for s in stated.values()]
    denied = states.failing(nodes)
    pairs = zip(stated.items(), denied, strict=True)
    return {clause: one for (clause, one), failing in pairs if not len(failing)}


def _least(guessed: dict[_Clause, Property], known: Sequence[_Clause]) -> dict[_Clause, Property]:
    """Return the clauses that no other one implies, and nothing that is known."""
    smaller = [*known]
    found = {}
    for clause, one in guessed.items():
        if not any(part <= clause for part in smaller):
            smaller.append(clause)
            found[clause] = one
    return found


def _not(one: Recurrence) -> Recurrence:
    return Recurrence(f"~{one.name}", negation(one.holds), one.variables)


def _stated(number: int, clause: _Clause) -> Property:
    ordered = sorted(clause, key=lambda one: one.name)
    variables = dict.fromkeys(v for one in ordered for v in one.variables)
    text = " \\/ ".join(one.name for one in ordered)
    body = disj(*(one.holds for one in ordered))
    name = f"Beside{number}"
    return Property(name, Kind.LEMMA, tuple(variables), body, text, "inferred", Source("", 0))
