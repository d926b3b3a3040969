"""What there is to tell of a look at a lock, in the words of reports.

The command line fills it in; the reports on a lock (`regression*`) read nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bmc.evidence.lasso import TemporalResult
from bmc.evidence.trace import CounterexampleToInduction, Trace
from bmc.lang.model import Source
from bmc.lang.suite import Suite


@dataclass(frozen=True)
class PartChange:
    """A part of a model that is not as the lock knows it: ``action BecomeLeader changed``.

    ``everywhere`` says whether it can touch every property, or the one that it names only.
    """

    kind: str
    name: str
    how: str
    source: Source | None
    everywhere: bool

    @property
    def text(self) -> str:
        """The change in a few words."""
        return " ".join(filter(None, (self.kind, self.name, self.how)))


@dataclass(frozen=True)
class PropertyView:
    """What a lock expects of a property and what is so.

    ``standing`` is the word of docs/result.schema.json for it. ``green`` says that it is as
    expected, or was accepted; ``known_wrong`` that it is known not to be; ``new`` that the lock
    does not hold it; ``unchecked`` that it was believed, because the model is unchanged.
    ``expected`` and ``verdict`` are proved, violated, reached, unreached, unknown, or empty.
    ``states`` counts those of an exploration, ``depth`` the steps to which an unknown one is
    clean; with ``expected_`` in front it is what the lock says. A temporal claim has the name of
    its ``specification``, and in ``temporal`` what was decided of it.
    """

    name: str
    standing: str
    green: bool
    known_wrong: bool
    new: bool
    unchecked: bool
    expected: str
    expected_length: int | None
    expected_states: int | None
    expected_depth: int | None
    verdict: str
    engine: str
    k: int | None
    states: int | None
    depth: int | None
    trace: Trace | None
    induction_failure: CounterexampleToInduction | None
    reason: str
    seconds: float
    source: Source | None
    temporal: TemporalResult | None = None
    specification: str | None = None
    expected_loop: int | None = None


@dataclass(frozen=True)
class ModelView:
    """A protocol at parameters, or (None) at all of them; ``suite`` is None if it cannot be had.

    ``unlocked`` are claims that the lock does not hold; ``unjudged`` those that no lock can hold,
    since nothing decides them, each with the reason.
    """

    protocol: str
    parameters: Mapping[str, int] | None
    suite: Suite | None
    changes: tuple[PartChange, ...]
    properties: tuple[PropertyView, ...]
    unlocked: tuple[str, ...]
    unjudged: tuple[tuple[str, str], ...]
    seconds: float

    @property
    def failed(self) -> tuple[PropertyView, ...]:
        """What is not as the lock expects."""
        return tuple(p for p in self.properties if not p.green)

    @property
    def open(self) -> bool:
        """Whether nothing is known of a claim that the lock does not hold yet."""
        return any(p.new and not p.verdict for p in self.properties)

    def changes_for(self, name: str) -> tuple[PartChange, ...]:
        """The changes that can touch one property."""
        return tuple(c for c in self.changes if c.everywhere or c.name == name)


@dataclass(frozen=True)
class LineDifference:
    """How a property's line in the lock changes; ``accepted`` is None if nobody had to."""

    protocol: str
    parameters: Mapping[str, int] | None
    name: str
    before: str
    after: str
    accepted: bool | None


@dataclass(frozen=True)
class UpdateView:
    """What an update made of a lock.

    ``held_back`` are models that keep their old entry; ``undecided`` new claims of which nothing
    is known: protocol, property, and why.
    """

    written: bool
    differences: tuple[LineDifference, ...]
    held_back: tuple[tuple[str, Mapping[str, int] | None], ...]
    undecided: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class LockView:
    """All that there is to tell of one look at the lock called ``lock``.

    ``unlocked`` are protocols that it does not hold; ``unavailable`` those that cannot be had,
    with the reason.
    """

    lock: str
    models: tuple[ModelView, ...]
    unlocked: tuple[str, ...]
    unavailable: tuple[tuple[str, str], ...]
    update: UpdateView | None
    interrupted: bool

    @property
    def failures(self) -> Iterator[tuple[ModelView, PropertyView]]:
        """What is not as the lock expects, and nobody accepted."""
        for model in self.models:
            for stated in model.failed:
                yield model, stated

    @property
    def green(self) -> bool:
        """Whether all was looked at, and is as the lock expects or was accepted."""
        return not self.interrupted and not any(model.failed for model in self.models)

    @property
    def stale(self) -> tuple[ModelView, ...]:
        """Green models that are not those of the lock any more."""
        return tuple(m for m in self.models if m.changes and not m.failed)

    @property
    def unchecked(self) -> int:
        """How many properties were believed without judging their evidence."""
        return sum(p.unchecked for m in self.models for p in m.properties)

    @property
    def as_expected(self) -> int:
        """How many properties are as the lock expects."""
        return sum(p.green and not p.new for m in self.models for p in m.properties)
