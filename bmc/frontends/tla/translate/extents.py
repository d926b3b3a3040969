"""How far values reach: their shapes, members that are possible, ranges of numbers."""

from __future__ import annotations

from typing import Any

from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.domain import Shape
from bmc.frontends.tla.translate.formulas import Formulas
from bmc.frontends.tla.translate.kinds import Untranslatable, capacity, describe, element_of
from bmc.frontends.tla.translate.lazy import (
    Comprehension,
    Conditional,
    FunctionSpace,
    FunctionValue,
    Infinite,
    Lazy,
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
from bmc.lang.sorts import (
    IntSort,
    Sort,
)
from bmc.lang.terms import Term, make


class Extents(Formulas):
    """Says what is known of values before they are terms."""

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
        found = self._ranges.get(value)
        if found is None:
            found = self._ranges[value] = self._range_of_term(value)
        return found

    def _range_of_term(self, value: Term) -> tuple[int, int]:
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
        if value.op in ("mul", "div", "mod") and value.args[1].op == "int":
            (least, most), by = self.range(value.args[0]), self.range(value.args[1])[0]
            match value.op:
                case "mul":
                    return least * by, most * by
                case "div":
                    return least // by, most // by
            return (0, by - 1) if least // by != most // by else (least % by, most % by)
        if value.op == "ite":
            left, right = self.range(value.args[1]), self.range(value.args[2])
            return min(left[0], right[0]), max(left[1], right[1])
        if value.op == "size":
            return 0, capacity(value.args[0].sort, self.layout)
        if value.sort.bounded:
            return self.layout.domains.range(value.sort)
        raise Untranslatable(f"the range of {value!r} is not known")

    def touches_scalarset(self, value: Any) -> bool:
        """Tell whether a TLA+ value has members of a scalarset in it."""
        if not self.layout.scalarsets:
            return False
        return any(self.layout.owner(a) is not None for a in d.possible_atoms(d.shape_of(value)))
