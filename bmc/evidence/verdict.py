"""What bmc answers about one property."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from bmc.evidence.certificate import Certificate
from bmc.evidence.exploration_certificate import ExplorationCertificate
from bmc.evidence.trace import CounterexampleToInduction, Trace
from bmc.lang.errors import BmcError


class Verdict(Enum):
    """The three answers. A timeout, a crash or a limit is always UNKNOWN."""

    PROVED = "proved"
    VIOLATED = "violated"
    UNKNOWN = "unknown"


NOT_SHORTEST = "the trace need not be the shortest"
"""The reason of a violation whose trace may be longer than others, whatever is said of it later."""


class Why(Enum):
    """What kept an engine from an answer, or from a simpler trace.

    The sentence for people is a result's ``reason``; but for :data:`NOT_SHORTEST` nobody reads
    that to find out.
    """

    INTERRUPTED = "interrupted"
    TIME = "the time limit"
    MEMORY = "the memory limit"
    DIED = "the process died"


@dataclass(frozen=True)
class Unanswered:
    """Why there will be no answer, as a sentence as well; ``exit`` is the exit code, if any."""

    why: Why
    text: str
    exit: int | None = None


@dataclass(frozen=True)
class Result:
    """A verdict with its evidence.

    ``k`` is the depth of the induction that closed (or was tried last); ``depth`` the number of
    steps up to which no violation exists, None when not searched. ``lemmas`` names the
    strengthening a proof used; ``checked_by`` the solver that re-checked its certificate.
    ``at_fault`` names the lemmas that fail though all the others are assumed.
    ``reason`` says why a verdict is unknown, and ``why`` whether that was a limit from outside;
    ``explored`` is the evidence where all reachable states were seen.
    ``exit`` is the exit code of an engine's process that died. ``overflow`` is the trace to
    a state in which the model's bounds are too small for what comes next, ``of_history`` says that
    only a history leaves them, which another engine may do without. ``more_traces`` are
    further ones as short as ``trace``, where several were asked for. ``undefined`` leads to where
    the text gives the claim no value.
    """

    property: str
    verdict: Verdict
    engine: str
    seconds: float
    k: int | None = None
    depth: int | None = None
    trace: Trace | None = None
    induction_failure: CounterexampleToInduction | None = None
    certificate: Certificate | None = None
    lemmas: tuple[str, ...] = ()
    at_fault: tuple[str, ...] = ()
    reason: str | None = None
    overflow: Trace | None = None
    undefined: Trace | None = None
    of_history: bool = False
    checked_by: str | None = None
    more_traces: tuple[Trace, ...] = ()
    why: Why | None = None
    exit: int | None = None
    explored: ExplorationCertificate | None = None

    def proof(self) -> Certificate | ExplorationCertificate | None:
        """Return what can be checked again of a proof: a conjunction, or counts of all states."""
        return self.explored or self.certificate


class Contradiction(BmcError):
    """Two parts of bmc disagree about one fact: nothing it says here can be believed."""
