"""Judging what a lock expects by the evidence beside it, without deciding anything anew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from time import monotonic

from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.evidence.both_judges import confirm_if_small
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import NotDecided, certify
from bmc.evidence.exploration_certificate import ExplorationCertificate
from bmc.lang.suite import Suite
from bmc.regress.carrying import carried_over
from bmc.regress.deciding import EXPLICIT
from bmc.regress.errors import EvidenceError
from bmc.regress.evidence import Shared, by_file, certificate_of, exploration_of, trace_of
from bmc.regress.lock import TRACED, Expected, LockedProperty
from bmc.regress.outcome import Outcome, Standing
from bmc.regress.recording import played
from bmc.regress.settled import Settled
from bmc.regress.witnesses import with_witnesses_denied

CHEAP = 100_000
"""So many states are explored again in a second or two; more are only believed."""


class Recheck(Settled):
    """Judges locked properties of a case by their evidence."""

    @cached_property
    def _denying(self) -> Suite:
        return with_witnesses_denied(self._suite)

    def run(self, locked: Sequence[LockedProperty]) -> None:
        """Judge what can be judged."""
        explored = [p for p in locked if p.distinct_states is not None]
        inductive = [p for p in locked if p.k is not None]
        for shared in by_file(inductive):
            self._certify(shared)
        for one in locked:
            if one.expected in TRACED:
                self._play(one)
            elif one.expected is Expected.UNKNOWN:
                self._believe_unknown(one)
        for shared in by_file(explored):
            self._count(shared)

    def _certify(self, shared: Shared) -> None:
        started = monotonic()
        try:
            certificate = certificate_of(self._case, shared, self._stored)
        except EvidenceError as error:
            self._unusable(shared[1], str(error))
            return
        for outcome in self._certified(shared, certificate):
            self._judged(outcome, started)

    def _certified(self, shared: Shared, old: Certificate) -> Iterable[Outcome]:
        file, group = shared
        now = carried_over(old, self._suite, self._case.parameters)
        if now is None:
            return
        unchanged = self._case.same_model and _says_the_same(old, now)
        judged = replace(old, protocol=self._suite.name) if unchanged else now
        left = self._deadline.remaining()
        try:
            found = certify(judged, self._suite, self._observer.phase, left)
            left = self._deadline.remaining()
            # Small ones are judged by somebody who shares nothing with the finder, too.
            confirm_if_small(judged, self._suite, self._observer.phase, left)
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
                self._unusable(group, f"{file.name} is rejected: {error}")
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

    def _play(self, one: LockedProperty) -> None:
        started = monotonic()
        self._observer.phase(f"replaying the trace of {one.name}")
        try:
            recording = trace_of(self._case, one, self._stored)
        except EvidenceError as error:
            self._unusable([one], str(error))
            return
        same = self._case.same_model and self._case.still_states(one)
        trace = played(recording, self._denying, self._case.parameters)
        if trace is None and same:
            assert one.evidence is not None
            self._unusable([one], f"{one.evidence.name} does not show what the lock says")
        elif trace is None:
            self.remarks[one.name] = "its old trace is none any more"
        else:
            standing = Standing.KEPT if same else Standing.CARRIED
            new = None if same else trace
            outcome = Outcome(one.name, standing, one, one.expected, one.engine, trace=new)
            self._judged(outcome, started)

    def _believe_unknown(self, one: LockedProperty) -> None:
        if self._case.same_model and self._case.still_states(one):
            self._judged(
                Outcome(
                    one.name, Standing.UNCHECKED, one, one.expected, one.engine, depth=one.depth
                ),
                monotonic(),
            )

    def _count(self, shared: Shared) -> None:
        """Explore again, if the states are few; believe the record of the same model if not."""
        file, group = shared
        started = monotonic()
        try:
            record = exploration_of(self._case, shared, self._stored)
        except EvidenceError as error:
            self._unusable(group, str(error))
            return
        if not self._case.same_states:
            return
        same = [one for one in group if self._case.still_states(one)]
        if record.distinct_states > CHEAP:
            for one in same:
                self._judged(_of_exploration(one, Standing.UNCHECKED, record), started)
        elif same:
            self._explore(file.name, same, record, started)

    def _explore(
        self, file: str, same: list[LockedProperty], record: ExplorationCertificate, started: float
    ) -> None:
        self._observer.phase("exploring the states again")
        names = tuple(one.name for one in same)
        left = self._deadline.remaining()
        if left == 0.0:
            self._remark(same, "there was no time to explore it again")
            return
        task = Task(self._denying, self._case.parameters, names, timeout=left)
        found = explore(task, self._observer, max_states=record.distinct_states)
        for one in same:
            if one.name in found.violations:
                self.remarks[one.name] = f"{file} says that it holds in all states"
            elif found.complete and record.counts_as(found.levels, found.generated_states):
                self._judged(_of_exploration(one, Standing.KEPT, record), started)
            elif found.complete or found.distinct_states > record.distinct_states:
                self._unusable([one], f"{file} counts {record.distinct_states} other states")
            else:
                self.remarks[one.name] = f"exploring it again: {found.stopped_because}"

    def _judged(self, outcome: Outcome, started: float) -> None:
        self.outcomes[outcome.name] = replace(outcome, seconds=monotonic() - started)


def _says_the_same(old: Certificate, now: Certificate) -> bool:
    return old.claims == now.claims and old.conjuncts == now.conjuncts


def _of_exploration(
    one: LockedProperty, standing: Standing, record: ExplorationCertificate
) -> Outcome:
    return Outcome(one.name, standing, one, one.expected, EXPLICIT, explored=record)
