"""Proving at all parameter values: the invariants together, and what they imply.

A property that the lemmas do not imply joins the invariants. An invariant with an open condition
is dropped, and with it whatever rested on it is asked again, until nothing changes (Houdini). A
proof counts only after a second solver has re-checked its certificate, without quantifiers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from time import monotonic

from bmc.engines.allparams import small
from bmc.engines.allparams.condition import ConditionOutcome, Decider
from bmc.engines.allparams.lint import one_step_lemmas
from bmc.engines.allparams.small import SmallFailure
from bmc.engines.task import Deadline, Observer, OptionError, OutOfTime, require_seconds
from bmc.evidence.certificate import CertificateError, Statement
from bmc.evidence.certify import NotDecided
from bmc.evidence.counting import ShownAxiom
from bmc.evidence.parametric_certificate import (
    ParametricCertificate,
    axioms_in,
    origins,
    parametric_fingerprint,
)
from bmc.evidence.parametric_certify import certify_parametric
from bmc.evidence.statements import as_judged, carried, carried_history
from bmc.evidence.substance import least_sizes, require_start
from bmc.evidence.verdict import Contradiction, Result, Verdict
from bmc.lang.properties import Kind, Property
from bmc.lang.suite import Suite
from bmc.readings.quantified.structures import NotQuantified
from bmc.running import pool
from bmc.solving.factory import create
from bmc.solving.first_order_z3 import name as finder_name
from bmc.system.parametric import BOUNDS, Name, ParametricSystem
from bmc.system.readability import require_readable

ENGINE = "all-parameters"

CONDITION_GOALS = 20
"""A condition may take the time of so many goals."""
IMPLYING, DECIDING, SOON = 0.3, 0.8, 0.5
"""After these shares of the limit no claim is asked whether lemmas imply it, and no condition is
decided: an open one would take all, and proofs need their re-check. So soon a process says so."""
MOMENT = 0.001
"""Seconds in which nothing is proved, but in which a proof can say so."""
EXPLAINED = 3
"""How many open conditions are looked at in small sizes before giving up."""


@dataclass(frozen=True)
class ParametricTask:
    """Decide ``properties`` of a suite at all parameter values.

    ``goal_seconds`` limits each goal of a condition, ``timeout`` the whole; both in seconds.
    ``processes`` work side by side. With ``needed`` claims are shown by an induction of their own,
    and no lemma is asked for that the proof of another goal does not use. Raises UnknownName,
    OptionError or NoFreeParameters.
    """

    suite: Suite
    properties: tuple[str, ...]
    timeout: float | None = None
    goal_seconds: float = 60.0
    lemmas: bool = True
    needed: bool = False
    processes: int = field(default_factory=lambda: min(8, os.cpu_count() or 1))

    def __post_init__(self) -> None:
        self.suite.require_free()
        for name in self.properties:
            self.suite.find(name)
        require_seconds(self.timeout)
        if self.goal_seconds <= 0 or self.processes < 1:
            raise OptionError("a goal needs some time, and a proof at least one process")

    def within(self, deadline: Deadline) -> ParametricTask:
        """The same task for what is left until a deadline: a moment at least.

        Who has no time left is told so by the proof, and not that the option was wrong.
        """
        left = deadline.remaining()
        return self if left is None else replace(self, timeout=max(left, MOMENT))


@dataclass(frozen=True)
class ParametricProof:
    """The verdicts with what led to them.

    ``open`` holds the conditions that were not proven; ``supports`` the lemmas each proven
    property rests on; ``unread`` the statements that have no first-order reading, and why.
    ``small`` is a counterexample to induction at a small size, if something stays open and there
    is one; ``searched`` says whether all small sizes were looked at. ``one_step`` then names the
    lemmas in a form that is known to be a reason. ``axioms`` are those about sizes of sets that the
    proof rests on; the judge has shown each.
    """

    results: tuple[Result, ...]
    outcomes: tuple[ConditionOutcome, ...]
    open: tuple[ConditionOutcome, ...]
    supports: dict[str, tuple[str, ...]]
    unread: dict[str, str]
    certificate: ParametricCertificate | None
    small: SmallFailure | None
    searched: bool
    one_step: tuple[str, ...]
    axioms: tuple[ShownAxiom, ...] = ()


Deciding = Callable[[ParametricSystem, "list[Name]", "frozenset[str]"], Iterable[ConditionOutcome]]
"""Decides conditions of a system without assuming some of its invariants."""


def prove_for_all(
    task: ParametricTask, observer: Observer, deciding: Deciding | None = None
) -> ParametricProof:
    """Decide the task's properties at all parameter values at once.

    ``deciding`` decides conditions, processes of this machine if it is None.
    Raises NotQuantified, with the place, when the protocol itself has no first-order reading, and
    Contradiction when a certificate does not survive its re-check.
    """
    return _Proof(task, observer, deciding).run()


class _Proof:
    def __init__(self, task: ParametricTask, observer: Observer, deciding: Deciding | None) -> None:
        self.task = task
        self.deciding = deciding or self._in_processes
        self.observer = observer
        self.started = monotonic()
        self.deadline = Deadline(task.timeout)
        self.deciding_ends = self._share(IMPLYING)
        self.model = task.suite.model(ghosts=task.lemmas)
        self.unread: dict[str, str] = {}
        self.invariants: dict[str, Property] = {}
        self.claims: dict[str, Property] = {}
        self.outcomes: dict[Name, ConditionOutcome] = {}
        self.failed: dict[Name, ConditionOutcome] = {}
        self.stated: dict[str, Property] = {}
        self.roots: list[Name] = []
        self.small: SmallFailure | None = None
        self.searched = False
        self.reason = ""

    def _share(self, share: float) -> Deadline:
        limit, spent = self.task.timeout, monotonic() - self.started
        return Deadline(None if limit is None else max(0.0, limit * share - spent))

    def _read(self) -> None:
        """Read the protocol, its lemmas and what is claimed of it. Raises NotQuantified."""
        self.observer.phase("reading the protocol as first-order formulas")
        require_readable(self.model, self.deadline.check)
        empty, suite = ParametricSystem(self.model, (), ()), self.task.suite
        for values in least_sizes(self.model.parameters):
            self.deadline.check()
            require_start(self.model, values, create("cadical"))
        lemmas = suite.declared(Kind.LEMMA) if self.task.lemmas else ()
        invariants = self._readable(empty, (suite.describe(d, self.model) for d in lemmas))
        wanted = (suite.describe(suite.find(n), self.model) for n in self.task.properties)
        self.claims = self._readable(empty, wanted)
        self.invariants, self.stated = invariants, dict(invariants)

    def _readable(self, empty: ParametricSystem, stated: Iterable[Property]) -> dict[str, Property]:
        found = {}
        for one in stated:
            self.deadline.check()
            try:
                empty.check_readable(one)
                found[one.name] = one
            except NotQuantified as error:
                self.unread[one.name] = str(error)
        return found

    def run(self) -> ParametricProof:
        certificate = None
        try:
            self._read()
            self._promote()
            self._prove()
            certificate = self._certified()
            self._explain()
        except OutOfTime as stop:
            self.reason = str(stop)
        results = self._results(certificate)
        one_step = one_step_lemmas(self.stated.values()) if self.failed else []
        supports = {}
        if certificate is not None:
            order = [BOUNDS, *self.invariants]
            for claim in certificate.claims:
                rests = certificate.supports(claim.name) | certificate.supports(BOUNDS)
                supports[claim.name] = tuple(n for n in order if n in rests - {claim.name})
        return ParametricProof(
            results,
            tuple(self.outcomes.values()),
            tuple(self.failed.values()),
            supports,
            self.unread,
            certificate,
            self.small,
            self.searched,
            tuple(one_step),
            self.judged.axioms if certificate is not None else (),
        )

    def _promote(self) -> None:
        """Let claims that the lemmas do not imply be invariants themselves."""
        if self.task.needed:
            self.invariants |= self.claims
            return
        implied = [Name(n) for n, c in self.claims.items() if c.kind is Kind.INVARIANT]
        asked = [n for n in implied if n.goal not in self.invariants]
        for outcome in self._decided(self._system(), asked):
            if not outcome.closed:
                self.invariants[outcome.name.goal] = self.claims[outcome.name.goal]
                del self.outcomes[outcome.name]

    def _system(self) -> ParametricSystem:
        self.stated = dict(self.invariants)
        invariants, claims = self.invariants.values(), self.claims.values()
        return ParametricSystem(self.model, list(invariants), list(claims))

    def _prove(self) -> None:
        """Every condition, dropping invariants until those that are left support each other."""
        self.deciding_ends = self._share(DECIDING)
        system = self._system()
        dropped: set[str] = set()
        wanted = self._wanted(system, dropped)
        while wanted:
            for outcome in self._decided(system, wanted, frozenset(dropped)):
                if not outcome.closed:
                    self.failed[outcome.name] = self.outcomes.pop(outcome.name)
                    if not dropped:
                        self.roots.append(outcome.name)
            dropped |= {n.goal for n in self.failed if n.goal in self.invariants}
            for name in [n for n in self.outcomes if n.goal in dropped]:
                del self.outcomes[name]
            shaken = [n for n, o in self.outcomes.items() if _rests_on(o, dropped)]
            for name in shaken:
                del self.outcomes[name]
            # What only a dropped invariant implied may still support itself.
            alone = [n for n in self.failed if not n.action and n.goal not in self.invariants]
            for name in alone:
                del self.failed[name]
                self.roots = [n for n in self.roots if n != name]
                self.invariants[name.goal] = self.claims[name.goal]
            if alone:
                system = self._system()
            wanted = self._wanted(system, dropped)
        goals = self._goals()
        self.invariants = {
            n: p for n, p in self.invariants.items() if n in goals and n not in dropped
        }

    def _goals(self) -> set[str]:
        """What has to be shown: everything, or what the proof found so far rests on."""
        if not self.task.needed:
            return {BOUNDS, *self.invariants, *self.claims}
        used = (origins(o.refutations) for o in self.outcomes.values() if o.refutations is not None)
        return {BOUNDS, *self.claims}.union(*used)

    def _wanted(self, system: ParametricSystem, dropped: set[str]) -> list[Name]:
        """The conditions that nobody has decided yet."""
        goals, known = self._goals() - dropped, {*self.outcomes, *self.failed}
        return [n for n in system.names() if n.goal in goals and n not in known]

    def _decided(
        self,
        system: ParametricSystem,
        names: list[Name],
        dropped: frozenset[str] = frozenset(),
    ) -> Iterable[ConditionOutcome]:
        for done, outcome in enumerate(self.deciding(system, names, dropped), 1):
            self.deadline.check()
            self.outcomes[outcome.name] = outcome
            self.observer.phase(f"{done} of {len(names)} conditions: {outcome.name}")
            yield outcome

    def _in_processes(
        self, system: ParametricSystem, names: list[Name], dropped: frozenset[str]
    ) -> Iterable[ConditionOutcome]:
        decider = Decider(system, self.task.goal_seconds, dropped)

        def limit(name: Name) -> float:
            left = self.deciding_ends.remaining()
            most = CONDITION_GOALS * self.task.goal_seconds
            # The pool's grace is part of what is left: a search looks at the limit of a goal alone.
            return most if left is None else min(most, max(left, SOON) - pool.GRACE)

        def lost(name: Name, reason: str) -> ConditionOutcome:
            return ConditionOutcome(name, None, self.task.goal_seconds, 0, reason)

        def decide(name: Name) -> ConditionOutcome:
            if self.deciding_ends.has_passed():
                return lost(name, "the time limit has passed")
            return decider.decide(name)

        return pool.run(decide, names, self.task.processes, limit, lost)

    def _explain(self) -> None:
        """Look for a counterexample to induction against what was open from the start."""
        for name in sorted(self.roots)[:EXPLAINED]:
            self.observer.phase(f"looking at small sizes for a step against {name}")
            stated = self.stated.get(name.goal) or self.claims.get(name.goal)
            left = self.deadline.remaining()
            seconds = self.task.goal_seconds if left is None else min(self.task.goal_seconds, left)
            invariants = tuple(self.stated.values())
            self.small = small.find(self.model, invariants, name, stated, seconds)
            if self.small is not None:
                break
        self.searched = True

    def _certified(self) -> ParametricCertificate | None:
        proven = [c for n, c in self.claims.items() if self._is_proven(n)]
        if not proven or any(n.goal == BOUNDS for n in self.failed):
            return None
        certificate, suite = as_judged(self._certificate(proven), self.task.suite)
        try:
            self.judged = certify_parametric(
                certificate, suite, self.observer.phase, self.deadline.remaining()
            )
        except NotDecided as limit:
            self.reason = f"a proof was found, but it could not be re-checked: {limit}"
            return None
        except CertificateError as error:
            raise Contradiction(f"a proof did not survive its re-check: {error}") from error
        return certificate

    def _certificate(self, proven: list[Property]) -> ParametricCertificate:
        goals = {BOUNDS, *self.invariants, *(c.name for c in proven)}
        refutations = {n: o.refutations or () for n, o in self.outcomes.items() if n.goal in goals}
        return ParametricCertificate(
            self.task.suite.name,
            {p.name: p.low for p in self.model.parameters},
            parametric_fingerprint(self.model),
            tuple(Statement.of(c) for c in proven),
            tuple(Statement.of(i) for i in self.invariants.values()),
            refutations,
            finder_name(),
            carried(self.task.suite, self.invariants),
            axioms_in(refutations.values()),
            history=carried_history(self.task.suite, self.model),
        )

    def _is_proven(self, name: str) -> bool:
        if name in self.invariants:
            return True
        decided = [n for n in self.outcomes if n.goal == name]
        return bool(decided) and not any(n.goal == name for n in self.failed)

    def _results(self, certificate: ParametricCertificate | None) -> tuple[Result, ...]:
        seconds = monotonic() - self.started
        proven = {s.name for s in certificate.claims} if certificate is not None else set()
        found = []
        for name in self.task.properties:
            if name in proven and certificate is not None:
                lemmas = tuple(s.name for s in certificate.invariants if s.name != name)
                solver = self.judged.solver
                result = Result(
                    name, Verdict.PROVED, ENGINE, seconds, lemmas=lemmas, checked_by=solver
                )
            else:
                reason = self._why_open(name)
                failure = None if self.small is None else self.small.failure
                result = Result(
                    name,
                    Verdict.UNKNOWN,
                    ENGINE,
                    seconds,
                    induction_failure=failure,
                    reason=reason,
                )
            self.observer.decided(result)
            found.append(result)
        return tuple(found)

    def _why_open(self, name: str) -> str:
        if name in self.unread:
            return self.unread[name]
        own = [n for n in self.failed if n.goal == name]
        bounds = [n for n in self.failed if n.goal == BOUNDS]
        for open_ in (own, bounds, self.roots):
            if open_:
                first = open_[0]
                found = f"{count_of(open_)} open, such as {first}: {self.failed[first].reason}"
                return f"{self.reason}; {found}" if self.reason else found
        return self.reason or "not proven"


def count_of(names: list[Name]) -> str:
    """How many conditions, in words."""
    return "1 condition is" if len(names) == 1 else f"{len(names)} conditions are"


def _rests_on(outcome: ConditionOutcome, dropped: set[str]) -> bool:
    return outcome.refutations is not None and bool(origins(outcome.refutations) & dropped)
