"""Formulas, equality and coercion: where values without a sort meet sorts.

`coerce` is the only place where a value takes a shape that it does not have by itself: a record
literal becomes a record of the variable's sort, `Nil` becomes none, a number is narrowed to the
variable's range. Where nothing fits, the two sides of an equation differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.domain import Shape
from bmc.frontends.tla.errors import TlaError
from bmc.frontends.tla.layout import IMAGE, Layout, NoFit, integer_sort, is_tuple, partial
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    Comprehension,
    Conditional,
    Described,
    Formula,
    FunctionSpace,
    FunctionValue,
    Infinite,
    Lazy,
    Part,
    PowerSet,
    RecordSpace,
    RecordValue,
    SequenceSpace,
    SequenceValue,
    TupleSpace,
    TupleValue,
    Undefined,
    concrete,
)
from bmc.lang import build
from bmc.lang.sorts import (
    BOOL,
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
from bmc.lang.terms import Term, field, literal, make, select, term_of
from bmc.lang.terms import coerce as coerce_term


class NotSymmetric(Exception):
    """The text tells the members of a set of model values apart: it cannot be a scalarset."""

    def __init__(self, scalarset: Scalarset) -> None:
        super().__init__(scalarset.name)
        self.scalarset = scalarset


class Untranslatable(Exception):
    """A value whose sort or range cannot be told; whoever knows the place reports it."""


def named(name: str, body: Callable[[Term], Any]) -> Callable[[Term], Any]:
    """Return a binder's body whose variable has the text's name."""

    def bound(x: Term) -> Any:
        return body(x)

    bound.binds = name  # type: ignore[attr-defined]
    return bound


class Algebra:
    """Builds formulas and brings values to sorts."""

    def __init__(self, layout: Layout, constants: Constants) -> None:
        self.layout = layout
        self.constants = constants

    # Formulas.

    def term(self, formula: Formula) -> Term:
        """Return a formula as a term."""
        if isinstance(formula, bool):
            return build.TRUE if formula else build.FALSE
        return formula

    def all_of(self, parts: Iterable[Formula]) -> Formula:
        """Return the conjunction, read from left to right."""
        kept: list[Term] = []
        for part in parts:
            if part is False:
                # What stands before is read first: it may be undefined.
                return False
            if part is not True:
                assert isinstance(part, Term)
                kept.extend(part.args if part.op == "and" else (part,))
        return True if not kept else build.conj(*kept)

    def any_of(self, parts: Iterable[Formula]) -> Formula:
        """Return the disjunction, read from left to right."""
        kept: list[Term] = []
        for part in parts:
            if part is True:
                return True
            if part is not False:
                assert isinstance(part, Term)
                kept.extend(part.args if part.op == "or" else (part,))
        return False if not kept else build.disj(*kept)

    def negated(self, part: Formula) -> Formula:
        """Return the negation."""
        if isinstance(part, bool):
            return not part
        return part.args[0] if part.op == "not" else negation(part)

    def implied(self, premise: Formula, conclusion: Callable[[], Formula]) -> Formula:
        """Return the implication; the conclusion is made where the premise can hold."""
        if premise is False:
            return True
        found = conclusion()
        if premise is True or found is True:
            return found
        if found is False:
            return self.negated(premise)
        assert isinstance(premise, Term)
        assert isinstance(found, Term)
        return build.implies(premise, found)

    def formula(self, value: Lazy) -> Formula:
        """Return a value of BOOLEAN as a formula."""
        match value:
            case bool():
                return value
            case v.Boolean():
                return value.truth
            case Conditional():
                return self.any_of(
                    (
                        self.all_of((value.condition, self.formula(value.then))),
                        self.all_of((negation(value.condition), self.formula(value.otherwise))),
                    )
                )
            case Term():
                found = self.view(value, BoolSort)
                if isinstance(found, Term):
                    return found
            case Undefined():
                return self.undefined(BOOL)
        raise Untranslatable(f"{describe(value)} is used as a truth value")

    def value(self, formula: Formula) -> Lazy:
        """Return a formula as a value of BOOLEAN."""
        return v.boolean(formula) if isinstance(formula, bool) else formula

    def undefined(self, sort: Sort) -> Term:
        """Return a term without a value, of a sort."""
        if isinstance(sort, IntSort) and not sort.bounded:
            sort = integer_sort(0, 1)
        if isinstance(sort, OptionSort):
            inside = RecordSort("Undefined", (("value", sort),))
            return field(make("the", (make("none", (), OptionSort(inside)),), inside), "value")
        return make("the", (make("none", (), OptionSort(sort)),), sort)

    def conditional(self, condition: Formula, then: Lazy, otherwise: Lazy) -> Lazy:
        """Return IF condition THEN then ELSE otherwise."""
        if isinstance(condition, bool):
            return then if condition else otherwise
        if then is otherwise:
            return then
        if concrete(then) and concrete(otherwise) and same(then, otherwise):
            return then
        if is_truth(then) and is_truth(otherwise):
            a, b = self.formula(then), self.formula(otherwise)
            if isinstance(a, bool) and isinstance(b, bool):
                return self.value(condition if a else negation(condition))
            return build.ite(condition, self.term(a), self.term(b))
        if is_integer(then) and is_integer(otherwise):
            return build.ite(condition, integer(then), integer(otherwise))
        if isinstance(then, Term) and isinstance(otherwise, Term) and then.sort == otherwise.sort:
            return build.ite(condition, then, otherwise)
        return Conditional(condition, then, otherwise)

    # Shapes and ranges.

    def shape(self, value: Lazy) -> Shape:
        """Return the shape of what a value can be."""
        match value:
            case Term():
                if isinstance(value.sort, IntSort):
                    return d.integers(*self.range(value))
                return self.layout.shape(value.sort)
            case Conditional():
                return d.join(self.shape(value.then), self.shape(value.otherwise))
            case RecordValue():
                return d.record_of({n: self.shape(p) for n, p in value.fields.items()})
            case TupleValue():
                return d.tuple_of(self.shape(p) for p in value.parts)
            case SequenceValue():
                element = self.shape(value.at(1)) if value.longest else d.NOTHING
                if value.longest > 1:
                    for i in range(2, value.longest + 1):
                        element = d.join(element, self.shape(value.at(i)))
                return d.sequence_of(element, 0, value.longest)
            case FunctionValue():
                keys = self.members(value.domain)
                listed = value.domain if isinstance(value.domain, frozenset) else None
                probe = self.sample(value.domain, value.name)
                return d.function_of(keys, self.shape(value.value(probe)), listed)
            case Undefined():
                return d.NOTHING
            case _ if concrete(value):
                return d.shape_of(value)
        return d.set_of(self.members(value))

    def members(self, value: Lazy) -> Shape:
        """Return the shape of a set's members."""
        match value:
            case frozenset():
                return d.join_all(d.shape_of(one) for one in value)
            case Term():
                found = self.layout.shape(value.sort).elements
                return found if found is not None else d.NOTHING
            case Comprehension():
                shapes = []
                for part in value.parts:
                    variables = [
                        self.probe(name, s if isinstance(s, Sort) else element_of(s), i)
                        for i, (name, s) in enumerate(part.domains)
                    ]
                    guard, element = part.body(variables)
                    if guard is not False:
                        shapes.append(self.shape(element))
                return d.join_all(shapes)
            case Conditional():
                return d.join(self.members(value.then), self.members(value.otherwise))
            case PowerSet():
                return d.set_of(self.members(value.base))
            case FunctionSpace():
                listed = value.domain if isinstance(value.domain, frozenset) else None
                return d.function_of(
                    self.members(value.domain), self.members(value.codomain), listed
                )
            case RecordSpace():
                return d.record_of({n: self.members(s) for n, s in value.fields.items()})
            case TupleSpace():
                return d.tuple_of(self.members(s) for s in value.factors)
            case SequenceSpace():
                return d.sequence_of(self.members(value.base), 0, d.FAR)
            case Infinite():
                return d.NATURALS if value.name == "Nat" else d.INTEGERS
        return d.NOTHING

    def probe(self, name: str, sort: Sort, number: int = 0) -> Term:
        """Return a variable that stands for any value of a sort while a shape is worked out."""
        return make("bound_variable", (), sort, (-100 - number, name))

    def sample(self, members: Lazy, name: str) -> Term:
        """Return a variable that stands for any member of a set."""
        return self.probe(name, self.layout.sort(self.members(members), name), 50)

    def range(self, value: Lazy) -> tuple[int, int]:
        """Return the least and the greatest that an integer can be."""
        if isinstance(value, int):
            return value, value
        if isinstance(value, Conditional):
            a, b = self.range(value.then), self.range(value.otherwise)
            return min(a[0], b[0]), max(a[1], b[1])
        if not isinstance(value, Term):
            raise Untranslatable(f"{describe(value)} is used as an integer")
        if not isinstance(value.sort, IntSort):
            viewed = self.view(value, IntSort)
            if not isinstance(viewed, Term):
                raise Untranslatable(f"{describe(value)} is used as an integer")
            return self.range(viewed)
        data: Any = value.data
        if value.op == "int":
            return data, data
        if value.op in ("add", "sub"):
            left, right = self.range(value.args[0]), self.range(value.args[1])
            if value.op == "add":
                return left[0] + right[0], left[1] + right[1]
            return left[0] - right[1], left[1] - right[0]
        if value.op == "ite":
            left, right = self.range(value.args[1]), self.range(value.args[2])
            return min(left[0], right[0]), max(left[1], right[1])
        if value.op == "size":
            return 0, capacity(value.args[0].sort, self.layout)
        if value.sort.bounded:
            return self.layout.domains.range(value.sort)
        raise Untranslatable(f"the range of {value!r} is not known")

    # Views and coercion.

    def view(self, value: Lazy, *kinds: type[Sort]) -> Lazy:
        """Return a term's part of one of these kinds: an option's value, a variant's payload."""
        if not isinstance(value, Term) or isinstance(value.sort, kinds):
            return value
        sort = value.sort
        if isinstance(sort, OptionSort):
            none = self.layout.none.get(sort)
            if isinstance(none, int) and IntSort in kinds:
                return build.ite(build.is_none(value), literal(none), self.undefined(sort.inner))
            if isinstance(sort.inner, (kinds, VariantSort)):
                return self.view(build.the(value), *kinds)
        if isinstance(sort, VariantSort):
            for tag, part in sort.cases:
                if isinstance(part, kinds):
                    return build.payload(value, tag)
        return UNDEFINED

    def coerce(self, value: Lazy, sort: Sort) -> Term:
        """Return a value as a term of exactly this sort; NoFit where it surely is none."""
        if isinstance(value, Conditional):
            return self._coerce_conditional(value, sort)
        if isinstance(value, Undefined):
            return self.undefined(sort)
        if isinstance(value, Term):
            return self._coerce_term(value, sort)
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

    def coerce_set(self, value: Lazy, sort: Sort) -> Term:
        """Return a set as a term."""
        raise NotImplementedError

    def coerce_sequence(self, value: Lazy, sort: SequenceSort) -> Term:
        """Return a sequence as a term."""
        raise NotImplementedError

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
            case MapSort() | SequenceSort() | SetSort() | KeyedSetSort() | BoundedSetSort():
                return self.coerce_structure(value, sort)
        raise NoFit(f"{mine} into {sort}")

    def coerce_structure(self, value: Term, sort: Sort) -> Term:
        """Return a map, sequence or set of one sort as one of another."""
        raise NotImplementedError

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
        if not isinstance(value, FunctionValue):
            raise NoFit(f"{describe(value)} is no {sort}")
        name = value.name
        if partial(sort):
            assert isinstance(sort.value, OptionSort)
            assert isinstance(sort.value.inner, RecordSort)
            option, image = sort.value, sort.value.inner
            inside = image.fields[0][1]

            def entry(key: Term) -> Term:
                present = self.member(key, value.domain)
                if present is False:
                    return make("none", (), option)
                held = make("record", (self.coerce(value.value(key), inside),), image)
                some = make("some", (held,), option)
                if present is True:
                    return some
                return build.ite(self.term(present), some, make("none", (), option))

            return build.mapping(sort.key, named(name, entry), option)
        self.require_domain(value.domain, sort)
        return build.mapping(
            sort.key, named(name, lambda key: self.coerce(value.value(key), sort.value)), sort.value
        )

    def require_domain(self, domain: Lazy, sort: MapSort) -> None:
        """NoFit where a function's domain is surely another one than the map's keys."""
        keys = frozenset(
            self.layout.decode(k, sort.key) for k in self.layout.domains.values(sort.key)
        )
        if isinstance(domain, frozenset) and domain != keys:
            raise NoFit(f"the domain is not that of {sort}")

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
            if optional is not None:
                if k not in keys:
                    images.append(make("none", (), optional.option))
                    continue
                held = make("record", (self.coerce(keys[k], optional.image),), optional.entry)
                images.append(make("some", (held,), optional.option))
            else:
                images.append(self.coerce(keys[k], sort.value))
        return self.tabulated(sort, images)

    def tabulated(self, sort: MapSort, images: list[Term]) -> Term:
        """Return the map with these images, by the canonical order of its keys."""
        listed = self.layout.domains.values(sort.key)

        def pick(key: Term) -> Term:
            found = images[-1]
            for k, image in reversed(list(zip(listed[:-1], images[:-1], strict=True))):
                if image is not found:
                    here = self.equal(key, self.layout.decode(k, sort.key))
                    found = build.ite(self.term(here), image, found)
            return found

        return build.mapping(sort.key, named("k", pick), sort.value)

    def _coerce_symmetric_graph(self, graph: dict[Any, Lazy], sort: MapSort) -> Term:
        images = list(graph.values())
        first = images[0]
        if all(concrete(i) and concrete(first) and same(i, first) for i in images):
            self.require_domain(frozenset(graph), sort)
            return build.mapping(
                sort.key, named("k", lambda key: self.coerce(first, sort.value)), sort.value
            )
        for key in graph:
            owner = self.layout.owner(key)
            if owner is not None:
                raise NotSymmetric(owner)
        raise NotSymmetric(next(iter(self.layout.scalarsets)))

    def touches_scalarset(self, value: Any) -> bool:
        """Tell whether a TLA+ value has members of a scalarset in it."""
        if not self.layout.scalarsets:
            return False
        return any(self.layout.owner(a) is not None for a in d.possible_atoms(d.shape_of(value)))

    # Equality.

    def equal(self, left: Lazy, right: Lazy) -> Formula:
        """Return the equation; values of different kinds differ."""
        if left is right:
            return True
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
            return False
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
        a, b = fields_of(left), fields_of(right)
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
                return False
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

    def equal_sets(self, left: Lazy, right: Lazy) -> Formula:
        """Return whether two sets have the same members."""
        raise NotImplementedError

    def equal_sequences(self, left: Lazy, right: Lazy) -> Formula:
        """Return whether two sequences are the same."""
        raise NotImplementedError

    def equal_functions(self, left: Lazy, right: Lazy) -> Formula:
        """Return whether two functions have the same domain and the same values."""
        raise NotImplementedError

    def member(self, element: Lazy, members: Lazy) -> Formula:
        """Return ``element \\in members``."""
        raise NotImplementedError


def equation(left: Term, right: Term) -> Term:
    """Return the equation of two terms."""
    return term_of(left == right)


def negation(formula: Term) -> Term:
    """Return the negation of a term."""
    return term_of(~formula)


def same(left: Any, right: Any) -> bool:
    """Tell whether two TLA+ values are equal."""
    return type(left) is type(right) and bool(left == right)


def integer(value: Lazy) -> Term:
    """Return an integer as a term."""
    return value if isinstance(value, Term) else literal(value)


def is_integer(value: Lazy) -> bool:
    """Tell whether a value is an integer, by its looks."""
    if isinstance(value, Term):
        return isinstance(value.sort, IntSort)
    return isinstance(value, int)


def is_truth(value: Lazy) -> bool:
    """Tell whether a value is a truth value, by its looks."""
    if isinstance(value, Term):
        return isinstance(value.sort, BoolSort)
    return isinstance(value, v.Boolean)


def is_set(value: Lazy) -> bool:
    """Tell whether a value is a set, by its looks."""
    if isinstance(value, Term):
        return isinstance(value.sort, SetSort | KeyedSetSort | BoundedSetSort)
    spaces = PowerSet | FunctionSpace | RecordSpace | TupleSpace | SequenceSpace
    return isinstance(value, frozenset | Comprehension | spaces | Infinite | Described)


def is_sequence(value: Lazy) -> bool:
    """Tell whether a value is a tuple or a sequence, by its looks."""
    if isinstance(value, Term):
        return isinstance(value.sort, SequenceSort) or (
            isinstance(value.sort, RecordSort) and is_tuple(value.sort)
        )
    if isinstance(value, v.Function):
        return False
    return isinstance(value, tuple | TupleValue | SequenceValue)


def is_function(value: Lazy) -> bool:
    """Tell whether a value is a function, a tuple or a sequence, by its looks."""
    if isinstance(value, Term):
        return isinstance(value.sort, MapSort | SequenceSort | RecordSort)
    return isinstance(value, tuple | TupleValue | SequenceValue | FunctionValue | RecordValue)


def fields_of(value: Lazy) -> dict[str, Lazy] | None:
    """Return the fields of a record, or the parts of a tuple by "1", "2", …"""
    match value:
        case RecordValue():
            return dict(value.fields)
        case TupleValue():
            return {str(i): p for i, p in enumerate(value.parts, 1)}
        case v.Function():
            graph = v.graph_of(value)
            return graph if all(isinstance(k, str) for k in graph) else None
        case tuple():
            return {str(i): p for i, p in enumerate(value, 1)}
        case Term() if isinstance(value.sort, RecordSort):
            return {n: field(value, at) for n, at in names_of(value.sort).items()}
    return None


def names_of(sort: RecordSort) -> dict[str, str]:
    """Return the names of a record's fields in the text, a tuple's being "1", "2", …"""
    if is_tuple(sort):
        return {str(i): n for i, (n, _) in enumerate(sort.fields, 1)}
    return {n: n for n, _ in sort.fields}


def graph_of(value: Lazy) -> dict[Any, Lazy] | None:
    """Return the arguments and values of a function whose domain is constant and listed."""
    match value:
        case RecordValue():
            return dict(value.fields)
        case TupleValue():
            return dict(enumerate(value.parts, 1))
        case tuple():
            return v.graph_of(value)
    return None


def element_of(collection: Term) -> Sort:
    """Return the sort of a set's members."""
    sort = collection.sort
    assert isinstance(sort, SetSort | KeyedSetSort | BoundedSetSort)
    return sort.element


def capacity(sort: Sort, layout: Layout) -> int:
    """Return the most members that a set, or elements that a sequence, of a sort has."""
    match sort:
        case SequenceSort() | BoundedSetSort():
            return sort.capacity.at({})
        case SetSort():
            return len(layout.domains.values(sort.element))
        case KeyedSetSort():
            return len(layout.domains.values(sort.key_sort))
    raise Untranslatable(f"{sort} has no size")


def describe(value: Lazy) -> str:
    """Return words for a value that a message can show."""
    if concrete(value):
        return v.show(value)
    if isinstance(value, Term):
        return f"{value!r} (a {value.sort})"
    return f"a {type(value).__name__}"


def at_key(function: Term, key: Term) -> Term:
    """Return a map's image of a key of its sort."""
    return select(function, key)


__all__ = [
    "IMAGE",
    "Algebra",
    "NotSymmetric",
    "Part",
    "TlaError",
    "Untranslatable",
    "at_key",
    "capacity",
    "describe",
    "element_of",
    "equation",
    "fields_of",
    "graph_of",
    "integer",
    "is_function",
    "is_integer",
    "is_sequence",
    "is_set",
    "is_truth",
    "named",
    "names_of",
    "negation",
    "same",
]
