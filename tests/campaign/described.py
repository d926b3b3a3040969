"""A suite that is read once, however many engines ask for its model."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from bmc.lang import Suite
from bmc.lang.model import Model
from bmc.lang.properties import Property, PropertyDeclaration


@dataclass(frozen=True)
class DescribedOnce(Suite):
    """A suite with what it has described."""

    _models: dict[bool, Model] = field(default_factory=dict, compare=False)
    _stated: dict[tuple[int, int], Property] = field(default_factory=dict, compare=False)

    def model(self, ghosts: bool) -> Model:
        """Return the model."""
        if ghosts not in self._models:
            self._models[ghosts] = super().model(ghosts)
        return self._models[ghosts]

    def describe(self, declared: PropertyDeclaration, model: Model) -> Property:
        """Return a property; models and declarations live as long as the suite does."""
        if not any(model is one for one in self._models.values()):
            return super().describe(declared, model)
        key = (id(declared), id(model))
        if key not in self._stated:
            self._stated[key] = super().describe(declared, model)
        return self._stated[key]


def described_once(suite: Suite) -> Suite:
    """Return the suite, to be read once."""
    return DescribedOnce(**{one.name: getattr(suite, one.name) for one in fields(Suite)})
