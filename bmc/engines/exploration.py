"""What an explicit exploration found, and the verdicts that follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result, Verdict
from bmc.readings.value import ConcreteState

ENGINE = "explicit"


@dataclass(frozen=True)
class Exploration:
    """What was found. Only states that satisfy the state constraint are counted.

    ``levels[i]`` is the number of distinct states whose shortest path has ``i`` steps,
    ``generated_states`` the number of steps taken, repetitions included (an initial state takes
    none). Unless ``complete``, ``stopped_because`` says why, for readers only, and the last level
    may have more states than were found, unless ``level_ended``. ``stopped_at`` names the claim
    whose violation ended it, None where something else did.

    ``violations`` has a shortest trace for each violated property; that of a step invariant
    ends with the violating step. ``holds`` names the properties that no state or step found
    violates: they are proven only if ``complete``. ``witnesses`` has a shortest trace for each
    witness, None where no state found is one. ``fired`` counts the steps of each action.
    ``overflow`` leads to a state from which the model leaves its bounds, for
    ``overflow_reason``: until the bounds are larger, the rest says little about the protocol.

    With symmetry ``representatives`` states were looked at, one of each orbit under renaming of
    scalarset members; all other numbers count every state and step, as they do without.

    ``on_disk`` says since when and why states were kept on disk, where memory ended on the way.

    ``peak_memory_mb`` is the greatest so far of the whole process.

    ``reached`` are some of the states, from everywhere between the first and the last, for the text
    that the protocol was translated from to be asked about them; none where it has no other text.
    """

    distinct_states: int
    generated_states: int
    levels: tuple[int, ...]
    complete: bool
    stopped_because: str | None
    violations: Mapping[str, Trace]
    holds: tuple[str, ...]
    overflow: Trace | None
    overflow_reason: str | None
    witnesses: Mapping[str, Trace | None]
    fired: Mapping[str, int]
    seconds: float
    peak_memory_mb: float
    representatives: int | None = None
    on_disk: str | None = None
    reached: Sequence[ConcreteState] = ()
    level_ended: bool = False
    stopped_at: str | None = None

    @property
    def searched_depth(self) -> int | None:
        """How many steps from an initial state all states are known, None if not even those are."""
        known = len(self.levels) if self.complete or self.level_ended else len(self.levels) - 1
        return known - 1 if known > 0 else None

    def verdicts(self) -> tuple[Result, ...]:
        """Return the verdicts: what no state found violates is proved only if all were seen."""
        violated = tuple(
            Result(name, Verdict.VIOLATED, ENGINE, self.seconds, trace=trace)
            for name, trace in self.violations.items()
        )
        if self.complete:
            return violated + tuple(
                Result(name, Verdict.PROVED, ENGINE, self.seconds) for name in self.holds
            )
        return violated + tuple(
            Result(
                name,
                Verdict.UNKNOWN,
                ENGINE,
                self.seconds,
                depth=self.searched_depth,
                reason=self.stopped_because,
            )
            for name in self.holds
        )
