"""Judging one model: the old evidence first, engines only for what it does not settle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import monotonic

from bmc.engines.explicit import Exploration
from bmc.engines.task import Deadline, Observer
from bmc.evidence.exploration_certificate import ExplorationCertificate
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result, Verdict
from bmc.evidence.wording import count
from bmc.lang.properties import Kind
from bmc.lang.suite import Suite
from bmc.regress.cases import lockable, lockable_for_all
from bmc.regress.deciding import EXPLICIT, Aim, decide
from bmc.regress.folder import Stored
from bmc.regress.lock import OF_WITNESSES, TRACED, Expected, LockedProperty
from bmc.regress.outcome import Case, Finding, Outcome, Standing
from bmc.regress.rechecking import Recheck
from bmc.regress.temporal import Temporal

_DEEPEST = 30
"""How deep a violation is looked for, if time allows, where the lock knows of none."""
_FURTHER = 10
"""How much deeper than its old trace an expected violation is looked for."""


@dataclass(frozen=True)
class Effort:
    """How a model is judged.

    ``seconds`` is the budget for one model; ``afresh`` believes no evidence and decides
    everything again; ``repair`` decides again where evidence is unusable; ``complete`` decides
    what the lock does not hold yet, too, or of that what has one of these ``names``.
    """

    seconds: float = 60.0
    afresh: bool = False
    repair: bool = False
    complete: bool = False
    names: tuple[str, ...] = ()


def judge(case: Case, stored: Stored, effort: Effort, observer: Observer) -> Finding:
    """What became of every property of a case."""
    started = monotonic()
    if case.suite is None:
        return Finding(case.unread())
    missing = _missing(case, case.suite, stored, effort.names)
    one = _Case(case, case.suite, stored, effort, observer)
    found = one.run(missing if effort.complete else ())
    order = sorted(found.values(), key=lambda o: o.name)
    unlocked = () if effort.complete else missing
    return Finding(tuple(order), unlocked, monotonic() - started)


def unanswered(case: Case, stored: Stored, effort: Effort, reason: str) -> Finding:
    """Return a finding of a case that nobody has judged, for a reason: all of it is unknown.

    What the lock was to take up is part of it: an update that lost its judge has decided nothing.
    """
    locked = () if case.locked is None else case.locked.properties
    outcomes = [Outcome(p.name, Standing.UNKNOWN, p, reason=reason, asked=False) for p in locked]
    missing: Sequence[str] = ()
    if case.suite is not None and not case.for_all:
        missing = _missing(case, case.suite, stored, effort.names)
    elif case.suite is not None and case.locked is None:
        missing = lockable_for_all(case.suite)
    if not effort.complete:
        return Finding(tuple(outcomes), tuple(missing))
    outcomes += [Outcome(name, Standing.NEW, reason=reason) for name in missing]
    return Finding(tuple(sorted(outcomes, key=lambda o: o.name)))


def _missing(case: Case, suite: Suite, stored: Stored, names: Sequence[str]) -> tuple[str, ...]:
    """What the lock should hold of a model, or of it is to hold by name, and does not."""
    known = set() if case.locked is None else {p.name for p in case.locked.properties}
    claims = [declared.name for declared in suite.temporal]
    if names:
        there = (*lockable(suite), *claims)
        return tuple(n for n in names if n in there and n not in known)
    if case.named:
        return ()
    held = {p.name for m in stored.lock.models if m.protocol == case.protocol for p in m.properties}
    found = [n for n in lockable(suite) if n not in known]
    return (*found, *(n for n in claims if n not in held))


class _Case:
    def __init__(
        self, case: Case, suite: Suite, stored: Stored, effort: Effort, observer: Observer
    ) -> None:
        self.case = case
        self.suite = suite
        self.effort = effort
        self.observer = observer
        self.deadline = Deadline(effort.seconds)
        given = (case, suite, stored, observer, self.deadline, effort.repair)
        self.recheck, self.temporal = Recheck(*given), Temporal(*given)
        self.gone: dict[str, Outcome] = {}

    def run(self, new: tuple[str, ...]) -> dict[str, Outcome]:
        there = self._stated(() if self.case.locked is None else self.case.locked.properties)
        plain = [p for p in there if p.specification is None]
        claims = [p for p in there if p.specification is not None]
        if not self.effort.afresh:
            self.recheck.run([p for p in plain if self._is_meant(p)])
            self.temporal.recheck(claims)
        judged = self.gone | self.recheck.outcomes | self.temporal.outcomes
        new_claims = tuple(n for n in new if self.suite.is_temporal(n))
        judged |= self._decide(
            [p for p in plain if p.name not in judged],
            tuple(n for n in new if n not in new_claims),
        )
        open_ = [p for p in claims if p.name not in judged]
        return judged | self.temporal.decided(open_, new_claims, self.effort.complete)

    def _is_meant(self, one: LockedProperty) -> bool:
        """Whether evidence may be of a property: a trace violates a claim and reaches a witness."""
        witness = self.suite.find(one.name).kind is Kind.WITNESS
        if one.expected is Expected.UNKNOWN or witness == (one.expected in OF_WITNESSES):
            return True
        was, now = ("claim", "witness") if witness else ("witness", "claim")
        self.recheck.remarks[one.name] = f"it was a {was}, and is a {now} now"
        return False

    def _stated(self, locked: Iterable[LockedProperty]) -> list[LockedProperty]:
        stated = lockable(self.suite)
        there = []
        for one in locked:
            temporal = self.suite.is_temporal(one.name)
            if temporal if one.specification is not None else one.name in stated:
                there.append(one)
            else:
                reason = self._why_gone(one.name)
                self.gone[one.name] = Outcome(one.name, Standing.GONE, one, reason=reason)
        return there

    def _why_gone(self, name: str) -> str:
        if name in self.suite.unjudged:
            return f"it is NOT checked any more: {self.suite.unjudged[name]}"
        if name in self.suite.parts:
            return f"it is decided part by part now: {', '.join(self.suite.parts[name])}"
        return f"{self.suite.name} does not state {name} any more"

    def _decide(self, open_: list[LockedProperty], new: tuple[str, ...]) -> dict[str, Outcome]:
        names = (*(one.name for one in open_), *new)
        if not names:
            return {}
        decided = decide(
            self.suite, self.case.parameters, names, self.observer, self._aim(open_, new)
        )
        record = self._record(decided.exploration, decided.results.values())
        locked: dict[str, LockedProperty | None] = {one.name: one for one in open_}
        return {n: self._outcome(decided.results[n], locked.get(n), record) for n in names}

    def _aim(self, open_: Sequence[LockedProperty], new: Sequence[str]) -> Aim:
        traced = not new and all(one.expected in TRACED for one in open_)
        lengths = [one.trace_length or 0 for one in open_]
        depths = [one.depth or 0 for one in open_]
        return Aim(
            k=max((one.k or 1 for one in open_), default=1),
            depth=max(lengths) + _FURTHER if traced else max((_DEEPEST, *depths, *lengths)),
            seconds=max(self.deadline.remaining() or 0.0, 1.0),
            # An update looks for a certificate, which is better evidence, each time.
            explore_first=not self.effort.complete and any(o.engine == EXPLICIT for o in open_),
            lost=frozenset(o.name for o in open_ if o.expected is Expected.REACHED),
        )

    def _record(
        self, exploration: Exploration | None, results: Iterable[Result]
    ) -> ExplorationCertificate | None:
        portrait = self.case.portrait
        if exploration is None or portrait is None:
            return None
        holds = [r.property for r in results if _in_every_state(r)]
        return ExplorationCertificate(
            self.case.protocol,
            dict(self.case.parameters),
            portrait.plain_fingerprint,
            exploration.levels,
            exploration.generated_states,
            {name: portrait.statements[name] for name in holds},
        )

    def _outcome(
        self, result: Result, locked: LockedProperty | None, record: ExplorationCertificate | None
    ) -> Outcome:
        verdict = self._verdict(result)
        remark = self.recheck.remarks.get(result.property)
        return Outcome(
            result.property,
            _standing(verdict, result, locked),
            locked,
            verdict,
            result.engine,
            result.k if result.certificate is None else result.certificate.k,
            result.trace,
            result.certificate,
            record if _in_every_state(result) else None,
            result.depth if verdict is Expected.UNKNOWN else None,
            result.induction_failure,
            "; ".join(filter(None, (remark, _explained(result)))),
            result.seconds,
        )

    def _verdict(self, result: Result) -> Expected | None:
        """None when nothing is known, or nothing that a lock could have evidence of."""
        witness = self.suite.find(result.property).kind is Kind.WITNESS
        match result.verdict:
            case Verdict.PROVED:
                return Expected.UNREACHED if witness else Expected.PROVED
            case Verdict.VIOLATED:
                return Expected.REACHED if witness else Expected.VIOLATED
        return None if result.depth is None else Expected.UNKNOWN


def _in_every_state(result: Result) -> bool:
    return result.verdict is Verdict.PROVED and result.engine == EXPLICIT


def _standing(verdict: Expected | None, result: Result, locked: LockedProperty | None) -> Standing:
    if locked is None:
        return Standing.NEW
    expected = locked.expected
    if verdict is None or verdict is Expected.UNKNOWN:
        as_deep = expected is Expected.UNKNOWN and (result.depth or 0) >= (locked.depth or 0)
        return Standing.DECIDED if verdict and as_deep else Standing.UNKNOWN
    if verdict is expected:
        return Standing.LONGER if _is_longer(result.trace, locked) else Standing.DECIDED
    if verdict is Expected.VIOLATED:
        return Standing.VIOLATED
    if expected in (Expected.UNKNOWN, Expected.UNREACHED):
        return Standing.BETTER
    return Standing.HOLDS


def _is_longer(trace: Trace | None, locked: LockedProperty) -> bool:
    return trace is not None and len(trace) > (locked.trace_length or 0)


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
