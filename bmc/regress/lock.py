"""A lock as data: what is expected of each property of each model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

CATALOGUE = "catalogue"
"""A lock that follows the catalogue takes up every protocol that has a name."""
NAMED = "named"
"""A lock that holds the protocols it was given, and no others."""


class Expected(Enum):
    """What a property is expected to do: hold, be violated, or (a witness) be reached or not.

    UNKNOWN expects no verdict, only that no violation is found as deep as none was found.
    """

    PROVED = "proved"
    VIOLATED = "violated"
    REACHED = "reached"
    UNREACHED = "unreached"
    UNKNOWN = "unknown"


TRACED = frozenset({Expected.VIOLATED, Expected.REACHED})
"""What a trace shows."""

OF_WITNESSES = frozenset({Expected.REACHED, Expected.UNREACHED})
"""What is expected of witnesses alone."""


@dataclass(frozen=True)
class EvidenceFile:
    """A file in the folder beside the lock, by its name there and its SHA-256."""

    name: str
    sha256: str


@dataclass(frozen=True)
class LockedProperty:
    """One property's line in the lock.

    ``statement`` is the digest of its formula. ``k`` and ``found_by`` (the solver) tell of an
    inductive proof, ``found_by`` alone of one at all parameter values; ``distinct_states`` of a
    complete exploration; ``trace_length``, in states, of a violated property or a reached
    witness; ``depth``, in steps, of how far an undecided one is known to be clean, which is all
    there is of it: it has no evidence.

    A temporal claim, and nothing else, has a ``specification``; where it is violated, ``loop`` is
    the number of the state to which the last one of its trace returns. One that was proved on the
    graph of all states has their number alone: its evidence is to look at them again.
    """

    name: str
    expected: Expected
    statement: str
    engine: str
    evidence: EvidenceFile | None = None
    k: int | None = None
    found_by: str | None = None
    trace_length: int | None = None
    distinct_states: int | None = None
    depth: int | None = None
    specification: str | None = None
    loop: int | None = None


@dataclass(frozen=True)
class LockedModel:
    """A protocol at fixed parameters, and what is expected of it.

    ``fingerprint`` is the model's with the ghosts of its history, ``plain_fingerprint`` without.
    ``parts`` maps the name of each part (``action BecomeLeader``) to its digest. With ``for_all``
    it is about all parameter values at once: ``parameters`` is empty then, and the fingerprints
    are those at the least values. With ``named`` it holds what somebody named, and is not held
    to have every claim of the protocol.
    """

    protocol: str
    parameters: Mapping[str, int]
    fingerprint: str
    plain_fingerprint: str
    parts: Mapping[str, str]
    properties: tuple[LockedProperty, ...]
    for_all: bool = False
    named: bool = False

    @property
    def key(self) -> Key:
        """What tells it from the others of its lock, and the order in which they stand."""
        return key_of(self.protocol, self.parameters, self.for_all)


@dataclass(frozen=True)
class Lock:
    """All models, each once, in the order of their keys."""

    follows: str
    models: tuple[LockedModel, ...] = ()

    @property
    def evidence(self) -> frozenset[str]:
        """The names of the evidence files it refers to."""
        files = (p.evidence for m in self.models for p in m.properties)
        return frozenset(file.name for file in files if file is not None)


Key = tuple[str, bool, tuple[tuple[str, int], ...]]


def key_of(protocol: str, parameters: Mapping[str, int], for_all: bool = False) -> Key:
    """The key of a protocol at parameters, or at all of them."""
    return protocol, for_all, tuple(sorted(parameters.items()))
