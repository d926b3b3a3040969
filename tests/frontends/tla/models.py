"""Texts of the tests as models that every engine takes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bmc.engines.explicit import explore
from bmc.engines.exploration import Exploration
from bmc.engines.task import Task
from bmc.frontends.tla.load import load
from bmc.frontends.tla.translate.model import Translation, translate
from bmc.lang.model import Action
from bmc.lang.properties import Kind, Property, PropertyDeclaration
from bmc.lang.protocol import ActionDeclaration, Protocol, Variable
from bmc.lang.sorts import Sort
from bmc.lang.suite import Suite


class ReadyAction(ActionDeclaration):
    """An action that is described already."""

    def __init__(self, action: Action) -> None:
        self.action = action
        self.function = type(self).describe
        self.name = action.name
        self.fairness = action.fairness
        self.choices = {}

    def describe(self, protocol: object, sorts: Mapping[str, Sort]) -> Action:
        """Return the action."""
        return self.action


class ReadyProperty(PropertyDeclaration):
    """A property that is described already."""

    def __init__(self, stated: Property) -> None:
        self.stated = stated
        self.name = stated.name
        self.kind = stated.kind
        self.text = stated.text
        self.group = stated.group
        self.arguments = {}

    def describe(self, protocol: object, sorts: Mapping[str, Sort]) -> Property:
        """Return the property."""
        return self.stated


def suite_of(translation: Translation) -> Suite:
    """Return a suite of a translated text."""
    model = translation.model
    ready = [ReadyAction(a) for a in model.actions]
    body: dict[str, object] = {n: Variable(s) for n, s in model.variables.items()}
    body |= {a.name: a for a in ready}
    body["Init"] = ReadyAction(model.initial)
    body["Next"] = tuple(ready)
    stated = [ReadyProperty(p) for p in translation.properties]
    lemmas = tuple(p for p in stated if p.kind is Kind.LEMMA)
    claims = tuple(p for p in stated if p.kind is not Kind.LEMMA)
    return Suite(model.name, type(model.name, (Protocol,), body), "", claims, lemmas)


def translated(folder: Path, text: str, config: str) -> Translation:
    """Return the translation of a module called M at a configuration."""
    (folder / "M.tla").write_text(f"---- MODULE M ----\n{text}\n====\n")
    (folder / "M.cfg").write_text(config)
    return translate(load(folder / "M.tla"))


def explored(translation: Translation) -> Exploration:
    """Return the exploration of a translated text, with everything that is claimed."""
    suite = suite_of(translation)
    names = tuple(p.name for p in suite.properties)
    return explore(Task(suite, {}, names))
