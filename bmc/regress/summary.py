"""All that there is to tell of one look at a lock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bmc.regress.outcome import Judgement, Outcome
from bmc.regress.renewal import Renewal


@dataclass(frozen=True)
class Summary:
    """The judgements on a lock called ``lock``, and the update that was made of them, if any.

    ``unlocked`` are protocols that the lock does not hold; ``unavailable`` those that could not
    be had, with the reason. ``written`` says whether the update changed the lock.
    """

    lock: str
    judgements: tuple[Judgement, ...]
    unlocked: tuple[str, ...] = ()
    unavailable: tuple[tuple[str, str], ...] = ()
    renewal: Renewal | None = None
    written: bool = False
    interrupted: bool = False

    def accepted(self, judgement: Judgement, outcome: Outcome) -> bool:
        """Whether an update has taken over what an outcome says, which has to say something."""
        if self.renewal is None or outcome.open:
            return False
        return any(
            d.case is judgement.case and d.name == outcome.name and d.accepted
            for d in self.renewal.differences
        )

    def failures(self) -> Iterator[tuple[Judgement, Outcome]]:
        """What is not as the lock expects, and nobody accepted."""
        for judgement in self.judgements:
            for outcome in judgement.outcomes:
                if not outcome.green and not self.accepted(judgement, outcome):
                    yield judgement, outcome
