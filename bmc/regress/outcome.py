"""What became of what a lock expects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from bmc.evidence.certificate import Certificate
from bmc.evidence.exploration_certificate import ExplorationCertificate
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.parametric_certificate import ParametricCertificate
from bmc.evidence.trace import CounterexampleToInduction, Trace
from bmc.lang.model import Source
from bmc.lang.suite import Suite
from bmc.regress.lock import Expected, LockedModel, LockedProperty
from bmc.regress.parts import ChangedPart, Portrait


class Standing(Enum):
    """How an expectation stands. The first five are as expected, NEW is not in the lock."""

    KEPT = "kept"
    """The model is unchanged, and its evidence was judged again."""
    CARRIED = "carried over"
    """The model has changed, and the old evidence is evidence for the new one."""
    DECIDED = "decided again"
    """An engine came to the same verdict again."""
    UNCHECKED = "not re-checked"
    """The model is unchanged; judging its evidence again would cost as much as finding it."""
    BETTER = "decided now"
    """It was unknown, or a witness that is never reached, and that is better now."""
    NEW = "new"
    VIOLATED = "violated"
    """It was proved, and there is a trace now."""
    HOLDS = "holds now"
    """It was violated (or, a witness, reached), and is proved not to be any more."""
    LONGER = "longer trace"
    """It is violated (or reached) as before, but no trace is as short as it was."""
    UNKNOWN = "unknown"
    GONE = "gone"
    """The suite does not state it any more."""
    UNUSABLE = "unusable"
    """The protocol cannot be had, or the evidence is not what the lock says it is."""


GREEN = frozenset(
    {Standing.KEPT, Standing.CARRIED, Standing.DECIDED, Standing.UNCHECKED, Standing.BETTER}
)


@dataclass(frozen=True)
class Outcome:
    """What became of one property.

    ``verdict`` is the verdict of today, None when nothing at all is known; ``trace``,
    ``certificate``, ``for_all`` and ``explored`` are new evidence for it, and ``depth`` says how
    deep an unknown one is clean, in steps. ``reason`` says more in a sentence: why nothing is
    known, or what became of the old evidence. ``temporal`` is new evidence for a temporal claim,
    or the lasso that was judged again. ``asked`` is false where nobody came to ask what is so now.
    """

    name: str
    standing: Standing
    locked: LockedProperty | None = None
    verdict: Expected | None = None
    engine: str = ""
    k: int | None = None
    trace: Trace | None = None
    certificate: Certificate | None = None
    explored: ExplorationCertificate | None = None
    depth: int | None = None
    induction_failure: CounterexampleToInduction | None = None
    reason: str = ""
    seconds: float = 0.0
    for_all: ParametricCertificate | None = None
    temporal: TemporalResult | None = None
    asked: bool = True

    @property
    def open(self) -> bool:
        """Whether nothing at all is known of it, so that a lock can have no line of it."""
        return self.standing is Standing.UNKNOWN and self.verdict is None

    @property
    def green(self) -> bool:
        """Whether all is as the lock expects, or the lock expects nothing."""
        return self.standing in GREEN or self.standing is Standing.NEW


@dataclass(frozen=True)
class Case:
    """A model to judge: what the lock says of it, and what it is now.

    ``locked`` is None for a model that the lock does not hold yet; ``suite`` and ``portrait``
    are None when it cannot be had, and ``unusable`` says why then, ``late`` that it was a limit of
    time. ``parameters`` are those of today: a parameter that was added has its default. ``for_all``
    means all parameter values; ``parameters`` are the least ones then. ``named`` means that its
    block holds what was named.
    """

    protocol: str
    parameters: Mapping[str, int]
    locked: LockedModel | None = None
    suite: Suite | None = None
    portrait: Portrait | None = None
    unusable: str = ""
    for_all: bool = False
    named: bool = False
    late: bool = False

    def unread(self) -> tuple[Outcome, ...]:
        """Return what became of the properties of a protocol that could not be had."""
        standing = Standing.UNKNOWN if self.late else Standing.UNUSABLE
        locked = () if self.locked is None else self.locked.properties
        return tuple(
            Outcome(one.name, standing, one, reason=self.unusable, asked=not self.late)
            for one in locked
        )

    @property
    def locked_parameters(self) -> Mapping[str, int]:
        """The parameters as a lock writes them: none for all values."""
        return {} if self.for_all else self.parameters

    @property
    def changes(self) -> tuple[ChangedPart, ...]:
        """What differs from the lock, by name."""
        if self.locked is None or self.portrait is None:
            return ()
        claims = [p.name for p in self.locked.properties if p.specification is not None]
        portrait = self.portrait.holding(claims)
        return portrait.changes(self.locked.parts, self.locked.fingerprint, self.for_all)

    @property
    def same_model(self) -> bool:
        """Whether the model behaves as the one in the lock, whatever is stated of it."""
        return (
            self.locked is not None
            and self.portrait is not None
            and self.portrait.fingerprint == self.locked.fingerprint
            and self.locked_parameters == self.locked.parameters
        )

    @property
    def same_states(self) -> bool:
        """Whether the model without its history, which an exploration leaves out, is the same."""
        return (
            self.locked is not None
            and self.portrait is not None
            and self.portrait.plain_fingerprint == self.locked.plain_fingerprint
            and self.locked_parameters == self.locked.parameters
        )

    def still_states(self, one: LockedProperty) -> bool:
        """Whether a property is still stated as the lock has it."""
        return self.portrait is not None and (
            self.portrait.statements.get(one.name) == one.statement
        )

    def source(self, name: str) -> Source | None:
        """Where a property is written."""
        return None if self.portrait is None else self.portrait.sources.get(name)


@dataclass(frozen=True)
class Finding:
    """What became of each property of a case, in the order of their names.

    ``unlocked`` are claims that the lock does not hold and that were not judged. Unlike a case,
    a finding is plain data, which one process can tell another.
    """

    outcomes: tuple[Outcome, ...]
    unlocked: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Judgement:
    """A case and what was found of it."""

    case: Case
    finding: Finding

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What became of each property, in the order of their names."""
        return self.finding.outcomes

    @property
    def unlocked(self) -> tuple[str, ...]:
        """The claims that the lock does not hold and that were not judged."""
        return self.finding.unlocked

    @property
    def seconds(self) -> float:
        """The time it took."""
        return self.finding.seconds
