"""The names in which a report speaks of a protocol's values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy

from bmc.evidence.sources import variables_of
from bmc.lang.aliases import Alias, aliases_of
from bmc.lang.errors import UnknownName, suggest
from bmc.lang.model import Model
from bmc.lang.properties import PropertyDeclaration
from bmc.lang.show import show_sort
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import (
    RecordSort,
    Scalarset,
    Sort,
)
from bmc.lang.suite import Origin, Suite
from bmc.layout.domain import Domains


class Vocabulary:
    """The sorts of a protocol's variables and arguments, its aliases, and names for what has none.

    Members of a scalarset are numbered from 1 behind as many first letters of its name as tell
    it from the other scalarsets: ``r1`` is a Replica, ``l1`` a LogRecord. ``as_tlc`` says that
    traces are shown in TLC's form.
    """

    as_tlc = False

    def __init__(
        self,
        model: Model,
        parameters: Mapping[str, int],
        properties: Iterable[PropertyDeclaration] = (),
        aliases: Iterable[Alias] = (),
        origin: Origin | None = None,
    ) -> None:
        self.domains = Domains(parameters)
        self.origin = origin
        self.parameters = dict(parameters)
        self.variables = dict(model.variables)
        self.ghosts = model.ghosts
        self.aliases = tuple(aliases)
        self.variables_of_aliases = variables_of(a.term for a in self.aliases)
        self._actions = {
            action.name: {a.name: a.variable.sort for a in action.arguments}
            for action in model.actions
        }
        self._properties = {declared.name: declared for declared in properties}
        self._arguments = {declared.name: declared.arguments for declared in properties}
        scalarsets = {s.name for sort in self._sorts() for s in symmetric_parts(sort)}
        self._prefixes = {name: _prefix(name, scalarsets) for name in scalarsets}

    @staticmethod
    def of(suite: Suite, parameters: Mapping[str, int]) -> Vocabulary:
        """The vocabulary of a suite, its ghosts and its protocol's aliases included."""
        model = suite.model(True)
        known = {n: sort for n, sort in model.variables.items() if n not in model.ghosts}
        stated = (*suite.properties, *suite.lemmas)
        aliases = aliases_of(suite.protocol, known)
        words = Vocabulary(model, parameters, stated, aliases, suite.origin)
        words._arguments |= {declared.name: declared.arguments for declared in suite.temporal}
        return words

    def only(self, names: Iterable[str]) -> Vocabulary:
        """The same words for reports about these variables and aliases alone.

        Raises UnknownName with the nearest names.
        """
        chosen = set(names)
        known = [*self.variables, *(a.name for a in self.aliases)]
        for name in chosen:
            if name not in known:
                raise UnknownName(f"there is no variable or alias {name!r}: {suggest(name, known)}")
        narrow = copy(self)
        narrow.variables = {n: sort for n, sort in self.variables.items() if n in chosen}
        narrow.aliases = tuple(a for a in self.aliases if a.name in chosen)
        return narrow

    def in_tlc_form(self) -> Vocabulary:
        """Return the same words for a reader of TLC's traces."""
        other = copy(self)
        other.as_tlc = True
        return other

    def _sorts(self) -> Iterable[Sort]:
        yield from self.variables.values()
        for arguments in self._actions.values():
            yield from arguments.values()
        for declared in self._properties.values():
            yield from declared.arguments.values()

    def part(self, sort: RecordSort, name: str) -> str:
        """How a record's field is selected, after the text of the record."""
        return f".{name}" if self.origin is None else self.origin.part_text(sort, name)

    def values_of(self, sort: Sort) -> str:
        """What the set of a sort's values is called."""
        return show_sort(sort) if self.origin is None else self.origin.set_text(sort)

    def member(self, sort: Scalarset, value: int) -> str:
        """The name of a scalarset's member."""
        if self.origin is not None:
            return self.origin.value_text(sort, value)
        prefix = self._prefixes.get(sort.name) or sort.name.lower()
        return f"{prefix}{value + 1}"

    def member_named(self, scalarset: str, number: int) -> str | None:
        """The name of the member with this number, from 1, of a scalarset by its name."""
        prefix = self._prefixes.get(scalarset)
        if self.origin is not None:
            parts = {part.name: part for sort in self._sorts() for part in symmetric_parts(sort)}
            known = parts.get(scalarset)
            if known is None or not 0 < number <= len(self.domains.values(known)):
                return None
            return self.origin.value_text(known, number - 1)
        return None if prefix is None else f"{prefix}{number}"

    def action_arguments(self, action: str) -> Mapping[str, Sort]:
        """The sorts of an action's arguments; empty when the action is not the model's."""
        return self._actions.get(action, {})

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions, in order of declaration."""
        return tuple(self._actions)

    def property_arguments(self, name: str) -> Mapping[str, Sort]:
        """The sorts of a property's arguments; empty when the suite does not state it."""
        return self._arguments.get(name, {})

    def kind(self, name: str) -> str:
        """What a conjunct is: a property's kind, or a condition of the model itself."""
        declared = self._properties.get(name)
        return declared.kind.value if declared else "condition"


def _prefix(name: str, names: set[str]) -> str:
    others = [other.lower() for other in names if other != name]
    for length in range(1, len(name) + 1):
        start = name[:length].lower()
        if not any(other.startswith(start) for other in others):
            return start
    return name.lower()
