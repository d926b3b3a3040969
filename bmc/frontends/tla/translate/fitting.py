"""Whether values fit a sort: a term of one sort as one of another."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.forms import NoFit, is_tuple, partial
from bmc.frontends.tla.translate.kinds import (
    Untranslatable,
    capacity,
    element_of,
    fields_of,
    is_integer,
    is_sequence,
    is_set,
    names_of,
    negation,
    parts_of,
    same,
)
from bmc.frontends.tla.translate.lazy import (
    Comprehension,
    Conditional,
    Formula,
    FunctionValue,
    Lazy,
    Part,
    SequenceValue,
    endless,
)
from bmc.frontends.tla.translate.quantifiers import Quantifiers
from bmc.lang import build
from bmc.lang.sorts import (
    BOOL,
    BoundedSetSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
)
from bmc.lang.terms import Term, make

FUNCTIONS = MapSort | RecordSort | SequenceSort
SETS = SetSort | KeyedSetSort | BoundedSetSort


def _plain(sort: Sort) -> tuple[Sort, ...]:
    """Return what values of a sort are, behind options and variants."""
    if isinstance(sort, OptionSort):
        return _plain(sort.inner)
    if isinstance(sort, VariantSort):
        return tuple(one for _, part in sort.cases for one in _plain(part))
    return (sort,)


def _sorts_differ(mine: Sort, other: Sort) -> bool:
    """Tell whether two sorts may write one value in two ways."""
    if mine == other:
        return False
    return any(_forms_differ(a, b) for a in _plain(mine) for b in _plain(other))


def _forms_differ(mine: Sort, other: Sort) -> bool:
    match mine, other:
        case RecordSort(), RecordSort():
            if is_tuple(mine) != is_tuple(other) or set(names_of(mine)) != set(names_of(other)):
                return False
            sorts, others = dict(mine.fields), dict(other.fields)
            places = names_of(other)
            return any(
                _sorts_differ(sorts[at], others[places[n]]) for n, at in names_of(mine).items()
            )
        case SequenceSort(), SequenceSort():
            longer = mine.capacity.at({}) > other.capacity.at({})
            return longer or _sorts_differ(mine.element, other.element)
        case MapSort(), MapSort():
            if mine.key != other.key:
                return True
            return _sorts_differ(mine.value, other.value)
        case (
            (SetSort() | KeyedSetSort() | BoundedSetSort()),
            (SetSort() | KeyedSetSort() | BoundedSetSort()),
        ):
            return _sorts_differ(mine.element, other.element)
    return isinstance(mine, FUNCTIONS) and isinstance(other, FUNCTIONS)


class Fitting(Quantifiers):
    """Says which values a sort has."""

    def other_form(self, element: Lazy, sort: Sort) -> bool:
        """Tell whether a value may equal one of a sort that writes it in another way.

        A tuple may be a sequence, a record or a tuple a function, and so may what they are made
        of. Such values are compared argument by argument: no term of the sort is made of them.
        """
        functions = [s for s in _plain(sort) if isinstance(s, FUNCTIONS)]
        sets = [s for s in _plain(sort) if isinstance(s, SETS)]
        if not functions and not sets:
            return False
        match element:
            case Conditional():
                return self.other_form(element.then, sort) or self.other_form(
                    element.otherwise, sort
                )
            case Term():
                return _sorts_differ(element.sort, sort)
            case SequenceValue():
                return any(
                    not isinstance(s, SequenceSort)
                    or element.longest > capacity(s, self.layout)
                    or any(
                        self.other_form(element.at(i), s.element)
                        for i in range(1, element.longest + 1)
                    )
                    for s in functions
                )
            case FunctionValue():
                return any(not self._same_domain(element, s) for s in functions)
        parts = parts_of(element)
        if parts is not None:
            return any(self._parts_differ(parts, s) for s in functions)
        if is_set(element) and sets and not endless(element):
            return any(
                self.other_form(self._probed(part), s.element)
                for part in self.comprehension(element).parts
                for s in sets
            )
        return False

    def _same_domain(self, function: FunctionValue, sort: Sort) -> bool:
        """Tell whether a function surely is a map of this sort, argument by argument."""
        if not isinstance(sort, MapSort) or partial(sort) is not None:
            return False
        if not isinstance(function.domain, frozenset):
            return False
        key = self.probe("k", sort.key, 75)
        return not self.other_form(function.value(key), sort.value)

    def _parts_differ(self, parts: dict[Any, Lazy], sort: Sort) -> bool:
        match sort:
            case RecordSort():
                sorts = dict(sort.fields)
                fields = {int(n) if is_tuple(sort) else n: at for n, at in names_of(sort).items()}
                return set(fields) == set(parts) and any(
                    self.other_form(parts[n], sorts[at]) for n, at in fields.items()
                )
            case SequenceSort():
                return len(parts) > capacity(sort, self.layout) or any(
                    self.other_form(p, sort.element) for p in parts.values()
                )
            case MapSort():
                optional = partial(sort)
                image = sort.value if optional is None else optional.image
                return any(self.other_form(p, image) for p in parts.values())
        return False

    def _probed(self, part: Part) -> Lazy:
        """Return some element of a part of a set, for its form."""
        variables = [
            self.probe(n, s if isinstance(s, Sort) else element_of(s), 80 + i)
            for i, (n, s) in enumerate(part.domains)
        ]
        return part.body(variables)[1]

    def has_room(self, sort: Sort, value: Lazy) -> bool:
        """Tell whether a sort surely has this value."""
        if isinstance(value, Term) and value.sort == sort:
            return True
        room = self.layout.shape(sort)
        if self.layout.tabled(sort):
            return False
        try:
            return d.join(room, self.shape(value)) == room
        except Untranslatable:
            return False

    def fits(self, element: Lazy, sort: Sort) -> Formula:
        """Return when a value can be brought to a sort; where it cannot, it is in no such set."""
        if isinstance(sort, IntSort) and sort in self.layout.tables:
            return self.is_numbered(element, sort)
        if isinstance(element, FunctionValue) and isinstance(sort, MapSort):
            if partial(sort) is not None or self.has_room(sort, element):
                return True
            return self.forall(
                element.domain, "k", lambda k: self.fits(element.value(k), sort.value)
            )
        if isinstance(element, Term):
            return self._term_fits(element, sort)
        if isinstance(element, SequenceValue) and isinstance(sort, SequenceSort):
            return self._values_fit(element, sort)
        if isinstance(element, Conditional):
            ways = (
                (element.condition, element.then),
                (negation(element.condition), element.otherwise),
            )
            return self.any_of(self.all_of((c, self._way_fits(way, sort))) for c, way in ways)
        if isinstance(sort, IntSort) and is_integer(element):
            low, high = self.layout.domains.range(sort)
            return self.all_of((self.at_most(low, element), self.at_most(element, high)))
        if isinstance(sort, SETS) and is_set(element) and not endless(element):
            return self._set_fits(element, sort)
        if isinstance(sort, VariantSort):
            return self._fits_a_case(element, sort)
        held = fields_of(element)
        if held is None:
            return True
        if isinstance(sort, OptionSort):
            return self.fits(element, sort.inner)
        if isinstance(sort, SequenceSort) and is_sequence(element):
            if len(held) > sort.capacity.at({}):
                return False
            return self.all_of(self._way_fits(one, sort.element) for one in held.values())
        if isinstance(sort, RecordSort) and set(held) == set(names_of(sort)):
            sorts = dict(sort.fields)
            return self.all_of(self.fits(held[n], sorts[at]) for n, at in names_of(sort).items())
        return True

    def _fits_a_case(self, element: Lazy, sort: VariantSort) -> Formula:
        """Return when a value fits the case that it can be of; of several any may have room."""
        found: list[Sort] = []
        for _, part in sort.cases:
            with suppress(NoFit):
                self.coerce(element, part)
                found.append(part)
        return self.fits(element, found[0]) if len(found) == 1 else True

    def _some_case_fits(self, element: Term, sort: VariantSort | OptionSort) -> Formula:
        """Return when what an option or a variant is fits a sort of several kinds."""
        if isinstance(element.sort, VariantSort):
            return self._in_cases(element, lambda part: self._way_fits(part, sort))
        assert isinstance(element.sort, OptionSort)
        none = self.layout.none.get(element.sort)
        ways = (
            (build.is_none(element), False if none is None else self._way_fits(none, sort)),
            (build.is_some(element), self._way_fits(build.the(element), sort)),
        )
        return self.any_of(self.all_of(way) for way in ways if way[1] is not False)

    def _set_fits(self, members: Lazy, sort: SETS) -> Formula:
        """Return when a sort has room for all members of a set."""
        if self.has_room(sort, members):
            return True
        return self.forall(members, "x", lambda x: self._way_fits(x, sort.element))

    def _values_fit(self, function: Lazy, sort: SequenceSort | MapSort) -> Formula:
        """Return when a sort has room for all values of a function or a sequence."""
        if self.has_room(sort, function):
            return True
        if isinstance(sort, SequenceSort):
            room = sort.element
        else:
            optional = partial(sort)
            room = sort.value if optional is None else optional.image
        domain = self.domain_of(function)
        assert domain is not None
        return self.forall(domain, "k", lambda k: self._way_fits(self.applied(function, k), room))

    def _way_fits(self, way: Lazy, sort: Sort) -> Formula:
        """Return when one way of a conditional fits: coerced with the other, it may do nowhere."""
        try:
            self.coerce(way, sort)
        except NoFit:
            return False
        return self.fits(way, sort)

    def checked(self, made: Term, members: Lazy, sort: Sort) -> Term:
        """Return what was made of a set's members; without a value where the sort lacks one.

        What runs over the values of a sort meets no others: a set or a domain that is made so
        would lose its members beyond a bound that was guessed, and the step would stay inside.
        """
        inside = self.all_of(self._all_inside(part, sort) for part in self._parts(members))
        if inside is True:
            return made
        return build.ite(self.term(inside), made, self.undefined(made.sort))

    def _parts(self, members: Lazy) -> tuple[Part, ...]:
        return self.comprehension(members).parts

    def _all_inside(self, part: Part, sort: Sort) -> Formula:
        room = self.layout.shape(sort)
        if self.layout.tabled(sort):
            if self.are_rows(part, sort):
                return True
        elif d.join(room, self.members(Comprehension((part,)))) == room:
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
        if mine == sort:
            return True
        if isinstance(sort, VariantSort):
            if not isinstance(mine, OptionSort | VariantSort):
                return self._fits_a_case(element, sort)
            return self.has_room(sort, element) or self._some_case_fits(element, sort)
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
                if not same(self.layout.none[mine], none):
                    return self._some_case_fits(element, sort)
                inner = self.fits(build.the(element), sort.inner)
                return self.any_of((build.is_none(element), inner))
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
            case RecordSort(), RecordSort():
                if set(names_of(mine)) != set(names_of(sort)):
                    return False
                held, sorts = fields_of(element), dict(sort.fields)
                assert held is not None
                return self.all_of(
                    self.fits(held[n], sorts[at]) for n, at in names_of(sort).items()
                )
            case (
                (SetSort() | KeyedSetSort() | BoundedSetSort()),
                (SetSort() | KeyedSetSort() | BoundedSetSort()),
            ):
                return self._set_fits(element, sort)
            case (SequenceSort(), SequenceSort()) | (MapSort(), MapSort()):
                assert isinstance(sort, SequenceSort | MapSort)
                return self._values_fit(element, sort)
            case _ if type(mine) is type(sort):
                return True
        return False
