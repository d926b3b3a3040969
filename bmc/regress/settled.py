"""What the evidence beside a lock settles of a case, and what the rest is left open for."""

from __future__ import annotations

from collections.abc import Sequence

from bmc.engines.task import Deadline, Observer
from bmc.lang.suite import Suite
from bmc.regress.folder import Stored
from bmc.regress.lock import LockedProperty
from bmc.regress.outcome import Case, Outcome, Standing


class Settled:
    """What evidence settles of a case so far; who judges by a kind of evidence is a subclass.

    ``outcomes`` are those that it could judge; ``remarks`` say of others why it could not. Where
    the evidence is unusable, ``repair`` leaves the property open instead of judging it so.
    """

    def __init__(
        self,
        case: Case,
        suite: Suite,
        stored: Stored,
        observer: Observer,
        deadline: Deadline,
        repair: bool,
    ) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self.remarks: dict[str, str] = {}
        self._case = case
        self._suite = suite
        self._stored = stored
        self._observer = observer
        self._deadline = deadline
        self._repair = repair

    def _unusable(self, group: Sequence[LockedProperty], said: str) -> None:
        if self._repair:
            self._remark(group, said)
            return
        self.outcomes |= {one.name: unusable(one, said) for one in group}

    def _remark(self, group: Sequence[LockedProperty], said: str) -> None:
        self.remarks |= {one.name: said for one in group}


def unusable(one: LockedProperty, said: str) -> Outcome:
    """The outcome of a locked property whose evidence is not what the lock says, and why."""
    reason = f"{said}: restore it from version control, or --update "
    return Outcome(one.name, Standing.UNUSABLE, one, reason=f"{reason}decides {one.name} again")
