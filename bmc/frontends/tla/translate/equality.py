"""Whether two values are equal, whatever their sorts."""

from __future__ import annotations

from bmc.frontends.tla.forms import NoFit
from bmc.frontends.tla.translate.constants import RecursiveValue
from bmc.frontends.tla.translate.formulas import Formulas
from bmc.frontends.tla.translate.kinds import (
    equation,
    integer,
    is_function,
    is_integer,
    is_sequence,
    is_set,
    negation,
    parts_of,
    same,
)
from bmc.frontends.tla.translate.lazy import (
    Conditional,
    Formula,
    FunctionValue,
    Lazy,
    SequenceValue,
    Undefined,
    concrete,
    endless,
)
from bmc.lang import build
from bmc.lang.sorts import (
    BOOL,
    EnumSort,
    OptionSort,
    VariantSort,
)
from bmc.lang.terms import Term


class Equality(Formulas):
    """Compares values."""

    def equal(self, left: Lazy, right: Lazy) -> Formula:
        """Return the equation; values of different kinds differ."""
        if left is right and not isinstance(left, Undefined) and not is_endless_function(left):
            return self.settled(True, left.length if isinstance(left, SequenceValue) else left)
        if concrete(left) and concrete(right):
            return same(left, right)
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Conditional):
                return self.any_of(
                    (
                        self.all_of((one.condition, self.equal(one.then, other))),
                        self.all_of((negation(one.condition), self.equal(one.otherwise, other))),
                    )
                )
        if isinstance(left, Undefined) or isinstance(right, Undefined):
            return self.undefined(BOOL)
        same_rows = self.same_rows(left, right)
        if same_rows is not None:
            return same_rows
        if is_integer(left) and is_integer(right):
            return self._equal_integers(left, right)
        if is_set(left) and is_set(right):
            return self.equal_sets(left, right)
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Term) and isinstance(one.sort, OptionSort):
                return self._equal_option(one, other)
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Term) and isinstance(one.sort, VariantSort):
                return self._equal_variant(one, other)
        return self._equal_structures(left, right)

    def _equal_integers(self, left: Lazy, right: Lazy) -> Formula:
        (a, b), (low, high) = self.range(left), self.range(right)
        if b < low or high < a:
            return self.settled(False, left, right)
        if a == b == low == high:
            return self.settled(True, left, right)
        return equation(integer(left), integer(right))

    def _equal_option(self, option: Term, other: Lazy) -> Formula:
        if isinstance(other, Term) and other.sort == option.sort:
            return equation(option, other)
        assert isinstance(option.sort, OptionSort)
        none = self.layout.none[option.sort]
        if concrete(other) and same(other, none):
            return build.is_none(option)
        inner = self.equal(build.the(option), other)
        some = self.all_of((build.is_some(option), inner)) if inner is not False else False
        if concrete(other):
            return some
        return self.any_of((self.all_of((build.is_none(option), self.equal(none, other))), some))

    def _equal_variant(self, variant: Term, other: Lazy) -> Formula:
        if isinstance(other, Term) and other.sort == variant.sort:
            return equation(variant, other)
        assert isinstance(variant.sort, VariantSort)
        parts = []
        for tag, _ in variant.sort.cases:
            inner = self.equal(build.payload(variant, tag), other)
            if inner is not False:
                parts.append(self.all_of((build.is_case(variant, tag), inner)))
        return self.any_of(parts)

    def _equal_structures(self, left: Lazy, right: Lazy) -> Formula:
        if isinstance(left, Term) and isinstance(right, Term) and left.sort == right.sort:
            return equation(left, right)
        if is_endless_function(left) or is_endless_function(right):
            return self.undefined(BOOL)
        a, b = parts_of(left), parts_of(right)
        if a is not None and b is not None:
            if set(a) != set(b):
                return False
            return self.all_of(self.equal(a[n], b[n]) for n in a)
        if is_sequence(left) and is_sequence(right):
            return self.equal_sequences(left, right)
        if is_function(left) and is_function(right):
            return self.equal_functions(left, right)
        if isinstance(right, Term) and not isinstance(left, Term):
            left, right = right, left
        if isinstance(left, Term):
            if isinstance(right, Term) and isinstance(left.sort, EnumSort):
                return self._equal_enums(left, right)
            try:
                found = self.coerce(right, left.sort)
            except NoFit:
                return self.settled(False, left, right)
            return equation(left, found)
        return False

    def _equal_enums(self, left: Term, right: Term) -> Formula:
        if not isinstance(right.sort, EnumSort) or not isinstance(left.sort, EnumSort):
            return False
        mine, others = self.layout.enums[left.sort], self.layout.enums[right.sort]
        return self.any_of(
            self.all_of(
                (
                    equation(left, self.coerce(a, left.sort)),
                    equation(right, self.coerce(a, right.sort)),
                )
            )
            for a in mine
            if a in others
        )


def is_endless_function(value: Lazy) -> bool:
    """Tell whether a value is a function of arguments without end, which nobody compares."""
    if isinstance(value, FunctionValue):
        return endless(value.domain)
    return isinstance(value, RecursiveValue)
