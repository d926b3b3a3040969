"""Lemmas from smaller sets: what is found where all states are known, to be offered where not.

A lemma names no member of a set, so it says the same of three servers as of four; and a search with
three has fewer states to look at, and easier questions. A few states of the size that was asked for
are looked at beside, so that what leans on the smaller size is not even proposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bmc.analysis.inference.minimise import needed
from bmc.analysis.inference.prospect import Prospect
from bmc.analysis.inference.search import LemmaSearch
from bmc.analysis.inference.subject import Subject
from bmc.analysis.mining.candidates import Candidate, distinct
from bmc.engines.samples import Explored
from bmc.engines.task import Deadline, Observer, OutOfTime, Task
from bmc.lang.errors import BmcError, SortError
from bmc.lang.model import Model
from bmc.lang.resized import Resizing, scalarsets

_SOME = 40_000
"""States of the asked size that are looked at beside: all are too many for each proposal."""
_LONG = 60.0
_SMALLEST = 2
"""Members of a set that none is taken from: of one alone there is little to say."""


@dataclass(frozen=True)
class Lemmas:
    """What was found at smaller sizes: what a proof ``needed`` there, and what else there was."""

    needed: tuple[Candidate, ...] = ()
    others: tuple[Candidate, ...] = ()

    def of(self, model: Model) -> Lemmas:
        """Return those that say something of another size's model, in its words."""
        here = Resizing(model.variables)
        return Lemmas(tuple(_said(self.needed, here)), tuple(_said(self.others, here)))

    def enter(self, search: LemmaSearch) -> int:
        """Have a search begin with those that hold in its explored states; return how many."""
        held = [
            [one for one, _ in search.prospect.valid(distinct(found), search.deadline)]
            for found in (self.needed, self.others)
        ]
        search.offer(held[0])
        search.think_of(held[1])
        if any(held):
            search.together()
        return sum(map(len, held))


def _said(found: Iterable[Candidate], here: Resizing) -> Iterator[Candidate]:
    for one in found:
        try:
            stated = here.property(one.stated("candidate"))
        except SortError:
            continue
        yield replace(one, arguments=stated.arguments, body=stated.body)


@dataclass(frozen=True)
class Smaller:
    """The search for lemmas at the smaller sizes of a task, of which some states are ``known``."""

    task: Task
    known: Explored
    states: int
    arguments: int
    seed: int
    observer: Observer

    def lemmas(self, deadline: Deadline) -> Lemmas:
        """Return lemmas that hold at smaller sizes, and in some states of the asked one.

        They are looked for at each size after the other, the smallest first, as long as all states
        can be explored there, and none when the deadline has passed.
        """
        found = Lemmas()
        tasks = smaller_tasks(self.task, deadline)
        if not tasks:
            return found
        some = self.known.some(_SOME, self.seed)
        for task in tasks:
            try:
                subject = Subject.of(task)
                explored = self._all(subject, deadline)
            except BmcError:
                break
            if not explored.complete or explored.violated(subject.targets) is not None:
                break
            prospect = Prospect(subject.words(), [explored, some], self.arguments)
            search = LemmaSearch(subject.system, subject.targets, prospect, deadline, self.observer)
            try:
                found.of(subject.system.model).enter(search)
                search.run()
            except OutOfTime:
                return self._of(search, found)
            found = self._of(search, Lemmas())
        return found

    def _all(self, subject: Subject, deadline: Deadline) -> Explored:
        """Return the states of a size. Raises BmcError where the text is not decided there."""
        explored = Explored(subject.system, self.seed)
        left = deadline.remaining()
        explored.explore_all(self.states, _LONG if left is None else left, self.observer)
        return explored

    def _of(self, search: LemmaSearch, before: Lemmas) -> Lemmas:
        """Return what a search has found, and what there was before it if it was cut short."""
        nodes = [node for node in search.nodes.values() if node.candidate is not None]
        kept = [node for node in nodes if node.closed]
        if search.closed:
            kept = needed(search, [t.name for t in search.targets], self.observer).lemmas
        of_proof = [node.candidate for node in kept if node.candidate is not None]
        rest = [node.candidate for node in nodes if node not in kept and node.candidate is not None]
        return Lemmas((*before.needed, *of_proof), (*before.others, *rest))


def smaller_tasks(task: Task, deadline: Deadline) -> list[Task]:
    """Return the task at smaller sizes of its scalarsets, the smallest first.

    A text is translated for each of them: there are none where the deadline passes meanwhile.
    """
    found: list[Task] = []
    below = _smaller(task)
    while below is not None:
        if deadline.has_passed():
            return []
        found.insert(0, below)
        below = _smaller(below)
    return found


def _smaller(task: Task) -> Task | None:
    origin = task.suite.origin
    if origin is not None:
        suite = origin.smaller()
        if suite is None or not {p.name for p in suite.properties}.issuperset(task.properties):
            return None
        return replace(task, suite=suite)
    model = task.model(ghosts=False)
    sizes = {
        name
        for size in scalarsets(model.variables).values()
        for names, _ in size.coefficients
        for name in names
    }
    low = {p.name: max(p.low, _SMALLEST) for p in model.parameters if p.name in sizes}
    fewer = {
        name: value - 1 if value > low.get(name, value) else value
        for name, value in task.parameters.items()
    }
    return None if fewer == dict(task.parameters) else replace(task, parameters=fewer)
