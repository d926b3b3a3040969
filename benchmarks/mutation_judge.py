"""Judges the mutants of a protocol: which claim notices a fault, if any does."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from mutation_choices import BESIDE, CHOICES, ONCE
from mutation_claims import CLAIMS, LEMMAS_OF
from mutation_page import Standing

from bmc.analysis.mutant_steps import Did, Mutants, New, ReachedGraph
from bmc.analysis.mutants import Fault, faults, mutated
from bmc.cli.shared import catalogue
from bmc.engines.liveness.decide import Question, decide
from bmc.engines.task import Task
from bmc.evidence.verdict import Verdict
from bmc.lang.errors import LanguageError
from bmc.lang.properties import Kind, Property

_MOST_STATES = 400_000


class Judge:
    """Judges the mutants of one protocol."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._plain = catalogue.find(name)
        stated = (*self._plain.properties, *CLAIMS.get(name, ()))
        lemmas = catalogue.find(LEMMAS_OF.get(name, name)).lemmas
        self.suite = replace(self._plain, properties=stated, lemmas=lemmas)
        self.model = self.suite.model(ghosts=self._speaks_of_history())
        self._own = {one.name for one in CLAIMS.get(name, ())}
        self._lemmas = {one.name for one in self.suite.declared(Kind.LEMMA)}
        self._graphs: dict[int, ReachedGraph] = {}
        self._mutants: dict[tuple[int, str], Mutants] = {}
        self._temporal: dict[int, tuple[str, ...]] = {}
        # Where the model has ghosts no fault is planted in what they remember.
        plain = {fault.name for fault in faults(self.suite.model(ghosts=False))}
        self._planted: dict[str, list[Fault]] = {}
        for fault in faults(self.model):
            if fault.name in plain:
                self._planted.setdefault(fault.action, []).append(fault)

    def _speaks_of_history(self) -> bool:
        """Whether a claim does; lemmas that do are left out."""
        model = self.suite.model(ghosts=False)
        try:
            for declared in self.suite.declared(Kind.INVARIANT, Kind.STEP_INVARIANT):
                self.suite.describe(declared, model)
        except LanguageError:
            return True
        return False

    def faults(self) -> list[Fault]:
        """Return the faults that are planted."""
        elsewhere = {
            _text(fault)
            for other in BESIDE.get(self.name, ())
            for fault in faults(catalogue.find(other).model(ghosts=False))
        }
        return [one for own in self._planted.values() for one in own if _text(one) not in elsewhere]

    def graph(self, number: int) -> ReachedGraph:
        """Return what the protocol itself does at its parameters of that number."""
        if number not in self._graphs:
            values = Task(self.suite, CHOICES[self.name][number], ()).parameters
            self._graphs[number] = ReachedGraph(self.model, values, _MOST_STATES)
        return self._graphs[number]

    def _stated(self, graph: ReachedGraph) -> list[Property]:
        """Return the claims and lemmas that can be told from a state, and hold of the protocol."""
        found = []
        for declared in self.suite.declared(Kind.INVARIANT, Kind.STEP_INVARIANT, Kind.LEMMA):
            with suppress(LanguageError):
                found.append(self.suite.describe(declared, self.model))
        return [one for one in found if graph.satisfies(one)]

    def _did(self, number: int, fault: Fault) -> Did:
        key = number, fault.action
        if key not in self._mutants:
            stated = self._stated(self.graph(number))
            planted = self._planted[fault.action]
            self._mutants[key] = Mutants(self.graph(number), fault.action, planted, stated)
        return self._mutants[key].did(self._planted[fault.action].index(fault))

    def judged(self, fault: Fault) -> tuple[Standing, str, int]:
        """Return how a mutant stands, by what, and of how many states the trace is."""
        by_lemma: tuple[Standing, str, int] | None = None
        missing: set[str] | None = None
        worst = Standing.WITHIN
        for number in self._where(fault):
            did, whole = self._did(number, fault), self.graph(number)
            ordered = sorted(did.noticed, key=lambda name: (did.noticed[name], name))
            if by := [name for name in ordered if name not in self._lemmas]:
                stated = [name for name in by if name not in self._own]
                standing = Standing.NOTICED if stated else Standing.ADDED
                return standing, (stated or by)[0], did.noticed[(stated or by)[0]]
            if ordered and by_lemma is None:
                by_lemma = Standing.LEMMA, ordered[0], did.noticed[ordered[0]]
            if not did.complete:
                worst = Standing.OPEN
                break
            gone = set(whole.happened - did.happened)
            missing = gone if missing is None else missing & gone
            worst = max(worst, Standing[_OF[did.new]], key=_ORDER.index)
            if self.name in ONCE:
                if worst is not Standing.STATES:
                    break
                if by_lemma is None and (found := self._in_the_end(fault, number)):
                    return found
        if by_lemma is not None:
            return by_lemma
        if self.name not in ONCE and worst in (Standing.STATES, Standing.OPEN):
            for number in self._where(fault):
                if found := self._in_the_end(fault, number):
                    return found
        return (Standing.LESS, ", ".join(sorted(missing)), 0) if missing else (worst, "", 0)

    def _where(self, fault: Fault) -> list[int]:
        """The numbers of the parameters at which a mutant is explored."""
        every = list(range(len(CHOICES[self.name])))
        if self.name not in ONCE:
            return every
        first = next((n for n in every if fault.action in self.graph(n).happened), 0)
        further = [n for n in ONCE[self.name] if fault.action in self.graph(n).happened]
        return [first, *(n for n in further if n != first)]

    def _in_the_end(self, fault: Fault, number: int) -> tuple[Standing, str, int] | None:
        """Which temporal claim notices a mutant, and the states of its lasso."""
        values = self.graph(number).parameters
        if number not in self._temporal:
            names = tuple(one.name for one in self._plain.temporal)
            found = decide(Question(self._plain, values, names))
            self._temporal[number] = tuple(
                one.property for one in found if one.verdict is Verdict.PROVED
            )
        if names := self._temporal[number]:
            mutant = mutated(self._plain, fault.name)
            for one in decide(Question(mutant, values, names, max_states=_MOST_STATES)):
                if one.lasso is not None:
                    return Standing.NOTICED, one.property, len(one.lasso.trace)
        return None


_ORDER = (Standing.WITHIN, Standing.STEPS, Standing.STATES)
_OF = {New.NOTHING: "WITHIN", New.STEPS: "STEPS", New.STATES: "STATES"}


def _text(fault: Fault) -> tuple[str, str, str]:
    return fault.action, fault.name.rpartition(".")[2], fault.about
