"""Comparisons of a mapping: what an event says of a part of the state or of an argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, assert_never

from bmc.conformance.errors import MappingError, UnreadableValue
from bmc.conformance.operands import AbsentField, Operand, operand_of
from bmc.conformance.paths import NOWHERE, Location, Notation, Path, path_of
from bmc.conformance.values import Meanings
from bmc.lang.errors import suggest
from bmc.lang.sorts import AnySet, IntSort, Sort
from bmc.layout.domain import Domains, Value


class Comparison(Enum):
    """How a part is compared with what was logged."""

    EQUAL = "equal"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    CONTAINS = "contains"
    LACKS = "lacks"


@dataclass(frozen=True)
class Check:
    """``path = operand`` of a mapping, or another comparison: the same for all its events."""

    path: Path
    comparison: Comparison
    operand: Operand

    @property
    def sort(self) -> Sort:
        """The sort of what was logged."""
        if self.comparison in (Comparison.CONTAINS, Comparison.LACKS):
            assert isinstance(self.path.sort, AnySet)
            return self.path.sort.element
        return self.path.sort

    def on(self, fields: Mapping[str, Any], meanings: Meanings, domains: Domains) -> Claim | None:
        """Return what an event claims, or None where an optional field is absent.

        Raises AbsentField and UnreadableValue.
        """
        try:
            where = self.path.at(fields, meanings, domains)
            raw = self.operand.of(fields)
        except AbsentField as absent:
            if absent.optional:
                return None
            raise
        value = meanings.read(self.sort, raw)
        # What an end of a range is compared with may lie outside it.
        if not isinstance(self.path.sort, IntSort) and not domains.contains(self.sort, value):
            raise UnreadableValue(
                f"{self.path.text}: {raw!r:.60} is outside {self.sort} at these parameters: set "
                "them greater with -p (the bound of a variable of a TLA+ text with --bound), or "
                "have the mapping read them off the log"
            )
        return Claim(self, where, value, raw)

    def note(self, fields: Mapping[str, Any], meanings: Meanings) -> None:
        """Let ``meanings`` see what an event logs. Raises AbsentField and UnreadableValue."""
        try:
            self.path.note(fields, meanings)
            meanings.read(self.sort, self.operand.of(fields))
        except AbsentField as absent:
            if not absent.optional:
                raise


@dataclass(frozen=True)
class Claim:
    """What one event says of one part; ``raw`` is the value as it was logged."""

    check: Check
    where: Location
    value: Value
    raw: Any

    @property
    def root(self) -> str:
        """The variable or the argument that it is about."""
        return self.check.path.root

    def holds(self, whole: Value) -> bool:
        """Whether it is true of the value of its root."""
        found = self.where.read(whole)
        if found is NOWHERE:
            return False
        match self.check.comparison:
            case Comparison.EQUAL:
                return bool(found == self.value)
            case Comparison.AT_LEAST:
                return bool(found >= self.value)
            case Comparison.AT_MOST:
                return bool(found <= self.value)
            case Comparison.CONTAINS:
                return self.value in found
            case Comparison.LACKS:
                return self.value not in found
            case _:
                assert_never(self.check.comparison)


def check_of(
    text: str, data: Any, roots: Mapping[str, Sort], what: str, place: str, notation: Notation
) -> Check:
    """Return the comparison that a key and a value of a mapping stand for.

    The value is an operand, or a table of one comparison: ``{ at_least = "$offset" }``.
    """
    path = path_of(text, roots, what, place, notation)
    if not isinstance(data, dict):
        return Check(path, Comparison.EQUAL, operand_of(data, place))
    known = [one.value for one in Comparison]
    if len(data) != 1:
        raise MappingError(f"{place}: write one comparison, one of {', '.join(known)}")
    [(name, inner)] = data.items()
    if name not in known:
        raise MappingError(f"{place}: there is no comparison {name!r}: {suggest(name, known)}")
    comparison = Comparison(name)
    match comparison:
        case Comparison.AT_LEAST | Comparison.AT_MOST if not isinstance(path.sort, IntSort):
            raise MappingError(f"{place}: {name} compares integers, {text} is {path.sort}")
        case Comparison.CONTAINS | Comparison.LACKS if not isinstance(path.sort, AnySet):
            raise MappingError(f"{place}: {name} is asked of sets, {text} is {path.sort}")
        case _:
            return Check(path, comparison, operand_of(inner, place))
