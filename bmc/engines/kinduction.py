"""Proving: lemmas by Houdini, what they imply, then k-induction on the rest.

The order is the cheapest first. Lemmas are proven together without the properties; properties
they imply are done; the others are tried together with all candidates at ``k = 1`` and then
alone at growing ``k``, each depth being searched for a real violation first. A proof counts only
after its certificate was re-checked by another solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from bmc.engines.bounded import BoundedSearch, overflow_reason, violated
from bmc.engines.conjuncts import Conjunct, conjunct, conjuncts, names, within_bounds
from bmc.engines.induction import Failure, Induction, Inductive
from bmc.engines.isolation import Relay, isolated
from bmc.engines.lemmas import proven_together, told
from bmc.engines.recheck import proved, recheck
from bmc.engines.task import SILENT, Deadline, Observer, OptionError, OutOfTime, Task
from bmc.evidence.certificate import WITHIN_BOUNDS, Certificate, Statement
from bmc.evidence.certify import NotDecided
from bmc.evidence.panel import Panel
from bmc.evidence.replay import replay
from bmc.evidence.statements import carried, carried_history
from bmc.evidence.trace import CounterexampleToInduction, Trace
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.fingerprint import fingerprint
from bmc.lang.properties import Kind, Property
from bmc.lang.show import show
from bmc.readings.value import Interpreter
from bmc.solving.factory import create
from bmc.solving.interface import Handle
from bmc.system.transition import TransitionSystem

ENGINE = "kinduction"


def prove(task: Task, observer: Observer = SILENT) -> tuple[Result, ...]:
    """Decide the task's properties for every depth, in a process of its own.

    Raises OptionError when the task's bound is 0, NoInitialState when there is nothing to prove,
    and Contradiction when a trace or a certificate does not survive its re-check.
    """
    return isolated(induct, task, observer)


@dataclass(frozen=True)
class Helpers:
    """Who asks the goals of an induction, and who has the questions of the re-check asked.

    Neither is this process's own business: a cluster can do both. ``panel`` is who has the
    questions about a certificate asked, None for processes of this machine.
    """

    induction: Callable[[TransitionSystem, str, Observer, Deadline], Induction] = Induction
    panel: Callable[[Certificate], Panel] | None = None


def induct(task: Task, observer: Relay, helpers: Helpers | None = None) -> tuple[Result, ...]:
    """What :func:`prove` does, in this process."""
    if task.depth < 1:
        raise OptionError(
            "the depth of an induction (--k) must be 1 or more, you gave 0: `bmc check --depth 0` "
            "looks at the initial states"
        )
    return _Proof(task, observer, helpers or Helpers()).run()


class _Proof:
    def __init__(self, task: Task, observer: Relay, helpers: Helpers) -> None:
        self.task = task
        self.panel = helpers.panel
        self.observer = observer
        self.started = monotonic()
        self.deadline = Deadline(task.timeout)
        # Ghosts are history for lemmas to speak of; without lemmas they only clutter a CTI.
        self.model = task.model(ghosts=task.lemmas)
        observer.phase("building the transition system")
        self.system = TransitionSystem(self.model, task.parameters)
        self.interpreter = Interpreter(self.model, self.system.domains)
        self.induction = helpers.induction(self.system, task.solver, observer, self.deadline)
        stated = task.stated(self.model)
        self.steps = [p for p in stated if p.kind is Kind.STEP_INVARIANT]
        states = [p for p in stated if p.kind is not Kind.STEP_INVARIANT]
        self.targets = [*conjuncts(self.system, states), within_bounds(self.system)]
        self.candidates = [
            conjunct(self.system, lemma)
            for lemma in task.strengthening(self.model)
            if lemma.name not in task.properties
        ]
        self.proven: list[Conjunct] = []
        self.inductive: list[Conjunct] = []
        self.depth_of: dict[str, int] = {}
        self.failures: dict[str, Failure] = {}
        self.step_failures: dict[str, CounterexampleToInduction] = {}
        self.results: dict[str, Result] = {}
        self.reason = ""
        self.at_fault: tuple[str, ...] = ()
        self.tried = 0
        plain = task.model(ghosts=False)
        bare = self.system
        if plain is not self.model:
            bare = TransitionSystem(plain, task.parameters)
        self.search = BoundedSearch(bare, task.stated(plain), task.solver)
        self.search.on_violation = self._violated
        # The search knows no ghosts, and it is they that a history may lead out of the bounds.
        self.past = BoundedSearch(self.system, (), task.solver) if self.model.ghosts else None

    @property
    def overflow(self) -> tuple[Trace, str] | None:
        """The way out of the model's bounds, if one was met: of the protocol, or of its history."""
        if self.search.overflow is None and self.past is not None:
            return self.past.overflow
        return self.search.overflow

    def run(self) -> tuple[Result, ...]:
        try:
            self._search_to(0)
            if self.overflow is None:
                self._strengthen()
                self._deepen()
                self._prove_steps()
            if not self._closed() and self.overflow is None:
                self._search_to(self.task.depth)
        except OutOfTime as stop:
            self.reason = str(stop)
        self._conclude()
        return tuple(self.results[name] for name in self.task.properties)

    def _open(self) -> list[Conjunct]:
        done = {*names(self.proven), *self.results}
        return [t for t in self.targets if t.name not in done]

    def _strengthen(self) -> None:
        """Prove the lemmas together, then the properties they imply, then what is left jointly."""
        self.tried = 1
        found = proven_together(self.induction, self.candidates)
        self.at_fault = found.at_fault
        self._accept(found, 1)
        self._tell_search(names(found.survivors))
        if self.candidates:
            self.observer.fact(told(len(found.survivors), len(self.candidates)))
        implied = self.induction.implied(self._open(), self.proven)
        self._close([t for t in self._open() if t.name in implied], 1)
        left = [c for c in self.candidates if c.name in found.failures]
        if self._open():
            joined = self.induction.strengthen([*left, *self._open()], self.proven, 1)
            self._accept(joined, 1)
            also = sum(c in joined.survivors for c in left)
            if also:
                proven = f"{len(found.survivors) + also} of {len(self.candidates)} lemmas proven"
                self.observer.fact(f"{proven}, {also} of them together with claims")
            self._tell()

    def _tell_search(self, proven: Sequence[str]) -> None:
        """Ghosts influence nothing, so a lemma without them holds without them as well."""
        plain = [p for p in self.task.plain_strengthening() if p.name in proven]
        self.search.know(conjuncts(self.search.system, plain))

    def _accept(self, found: Inductive, k: int) -> None:
        # A failure at a smaller depth is shorter, and later ones may only repeat its states.
        self.failures = {**found.failures, **self.failures}
        self.inductive += found.survivors
        self._close(found.survivors, k)

    def _close(self, found: Sequence[Conjunct], k: int) -> None:
        for one in found:
            self.depth_of[one.name] = k
            self.failures.pop(one.name, None)
        self.proven += found

    def _deepen(self) -> None:
        """Search depth k for a violation, then try to close the induction at k."""
        for k in range(2, self.task.depth + 1):
            if not self._open() or self.overflow is not None:
                return
            self._search_to(k - 1)
            open_ = self._open()
            if open_ and self.overflow is None:
                self._accept(self.induction.strengthen(open_, self.proven, k), k)
                self.tried = k
            self._tell()

    def _closed(self) -> bool:
        proven = WITHIN_BOUNDS in self.depth_of
        return all(
            name in self.results or (proven and name in self.depth_of)
            for name in self.task.properties
        )

    def _search_to(self, depth: int) -> None:
        while self.search.clean < depth and not self.search.exhausted and self.search.open:
            self.observer.phase(f"searching depth {self.search.clean + 1} for a violation")
            self.search.deepen(self.deadline)
            if self.overflow is not None:
                return
        past = self.past
        while past is not None and past.clean < depth and not past.exhausted and not past.overflow:
            past.deepen(self.deadline)

    def _violated(self, stated: Property, trace: Trace, broken: Handle) -> None:
        self._decide(violated(stated.name, trace, "bounded", self.started))

    def _prove_steps(self) -> None:
        for stated in self.steps:
            if stated.name in self.results:
                continue
            pair = self.induction.steps_hold(stated, self.proven)
            if pair is None:
                self.depth_of[stated.name] = 1
            else:
                path = replay(self.interpreter, pair, from_initial=False)
                self.step_failures[stated.name] = CounterexampleToInduction(
                    stated.name, {}, path, 1
                )

    def _tell(self) -> None:
        for target in self._open():
            if target.name in self.task.properties:
                failure = self._explained(target.name)
                self.observer.so_far(self._unknown(target.name, failure))

    def _decide(self, result: Result) -> None:
        self.results[result.property] = result
        self.observer.decided(result)

    def _conclude(self) -> None:
        """Turn what is proven into one certificate, have it judged, and settle the rest."""
        closed = [
            name
            for name in self.task.properties
            if name in self.depth_of and name not in self.results
        ]
        if closed and WITHIN_BOUNDS in self.depth_of:
            self._certify(closed)
        for name in self.task.properties:
            if name not in self.results:
                self._decide(self._unknown(name, self._explained(name)))

    def _certify(self, closed: list[str]) -> None:
        certificate = self._certificate(closed)
        for name in closed:
            found = f"a proof was found at k = {self.depth_of[name]}, but it was not re-checked"
            self.observer.so_far(replace(self._unknown(name, None), reason=found))
        try:
            judged = recheck(certificate, self.task, self.observer, self.deadline, self.panel)
        except NotDecided as limit:
            self.reason = str(limit)
            return
        for name in closed:
            k = self.depth_of[name]
            self._decide(proved(name, ENGINE, self.started, certificate, judged, k))

    def _certificate(self, closed: list[str]) -> Certificate:
        claims = [self.task.suite.describe(self.task.suite.find(n), self.model) for n in closed]
        solver = create(self.task.solver)
        return Certificate(
            self.task.suite.name,
            self.task.parameters,
            fingerprint(self.model, self.task.parameters),
            max((self.depth_of[c.name] for c in self.inductive), default=1),
            tuple(Statement.of(c) for c in claims),
            tuple(c.statement for c in self.inductive),
            f"{solver.name} {solver.version}",
            lemmas=carried(self.task.suite, names(self.inductive)),
            history=carried_history(self.task.suite, self.model),
        )

    def _explained(self, name: str) -> CounterexampleToInduction | None:
        if self.overflow is not None:
            return None
        if name in self.step_failures:
            return self.step_failures[name]
        failure = self.failures.get(name)
        if failure is None and name in self.depth_of:
            failure = self.failures.get(WITHIN_BOUNDS)
        if failure is None:
            return None
        path = replay(self.interpreter, failure.states, from_initial=False)
        stated = failure.conjunct.stated
        arguments = {}
        if stated is not None:
            shown = [show(a) for a in stated.arguments]
            arguments = dict(zip(shown, failure.instance.arguments, strict=True))
        return CounterexampleToInduction(failure.conjunct.name, arguments, path, failure.k)

    def _unknown(self, name: str, failure: CounterexampleToInduction | None) -> Result:
        if self.overflow is not None:
            reason = overflow_reason(self.overflow)
        elif self.reason:
            reason = self.reason
        elif name in self.depth_of:
            reason = (
                "it is inductive, but that no action leaves the model's bounds is not, up to "
                f"k = {self.tried}"
            )
        else:
            reason = f"the induction does not close up to k = {self.tried}"
        depth = self.search.clean if self.search.clean >= 0 else None
        return Result(
            name,
            Verdict.UNKNOWN,
            ENGINE,
            monotonic() - self.started,
            k=self.tried or None,
            depth=depth,
            induction_failure=failure,
            lemmas=names([c for c in self.inductive if c.name != WITHIN_BOUNDS]),
            at_fault=tuple(name for name in self.at_fault if name not in self.depth_of),
            reason=reason,
            overflow=self.overflow[0] if self.overflow is not None else None,
            of_history=self.search.overflow is None,
        )
