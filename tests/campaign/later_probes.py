"""Probes of searches on disk and by several processes, of rankings and monitors, and of memories.

What each compares is what the tests of that part compare; here it is asked in a process of its own,
in which a fault is planted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bmc.engines import explicit, spilled
from bmc.engines.explicit import explore
from bmc.engines.parted import exchange, search
from bmc.engines.parted.search import explore_by_processes
from bmc.engines.spilled import Spill, explore_on_disk
from bmc.evidence.verdict import Verdict
from bmc.frontends.tla.load import load
from bmc.frontends.tla.translate.memory import Memory
from bmc.frontends.tla.translate.model import translate
from bmc.lang.describe import model_of
from bmc.lang.errors import DependsOnMonitor
from tests.campaign.temporal import Tally, look
from tests.engines import test_ranking as rankings
from tests.engines.explorable import EVERYTHING, Confined, Counter, ManyStarts
from tests.engines.test_spill import CASES, asked, tell
from tests.frontends.tla.small_texts import TEXTS
from tests.frontends.tla.state_memory import ENDS, LOOPS, of_states
from tests.frontends.tla.test_memory import SAME_WORDS, parts
from tests.lang import test_monitors as monitors

SEARCHES = (
    asked(Counter, {}, *EVERYTHING),
    asked(Confined, {}, *EVERYTHING),
    asked(ManyStarts, {}, "NotThree", "NotFour"),
    CASES[2],
)


def by_processes() -> None:
    """Several processes find what one finds, in turns that are cut short."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "FROM", 1)
        patch.setattr(search, "LEVEL", 1)
        patch.setattr(explicit, "expanded_at_once", lambda words: 30)
        patch.setattr(exchange, "ROOM", 400)
        for task in SEARCHES:
            assert tell(explore_by_processes(task, processes=2)) == tell(explore(task))


def on_disk() -> None:
    """A search on disk finds what one in memory does, where successors are runs on disk, too."""
    for room in (200_000, 3_000):
        with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
            patch.setattr(spilled, "room_for_successors", lambda memory, room=room: room)
            if room < 10_000:
                patch.setattr(explicit, "expanded_at_once", lambda words: 60)
            for number, task in enumerate(SEARCHES):
                expected = tell(explore(task))
                place = Path(folder) / str(number)
                assert tell(explore_on_disk(task, spill=Spill(place))) == expected
                again = explore_on_disk(task, spill=Spill(place, resume=True))
                assert tell(again) == expected


def of_rankings() -> None:
    """Wrong rankings of a false claim are refused, the right one of a true claim proves it."""
    found = rankings.by_ranking(rankings.classic("token_ring.py:TokenRing"), "Works", processes=2)
    assert found.verdict is Verdict.PROVED
    for name, (_, suite) in rankings.FALSE_CLAIMS.items():
        assert rankings.by_ranking(suite, "Arrives").verdict is not Verdict.PROVED, name


def of_time() -> None:
    """All engines agree on random temporal claims."""
    tally = Tally()
    for number in range(60):
        look(number, tally, True, 4.0)


def of_monitors() -> None:
    """A protocol that would depend on a monitor is refused, in each way in which it could."""
    for wrong in (monitors.guarded, monitors.assigning, monitors.choosing):
        with pytest.raises(DependsOnMonitor):
            model_of(monitors.watched(wrong))


def of_memory() -> None:
    """What the translator of TLA+ remembers is what it would make again."""
    for text in (SAME_WORDS, *TEXTS):
        with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            specification = load(text.write(Path(folder)))
            remembered = list(parts(translate(specification)))
            patch.setattr(Memory, "find", lambda memory, key: None)
            again = list(parts(translate(specification)))
            assert len(remembered) == len(again), text.name
            assert all(a is b for a, b in zip(remembered, again, strict=True)), text.name


LATER_PROBES: Mapping[str, Callable[[], None]] = {
    "processes": by_processes,
    "disk": on_disk,
    "rankings": of_rankings,
    "time": of_time,
    "monitors": of_monitors,
    "memory": of_memory,
    "states": lambda: of_states(LOOPS, ENDS, SAME_WORDS, *TEXTS),
}
