"""A suite beside a history that no file declares."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property

from bmc.lang.errors import LanguageError
from bmc.lang.ghosts import Ghost, with_ghosts
from bmc.lang.model import Model
from bmc.lang.properties import Property, PropertyDeclaration
from bmc.lang.suite import Suite


@dataclass(frozen=True)
class HistoricSuite(Suite):
    """A suite with ``ghosts`` in the place of a history: carried lemmas may speak of them.

    Its ``base`` may be the protocol with a fault in it.
    """

    base: Suite = field(kw_only=True)
    ghosts: tuple[Ghost, ...] = field(kw_only=True)

    def model(self, ghosts: bool) -> Model:
        """Return the model, with these ghosts or as the specification has it."""
        return self._beside if ghosts else self.base.model(ghosts=False)

    @cached_property
    def _beside(self) -> Model:
        return with_ghosts(self.base.model(ghosts=False), self.ghosts)

    def describe(self, declared: PropertyDeclaration, model: Model) -> Property:
        """Return a property over the variables of this suite's model."""
        return self.base.describe(declared, model)


def beside_ghosts(suite: Suite, ghosts: tuple[Ghost, ...]) -> Suite:
    """Return a suite whose protocol is written in Python with ghosts in the place of its history.

    Its model with them raises LanguageError where they are no history. So does this for a ghost
    that its own history has: what claims say of that one would be said of another.
    """
    own = suite.model(ghosts=True).ghosts - {one.name for one in ghosts_of(suite)}
    for name in sorted(own & {one.name for one in ghosts}):
        raise LanguageError(
            f"the protocol's own history has a ghost {name}: call this one otherwise"
        )
    given = {one.name: getattr(suite, one.name) for one in fields(Suite)}
    return HistoricSuite(**{**given, "history": None}, base=suite, ghosts=ghosts)


def ghosts_of(suite: Suite) -> tuple[Ghost, ...]:
    """Return the ghosts of a suite that no file declares."""
    return suite.ghosts if isinstance(suite, HistoricSuite) else ()
