"""IC3 beside the search, in a process of its own: clauses that prove the properties at this size.

They are not what is looked for, since they name the numbers of one size. What they say more
generally is a candidate, and where no other lemmas are found in time they make a proof.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from time import monotonic

from bmc.analysis.mining.mine import ClaimViolated
from bmc.engines.ic3.prove import find_invariant
from bmc.engines.ic3.sample import STATES
from bmc.engines.samples import Explored
from bmc.engines.task import Deadline, OutOfTime, Task
from bmc.engines.team import Relay, Team
from bmc.evidence.certificate import Clause
from bmc.evidence.verdict import Contradiction, Result, Verdict
from bmc.lang.historic import ghosts_of

_LOOKS = 0.5
"""Seconds between two looks whether IC3 has a proof."""


class _Unheard(Relay):
    """Tells nothing: the search does not listen while it runs, and a full pipe stops who talks."""

    def __init__(self) -> None:
        pass

    def phase(self, text: str) -> None:
        """Tell nothing."""

    def fact(self, text: str) -> None:
        """Tell nothing."""

    def decided(self, result: object) -> None:
        """Tell nothing."""

    def so_far(self, result: object) -> None:
        """Tell nothing."""


def _unheard(task: Task, _: Relay, explored: Explored | None = None) -> tuple[Result, ...]:
    return find_invariant(task, _Unheard(), explored)


class Beside:
    """IC3 on a task without lemmas; leaving the context stops it.

    Where ghosts are among the words it says nothing: its clauses know nothing of them.
    """

    def __init__(self, task: Task) -> None:
        self._task = replace(task, lemmas=False)
        self._team = Team(self._task)
        self._found: tuple[Clause, ...] | None = None
        self.proofs: tuple[Result, ...] = ()
        """IC3's own proofs of all properties, re-checked, once ``clauses`` has met them."""
        self._silent = bool(ghosts_of(task.suite))
        self._running = not self._silent

    def __enter__(self) -> Beside:
        if not self._silent:
            self._team.start("ic3", _unheard, self._task)
        return self

    def __exit__(self, *_: object) -> None:
        self._team.__exit__()

    def know(self, explored: Explored) -> None:
        """Begin anew where all states are known and IC3 does not find them all by itself.

        It needs no frames then. Proofs that it has by now stay.
        """
        if self._silent or not explored.complete or len(explored) <= STATES:
            return
        self.clauses(0.0)
        if self._found is not None:
            return
        for child in self._team.running:
            self._team.stop(child)
        self._team.start("ic3", partial(_unheard, explored=explored), self._task)
        self._running = True

    def clauses(self, seconds: float) -> tuple[Clause, ...]:
        """Return the clauses that prove all properties, waiting so long; none where it has none.

        Raises ClaimViolated for a property that IC3 refutes, and Contradiction where what it found
        does not survive its re-check.
        """
        deadline = Deadline(seconds)
        while self._running and self._found is None:
            try:
                said = self._team.next(deadline.remaining())
            except OutOfTime:
                said, self._running = None, False
            if said is None:
                return ()
            match said.kind:
                case "results":
                    self._running = False
                    self._found = self._read(said.content)
                case "failed" if isinstance(said.content, Contradiction):
                    raise said.content
                case "failed" | "ended":
                    self._running = False
        return self._found or ()

    def _read(self, results: tuple[Result, ...]) -> tuple[Clause, ...] | None:
        found: dict[Clause, None] = {}
        for result in results:
            if result.verdict is Verdict.VIOLATED:
                raise ClaimViolated(result.property, self._task)
            if result.verdict is not Verdict.PROVED or result.certificate is None:
                return None
            found |= dict.fromkeys(result.certificate.clauses)
        self.proofs = results
        return tuple(found)


class Race(Deadline):
    """A limit of time that passes as well when IC3 has proofs, though not in ``alone`` seconds."""

    def __init__(self, seconds: float, beside: Beside, alone: float) -> None:
        super().__init__(seconds)
        self._beside = beside
        self._look = monotonic() + alone

    def extend(self, seconds: float) -> None:
        """Stop so many seconds from now instead, whatever IC3 has."""
        super().extend(seconds)
        self._look = float("inf")

    def check(self) -> None:
        """Raise OutOfTime once the limit has passed, and once where IC3 was faster."""
        super().check()
        if monotonic() > self._look:
            self._beside.clauses(0.0)
            self._look = float("inf") if self._beside.proofs else monotonic() + _LOOKS
            if self._beside.proofs:
                raise OutOfTime("IC3 had its proof first")
