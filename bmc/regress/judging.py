"""Judging one model: the old evidence first, an engine only for what it does not settle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from time import monotonic

from bmc.engines.task import Deadline, Observer
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import NotDecided, certify
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result, Verdict
from bmc.evidence.wording import count
from bmc.lang.suite import Suite
from bmc.regress.carrying import carried_over
from bmc.regress.cases import lockable
from bmc.regress.deciding import decide
from bmc.regress.errors import EvidenceError
from bmc.regress.evidence import certificates, require_about, trace_of
from bmc.regress.folder import Stored
from bmc.regress.lock import Expected, LockedProperty
from bmc.regress.outcome import Case, Finding, Outcome, Standing
from bmc.regress.recording import played
from bmc.regress.witnesses import with_witnesses_denied

_DEEPEST = 30
"""How deep a violation is looked for, if time allows, where the lock knows of none."""
_FURTHER = 10
"""How much deeper than its old trace an expected violation is looked for."""


@dataclass(frozen=True)
class Effort:
    """How a model is judged.

    ``seconds`` is the budget for one model; ``afresh`` believes no evidence and decides
    everything again; ``repair`` decides again where evidence is unusable; ``complete`` decides
    what the lock does not hold yet, too.
    """

    seconds: float = 60.0
    afresh: bool = False
    repair: bool = False
    complete: bool = False


def judge(case: Case, stored: Stored, effort: Effort, observer: Observer) -> Finding:
    """What became of every property of a case."""
    started = monotonic()
    locked = () if case.locked is None else case.locked.properties
    if case.suite is None:
        outcomes = [Outcome(p.name, Standing.UNUSABLE, p, reason=case.unusable) for p in locked]
        return Finding(tuple(outcomes))
    known = {p.name for p in locked}
    missing = tuple(n for n in lockable(case.suite) if n not in known)
    one = _Case(case, case.suite, stored, effort, observer)
    found = one.run(missing if effort.complete else ())
    order = sorted(found.values(), key=lambda o: o.name)
    unlocked = () if effort.complete else missing
    return Finding(tuple(order), unlocked, monotonic() - started)


class _Case:
    def __init__(
        self, case: Case, suite: Suite, stored: Stored, effort: Effort, observer: Observer
    ) -> None:
        self.case = case
        self.suite = suite
        self.denying = with_witnesses_denied(suite)
        self.stored = stored
        self.effort = effort
        self.observer = observer
        self.deadline = Deadline(effort.seconds)
        self.outcomes: dict[str, Outcome] = {}
        self.remarks: dict[str, str] = {}

    def run(self, new: tuple[str, ...]) -> dict[str, Outcome]:
        open_ = self._stated(() if self.case.locked is None else self.case.locked.properties)
        if not self.effort.afresh:
            self._certify([p for p in open_ if p.expected is Expected.PROVED])
            self._play([p for p in open_ if p.expected is not Expected.PROVED])
        self._decide([p for p in open_ if p.name not in self.outcomes], new)
        return self.outcomes

    def _stated(self, locked: Iterable[LockedProperty]) -> list[LockedProperty]:
        stated = lockable(self.suite)
        there = []
        for one in locked:
            if one.name in stated:
                there.append(one)
            else:
                reason = f"{self.suite.name} does not state {one.name} any more"
                self.outcomes[one.name] = Outcome(one.name, Standing.GONE, one, reason=reason)
        return there

    def _same(self, one: LockedProperty) -> bool:
        """Whether the model and the statement are those of the lock."""
        portrait = self.case.portrait
        assert portrait is not None
        return self.case.same_model and portrait.statements.get(one.name) == one.statement

    def _certify(self, proved: list[LockedProperty]) -> None:
        for group in certificates(proved):
            started = monotonic()
            try:
                certificate = require_about(self.case, group, self.stored)
            except EvidenceError as error:
                self._unusable(group, str(error))
                continue
            for outcome in self._recheck(group, certificate):
                spent = monotonic() - started
                self.outcomes[outcome.name] = replace(outcome, seconds=spent)

    def _recheck(self, group: list[LockedProperty], old: Certificate) -> Iterable[Outcome]:
        now = carried_over(old, self.suite, self.case.parameters)
        if now is None:
            return
        unchanged = self.case.same_model and _says_the_same(old, now)
        judged = replace(old, protocol=self.suite.name) if unchanged else now
        try:
            found = certify(judged, self.suite, self._phase, self.deadline.remaining())
        except NotDecided as limit:
            if unchanged:
                reason = f"its proof could not be re-checked in time: {limit}"
                for one in group:
                    yield Outcome(one.name, Standing.UNKNOWN, one, reason=reason)
            else:
                self._remark(group, f"the old proof could not be re-checked in time: {limit}")
            return
        except CertificateError as error:
            if unchanged:
                self._unusable(group, f"{group[0].evidence.name} is rejected: {error}")
            else:
                self._remark(group, f"the old proof fails: {error}")
            return
        standing = Standing.KEPT if unchanged else Standing.CARRIED
        for one in group:
            if one.name in found.claims:
                yield Outcome(
                    one.name,
                    standing,
                    one,
                    Expected.PROVED,
                    found.solver,
                    judged.k,
                    certificate=None if unchanged else judged,
                )

    def _play(self, refuted: list[LockedProperty]) -> None:
        for one in refuted:
            started = monotonic()
            self._phase(f"replaying the trace of {one.name}")
            try:
                recording = trace_of(self.case, one, self.stored)
            except EvidenceError as error:
                self._unusable([one], str(error))
                continue
            trace = played(recording, self.denying, self.case.parameters)
            if trace is None and self._same(one):
                self._unusable([one], f"{one.evidence.name} does not show what the lock says")
            elif trace is None:
                self.remarks[one.name] = "its old trace is none any more"
            else:
                standing = Standing.KEPT if self._same(one) else Standing.CARRIED
                spent = monotonic() - started
                self.outcomes[one.name] = Outcome(
                    one.name,
                    standing,
                    one,
                    one.expected,
                    one.engine,
                    trace=None if standing is Standing.KEPT else trace,
                    seconds=spent,
                )

    def _unusable(self, group: list[LockedProperty], said: str) -> None:
        if self.effort.repair:
            self._remark(group, said)
            return
        for one in group:
            reason = f"{said}: restore it from version control, or `bmc regress --update` "
            self.outcomes[one.name] = Outcome(
                one.name, Standing.UNUSABLE, one, reason=f"{reason}decides {one.name} again"
            )

    def _remark(self, group: list[LockedProperty], said: str) -> None:
        self.remarks |= {one.name: said for one in group}

    def _decide(self, open_: list[LockedProperty], new: tuple[str, ...]) -> None:
        left = self.deadline.remaining()
        names = (*(one.name for one in open_), *new)
        lengths = [one.trace_length or 0 for one in open_]
        proofs = new or any(one.expected is Expected.PROVED for one in open_)
        results = decide(
            self.denying,
            self.case.parameters,
            names,
            self.observer,
            k=max((one.k or 1 for one in open_), default=1),
            depth=_DEEPEST if proofs else max(lengths, default=0) + _FURTHER,
            seconds=max(left or 0.0, 1.0),
        )
        locked: dict[str, LockedProperty | None] = {one.name: one for one in open_}
        for name in names:
            self.outcomes[name] = self._outcome(results[name], locked.get(name))

    def _outcome(self, result: Result, locked: LockedProperty | None) -> Outcome:
        verdict = self._verdict(result)
        return Outcome(
            result.property,
            _standing(verdict, result.trace, locked),
            locked,
            verdict,
            result.engine,
            result.k if result.certificate is None else result.certificate.k,
            result.trace,
            result.certificate,
            result.induction_failure,
            "; ".join(filter(None, (self.remarks.get(result.property), _explained(result)))),
            result.seconds,
        )

    def _verdict(self, result: Result) -> Expected | None:
        match result.verdict:
            case Verdict.PROVED:
                return Expected.PROVED
            case Verdict.VIOLATED:
                stated = self.suite.find(result.property)
                same = stated.kind is self.denying.find(result.property).kind
                return Expected.VIOLATED if same else Expected.REACHED
        return None

    def _phase(self, text: str) -> None:
        self.observer.phase(text)


def _says_the_same(old: Certificate, now: Certificate) -> bool:
    return old.claims == now.claims and old.conjuncts == now.conjuncts


def _standing(
    verdict: Expected | None, trace: Trace | None, locked: LockedProperty | None
) -> Standing:
    if locked is None:
        return Standing.NEW
    if verdict is None:
        return Standing.UNKNOWN
    if locked.expected is Expected.PROVED:
        return Standing.DECIDED if verdict is Expected.PROVED else Standing.VIOLATED
    if verdict is Expected.PROVED:
        return Standing.HOLDS
    longer = trace is not None and len(trace) > (locked.trace_length or 0)
    return Standing.LONGER if longer else Standing.DECIDED


def _explained(result: Result) -> str:
    if result.verdict is not Verdict.UNKNOWN:
        return ""
    said = result.reason or "not decided"
    if result.depth is not None:
        said += f"; no trace within {count(result.depth, 'step')}"
    failure = result.induction_failure
    if failure is not None:
        action = failure.path.steps[-1].action
        said += f"; {failure.conjunct} is not kept by {action} (k = {failure.k})"
    return said
