"""Temporal claims of a lock: judged by the evidence beside it, and decided again where it fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import monotonic

from bmc.engines.confirmation import confirmed_temporal, require_agreement
from bmc.engines.engine import AUTO
from bmc.engines.explicit import explore
from bmc.engines.liveness.decide import decide
from bmc.engines.liveness.decide_by import decide_by
from bmc.engines.liveness.fair_behaviour import require_fair_behaviour
from bmc.engines.liveness.question import Question
from bmc.engines.task import OutOfTime, Task
from bmc.evidence import untrusted
from bmc.evidence.both_judges import confirm_if_small
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import NotDecided, certify
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.statements import as_judged, closing_of
from bmc.evidence.verdict import Verdict
from bmc.lang.errors import UnknownName
from bmc.regress.carrying import carried_over, says_the_same
from bmc.regress.errors import EvidenceError
from bmc.regress.lassos import RecordedLasso, taken_again
from bmc.regress.lock import EvidenceFile, Expected, LockedProperty
from bmc.regress.outcome import Outcome, Standing
from bmc.regress.settled import Settled
from bmc.running.interruption import LimitMet
from bmc.system.ranked import NotFair
from bmc.system.watched import watched

CHEAP = 100_000
"""The graph of so many states is made again in a second or two; one that has more is believed."""
_SHARE = 0.4
"""How much of what is left an engine may take that another one can still help."""


class Temporal(Settled):
    """Judges a case's temporal claims."""

    # By the evidence of the lock.

    def recheck(self, locked: Sequence[LockedProperty]) -> None:
        """Judge what the evidence beside the lock still settles."""
        for one in locked:
            if one.evidence is None:
                continue
            started = monotonic()
            try:
                if one.loop is not None:
                    found = self._lasso(one, one.evidence)
                else:
                    found = self._certificate(one, one.evidence)
            except EvidenceError as error:
                self._unusable([one], str(error))
                continue
            if found is not None:
                self.outcomes[one.name] = replace(found, seconds=monotonic() - started)
        explored = [one for one in locked if one.evidence is None and self._is_same(one)]
        large = [one for one in explored if (one.distinct_states or 0) > CHEAP]
        believed = large if large and self._has_more_states() else []
        self._graph([one for one in explored if one not in believed])
        for one in believed:
            self.outcomes[one.name] = Outcome(
                one.name, Standing.UNCHECKED, one, one.expected, one.engine
            )

    def _has_more_states(self) -> bool:
        """Whether there are more states than a graph is made again of."""
        self._observer.phase("exploring the states again")
        task = Task(self._suite, self._case.parameters, ())
        try:
            found = explore(task.within(self._deadline), self._observer, max_states=CHEAP)
        except (LimitMet, OutOfTime):
            return False
        return found.distinct_states > CHEAP and found.overflow is None

    def _is_same(self, one: LockedProperty) -> bool:
        return self._case.same_states and self._case.still_states(one)

    def _lasso(self, one: LockedProperty, file: EvidenceFile) -> Outcome | None:
        self._observer.phase(f"taking the lasso of {one.name} again")
        recorded = RecordedLasso.read(self._stored.text(file), file.name)
        trace = recorded.trace
        self._require(file, trace.protocol, trace.parameters, trace.name == one.name)
        if (len(trace.states), recorded.loop) != (one.trace_length, one.loop):
            raise EvidenceError(f"{file.name} is not the lasso that the lock speaks of")
        lasso = taken_again(recorded, self._suite, self._case.parameters)
        if lasso is None and self._is_same(one):
            raise EvidenceError(f"{file.name} does not show what the lock says")
        if lasso is None:
            self.remarks[one.name] = "its old lasso is none any more"
            return None
        stated = self._suite.describe_temporal(one.name, self._suite.model(False))
        found = TemporalResult(
            one.name,
            Verdict.VIOLATED,
            stated.specification,
            0.0,
            arguments=stated.instance(recorded.values),
            lasso=lasso,
            engine=one.engine,
        )
        (found,) = confirmed_temporal(self._suite, (found,))
        if found.verdict is Verdict.UNKNOWN:
            self.remarks[one.name] = found.reason or "its old lasso is not decided"
            return None
        return self._outcome(found, one, self._standing(one))

    def _certificate(self, one: LockedProperty, file: EvidenceFile) -> Outcome | None:
        try:
            old = Certificate.from_json(untrusted.document(self._stored.text(file)))
        except (ValueError, CertificateError) as error:
            raise EvidenceError(f"{file.name} is no certificate: {error}") from None
        about = old.watching is not None and old.watching.claim == one.name
        claims = [claim.name for claim in old.claims]
        self._require(file, old.protocol, old.parameters, about and claims == [one.name])
        restated = self._restated(old, one.name)
        if restated is None:
            # A ranking is a help and no part of the model: without it others may prove the claim.
            return None
        # Of the same model a later bmc may make another monitor.
        monitor = restated.fingerprint == old.fingerprint
        same = self._is_same(one) and monitor and says_the_same(old, restated)
        now = replace(old, protocol=self._suite.name) if same else restated
        try:
            left = self._deadline.remaining()
            judge = certify(now, self._suite, self._observer.phase, left)
            left = self._deadline.remaining()
            confirm_if_small(now, self._suite, self._observer.phase, left)
            require_fair_behaviour(now, self._suite, self._deadline)
            require_agreement(self._suite, [one.name], True, self._deadline)
        except NotDecided as limit:
            reason = f"its proof could not be re-checked in time: {limit}"
            if same:
                return Outcome(one.name, Standing.UNKNOWN, one, reason=reason, asked=False)
            self.remarks[one.name] = reason
            return None
        except CertificateError as error:
            if same:
                raise EvidenceError(f"{file.name} is rejected: {error}") from None
            self.remarks[one.name] = f"the old proof fails: {error}"
            return None
        proved = TemporalResult(
            one.name,
            Verdict.PROVED,
            self._specification(one.name),
            0.0,
            engine=one.engine,
            certificate=now,
            checked_by=judge.solver,
        )
        return self._outcome(proved, one, Standing.KEPT if same else Standing.CARRIED)

    def _restated(self, old: Certificate, name: str) -> Certificate | None:
        """The certificate of the model beside the monitor that the claim has now."""
        assert old.watching is not None
        try:
            beside = watched(self._suite, name, closing_of(old.watching))
        except (UnknownName, NotFair) as error:
            self.remarks[name] = f"the old proof fails: {error}"
            return None
        found = carried_over(replace(old, watching=None), beside, self._case.parameters)
        return None if found is None else as_judged(found, beside)[0]

    def _graph(self, locked: Sequence[LockedProperty]) -> None:
        """Make the graph again of claims that were proved on it."""
        if not locked:
            return
        names = tuple(one.name for one in locked)
        left = self._deadline.remaining()
        question = Question(self._suite, self._case.parameters, names, left, max_states=CHEAP)
        graph = confirmed_temporal(self._suite, decide(question, self._observer))
        for one, found in zip(locked, graph, strict=True):
            if found.verdict is Verdict.PROVED and found.states != one.distinct_states:
                said = f"there are {found.states} states, and the lock says {one.distinct_states}"
                self._unusable([one], said)
            elif found.verdict is Verdict.PROVED:
                self.outcomes[one.name] = self._outcome(found, one, Standing.KEPT)
            elif found.verdict is Verdict.VIOLATED:
                self.remarks[one.name] = "the lock says that no fair loop violates it"
            else:
                self.remarks[one.name] = f"making the graph again: {found.reason}"

    def _require(
        self, file: EvidenceFile, protocol: str, parameters: Mapping[str, int], about: bool
    ) -> None:
        """Raise EvidenceError where a file is about another model or claim than the lock says."""
        locked = self._case.locked
        assert locked is not None, "only what is locked has evidence"
        named = (protocol, dict(parameters))
        if not about or named != (locked.protocol, dict(locked.parameters)):
            raise EvidenceError(f"{file.name} is the evidence of another model or claim")

    def _standing(self, one: LockedProperty) -> Standing:
        return Standing.KEPT if self._is_same(one) else Standing.CARRIED

    def _specification(self, name: str) -> str:
        return self._suite.describe_temporal(name, self._suite.model(False)).specification

    # By engines.

    def decided(
        self, open_: Sequence[LockedProperty], new: Sequence[str], certified: bool
    ) -> dict[str, Outcome]:
        """Return the outcome of every claim that an engine has to decide.

        Where the lock is to be written, a proof is tried to be ``certified``: a certificate is
        better evidence than a number of states.
        """
        locked: dict[str, LockedProperty | None] = {one.name: one for one in open_}
        names = [*locked, *new]
        found: dict[str, TemporalResult] = {}
        self._ask(found, "explicit", names, _SHARE)
        if certified:
            proved = [n for n in names if found[n].verdict is Verdict.PROVED]
            ranked = [n for n in proved if self._suite.rankings_of(n)]
            self._ask(found, "ranked", ranked, _SHARE)
            proved = [n for n in proved if found[n].certificate is None]
            self._ask(found, "monitored", proved, _SHARE)
        unknown = [n for n in names if found[n].verdict is Verdict.UNKNOWN]
        self._ask(found, AUTO, unknown, 1.0)
        return {name: self._outcome(found[name], locked.get(name), None) for name in names}

    def _ask(
        self, found: dict[str, TemporalResult], engine: str, names: Sequence[str], share: float
    ) -> None:
        if not names:
            return
        seconds = max(self._deadline.remaining() or 0.0, 1.0) * share
        question = Question(self._suite, self._case.parameters, tuple(names), seconds)
        for one in confirmed_temporal(self._suite, decide_by(engine, question, self._observer)):
            known = found.get(one.property)
            if known is None or one.verdict is not Verdict.UNKNOWN:
                before = 0.0 if known is None else known.seconds
                found[one.property] = replace(one, seconds=one.seconds + before)

    def _outcome(
        self, result: TemporalResult, locked: LockedProperty | None, standing: Standing | None
    ) -> Outcome:
        verdict = {Verdict.PROVED: Expected.PROVED, Verdict.VIOLATED: Expected.VIOLATED}.get(
            result.verdict
        )
        remark = self.remarks.get(result.property)
        certificate, lasso = result.certificate, result.lasso
        unknown = (result.reason or "not decided") if verdict is None else None
        return Outcome(
            result.property,
            _standing(verdict, locked) if standing is None else standing,
            locked,
            verdict,
            result.engine if result.checked_by is None else result.checked_by,
            None if certificate is None else certificate.k,
            None if lasso is None else lasso.trace,
            reason="; ".join(filter(None, (remark, unknown))),
            seconds=result.seconds,
            temporal=result if verdict is not None else None,
        )


def _standing(verdict: Expected | None, locked: LockedProperty | None) -> Standing:
    if locked is None:
        return Standing.NEW
    if verdict is None:
        return Standing.UNKNOWN
    if verdict is locked.expected:
        return Standing.DECIDED
    return Standing.VIOLATED if verdict is Expected.VIOLATED else Standing.HOLDS
