"""Judging what a lock expects by the evidence beside it, without deciding anything anew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import monotonic

from bmc.engines.confirmation import open_without_a_value
from bmc.engines.explicit import Exploration, explore
from bmc.engines.task import OutOfTime, Task
from bmc.evidence.both_judges import confirm_if_small
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import NotDecided, certify
from bmc.evidence.exploration_certificate import ExplorationCertificate
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result, Verdict
from bmc.evidence.wording import count
from bmc.lang.properties import Kind
from bmc.regress.carrying import carried_over, says_the_same
from bmc.regress.deciding import EXPLICIT, of_states
from bmc.regress.errors import EvidenceError
from bmc.regress.evidence import Shared, by_file, certificate_of, exploration_of, trace_of
from bmc.regress.lock import TRACED, Expected, LockedProperty
from bmc.regress.outcome import Outcome, Standing
from bmc.regress.recording import played
from bmc.regress.settled import Settled
from bmc.regress.witnesses import traces_in
from bmc.running.interruption import LimitMet

CHEAP = 100_000
"""So many states are explored again in a second or two; what more there are is believed."""


class Recheck(Settled):
    """Judges locked properties of a case by their evidence."""

    def run(self, locked: Sequence[LockedProperty]) -> None:
        """Judge what can be judged."""
        explored = [p for p in locked if p.distinct_states is not None]
        inductive = [p for p in locked if p.k is not None]
        for shared in by_file(inductive):
            self._certify(shared)
        for one in locked:
            if one.expected in TRACED:
                self._play(one)
        for shared in by_file(explored):
            self._count(shared)
        self._leave_unknown([one for one in locked if one.expected is Expected.UNKNOWN])

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
        unchanged = self._case.same_model and says_the_same(old, now)
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
        trace = played(recording, self._suite, self._case.parameters)
        if trace is None and same:
            assert one.evidence is not None
            self._unusable([one], f"{one.evidence.name} does not show what the lock says")
        elif trace is None:
            self.remarks[one.name] = "its old trace is none any more"
        elif (why := self._open_on_the_text(one, trace)) is not None:
            self.remarks[one.name] = why
        else:
            standing = Standing.KEPT if same else Standing.CARRIED
            new = None if same else trace
            outcome = Outcome(one.name, standing, one, one.expected, one.engine, trace=new)
            self._judged(outcome, started)

    def _open_on_the_text(self, one: LockedProperty, trace: Trace) -> str | None:
        """Why a trace decides nothing: the text gives the claim no value at its end."""
        task = Task(self._suite, self._case.parameters, (one.name,))
        shown = Result(one.name, Verdict.VIOLATED, one.engine, 0.0, trace=trace)
        return open_without_a_value(task, shown).reason

    def _leave_unknown(self, locked: Sequence[LockedProperty]) -> None:
        """Believe that nobody decided what the first states do not decide either.

        A lemma that was added or changed may be what a proof lacked.
        """
        case = self._case
        if any(part.kind == Kind.LEMMA.value for part in case.changes):
            return
        same = [p for p in locked if case.same_model and case.still_states(p)]
        names = of_states(self._suite, [one.name for one in same])
        started = monotonic()
        found = self._explored(names) if names else None
        for one in same:
            if one.name in names and found and (found.complete or one.name in traces_in(found)):
                self.remarks[one.name] = f"{count(found.distinct_states, 'state')} decide it"
                continue
            left = Outcome(
                one.name, Standing.UNCHECKED, one, one.expected, one.engine, depth=one.depth
            )
            self._judged(left, started)

    def _count(self, shared: Shared) -> None:
        """Explore again, or the first of many states; believe of the same model what is beyond."""
        file, group = shared
        started = monotonic()
        try:
            record = exploration_of(self._case, shared, self._stored)
        except EvidenceError as error:
            self._unusable(group, str(error))
            return
        same = [one for one in group if self._case.same_states and self._case.still_states(one)]
        if not same:
            return
        found = self._explored([one.name for one in same], record.distinct_states)
        if found is None:
            self._remark(same, "there was no time to explore it again")
            return
        for one in same:
            if one.name in traces_in(found):
                self.remarks[one.name] = f"{file.name} says that it holds in all states"
            elif not _counts(record, found):
                self._unusable([one], f"{file.name} counts {record.distinct_states} other states")
            elif found.complete:
                self._judged(_of_exploration(one, Standing.KEPT, record), started)
            elif found.distinct_states > CHEAP and found.overflow is None:
                self._judged(_of_exploration(one, Standing.UNCHECKED, record), started)
            else:
                self.remarks[one.name] = f"exploring it again: {found.stopped_because}"

    def _explored(self, names: Sequence[str], most: int = CHEAP) -> Exploration | None:
        """The first states of the model, as many as are cheap; None where no time is left."""
        self._observer.phase("exploring the states again")
        task = Task(self._suite, self._case.parameters, tuple(names))
        try:
            within = task.within(self._deadline)
            return explore(within, self._observer, max_states=min(most, CHEAP))
        except (LimitMet, OutOfTime):
            return None

    def _judged(self, outcome: Outcome, started: float) -> None:
        self.outcomes[outcome.name] = replace(outcome, seconds=monotonic() - started)


def _counts(record: ExplorationCertificate, found: Exploration) -> bool:
    """Whether a record has the counts of an exploration, as far as it went."""
    if found.complete:
        return record.counts_as(found.levels, found.generated_states)
    known = found.searched_depth
    return record.begins_as(found.levels, 0 if known is None else known + 1)


def _of_exploration(
    one: LockedProperty, standing: Standing, record: ExplorationCertificate
) -> Outcome:
    return Outcome(one.name, standing, one, one.expected, EXPLICIT, explored=record)
