"""Executors that work for one proof: a round of items as tasks, and what became of each.

Tasks are some for each core, so that none is idle while another one has a long item. An item whose
process is lost, or meets a limit, is asked once more in a task of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any, Protocol, assert_never

from bmc.engines.task import Deadline, Observer
from bmc.sweep.dispatch import Stage
from bmc.sweep.services import Heard, Item, Served, Service, ServiceShare, Trouble, Unserved

_TASKS_A_CORE = 3
_SECONDS_BETWEEN_LOOKS = 0.05


class Hands(Protocol):
    """Whoever runs tasks: Spark's executors."""

    def capacity(self) -> int:
        """Return how many tasks can run at once, now."""

    def hand_out(self, run: Callable[[Any, int], Iterable[Any]], tasks: Sequence[Any]) -> Stage:
        """Have each task run. Raises ClusterLost when all is lost."""


@dataclass
class Spent:
    """What work on a cluster took so far: seconds, of which ``starting`` are the cluster's own.

    ``working`` are seconds of processors for answers, ``opening`` those before the first answer of
    a process, of which one process alone would spend the ``longest`` only; ``waiting`` are seconds
    by the clock; ``items`` counts answers.
    """

    starting: float = 0.0
    working: float = 0.0
    opening: float = 0.0
    longest: float = 0.0
    waiting: float = 0.0
    items: int = 0
    _longest: dict[object, float] = field(default_factory=dict)

    def hear(self, service: Service, one: Served) -> None:
        """Add an answer."""
        self.working += one.seconds
        self.opening += one.opening
        self.items += 1
        before = self._longest.get(id(service), 0.0)
        if one.opening > before:
            self._longest[id(service)] = one.opening
            self.longest += one.opening - before

    @property
    def clock(self) -> float:
        """The seconds that passed."""
        return self.starting + self.waiting

    @property
    def gains(self) -> bool:
        """Whether one process would have needed longer."""
        return self.alone > self.clock

    @property
    def alone(self) -> float:
        """The seconds that one process would have needed, about."""
        return self.working + self.longest


class Crew:
    """Has items answered by the tasks of a cluster, each of whose processes has ``memory_mb``."""

    def __init__(
        self, hands: Hands, deadline: Deadline, observer: Observer, memory_mb: int | None = None
    ) -> None:
        self.spent = Spent()
        self._hands = hands
        self._deadline = deadline
        self._observer = observer
        self._memory_mb = memory_mb

    def capacity(self) -> int:
        """Return how many items can be answered at once, now."""
        return self._hands.capacity()

    def ask(
        self,
        what: str,
        service: Service,
        items: Sequence[Item],
        cost: Callable[[Item], float] = lambda item: 1.0,
        seconds: float | None = None,
    ) -> Iterator[Served | Unserved]:
        """Yield what is said about each item; the order is that of its becoming known.

        Items that follow each other share tasks; ``cost`` is what one is expected to take, in any
        unit, and ``seconds`` the most that it may take. Raises OutOfTime when the deadline passes,
        and what a service raises.
        """
        tasks = self._hands.capacity() * _TASKS_A_CORE
        shares = [
            ServiceShare(service, tuple(some), seconds, self._memory_mb)
            for some in shared_out(items, cost, tasks)
        ]
        return self._run(what, service, shares, len(items))

    def ask_alone(
        self, what: str, service: Service, items: Sequence[Item]
    ) -> Iterator[Served | Unserved]:
        """The same, each item in a task of its own, for as long as it takes."""
        shares = [ServiceShare(service, (item,), None, self._memory_mb) for item in items]
        return self._run(what, service, shares, len(items))

    def _run(
        self, what: str, service: Service, shares: Sequence[ServiceShare], total: int
    ) -> Iterator[Served | Unserved]:
        if not shares:
            return
        began, done = monotonic(), 0
        stage = self._hands.hand_out(_run_share, shares)
        open_ = {item for share in shares for item in share.items}
        over = False
        while open_ and not over:
            self._deadline.check()
            self._observer.phase(f"{what}: {done} of {total} on the cluster")
            # Asked before the news are: what a stage that is over has said is all there.
            over = stage.is_over()
            news = list(stage.news())
            for one in news:
                done += 1
                if said := self._heard(service, one, open_):
                    yield said
            if not news and not over:
                sleep(_SECONDS_BETWEEN_LOOKS)
        self.spent.waiting += monotonic() - began
        for item in open_:
            yield Unserved(item, "its task ended without an answer")

    def _heard(self, service: Service, one: Heard, open_: set[Item]) -> Served | Unserved | None:
        if isinstance(one, Trouble):
            raise one.error
        if one.item not in open_:
            return None
        open_.discard(one.item)
        match one:
            case Served():
                self.spent.hear(service, one)
            case Unserved():
                pass
            case _:
                assert_never(one)
        return one


def _run_share(share: ServiceShare, attempt: int) -> Iterator[Heard]:
    return share.run()


def shared_out(
    items: Sequence[Item], cost: Callable[[Item], float], tasks: int
) -> Iterator[list[Item]]:
    """Yield the items, in order, in at most about ``tasks`` parts of equal expected cost."""
    share = sum(map(cost, items)) / max(1, min(tasks, len(items)))
    taken: list[Item] = []
    filled = 0.0
    for item in items:
        takes = cost(item)
        if taken and filled + takes / 2 > share:
            yield taken
            taken, filled = [], 0.0
        taken.append(item)
        filled += takes
    if taken:
        yield taken
