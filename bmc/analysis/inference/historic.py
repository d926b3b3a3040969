"""A task beside a history that nobody wrote, for lemmas that speak of what was ever so."""

from __future__ import annotations

from dataclasses import replace

from bmc.analysis.inference.motion import Motion
from bmc.analysis.inference.subject import Subject
from bmc.analysis.inference.worlds import explored_worlds
from bmc.engines.samples import Explored
from bmc.engines.task import Observer, Task
from bmc.lang.errors import BmcError
from bmc.lang.historic import beside_ghosts, ghosts_of

_STATES = 20_000
"""States whose steps may show what goes back; as many are found by random walks."""
_PASSES = 3
"""How often the time that is given is taken at most: for states, and for states with ghosts."""


def with_history(task: Task, seconds: float, seed: int, observer: Observer) -> Task | None:
    """Return the task with ghosts in the place of its history, None where none are invented.

    A text that was translated has no words for them, and a claim may speak of its own history.
    """
    if task.suite.origin is not None or ghosts_of(task.suite):
        return None
    subject = Subject.of(replace(task, lemmas=False))
    share = seconds / _PASSES
    try:
        worlds = explored_worlds(subject.system, _STATES, share, seed, observer, _unheard)
        ghosts = subject.history(Motion(worlds, seed, share, observer))
    except BmcError:
        return None
    if not ghosts:
        return None
    return replace(task, suite=beside_ghosts(task.suite, ghosts))


def _unheard(_: Explored) -> None:
    """Nobody else wants to know the states."""
