"""The guards of a model by name, and where each decides: a system without it goes wrong there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from bmc.lang.enabled import possible
from bmc.lang.model import Action, Model
from bmc.lang.show import show
from bmc.lang.sorts import BOOL
from bmc.lang.suite import Suite
from bmc.lang.terms import Term, make


@dataclass(frozen=True, eq=False)
class DecidingGuard:
    """A guard that decides where those before it hold, for some choice of arguments, and not it.

    ``refused`` are those before it and its negation. ``places`` says where it stands: branches of
    the action that begin with the same guards, and its position in them.
    """

    name: str
    action: Action
    refused: tuple[Term, ...]
    places: tuple[tuple[int, int], ...]

    @cached_property
    def formula(self) -> Term:
        """That it decides, as a formula over states."""
        return possible(self.action, self.refused)


def guards_of(suite: Suite, model: Model) -> tuple[DecidingGuard, ...]:
    """Return the guards of a suite's model, in order, each under a name of its own."""
    return tuple(_guards(suite, model))


def _guards(suite: Suite, model: Model) -> Iterator[DecidingGuard]:
    names: dict[str, int] = {}
    for action in model.actions:
        places: dict[tuple[Term, ...], list[tuple[int, int]]] = {}
        for branch, one in enumerate(action.branches):
            for position, guard in enumerate(one.guards):
                refused = (*one.guards[:position], make("not", (guard,), BOOL))
                places.setdefault(refused, []).append((branch, position))
        for refused, found in places.items():
            branch, position = found[0]
            guard = action.branches[branch].guards[position]
            written = suite.origin.formula_text(guard) if suite.origin else show(guard)
            name = f"{action.name}: {written}"
            names[name] = names.get(name, 0) + 1
            if names[name] > 1:
                name += f" ({names[name]})"
            yield DecidingGuard(name, action, refused, tuple(found))
