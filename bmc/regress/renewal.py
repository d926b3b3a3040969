"""The lock that follows from what was judged, and how it differs from the one before.

What the lock expected and what is not so any more is *worse* unless somebody accepts it by name:
a model with anything worse keeps its old block, whole, and the others are brought up to date. So
does one of which nobody came to ask, whatever is accepted: there is nothing that could be.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bmc.engines.allparams.prove import ENGINE as FOR_ALL
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.wording import count
from bmc.lang.errors import suggest
from bmc.regress.errors import NothingToAccept
from bmc.regress.folder import evidence_file
from bmc.regress.lassos import RecordedLasso
from bmc.regress.lock import (
    EvidenceFile,
    Expected,
    Lock,
    LockedModel,
    LockedProperty,
)
from bmc.regress.outcome import GREEN, Case, Judgement, Outcome, Standing
from bmc.regress.recording import Recording


@dataclass(frozen=True)
class ChangedLine:
    """How one property's line changes; ``before`` or ``after`` is empty when there is none.

    ``accepted`` is None when nobody had to accept it.
    """

    case: Case
    name: str
    before: str
    after: str
    accepted: bool | None = None


@dataclass(frozen=True)
class Renewal:
    """The new lock with its new evidence (text by file name), and what is different in it.

    ``held_back`` are models that keep their old block; ``open`` are the new claims, by their model,
    that are not decided.
    """

    lock: Lock
    evidence: dict[str, str]
    differences: tuple[ChangedLine, ...]
    held_back: tuple[Case, ...]
    open: tuple[tuple[Case, Outcome], ...]


class Acceptance:
    """The names under which somebody accepts that an expectation gives way.

    Each is a protocol, a property, or PROTOCOL:PROPERTY.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)

    def of(self, protocol: str, name: str) -> bool:
        """Whether a property's change is accepted."""
        return not self.names.isdisjoint({protocol, name, f"{protocol}:{name}"})

    def require_known(self, lock: Lock) -> None:
        """NothingToAccept when a name means nothing in this lock."""
        known = {m.protocol for m in lock.models}
        for model in lock.models:
            for stated in model.properties:
                known |= {stated.name, f"{model.protocol}:{stated.name}"}
        for name in sorted(self.names - known):
            raise NothingToAccept(
                f"the lock has no protocol or property {name!r} to accept a change of: "
                f"{suggest(name, known)}"
            )


def renewed(old: Lock, judgements: Sequence[Judgement], accepted: Acceptance) -> Renewal:
    """What an update makes of a lock; models that were not judged stay as they are."""
    models = {model.key: model for model in old.models}
    evidence: dict[str, str] = {}
    differences: list[ChangedLine] = []
    held_back: list[Case] = []
    open_: list[tuple[Case, Outcome]] = []
    for judgement in judgements:
        case = judgement.case
        changed = [d for o in judgement.outcomes if (d := _difference(case, o, accepted))]
        differences += changed
        open_ += [
            (case, o)
            for o in judgement.outcomes
            if o.standing is Standing.NEW and o.verdict in (None, Expected.UNKNOWN)
        ]
        unasked = not all(o.asked for o in judgement.outcomes)
        if unasked or any(d.accepted is False for d in changed):
            held_back.append(case)
            continue
        if case.locked is not None:
            del models[case.locked.key]
        if (block := _block(judgement, evidence)) is not None:
            models[block.key] = block
    lock = Lock(old.follows, tuple(models[key] for key in sorted(models)))
    kept = {name: text for name, text in evidence.items() if name in lock.evidence}
    return Renewal(lock, kept, tuple(differences), tuple(held_back), tuple(open_))


def _difference(case: Case, outcome: Outcome, accepted: Acceptance) -> ChangedLine | None:
    if not outcome.asked:
        return None
    locked = outcome.locked
    before = "" if locked is None else _said(locked)
    line = _line(case, outcome, {})
    after = "" if line is None else _said(line)
    if outcome.standing is Standing.NEW:
        return ChangedLine(case, outcome.name, "", after) if after else None
    if outcome.standing in GREEN:
        restated = locked is not None and locked.statement != _statement(case, outcome.name)
        after += "; stated differently" if restated else ""
        return ChangedLine(case, outcome.name, before, after) if after != before else None
    name = outcome.name
    return ChangedLine(case, name, before, after, accepted.of(case.protocol, name))


def _said(line: LockedProperty) -> str:
    """A line in a few words."""
    if line.depth is not None:
        return f"unknown, clean to depth {line.depth}"
    if line.loop is not None:
        return f"violated by a lasso of {count(line.trace_length or 0, 'state')}"
    if line.distinct_states is not None:
        word = "never reached" if line.expected is Expected.UNREACHED else "proved"
        return f"{word} (in all {line.distinct_states:,} states)"
    if line.engine == FOR_ALL:
        return "proved (at all parameter values)"
    if line.k is not None:
        return f"proved (k={line.k})"
    return f"{line.expected.value} by a trace of {count(line.trace_length or 0, 'state')}"


def _block(judgement: Judgement, evidence: dict[str, str]) -> LockedModel | None:
    """A model's new block; None when nothing is left to expect of it."""
    case = judgement.case
    if case.portrait is None:
        return None
    lines = [_line(case, o, evidence) for o in judgement.outcomes]
    properties = tuple(line for line in lines if line is not None)
    if not properties:
        return None
    portrait = case.portrait.holding(p.name for p in properties if p.specification is not None)
    return LockedModel(
        case.protocol,
        dict(case.locked_parameters),
        portrait.fingerprint,
        portrait.plain_fingerprint,
        portrait.parts,
        properties,
        case.for_all,
        case.named,
    )


def _line(case: Case, outcome: Outcome, evidence: dict[str, str]) -> LockedProperty | None:
    locked = outcome.locked
    if outcome.verdict is None:
        return None
    if locked is not None and outcome.standing in (Standing.KEPT, Standing.UNCHECKED):
        return locked
    name, statement = outcome.name, _statement(case, outcome.name)
    if outcome.temporal is not None:
        return _temporal_line(case, outcome.temporal, outcome.verdict, statement, evidence)
    if outcome.certificate is not None:
        text = json.dumps(outcome.certificate.to_json(), indent=2) + "\n"
        found = outcome.certificate.found_by
        file = _stored(case, text, evidence)
        return LockedProperty(
            name, Expected.PROVED, statement, "kinduction", file, outcome.certificate.k, found
        )
    if outcome.for_all is not None:
        text = json.dumps(outcome.for_all.to_json(), indent=1) + "\n"
        found = outcome.for_all.found_by
        file = _stored(case, text, evidence)
        return LockedProperty(name, Expected.PROVED, statement, FOR_ALL, file, found_by=found)
    if outcome.trace is not None:
        text = Recording.of(case.protocol, case.parameters, name, outcome.trace).text
        file = _stored(case, text, evidence)
        length = len(outcome.trace)
        return LockedProperty(
            name, outcome.verdict, statement, outcome.engine, file, trace_length=length
        )
    if outcome.explored is not None:
        file = _stored(case, outcome.explored.text, evidence)
        states = outcome.explored.distinct_states
        return LockedProperty(
            name, outcome.verdict, statement, outcome.engine, file, distinct_states=states
        )
    if outcome.verdict is Expected.UNKNOWN:
        return LockedProperty(name, outcome.verdict, statement, outcome.engine, depth=outcome.depth)
    return None


def _temporal_line(
    case: Case,
    result: TemporalResult,
    verdict: Expected,
    statement: str,
    evidence: dict[str, str],
) -> LockedProperty:
    name, certificate, lasso = result.property, result.certificate, result.lasso
    line = LockedProperty(
        name, verdict, statement, result.engine, specification=result.specification
    )
    if certificate is not None:
        file = _stored(case, json.dumps(certificate.to_json(), indent=2) + "\n", evidence)
        return replace(line, evidence=file, k=certificate.k, found_by=certificate.found_by)
    if lasso is None:
        return replace(line, distinct_states=result.states)
    values = tuple((result.arguments or {}).values())
    trace = Recording.of(case.protocol, case.parameters, name, lasso.trace)
    file = _stored(case, RecordedLasso(trace, lasso.loop, values).text, evidence)
    return replace(line, evidence=file, trace_length=len(lasso.trace), loop=lasso.loop)


def _statement(case: Case, name: str) -> str:
    assert case.portrait is not None
    return case.portrait.statements.get(name, "")


def _stored(case: Case, text: str, evidence: dict[str, str]) -> EvidenceFile:
    file = evidence_file(case.protocol, text)
    evidence[file.name] = text
    return file
