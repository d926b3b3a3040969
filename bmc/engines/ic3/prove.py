"""Proving with IC3: what lemmas imply first, then an invariant of clauses for each other target.

What one target needed is known to the next. That the model's bounds suffice comes first, since
nothing is proved without it. A proof counts only after another solver re-checked its
certificate, a violation only after the interpreter replayed it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic

from bmc.engines.bounded import BoundedSearch, overflow_reason, violated
from bmc.engines.conjuncts import Conjunct, conjuncts, names, within_bounds
from bmc.engines.ic3.frames import Cube, Orbit
from bmc.engines.ic3.learned import Learner
from bmc.engines.ic3.reach import KnownStates, reached
from bmc.engines.ic3.sample import Sample, sampled
from bmc.engines.ic3.search import CounterexamplePath, Ic3Search
from bmc.engines.ic3.seeds import seeds
from bmc.engines.ic3.targets import Target, conjunct_of, step_that_breaks, targets
from bmc.engines.ic3.template import Template
from bmc.engines.ic3.within import Within, inside_of
from bmc.engines.induction import Induction
from bmc.engines.isolation import Relay, isolated
from bmc.engines.lemmas import proven_together, told
from bmc.engines.recheck import proved, recheck
from bmc.engines.samples import Explored
from bmc.engines.task import SILENT, Deadline, Observer, OutOfTime, Task
from bmc.evidence.certificate import WITHIN_BOUNDS, Certificate, Clause, Statement
from bmc.evidence.certify import NotDecided
from bmc.evidence.replay import overflowing_action, replay, require_violation
from bmc.evidence.statements import carried, carried_history
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import NOT_SHORTEST, Contradiction, Result, Verdict
from bmc.lang.fingerprint import fingerprint
from bmc.lang.properties import Kind, Property
from bmc.readings.circuit import Node
from bmc.readings.value import ConcreteState, Interpreter
from bmc.solving import core_solver
from bmc.solving.interface import Handle
from bmc.system.atoms import Atoms
from bmc.system.symmetry import symmetry_of
from bmc.system.transition import TransitionSystem

ENGINE = "ic3"

_AT_FIRST, _PATIENCE = 10.0, 4.0
"""Seconds of the processor in which frames alone are tried: most invariants are found so, and to
explore takes longer. And after which these are given up where no further frame was opened."""
_WITH_LEMMAS = 100.0
"""The same beside proven lemmas, which leave frames little to find: none is given up sooner."""

_GROWING, _GROWING_SECONDS = 0.6, 300.0
"""The share of the time in which clauses are learned from some reachable states, before frames; and
the seconds where there is no limit."""

SHORTEST_SECONDS = 30.0
"""How long a shorter trace than the one found is looked for."""


def prove(task: Task, observer: Observer = SILENT) -> tuple[Result, ...]:
    """Decide the task's properties for every depth, in a process of its own.

    ``task.depth`` and ``task.solver`` say how the lemmas are proven, and who looks for the
    shortest trace; IC3 itself knows no depth. Raises NoInitialState when there is nothing to
    prove, and Contradiction when a trace or a certificate does not survive its re-check.
    """
    return isolated(find_invariant, task, observer)


def find_invariant(
    task: Task, observer: Relay, explored: Explored | None = None
) -> tuple[Result, ...]:
    """What :func:`prove` does, in this process; ``explored`` are states of the task's own model, if
    they are known already."""
    return _Proof(task, observer, explored).run()


class _Proof:
    def __init__(self, task: Task, observer: Relay, explored: Explored | None) -> None:
        self.task = task
        self.observer = observer
        self.explored = explored
        self.started = monotonic()
        self.deadline = Deadline(task.timeout)
        observer.phase("building the transition system")
        self.model = task.model(ghosts=task.speaks_of_ghosts())
        self.plain = task.model(ghosts=False)
        if explored is not None and explored.system.model is self.model:
            self.system = explored.system
        else:
            self.system = TransitionSystem(self.model, task.parameters)
        self.interpreter = Interpreter(self.plain, self.system.domains)
        self.stated = {p.name: p for p in task.stated(self.model)}
        self.targets = targets(self.system, self.stated.values())
        self.atoms = Atoms(self.system)
        self.symmetry = symmetry_of(self.system, self.atoms)
        self.inside: Cube = frozenset()
        self.inductive: list[Conjunct] = []
        self.helped = False
        self.clauses: list[Clause] = []
        self.known: list[Node] = []
        self.always: tuple[Orbit, ...] = ()
        self.shown: set[str] = set()
        self.results: dict[str, Result] = {}
        self.reason = "IC3 came to no end"
        self.of_history = False
        bare = self.system
        if self.plain is not self.model:
            bare = TransitionSystem(self.plain, task.parameters)
        self.search = BoundedSearch(bare, task.stated(self.plain), task.solver)
        self.search.on_violation = self._shortest

    def run(self) -> tuple[Result, ...]:
        try:
            self._look_at_the_start()
            if self.search.overflow is None:
                self._strengthen()
                self._search()
            if WITHIN_BOUNDS in self.shown:
                self._certify()
        except OutOfTime as stop:
            self.reason = str(stop)
        for name in self.task.properties:
            if name not in self.results:
                self._decide(self._unknown(name))
        return tuple(self.results[name] for name in self.task.properties)

    def _look_at_the_start(self) -> None:
        """Initial states exist, and what they violate is violated; nothing is proved without."""
        self.search.deepen(self.deadline)
        if self.model.ghosts and self.search.overflow is None:
            # The search knows no ghosts, and it is they that a history may lead out of the bounds.
            past = BoundedSearch(self.system, (), self.task.solver)
            past.deepen(self.deadline)
            self.search.overflow = past.overflow
            self.of_history = past.overflow is not None
        self._note_overflow()

    def _shortest(self, stated: Property, trace: Trace, broken: Handle) -> None:
        if stated.name not in self.results:
            self._decide(violated(stated.name, trace, "bounded", self.started))

    def _note_overflow(self) -> None:
        if self.search.overflow is not None:
            self.reason = overflow_reason(self.search.overflow)

    def _open(self) -> list[Target]:
        return [t for t in self.targets if t.name not in {*self.shown, *self.results}]

    def _strengthen(self) -> None:
        """Prove the lemmas together, then what they imply or what is inductive beside them."""
        induction = Induction(self.system, self.task.solver, self.observer, self.deadline)
        lemmas = conjuncts(
            self.system,
            [p for p in self.task.strengthening(self.model) if p.name not in self.stated],
        )
        proven = proven_together(induction, lemmas).survivors
        self.helped = bool(proven)
        if lemmas:
            self.observer.fact(told(len(proven), len(lemmas)))
        states = [p for p in self.stated.values() if p.kind is not Kind.STEP_INVARIANT]
        claims = [*conjuncts(self.system, states), within_bounds(self.system)]
        implied = induction.implied(claims, proven)
        rest = [c for c in claims if c.name not in {*implied, *self.results}]
        together = induction.strengthen(rest, proven, 1).survivors
        self.inductive += [*proven, *together]
        self.shown |= {*implied, *names(together)}
        self.known += [i.holds for one in self.inductive for i in one.instances]

    def _search(self) -> None:
        open_ = self._open()
        if not open_:
            return
        explored = None if self.model.ghosts else self.explored
        self.inside = inside_of(self.system, self.atoms, explored)
        sample = None if explored is None else Sample.of_all(explored, self.inside)
        if sample is None:
            sample, explored = sampled(self.system, self.atoms, self.deadline, self.observer)
            self.inside = inside_of(self.system, self.atoms, explored)
            sample = sample.within(self.inside) if sample.complete else sample
        at_once = sample.complete or bool(self.inside)
        if at_once and self._learn(open_, sample, explored):
            return
        self.always = self._seeds(sample)
        if not at_once:
            seconds, patience = (_WITH_LEMMAS, None) if self.helped else (_AT_FIRST, _PATIENCE)
            first = Deadline(self.deadline.remaining(), processor=seconds)
            try:
                return self._by_frames(open_, sample, first, patience)
            except OutOfTime:
                self.deadline.check()
            open_ = self._open()
            if self._learn(open_, sample, explored):
                return
        self._by_frames(open_, sample, self.deadline)

    def _by_frames(
        self,
        open_: Sequence[Target],
        sample: Sample,
        deadline: Deadline,
        patience: float | None = None,
    ) -> None:
        """Find an invariant for each target. Raises OutOfTime."""
        for target in open_:
            if target.name in self.results or self.search.overflow is not None:
                continue
            self.observer.phase(f"IC3: {target.name}")
            found = Ic3Search(
                self.system,
                self.atoms,
                self.symmetry,
                self.known,
                self._goals(target),
                sample,
                self.always,
                deadline,
                self.observer,
                patience,
            ).run()
            if isinstance(found, CounterexamplePath):
                self._violated(target, found)
            else:
                count = self._keep(found.orbits)
                self.shown.add(target.name)
                if target.name != WITHIN_BOUNDS:
                    self.observer.fact(f"{target.name} has an invariant of {count} clauses")

    def _goals(self, target: Target) -> tuple[Node, ...]:
        return target.goals if self.symmetry.whole else target.instances

    def _keep(self, orbits: Sequence[Orbit], inside: Cube = frozenset()) -> int:
        """Know what orbits deny ``inside`` from now on; return how many clauses that is."""
        outside = {-literal for literal in inside}
        cubes = [c | inside for orbit in orbits for c in orbit.images if outside.isdisjoint(c)]
        clauses = [sorted((-lit for lit in cube), key=abs) for cube in cubes]
        self.clauses += [tuple(self.atoms.text(lit) for lit in c) for c in clauses]
        self.known += [self.atoms.clause(c) for c in clauses]
        return len(clauses)

    def _learn(self, open_: Sequence[Target], sample: Sample, explored: Explored | None) -> bool:
        """Show targets by what all reachable states say, or by what more and more of them say.

        False where one of these breaks a target, or where too little of them is known.
        """
        deadline = self.deadline
        reach: Sample | KnownStates | None = sample
        if not sample.complete:
            left = self.deadline.remaining()
            deadline = Deadline(_GROWING_SECONDS if left is None else left * _GROWING)
            reach = reached(
                self.atoms, self.symmetry, explored, deadline, self.observer, self.inside
            )
        if reach is None:
            return False
        claims = [target for target in open_ if self.inside and not target.needs_step]
        goals = [goal for one in open_ if one not in claims for goal in self._goals(one)]
        within = Within(
            self.inside,
            tuple(instance for one in claims for instance in one.instances),
            tuple(goal for one in claims for goal in self._goals(one)),
        )
        try:
            found = Learner(
                self.system,
                self.atoms,
                self.symmetry,
                self.known,
                goals,
                reach,
                deadline,
                self.observer,
                self.always,
                within,
            ).run()
        except OutOfTime:
            self.deadline.check()
            return False
        if found is None:
            return False
        count = self._keep(found, self.inside)
        self.inductive += [conjunct_of(self.system, one, self.stated) for one in claims]
        self.shown |= {target.name for target in open_}
        every = "" if reach.complete else "known "
        self.observer.fact(
            f"{count} clauses that hold in all {reach.count:,} {every}reachable states"
        )
        return True

    def _seeds(self, sample: Sample) -> tuple[Orbit, ...]:
        state = Template(self.system, self.atoms, self.known, step=False)
        step = Template(self.system, self.atoms, self.known, step=True)
        return seeds(state, step, sample, self.symmetry, self.deadline, self.observer)

    def _violated(self, target: Target, path: CounterexamplePath) -> None:
        """Replay a path of IC3's, and look for a shorter one before it is shown."""
        numbers = [list(state) for state in path.states]
        if target.name == WITHIN_BOUNDS:
            self._overflows(*self._way_out(numbers))
            return
        if target.needs_step:
            numbers.append(step_that_breaks(self.system, target, numbers[-1]))
        trace = replay(self.interpreter, [self._plain(state) for state in numbers])
        stated = next(p for p in self.task.stated(self.plain) if p.name == target.name)
        require_violation(self.interpreter, trace, stated)
        found = violated(target.name, trace, ENGINE, self.started)
        self.observer.so_far(_perhaps_long(found))
        self._shorten(target, len(trace) - 1)
        if target.name not in self.results:
            self._decide(_perhaps_long(violated(target.name, trace, ENGINE, self.started)))

    def _way_out(self, numbers: list[list[int]]) -> tuple[Trace, str]:
        """A path that leaves the bounds, replayed, and what goes wrong: with ghosts if they do."""
        plain = [self._plain(state) for state in numbers]
        full = [self.system.decode(state) for state in numbers]
        with_ghosts = Interpreter(self.model, self.system.domains)
        for interpreter, states in ((self.interpreter, plain), (with_ghosts, full)):
            trace = replay(interpreter, states)
            said = overflowing_action(interpreter, trace.steps[-1].state)
            if said is not None:
                return trace, said
        raise Contradiction("a bound is too small, but not when it is replayed")

    def _overflows(self, trace: Trace, said: str) -> None:
        # What is violated before a bound is met is violated all the same.
        self._shorten(None, len(trace) - 1)
        if self.search.overflow is None:
            self.search.overflow = trace, said
            self.of_history = trace.steps[-1].state.keys() != self.plain.variables.keys()
        self.reason = overflow_reason(self.search.overflow)

    def _shorten(self, target: Target | None, depth: int) -> None:
        limit = Deadline(SHORTEST_SECONDS)
        search = self.search
        try:
            while search.clean < depth and not search.exhausted and search.overflow is None:
                if target is not None and target.name in self.results:
                    return
                self.observer.phase(f"searching depth {search.clean + 1} for a shorter trace")
                limit.check()
                search.deepen(self.deadline)
                self._note_overflow()
        except OutOfTime:
            return

    def _plain(self, numbers: Sequence[int]) -> ConcreteState:
        state = self.system.decode(numbers)
        return {name: state[name] for name in self.plain.variables}

    def _decide(self, result: Result) -> None:
        self.results[result.property] = result
        self.observer.decided(result)

    def _certify(self) -> None:
        closed = [n for n in self.task.properties if n in self.shown and n not in self.results]
        if not closed:
            return
        certificate = Certificate(
            self.task.suite.name,
            self.task.parameters,
            fingerprint(self.model, self.task.parameters),
            1,
            tuple(Statement.of(self.stated[name]) for name in closed),
            tuple(one.statement for one in self.inductive),
            f"{core_solver.NAME} {core_solver.VERSION}",
            tuple(dict.fromkeys(self.clauses)),
            lemmas=carried(self.task.suite, names(self.inductive)),
            history=carried_history(self.task.suite, self.model),
        )
        try:
            judged = recheck(certificate, self.task, self.observer, self.deadline)
        except NotDecided as limit:
            self.reason = str(limit)
            return
        for name in closed:
            self._decide(proved(name, ENGINE, self.started, certificate, judged))

    def _unknown(self, name: str) -> Result:
        depth = self.search.clean if self.search.clean >= 0 else None
        seconds = monotonic() - self.started
        lemmas = tuple(n for n in names(self.inductive) if n != WITHIN_BOUNDS)
        return Result(
            name,
            Verdict.UNKNOWN,
            ENGINE,
            seconds,
            depth=depth,
            lemmas=lemmas,
            reason=self.reason,
            overflow=self.search.overflow[0] if self.search.overflow is not None else None,
            of_history=self.of_history,
        )


def _perhaps_long(result: Result) -> Result:
    return replace(result, reason=NOT_SHORTEST)
