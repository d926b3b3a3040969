"""CHOOSE: the member that TLC takes, or the only one there is."""

from __future__ import annotations

from collections.abc import Callable

from bmc.frontends.tla import values as v
from bmc.frontends.tla.forms import count, integer_sort, listable
from bmc.frontends.tla.translate.formulas import decided
from bmc.frontends.tla.translate.kinds import NotSymmetric, Untranslatable, named, unending
from bmc.frontends.tla.translate.lazy import (
    Comprehension,
    Formula,
    Lazy,
    Part,
    PowerSet,
    RecordValue,
    endless,
)
from bmc.frontends.tla.translate.quantifiers import MOST_LISTED
from bmc.frontends.tla.translate.set_operations import SetOperations
from bmc.lang import build
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import KeyedSetSort, RecordSort, Sort
from bmc.lang.terms import Term, field


class Choosing(SetOperations):
    """Takes a member of a set."""

    def chosen(self, members: Lazy, name: str, test: Callable[[Lazy], Formula]) -> Lazy:
        """Return ``CHOOSE name \\in members : test(name)``."""
        if endless(members):
            raise unending(members)
        empty = test(frozenset()) if isinstance(members, PowerSet) else False
        if decided(empty):
            return self.where(empty, frozenset())  # It is the first of all subsets.
        sort = self.layout.sort(self.members(members), name)
        for scalarset in sorted(symmetric_parts(sort), key=lambda s: s.name):
            raise NotSymmetric(scalarset)
        if not listable(sort) or count(sort) > MOST_LISTED:
            return self._only(self.filtered(members, test, name), sort)

        def fits(x: Term) -> Term:
            return self.term(self.all_of((self.member(x, members), test(x))))

        listed = [self.layout.decode(x, sort) for x in self.layout.domains.values(sort)]
        in_order = v.in_order(listed)
        if in_order == listed:
            return build.choose(sort, named(name, fits))
        leaves = [self.coerce(one, sort) for one in in_order]
        ranks = integer_sort(0, len(leaves) - 1)
        first = build.choose(ranks, named(name, lambda rank: fits(self.picked(rank, leaves))))
        return self.picked(first, leaves)

    def _only(self, members: Lazy, sort: Sort) -> Term:
        """Return the member of a set that has one; without a value where it has none or more.

        All members are put under one key, which only one of them can take.
        """
        parts = self.comprehension(members).parts
        if sum(self._most(part) for part in parts) > MOST_LISTED:
            raise Untranslatable("CHOOSE from a set with too many possible members")
        key, value = "key", "value"
        one = RecordSort(f"only_{sort}", ((key, integer_sort(0, 0)), (value, sort)))

        def under_the_key(part: Part) -> Part:
            def body(b: list[Term]) -> tuple[Formula, Lazy]:
                guard, element = part.body(b)
                return guard, RecordValue({key: 0, value: element})

            return Part(part.domains, body)

        keyed = Comprehension(tuple(under_the_key(part) for part in parts))
        found = self.coerce_set(keyed, KeyedSetSort(one, key))
        return field(build.the(build.lookup(found, 0)), value)
