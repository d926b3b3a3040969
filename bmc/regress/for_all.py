"""Judging what is locked at all parameter values at once.

First by the certificate: its instances are re-checked without quantifiers, of the model as it is
now. What that does not settle is proved again. At all parameter values nothing is ever refuted:
what is not proved is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from time import monotonic

from bmc.engines.allparams.prove import ParametricTask, prove_for_all
from bmc.engines.task import Deadline, Observer
from bmc.evidence import untrusted
from bmc.evidence.certificate import CertificateError, Statement
from bmc.evidence.certify import NotDecided
from bmc.evidence.parametric_certificate import ParametricCertificate, parametric_fingerprint
from bmc.evidence.parametric_certify import certify_parametric
from bmc.lang.suite import Suite
from bmc.readings.quantified.structures import NotQuantified
from bmc.regress.cases import lockable_for_all
from bmc.regress.errors import EvidenceError
from bmc.regress.evidence import Shared, by_file
from bmc.regress.folder import Stored
from bmc.regress.judging import Effort
from bmc.regress.lock import Expected, LockedProperty
from bmc.regress.outcome import Case, Finding, Outcome, Standing
from bmc.regress.settled import unusable
from bmc.system.parametric import BOUNDS

_GOAL_SECONDS = 60.0
"""The limit of one goal: on a busy machine the hardest of kafka takes longer than the engine's."""


def judge_for_all(case: Case, stored: Stored, effort: Effort, observer: Observer) -> Finding:
    """What became of every property that is, or (in a new case) could be, locked for all.

    Raises Contradiction when a new proof does not survive its re-check.
    """
    started = monotonic()
    if case.suite is None:
        return Finding(case.unread())
    locked = () if case.locked is None else case.locked.properties
    found = _ForAll(case, case.suite, stored, effort, observer).run(locked)
    order = sorted(found.values(), key=lambda o: o.name)
    return Finding(tuple(order), seconds=monotonic() - started)


class _ForAll:
    def __init__(
        self, case: Case, suite: Suite, stored: Stored, effort: Effort, observer: Observer
    ) -> None:
        self.case = case
        self.suite = suite
        self.stored = stored
        self.effort = effort
        self.observer = observer
        self.deadline = Deadline(effort.seconds)
        self.outcomes: dict[str, Outcome] = {}
        self.remarks: dict[str, str] = {}

    def run(self, locked: Sequence[LockedProperty]) -> Mapping[str, Outcome]:
        claims = lockable_for_all(self.suite)
        for one in locked:
            if one.name not in claims:
                reason = f"{self.suite.name} does not claim {one.name} any more"
                self.outcomes[one.name] = Outcome(one.name, Standing.GONE, one, reason=reason)
        there = {p.name: p for p in locked if p.name in claims}
        if not self.effort.afresh:
            for shared in by_file(there.values()):
                self._recheck(shared)
        # What a new entry could not prove is not asked for at each update.
        names = claims if self.case.locked is None else tuple(there)
        self._prove([n for n in names if n not in self.outcomes], there)
        return self.outcomes

    def _recheck(self, shared: Shared) -> None:
        file, group = shared
        started = monotonic()
        try:
            old = _certificate_of(self.case, shared, self.stored)
        except EvidenceError as error:
            self._unusable(group, str(error))
            return
        now = _carried_over(old, self.suite)
        unchanged = self.case.same_model and (old.claims, old.invariants) == (
            now.claims,
            now.invariants,
        )
        try:
            found = certify_parametric(
                now, self.suite, self.observer.phase, self.deadline.remaining()
            )
        except NotDecided as limit:
            self._remark(group, f"its proof could not be re-checked in time: {limit}")
            return
        except CertificateError as error:
            if unchanged:
                self._unusable(group, f"{file.name} is rejected: {error}")
            else:
                self._remark(group, f"the old proof fails: {error}")
            return
        for one in group:
            self.outcomes[one.name] = Outcome(
                one.name,
                Standing.KEPT if unchanged else Standing.CARRIED,
                one,
                Expected.PROVED,
                found.solver,
                for_all=None if unchanged else now,
                seconds=monotonic() - started,
            )

    def _unusable(self, group: Iterable[LockedProperty], said: str) -> None:
        if self.effort.repair:
            self._remark(group, said)
        else:
            self.outcomes |= {one.name: unusable(one, said) for one in group}

    def _remark(self, group: Iterable[LockedProperty], said: str) -> None:
        self.remarks |= {one.name: said for one in group}

    def _prove(self, names: Sequence[str], locked: Mapping[str, LockedProperty]) -> None:
        if not names:
            return
        seconds = max(self.deadline.remaining() or 0.0, 1.0)
        task = ParametricTask(
            self.suite, tuple(names), seconds, goal_seconds=min(seconds, _GOAL_SECONDS)
        )
        try:
            proof = prove_for_all(task, self.observer)
        except NotQuantified as error:
            for name in names:
                self._open(name, locked.get(name), str(error))
            return
        found = proof.certificate
        proven = set() if found is None else {c.name for c in found.claims}
        for result in proof.results:
            one = locked.get(result.property)
            if result.property not in proven:
                reason = result.reason or "not proven"
                if proof.small is not None:
                    reason += (
                        "; there is a counterexample to induction, which "
                        f"`bmc prove {self.case.protocol} --all-parameters` shows"
                    )
                self._open(result.property, one, reason, result.seconds)
                continue
            self.outcomes[result.property] = Outcome(
                result.property,
                Standing.NEW if one is None else Standing.DECIDED,
                one,
                Expected.PROVED,
                result.engine,
                for_all=found,
                reason=self.remarks.get(result.property, ""),
                seconds=result.seconds,
            )

    def _open(
        self, name: str, one: LockedProperty | None, reason: str, seconds: float = 0.0
    ) -> None:
        said = "; ".join(filter(None, (self.remarks.get(name), reason)))
        standing = Standing.NEW if one is None else Standing.UNKNOWN
        self.outcomes[name] = Outcome(name, standing, one, reason=said, seconds=seconds)


def _certificate_of(case: Case, shared: Shared, stored: Stored) -> ParametricCertificate:
    """The certificate of a group of locked properties.

    Raises EvidenceError when it is missing or damaged, belongs to another model than the lock
    says, or does not claim these properties as the lock has them.
    """
    file, group = shared
    assert case.locked is not None, "only what is locked has evidence"
    try:
        found = ParametricCertificate.from_json(untrusted.document(stored.text(file)))
    except (ValueError, CertificateError) as error:
        raise EvidenceError(f"{file.name} is no certificate: {error}") from None
    if (found.protocol, found.fingerprint) != (case.locked.protocol, case.locked.fingerprint):
        raise EvidenceError(f"{file.name} is the certificate of another model")
    claims = {c.name: c.digest for c in found.claims}
    for one in group:
        if claims.get(one.name) != one.statement:
            raise EvidenceError(f"{file.name} does not claim {one.name} as the lock has it")
    return found


def _carried_over(old: ParametricCertificate, suite: Suite) -> ParametricCertificate:
    """The certificate with the same statements, by name, as the suite makes them now.

    Statements that are gone are left out, and what was proven of them; this proves nothing.
    """
    model = suite.model(True)
    declared = {d.name: d for d in (*suite.properties, *suite.lemmas)}

    def now(statements: Iterable[Statement]) -> tuple[Statement, ...]:
        there = [declared[s.name] for s in statements if s.name in declared]
        return tuple(Statement.of(suite.describe(d, model)) for d in there)

    claims, invariants = now(old.claims), now(old.invariants)
    goals = {BOUNDS, *(s.name for s in (*claims, *invariants))}
    return replace(
        old,
        protocol=suite.name,
        lows={p.name: p.low for p in model.parameters},
        fingerprint=parametric_fingerprint(model),
        claims=claims,
        invariants=invariants,
        refutations={n: r for n, r in old.refutations.items() if n.goal in goals},
    )
