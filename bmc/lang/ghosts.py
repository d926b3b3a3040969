"""Ghosts that no file declares: variables that follow a protocol's steps, as terms.

They say what a :class:`bmc.lang.protocol.History` says. A step is never restricted, and nothing but
ghosts is assigned, so the protocol's own behaviour is that without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from bmc.lang.errors import LanguageError
from bmc.lang.model import Action, Model
from bmc.lang.sorts import Sort
from bmc.lang.state import WORDS, state_variable, state_variable_name
from bmc.lang.terms import Term, subterms


# Terms have no equality that Python could use.
@dataclass(frozen=True, eq=False)
class Ghost:
    """A variable of a history: its value in the beginning, and after each action that it follows.

    ``after`` reads the state before the step and the action's arguments.
    """

    name: str
    sort: Sort
    about: str
    initially: Term
    after: Mapping[str, Term]


def with_ghosts(model: Model, ghosts: Iterable[Ghost]) -> Model:
    """Return a model with ghosts beside its variables; what it does is the same without them.

    Raises LanguageError for a ghost that a :class:`History` could not have.
    """
    for ghost in ghosts:
        _require_harmless(model, ghost)
        following = {one.name: ghost.after.get(one.name) for one in model.actions}
        model = replace(
            model,
            variables={**model.variables, ghost.name: ghost.sort},
            ghosts=model.ghosts | {ghost.name},
            initial=_assigning(model.initial, ghost.name, ghost.initially),
            actions=tuple(
                _assigning(one, ghost.name, following[one.name]) for one in model.actions
            ),
            about={**model.about, ghost.name: ghost.about},
        )
    return model


def _require_harmless(model: Model, ghost: Ghost) -> None:
    name = ghost.name
    if name in model.variables or name in WORDS or not name.isidentifier() or name[0] == "_":
        raise LanguageError(f"a history cannot have a ghost called {name!r} here")
    if any(term.op == "variable" for term in subterms([ghost.initially])):
        raise LanguageError(f"the ghost {name} begins with a variable: it has no value yet")
    taking = {one.name: frozenset(a.variable for a in one.arguments) for one in model.actions}
    known = {**model.variables, name: ghost.sort}
    for action, value in (("Init", ghost.initially), *ghost.after.items()):
        given = frozenset() if action == "Init" else taking.get(action)
        if given is None:
            raise LanguageError(f"the ghost {name} follows {action}, which is no action")
        if value.sort != ghost.sort or value.free - given:
            raise LanguageError(f"what the ghost {name} is after {action} is no value of it")
        for term in subterms([value]):
            if term.op == "variable":
                read = state_variable_name(term)
                if read not in known or term is not state_variable(read, known[read]):
                    raise LanguageError(f"the ghost {name} reads {term!r}, which is not there")


def _assigning(one: Action, name: str, value: Term | None) -> Action:
    if value is None:
        return one
    branches = (replace(b, updates={**b.updates, name: value}) for b in one.branches)
    return replace(one, branches=tuple(branches))
