"""Suites of a protocol with one guard of one action taken away."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from bmc.lang.model import Action, Model
from bmc.lang.state import Branch
from bmc.lang.suite import Suite


@dataclass(frozen=True)
class Weakened(Suite):
    """A suite whose model lacks a guard: ``(action, branch, guard)``, counted from 0."""

    drop: tuple[str, int, int] = ("", 0, 0)

    def model(self, ghosts: bool) -> Model:
        whole = super().model(ghosts)
        return dataclasses.replace(whole, actions=tuple(self._weaken(a) for a in whole.actions))

    def _weaken(self, action: Action) -> Action:
        name, branch, guard = self.drop
        if action.name != name:
            return action
        branches = list(action.branches)
        guards = branches[branch].guards
        branches[branch] = Branch(guards[:guard] + guards[guard + 1 :], branches[branch].updates)
        return dataclasses.replace(action, branches=tuple(branches))


def without_guard(suite: Suite, action: str, branch: int, guard: int) -> Weakened:
    """The suite without one guard."""
    fields = {f.name: getattr(suite, f.name) for f in dataclasses.fields(suite)}
    return Weakened(**fields, drop=(action, branch, guard))
