"""Whether values fit a sort: a term of one sort as one of another."""

from __future__ import annotations

from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.forms import NoFit
from bmc.frontends.tla.translate.kinds import (
    fields_of,
    is_integer,
    names_of,
    same,
)
from bmc.frontends.tla.translate.lazy import (
    Comprehension,
    Formula,
    Lazy,
    Part,
)
from bmc.frontends.tla.translate.quantifiers import Quantifiers
from bmc.lang import build
from bmc.lang.sorts import (
    BOOL,
    EnumSort,
    IntSort,
    OptionSort,
    RecordSort,
    Sort,
    VariantSort,
)
from bmc.lang.terms import Term, field, make


class Fitting(Quantifiers):
    """Says which values a sort has."""

    def fits(self, element: Lazy, sort: Sort) -> Formula:
        """Return when a value can be brought to a sort; where it cannot, it is in no such set."""
        if isinstance(element, Term):
            return self._term_fits(element, sort)
        if isinstance(sort, IntSort) and is_integer(element):
            low, high = self.layout.domains.range(sort)
            return self.all_of((self.at_most(low, element), self.at_most(element, high)))
        held = fields_of(element)
        if held is None:
            return True
        if isinstance(sort, OptionSort):
            return self.fits(element, sort.inner)
        if isinstance(sort, RecordSort) and set(held) == set(names_of(sort)):
            sorts = dict(sort.fields)
            return self.all_of(self.fits(held[n], sorts[at]) for n, at in names_of(sort).items())
        if isinstance(sort, VariantSort):
            for _, part in sort.cases:
                if isinstance(part, RecordSort) and set(held) == set(names_of(part)):
                    return self.fits(element, part)
        return True

    def checked(self, made: Term, members: Lazy, sort: Sort) -> Term:
        """Return what was made of a set's members; without a value where the sort lacks one.

        What runs over the values of a sort meets no others: a set or a domain that is made so
        would lose its members beyond a bound that was guessed, and the step would stay inside.
        """
        inside = self.all_of(self._all_inside(part, sort) for part in self._parts(members))
        if inside is True:
            return made
        both = RecordSort("Checked", (("made", made.sort), ("inside", BOOL)))
        return field(make("record", (made, self.term(inside)), both), "made")

    def _parts(self, members: Lazy) -> tuple[Part, ...]:
        return self.comprehension(members).parts

    def _all_inside(self, part: Part, sort: Sort) -> Formula:
        room = self.layout.shape(sort)
        if d.join(room, self.members(Comprehension((part,)))) == room:
            return True
        return self._quantified(part, lambda x: self._inside(x, sort), False)

    def _inside(self, element: Lazy, sort: Sort) -> Formula:
        """Return TRUE, without a value where the sort has not this one."""
        try:
            held = self.coerce(element, sort)
        except NoFit:
            return self.undefined(BOOL)
        return make("eq", (held, held), BOOL)

    def _term_fits(self, element: Term, sort: Sort) -> Formula:
        mine = element.sort
        if mine == sort or isinstance(sort, VariantSort):
            return True
        if isinstance(mine, OptionSort) and not isinstance(sort, OptionSort):
            inner = self.fits(build.the(element), sort)
            some = False if inner is False else self.all_of((build.is_some(element), inner))
            none = self.layout.none[mine]
            if d.join(self.layout.shape(sort), d.shape_of(none)) == self.layout.shape(sort):
                return self.any_of((build.is_none(element), some))
            return some
        if isinstance(mine, VariantSort):
            return self._in_cases(element, lambda part: self.fits(part, sort))
        if isinstance(sort, OptionSort):
            none = self.layout.none[sort]
            if isinstance(mine, OptionSort):
                inner = self.fits(build.the(element), sort.inner)
                same_none = same(self.layout.none[mine], none)
                return self.any_of((build.is_none(element), inner)) if same_none else True
            return self.any_of((self.equal(element, none), self.fits(element, sort.inner)))
        match mine, sort:
            case IntSort(), IntSort():
                low, high = self.layout.domains.range(sort)
                return self.all_of((self.at_most(low, element), self.at_most(element, high)))
            case EnumSort(), EnumSort():
                others = self.layout.enums[sort]
                inside = [a for a in self.layout.enums[mine] if a in others]
                if len(inside) == len(mine.values):
                    return True
                return self.any_of(self.equal(element, a) for a in inside)
            case RecordSort(), RecordSort() if set(names_of(mine)) == set(names_of(sort)):
                held, sorts = fields_of(element), dict(sort.fields)
                assert held is not None
                return self.all_of(
                    self.fits(held[n], sorts[at]) for n, at in names_of(sort).items()
                )
            case _ if type(mine) is type(sort):
                return True
        return False
