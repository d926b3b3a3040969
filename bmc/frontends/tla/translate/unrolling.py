"""Recursive operators: unrolled as far as their conditions decide, or as an argument can change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.errors import TlaError, TlaUnsupported
from bmc.frontends.tla.forms import NoFit, count, listable
from bmc.frontends.tla.translate.free import speaks_of_step
from bmc.frontends.tla.translate.kinds import (
    Untranslatable,
    capacity,
    is_integer,
    is_sequence,
    is_set,
)
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    ByName,
    Conditional,
    FunctionValue,
    Lazy,
    RecordValue,
    TupleValue,
    concrete,
    constant,
    endless,
)
from bmc.frontends.tla.translate.quantifiers import MOST_LISTED
from bmc.frontends.tla.translate.reading import Reading
from bmc.frontends.tla.translate.translator import Context
from bmc.lang import build
from bmc.lang.errors import LanguageError
from bmc.lang.sorts import BOOL, MapSort, OptionSort, RecordSort, SetSort, VariantSort
from bmc.lang.terms import Term, field

DEEPEST = 60
"""Calls of a recursive operator inside of another before the recursion is given up."""

MOST_CALLS = 2000
"""The most calls that a recursion is unrolled to, where one calls itself several times."""


class Unrolling(Reading):
    """Unrolls recursive operators.

    Where conditions on constants and ranges do not end the unrolling, an argument does: of a
    sequence no more calls take elements away than it has, of a set neither more take members away
    nor add some, and what has n values has met one of them again in the next call. A recursion
    that goes on behind that has no value here, whatever it would come to: that is no verdict.
    """

    def unrolled(self, node: c.Call, inside: Context) -> Lazy:
        """Return the value of a call of a recursive operator, whose parameters are given."""
        definition = node.definition
        if self._depth.get(definition, 0) or definition in self._most_calls:
            return self._one_more(node, inside)
        most = self._changes(self._arguments(node, self._settled_arguments(node, inside)))
        if most is None:
            try:
                return self._one_more(node, inside)
            except TlaUnsupported:
                # What the first call has as a constant may vary from the second one on.
                again = self._given.get((definition, 1))
                most = None if again is None else self._changes(again)
                if most is None:
                    raise
                return self._unrolled_to(most + 1, node, inside)
        self._cut.discard(definition)
        found = self._unrolled_to(most, node, inside)
        if definition in self._cut and most < DEEPEST and self._may_end_later(definition, most):
            try:
                return self._unrolled_to(DEEPEST, node, inside)
            except TlaUnsupported:
                pass
        return found

    def _one_more(self, node: c.Call, inside: Context) -> Lazy:
        definition = node.definition
        depth, most = self._depth.get(definition, 0), self._most_calls.get(definition)
        if most is not None:
            if depth > most:
                self._cut.add(definition)
                return UNDEFINED
            self._count(node)
            inside = self._settled_arguments(node, inside)
        if depth > DEEPEST:
            raise _unending(node)
        self._given[definition, depth] = self._arguments(node, inside)
        self._depth[definition] = depth + 1
        try:
            # A set is what it is now: its members would be found where this call is over.
            return self._settled_argument(self.value_read(definition.body, inside), inside)
        except RecursionError:
            # Bodies of wide values take Python's room before they are so many.
            raise _unending(node) from None
        finally:
            self._depth[definition] = depth

    def _unrolled_to(self, most: int, node: c.Call, inside: Context) -> Lazy:
        # What is cut off here need not be elsewhere: it is remembered for this unrolling alone.
        before, self._unrolling = self._unrolling, next(self._unrollings)
        self._most_calls[node.definition] = most
        try:
            return self._one_more(node, inside)
        finally:
            self._unrolling = before
            del self._most_calls[node.definition]
            if not self._most_calls:
                self._calls = 0

    def _settled_arguments(self, node: c.Call, inside: Context) -> Context:
        """Return the context with terms for arguments: each call would make what they are again.

        A set that cannot be listed stays what it is, as a term of it says who can be a member.
        """
        if speaks_of_step(node.definition.body):
            return inside
        held = {one: inside.environment[one] for one in node.definition.parameters}
        settled = {one: self._settled_argument(value, inside) for one, value in held.items()}
        return replace(inside, environment={**inside.environment, **settled})

    def _settled_argument(self, held: Any, inside: Context) -> Any:
        if isinstance(held, ByName):
            there = replace(inside, environment=held.environment)
            try:
                value = self.where(self.reads(held.body, there), self.value_of(held.body, there))
            except TlaError:
                return held  # It may be one that is not used.
        else:
            value = held
        if isinstance(value, Term) or constant(value) or endless(value) or value is UNDEFINED:
            return value
        try:
            sort = self.layout.sort(self.shape(value), "x")
            element = sort.element if isinstance(sort, SetSort) else BOOL
            if listable(element) and count(element) <= MOST_LISTED:
                return self.coerce(value, sort)
        except (Untranslatable, NoFit, LanguageError, TlaError):
            pass
        return value

    def _arguments(self, node: c.Call, inside: Context) -> list[Any]:
        return [inside.environment[one] for one in node.definition.parameters]

    def _may_end_later(self, definition: c.Definition, most: int) -> bool:
        """Tell whether an argument decides the end that can change more often than ``most``."""
        first, second = (self._given.get((definition, depth), []) for depth in (0, 1))
        for one, other in zip(first, second, strict=False):
            if one is other or (concrete(one) and not concrete(other)):
                continue
            if concrete(one) or (self._changes_of(one) or DEEPEST) > most:
                return True
            if self._leaves(one, other):
                return True
        return False

    def _leaves(self, one: Lazy, other: Lazy) -> bool:
        """Tell whether a number goes beyond what it can be in the first call.

        Then it need not meet a value again in as many calls as it has values there: half of 12
        is none of 11 and 12.
        """
        try:
            if not (is_integer(one) and is_integer(other)):
                return False
            (low, high), (lowest, highest) = self.range(one), self.range(other)
        except Untranslatable:
            return False
        return lowest < low or highest > high

    def _count(self, node: c.Call) -> None:
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise TlaUnsupported(
                node.span,
                f"the recursion of {node.definition.name} is too large to be unrolled",
                f"bound its arguments more tightly: it takes more than {MOST_CALLS} calls",
            )

    def _changes(self, given: list[Any]) -> int | None:
        """Return how often arguments can change; None where all have too many values."""
        few = (self._changes_of(one) or 0 for one in given)
        return max((one for one in few if 0 < one <= DEEPEST), default=None)

    def _made_of(self, value: Lazy) -> list[Lazy]:
        """Return the fields of a record, or the parts of a tuple."""
        match value:
            case RecordValue():
                return list(value.fields.values())
            case TupleValue():
                return list(value.parts)
            case Term(sort=RecordSort(fields=fields)):
                return [field(value, name) for name, _ in fields]
        return []

    def _changes_of(self, value: Lazy) -> int | None:
        """Return how often an argument that goes one way can change; None where that is not known.

        A set loses members or gains some, a sequence gets shorter, and a place in a function goes
        through its domain; a record has what goes so in a field.
        """
        if concrete(value):
            return 0
        if parts := self._made_of(value):
            inside = self._changes(parts)
            # What is called a sequence ends with its last part, however few values that has.
            return max(len(parts), inside or 0) if is_sequence(value) else inside
        if isinstance(value, Conditional):
            ways = [self._changes_of(one) for one in (value.then, value.otherwise)]
            return max((one for one in ways if one is not None), default=None)
        if isinstance(value, Term) and isinstance(value.sort, OptionSort):
            inner = self._changes_of(build.the(value))
            return None if inner is None else inner + 1
        if isinstance(value, Term) and isinstance(value.sort, VariantSort):
            cases = [self._changes_of(build.payload(value, tag)) for tag, _ in value.sort.cases]
            return None if None in cases else sum(one or 0 for one in cases)
        try:
            if is_integer(value):
                low, high = self.range(value)
                return high - low + 1
            if is_set(value):
                if isinstance(value, Term):
                    return capacity(value.sort, self.layout)
                return self.range(self.cardinality(value))[1]
            if is_sequence(value):
                return self.sequence(value).longest
            if isinstance(value, FunctionValue):
                return self.range(self.cardinality(value.domain))[1]
        except Untranslatable:
            return None
        if isinstance(value, Term) and isinstance(value.sort, MapSort):
            return count(value.sort.key) if listable(value.sort.key) else None
        if isinstance(value, Term) and listable(value.sort):
            return count(value.sort)
        return None


def _unending(node: c.Call) -> TlaUnsupported:
    return TlaUnsupported(
        node.span,
        f"the recursion of {node.definition.name} does not end while it is unrolled",
        "its decreasing argument has to be a constant, a sequence or a set of few elements, or one "
        f"of at most {DEEPEST} values, by itself or in a record; over others write FoldSeq of "
        "SequencesExt or FoldSet of FiniteSetsExt",
    )
