"""Values as terms of a sort."""

from __future__ import annotations

from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.forms import NoFit, integer_sort, partial
from bmc.frontends.tla.translate.formulas import Formulas
from bmc.frontends.tla.translate.kinds import (
    NotSymmetric,
    describe,
    fields_of,
    graph_of,
    is_set,
    named,
    names_of,
    same,
)
from bmc.frontends.tla.translate.lazy import (
    COPIES,
    UNDEFINED,
    Conditional,
    FunctionValue,
    Lazy,
    SequenceValue,
    Undefined,
    concrete,
    endless,
)
from bmc.lang import build
from bmc.lang.sorts import (
    BoolSort,
    BoundedSetSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
)
from bmc.lang.terms import Term, field, literal, make
from bmc.lang.terms import coerce as coerce_term


class Coercion(Formulas):
    """Makes terms of a sort of values."""

    def view(self, value: Lazy, *kinds: type[Sort]) -> Lazy:
        """Return a term's part of one of these kinds: an option's value, a variant's payload."""
        if not isinstance(value, Term) or isinstance(value.sort, kinds):
            return value
        sort = value.sort
        if isinstance(sort, OptionSort):
            none = self.layout.none.get(sort)
            if isinstance(none, int) and IntSort in kinds:
                other = self.undefined(integer_sort(none, none))
                return build.ite(build.is_none(value), literal(none), other)
            if isinstance(sort.inner, (kinds, VariantSort)):
                return self.view(build.the(value), *kinds)
        if isinstance(sort, VariantSort):
            tags = [tag for tag, part in sort.cases if isinstance(part, kinds)]
            if not tags:
                return UNDEFINED
            found: Lazy = build.payload(value, tags[-1])
            for tag in reversed(tags[:-1]):
                found = Conditional(build.is_case(value, tag), build.payload(value, tag), found)
            return found
        return UNDEFINED

    def coerce(self, value: Lazy, sort: Sort) -> Term:
        """Return a value as a term of exactly this sort; NoFit where it surely is none."""
        if isinstance(value, Conditional):
            return self._coerce_conditional(value, sort)
        if isinstance(value, Undefined):
            return self.undefined(sort)
        if isinstance(sort, IntSort) and sort in self.layout.tables:
            return self.numbered(value, sort)
        if isinstance(value, Term):
            return self._coerce_term(value, sort)
        native = value.native if isinstance(value, COPIES) else None
        if native is not None and native.sort == sort:
            return native
        if isinstance(sort, OptionSort):
            none = self.layout.none[sort]
            if concrete(value) and same(value, none):
                return make("none", (), sort)
            return make("some", (self.coerce(value, sort.inner),), sort)
        if isinstance(sort, VariantSort):
            for tag, part in sort.cases:
                try:
                    return make("inject", (self.coerce(value, part),), sort, tag)
                except NoFit:
                    continue
            raise NoFit(f"{describe(value)} is no {sort}")
        match sort:
            case BoolSort() if isinstance(value, v.Boolean):
                return self.term(value.truth)
            case IntSort() if isinstance(value, int):
                return self._number(value, sort)
            case EnumSort() if isinstance(value, str | v.ModelValue):
                atoms = self.layout.enums[sort]
                if value in atoms:
                    return make("enum", (), sort, sort.values[atoms.index(value)])
            case Scalarset() if isinstance(value, v.ModelValue):
                if self.layout.owner(value) == sort:
                    raise NotSymmetric(sort)
            case RecordSort():
                return self._coerce_record(value, sort)
            case MapSort():
                return self._coerce_map(value, sort)
            case SequenceSort():
                return self.coerce_sequence(value, sort)
            case SetSort() | KeyedSetSort() | BoundedSetSort():
                if is_set(value):
                    return self.coerce_set(value, sort)
        raise NoFit(f"{describe(value)} is no {sort}")

    def _coerce_conditional(self, value: Conditional, sort: Sort) -> Term:
        # A branch that fits nowhere is not taken, or the model's bounds are too small.
        found: list[Term | None] = []
        for part in (value.then, value.otherwise):
            try:
                found.append(self.coerce(part, sort))
            except NoFit:
                found.append(None)
        then, otherwise = found
        if then is None and otherwise is None:
            raise NoFit(f"{describe(value)} is no {sort}")
        if then is None or otherwise is None:
            nothing = self.undefined(sort)
            then = nothing if then is None else then
            otherwise = nothing if otherwise is None else otherwise
        return build.ite(value.condition, then, otherwise)

    def _number(self, value: int, sort: IntSort) -> Term:
        if not sort.bounded:
            return literal(value)
        low, high = self.layout.domains.range(sort)
        if not low <= value <= high:
            raise NoFit(f"{value} is no {sort}")
        return make("narrow", (literal(value),), sort)

    def _coerce_term(self, value: Term, sort: Sort) -> Term:
        mine = value.sort
        if mine == sort:
            return value
        match sort:
            case OptionSort() if isinstance(mine, OptionSort):
                return self._option_to_option(value, mine, sort)
            case VariantSort() if not isinstance(mine, VariantSort | OptionSort):
                for tag, part in sort.cases:
                    try:
                        return make("inject", (self._coerce_term(value, part),), sort, tag)
                    except NoFit:
                        continue
                raise NoFit(f"{mine} into {sort}")
        if isinstance(mine, OptionSort):
            none = self.layout.none.get(mine)
            if none is None:
                raise NoFit(f"{mine} into {sort}")
            try:
                absent = self.coerce(none, sort)
            except NoFit:
                return self.coerce(build.the(value), sort)
            try:
                return build.ite(build.is_none(value), absent, self.coerce(build.the(value), sort))
            except NoFit:
                return build.ite(build.is_none(value), absent, self.undefined(sort))
        if isinstance(mine, VariantSort):
            found: Lazy = UNDEFINED
            for tag, _ in reversed(mine.cases):
                case = build.payload(value, tag)
                found = Conditional(build.is_case(value, tag), case, found)
            return self._coerce_conditional(found, sort)
        match sort:
            case OptionSort():
                return self._into_option(value, sort)
            case IntSort() if isinstance(mine, IntSort):
                low, high = self.range(value)
                if sort.bounded:
                    least, most = self.layout.domains.range(sort)
                    if high < least or low > most:
                        raise NoFit(f"{value!r} is no {sort}")
                return coerce_term(value, sort)
            case EnumSort() if isinstance(mine, EnumSort):
                return self._enum_to_enum(value, mine, sort)
            case RecordSort() if isinstance(mine, RecordSort):
                if [n for n, _ in mine.fields] == [n for n, _ in sort.fields]:
                    parts = [self.coerce(field(value, n), part) for n, part in sort.fields]
                    return make("record", parts, sort)
            case RecordSort() if isinstance(mine, MapSort):
                return self.coerce_structure(value, sort)
            case MapSort() | SequenceSort() | SetSort() | KeyedSetSort() | BoundedSetSort():
                return self.coerce_structure(value, sort)
        raise NoFit(f"{mine} into {sort}")

    def _into_option(self, value: Term, sort: OptionSort) -> Term:
        none = self.layout.none.get(sort)
        is_none = False if none is None else self.equal(value, none)
        if is_none is True:
            return make("none", (), sort)
        try:
            present = make("some", (self.coerce(value, sort.inner),), sort)
        except NoFit:
            if is_none is False:
                raise
            present = make("some", (self.undefined(sort.inner),), sort)
        if is_none is False:
            return present
        assert isinstance(is_none, Term)
        return build.ite(is_none, make("none", (), sort), present)

    def _option_to_option(self, value: Term, mine: OptionSort, sort: OptionSort) -> Term:
        none = self.layout.none.get(mine)
        if none is not None and same(none, self.layout.none.get(sort)):
            try:
                inner = make("some", (self.coerce(build.the(value), sort.inner),), sort)
            except NoFit:
                inner = make("some", (self.undefined(sort.inner),), sort)
            return build.ite(build.is_none(value), make("none", (), sort), inner)
        return self._coerce_conditional(
            Conditional(build.is_none(value), none, build.the(value)), sort
        )

    def _enum_to_enum(self, value: Term, mine: EnumSort, sort: EnumSort) -> Term:
        common = [a for a in self.layout.enums[mine] if a in self.layout.enums[sort]]
        if not common:
            raise NoFit(f"{mine} into {sort}")
        found: Term | None = None
        if len(common) < len(mine.values):
            found = self.undefined(sort)
        for atom in reversed(common):
            target = self.coerce(atom, sort)
            if found is None:
                found = target
            else:
                here = build.conj(value == self.coerce(atom, mine))
                found = build.ite(here, target, found)
        assert found is not None
        return found

    def _coerce_record(self, value: Lazy, sort: RecordSort) -> Term:
        parts = fields_of(value)
        names = names_of(sort)
        if parts is None or set(parts) != set(names):
            raise NoFit(f"{describe(value)} is no {sort}")
        held = {at: parts[n] for n, at in names.items()}
        return make("record", [self.coerce(held[n], part) for n, part in sort.fields], sort)

    def _coerce_map(self, value: Lazy, sort: MapSort) -> Term:
        graph = graph_of(value)
        if graph is not None:
            return self._coerce_graph(graph, sort)
        if isinstance(value, SequenceValue):
            value = FunctionValue(self.interval(1, value.length), value.at)
        if not isinstance(value, FunctionValue):
            raise NoFit(f"{describe(value)} is no {sort}")
        name = value.name
        if partial(sort):
            assert isinstance(sort.value, OptionSort)
            assert isinstance(sort.value.inner, RecordSort)
            option, image = sort.value, sort.value.inner
            inside = image.fields[0][1]

            def entry(at: Term) -> Term:
                key = self.row(at)
                present = self.member(key, value.domain)
                if present is False:
                    return make("none", (), option)
                held = make("record", (self.coerce(value.value(key), inside),), image)
                some = make("some", (held,), option)
                if present is True:
                    return some
                return build.ite(self.term(present), some, make("none", (), option))

            made = build.mapping(sort.key, named(name, entry), option)
            return self.checked(made, value.domain, sort.key)
        keys = self.require_domain(value.domain, sort)
        made = build.mapping(
            sort.key, named(name, lambda key: self.coerce(value.value(key), sort.value)), sort.value
        )
        # What it is at other arguments would be lost, and the step would stay inside.
        same = self.equal_sets(value.domain, keys)
        return made if same is True else build.ite(self.term(same), made, self.undefined(sort))

    def require_domain(self, domain: Lazy, sort: MapSort) -> frozenset[Any]:
        """Return a map's keys; NoFit where a function's domain surely is another set."""
        keys = frozenset(
            self.layout.decode(k, sort.key) for k in self.layout.domains.values(sort.key)
        )
        if endless(domain) or (isinstance(domain, frozenset) and domain != keys):
            raise NoFit(f"the domain is not that of {sort}")
        return keys

    def _coerce_graph(self, graph: dict[Any, Lazy], sort: MapSort) -> Term:
        keys = {}
        for k, image in graph.items():
            if self.touches_scalarset(k):
                return self._coerce_symmetric_graph(graph, sort)
            keys[self.layout.encode(k, sort.key)] = image
        listed = self.layout.domains.values(sort.key)
        optional = partial(sort)
        if optional is None and set(keys) != set(listed):
            raise NoFit(f"a function of another domain than {sort}")
        images = []
        for k in listed:
            if optional is not None and k not in keys:
                images.append(make("none", (), optional.option))
                continue
            images.append(self._entry(keys[k], sort))
        return self.tabulated(sort, images)

    def tabulated(self, sort: MapSort, images: list[Term]) -> Term:
        """Return the map with these images, by the canonical order of its keys."""
        listed = self.layout.domains.values(sort.key)

        def pick(key: Term) -> Term:
            found = images[-1]
            for k, image in reversed(list(zip(listed[:-1], images[:-1], strict=True))):
                if image is not found:
                    here = self.equal(self.row(key), self.layout.decode(k, sort.key))
                    found = build.ite(self.term(here), image, found)
            return found

        return build.mapping(sort.key, named("k", pick), sort.value)

    def _entry(self, image: Lazy, sort: MapSort) -> Term:
        """Return the value that a map has where a function has an image."""
        optional = partial(sort)
        if optional is None:
            return self.coerce(image, sort.value)
        held = make("record", (self.coerce(image, optional.image),), optional.entry)
        return make("some", (held,), optional.option)

    def _coerce_symmetric_graph(self, graph: dict[Any, Lazy], sort: MapSort) -> Term:
        images = list(graph.values())
        first = images[0]
        if all(concrete(i) and concrete(first) and same(i, first) for i in images):
            self.require_domain(frozenset(graph), sort)
            return build.mapping(
                sort.key, named("k", lambda key: self._entry(first, sort)), sort.value
            )
        for key in graph:
            owner = self.layout.owner(key)
            if owner is not None:
                raise NotSymmetric(owner)
        raise NotSymmetric(next(iter(self.layout.scalarsets)))
