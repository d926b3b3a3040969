"""What an inference is about at one size: a system, what is to be preserved, and the words."""

from __future__ import annotations

from dataclasses import dataclass

from bmc.analysis.inference.extremes import Extremes
from bmc.analysis.inference.harvest import harvested
from bmc.analysis.inference.invention import Invention
from bmc.analysis.inference.kinds import Kinds
from bmc.analysis.inference.motion import Motion
from bmc.analysis.inference.quorums import quorums
from bmc.analysis.inference.vocabulary import Words
from bmc.engines.conjuncts import Conjunct, conjuncts, within_bounds
from bmc.engines.task import Task
from bmc.lang.ghosts import Ghost
from bmc.lang.historic import ghosts_of
from bmc.lang.properties import Property
from bmc.system.transition import TransitionSystem


@dataclass(frozen=True)
class Subject:
    """A task without its lemmas and its history, at the size that it asks for; with the ghosts that
    no file declares, where its suite has some."""

    task: Task
    system: TransitionSystem
    targets: tuple[Conjunct, ...]
    _stated: tuple[Property, ...]

    @staticmethod
    def of(task: Task) -> Subject:
        """Return what a task is about. Raises what its transition system raises."""
        model = task.model(ghosts=bool(ghosts_of(task.suite)))
        system = TransitionSystem(model, task.parameters)
        stated = task.stated(system.model)
        return Subject(task, system, _targets(system, stated), stated)

    def targets_at(self, system: TransitionSystem) -> tuple[Conjunct, ...]:
        """Return what is to be preserved in a system of its model at other parameters."""
        return self.targets if system is self.system else _targets(system, self._stated)

    def words(self) -> Words:
        """Return what its lemmas may speak of."""
        # Protocols in Python tell their numbers apart by identities.
        model, stated = self.system.model, self._stated
        kinds = None if self.task.suite.origin is None else Kinds(model, stated)
        return Words(model, harvested(model, stated), quorums(model, stated), kinds)

    def history(self, motion: Motion) -> tuple[Ghost, ...]:
        """Return ghosts for what its claims lean on, as far as explored steps show that it moves.

        There are none beside others: a claim may speak of these.
        """
        model = self.system.model
        if model.ghosts:
            return ()
        found = Invention(model, self._stated, motion).ghosts()
        return found or Extremes(model, self._stated, motion).ghosts()


def _targets(system: TransitionSystem, stated: tuple[Property, ...]) -> tuple[Conjunct, ...]:
    return (*conjuncts(system, stated), within_bounds(system))
