"""A cluster that is this process: tasks run one by one, services in processes of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bmc.engines.task import SILENT, Deadline
from bmc.sweep.crew import Crew
from bmc.sweep.services import Heard, ServiceShare, close_desks


class Hands:
    """Runs tasks at once; ``lose`` says why an item is lost that was asked so many times before."""

    def __init__(self, lose: Callable[[Any, int], str | None] = lambda item, times: None) -> None:
        self.asked: list[Any] = []
        self.shares: list[ServiceShare] = []
        self._lose = lose

    def capacity(self) -> int:
        """As two executors of a core each."""
        return 2

    def hand_out(self, run: Callable[[Any, int], Iterable[Any]], tasks: Sequence[Any]) -> Done:
        """Run them all."""
        self.shares += tasks
        return Done(list(self._said(run, tasks)))

    def _said(
        self, run: Callable[[Any, int], Iterable[Any]], tasks: Sequence[Any]
    ) -> Iterator[Heard]:
        from bmc.sweep.services import Unserved

        for task in tasks:
            for said in run(task, 0):
                item = getattr(said, "item", None)
                why = self._lose(item, self.asked.count(item))
                self.asked.append(item)
                yield said if why is None else Unserved(item, why)


class Done:
    """A stage that is over."""

    def __init__(self, said: list[Heard]) -> None:
        self._said = said

    def launched(self) -> int:
        """All of them."""
        return 0

    def news(self) -> list[Heard]:
        """What was said, once."""
        said, self._said = self._said, []
        return said

    def is_over(self) -> bool:
        """It is."""
        return True


@contextmanager
def crew(hands: Hands | None = None, memory_mb: int | None = None) -> Iterator[Crew]:
    """A crew of such hands, whose processes end with the block."""
    try:
        yield Crew(hands or Hands(), Deadline(None), SILENT, memory_mb)
    finally:
        close_desks()
