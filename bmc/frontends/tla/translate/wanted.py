"""Of what kind operands have to be, and which expressions surely are of it.

A function or set is made where it is read: what its body counts, or asks for members, is of
another kind than that unseen. Where its text does not say the kind, what it reads is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import chain

from bmc.frontends.tla import core as c
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.constant_sets import NotConstant, Undetermined
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.free import Occurrences
from bmc.frontends.tla.translate.kinds import is_function, is_integer, is_set, is_truth
from bmc.frontends.tla.translate.lazy import Lazy
from bmc.frontends.tla.translate.operands import CONNECTIVES, OF_NUMBERS, OF_SETS, TESTS
from bmc.lang.sorts import (
    BoolSort,
    BoundedSetSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    RecordSort,
    SequenceSort,
    SetSort,
    Sort,
)


class Kind(Enum):
    """What an operand has to be."""

    NUMBER = "number"
    SET = "set"
    TRUTH = "truth"
    FUNCTION = "function"

    def has(self, value: Lazy) -> bool:
        """Tell whether a value is of this kind, by its looks."""
        match self:
            case Kind.NUMBER:
                return is_integer(value)
            case Kind.SET:
                return is_set(value)
            case Kind.TRUTH:
                return is_truth(value)
            case Kind.FUNCTION:
                return is_function(value)

    def is_of(self, sort: Sort) -> bool:
        """Tell whether all values of a sort are of this kind."""
        return isinstance(sort, _SORTS[self])


_SORTS: dict[Kind, type[Sort] | tuple[type[Sort], ...]] = {
    Kind.NUMBER: IntSort,
    Kind.SET: (SetSort, KeyedSetSort, BoundedSetSort),
    Kind.TRUTH: BoolSort,
    Kind.FUNCTION: (MapSort, RecordSort, SequenceSort),
}
_MADE: dict[O, Kind] = {
    **dict.fromkeys(TESTS | CONNECTIVES, Kind.TRUTH),
    **dict.fromkeys((O.PLUS, O.MINUS, O.NEGATE, O.TIMES, O.LEN, O.CARDINALITY), Kind.NUMBER),
    **dict.fromkeys((O.DIVIDE, O.MODULO, O.POWER), Kind.NUMBER),
    **dict.fromkeys((O.CUP, O.CAP, O.SET_MINUS, O.UNION, O.POWER_SET, O.SEQ), Kind.SET),
    **dict.fromkeys((O.INTERVAL, O.DOMAIN, O.BOOLEAN, O.STRING), Kind.SET),
    **dict.fromkeys((O.NAT, O.INT, O.REAL, O.ANY), Kind.SET),
}
"""Of what kind the value of an operator is."""

Operand = tuple[c.Expression, Kind]


def operands(node: c.Expression) -> Iterator[Operand]:
    """Yield the parts of an expression that have to be of a kind, with it."""
    match node:
        case c.Builtin():
            for kind, operators in _OPERANDS.items():
                if node.operator in operators:
                    yield from ((one, kind) for one in node.arguments)
            if node.operator in (O.IN, O.NOT_IN):
                yield node.arguments[1], Kind.SET
        case c.If():
            yield node.condition, Kind.TRUTH
        case c.SetFilter():
            yield node.predicate, Kind.TRUTH
        case c.Quantifier():
            yield node.body, Kind.TRUTH
        case c.Product():
            yield from ((one, Kind.SET) for one in node.factors)
        case c.RecordSet():
            yield from ((one, Kind.SET) for _, one in node.fields)
        case c.FunctionSet():
            yield from ((one, Kind.SET) for one in (node.domain, node.codomain))
    for bound in bounds_of(node):
        if bound.domain is not None:
            yield bound.domain, Kind.SET


def united(node: c.Expression) -> tuple[c.Expression, ...]:
    """Return the set whose members an expression unites, if it does: they have to be sets."""
    if isinstance(node, c.Builtin) and node.operator is O.UNION:
        return node.arguments
    return ()


_OPERANDS = {
    Kind.NUMBER: OF_NUMBERS,
    Kind.SET: OF_SETS,
    Kind.TRUTH: CONNECTIVES | {O.EQUIVALENT},
    Kind.FUNCTION: {O.DOMAIN, O.LEN},
}


def bounds_of(node: c.Expression) -> tuple[c.Bound, ...]:
    """Return what the variables of an expression run over."""
    match node:
        case c.Quantifier() | c.FunctionLiteral() | c.SetMap():
            return node.bounds
        case c.SetFilter():
            return (node.bound,)
    return ()


def may_be_no_tuple(bound: c.Bound) -> bool:
    """Tell whether a tuple of variables may be bound to a member that is no such tuple."""
    match bound.domain:
        case c.Product(factors=factors):
            return bound.is_tuple and len(factors) != len(bound.variables)
    return bound.is_tuple


class Wanted(Occurrences[tuple[c.Binding, Kind]]):
    """The names in expressions, and in what these call, that have to be of a kind, with it."""

    def _here(
        self, node: c.Expression, inner: frozenset[tuple[c.Binding, Kind]]
    ) -> frozenset[tuple[c.Binding, Kind]]:
        asked = operands(node)
        if isinstance(node, c.Call):
            inner |= self._of_definition(node.definition)
            asked = chain(asked, self.given(node))
        return inner | {(e.binding, kind) for e, kind in asked if isinstance(e, c.LocalRef)}

    def given(self, node: c.Call) -> Iterator[Operand]:
        """Yield the arguments of a call that have to be of a kind, with it."""
        inside = self._of_definition(node.definition)
        for parameter, argument in zip(node.definition.parameters, node.arguments, strict=True):
            for kind in Kind:
                if (parameter, kind) in inside:
                    yield argument, kind

    def bound(self, node: c.Expression) -> Iterator[tuple[c.Bound, int, Kind]]:
        """Yield what has to be of a kind of the variables that an expression binds."""
        bounds = bounds_of(node)
        if bounds:
            inside = self.of(node)
            for bound in bounds:
                for place, one in enumerate(bound.variables):
                    yield from ((bound, place, kind) for kind in Kind if (one, kind) in inside)


@dataclass(frozen=True)
class Argument:
    """What is given to an operator, and what the operator was given where that is written.

    An instance hands its own parameter on to what its operators call: that argument names what
    it is given for.
    """

    expression: c.Expression
    given: Given


Given = Mapping[c.Binding, Argument]


class Surely:
    """Which expressions are of a kind in every state, as far as their text and sorts say it."""

    def __init__(self, sorts: Mapping[str, Sort], constants: Constants) -> None:
        self._sorts = sorts
        self._constants = constants

    def is_of(self, node: c.Expression, kind: Kind, given: Given) -> bool:
        """Tell whether an expression is surely of a kind; ``given`` are the arguments of calls."""
        match node:
            case c.IntegerLiteral():
                return kind is Kind.NUMBER
            case c.BooleanLiteral():
                return kind is Kind.TRUTH
            case c.Quantifier():
                return kind is Kind.TRUTH
            case c.SetEnumeration() | c.SetFilter() | c.SetMap():
                return kind is Kind.SET
            case c.FunctionSet() | c.RecordSet() | c.Product():
                return kind is Kind.SET
            case c.FunctionLiteral() | c.RecordLiteral() | c.TupleLiteral():
                return kind is Kind.FUNCTION
            case c.Builtin():
                return _MADE.get(node.operator) is kind
            case c.VariableRef():
                return node.name not in self._sorts or kind.is_of(self._sorts[node.name])
            case c.ConstantRef():
                return kind.has(self._constant(node))
            case c.If():
                return all(self.is_of(one, kind, given) for one in (node.then, node.otherwise))
            case c.Unchanged() | c.Enabled():
                return kind is Kind.TRUTH
        inside = self._inside(node, given)
        return inside is not None and self.is_of(inside[0], kind, inside[1])

    def has_members(self, node: c.Expression, kind: Kind, given: Given) -> bool:
        """Tell whether an expression is surely a set of what is of a kind."""
        match node:
            case c.SetEnumeration():
                return all(self.is_of(one, kind, given) for one in node.elements)
            case c.SetFilter():
                domain = node.bound.domain
                return domain is not None and self.has_members(domain, kind, given)
            case c.SetMap(element=c.Builtin()):
                return self.is_of(node.element, kind, given)
            case c.Builtin(operator=O.CUP):
                return all(self.has_members(one, kind, given) for one in node.arguments)
            case c.Builtin(operator=O.CAP | O.SET_MINUS):
                return self.has_members(node.arguments[0], kind, given)
            case c.Builtin(operator=O.DOMAIN, arguments=(c.VariableRef() as function,)):
                return self._has_arguments(self._sorts.get(function.name), kind)
            case c.Builtin():
                return _MEMBERS.get(node.operator) is kind
            case c.VariableRef():
                sort = self._sorts.get(node.name)
                sets = SetSort | KeyedSetSort | BoundedSetSort
                return isinstance(sort, sets) and kind.is_of(sort.element)
            case c.ConstantRef():
                held = self._constant(node)
                return isinstance(held, frozenset) and all(map(kind.has, held))
            case c.If():
                ways = (node.then, node.otherwise)
                return all(self.has_members(one, kind, given) for one in ways)
        inside = self._inside(node, given)
        return inside is not None and self.has_members(inside[0], kind, inside[1])

    def holds_sets(self, node: c.Expression) -> bool:
        """Tell whether an expression is surely a set of sets."""
        if isinstance(node, c.SetMap):
            return self.is_of(node.element, Kind.SET, {})
        return self.has_members(node, Kind.SET, {})

    def runs_over(self, bound: c.Bound, place: int, kind: Kind) -> bool:
        """Tell whether a bound variable is surely of a kind."""
        match bound.domain:
            case None:
                return False
            case c.Product(factors=factors) if bound.is_tuple:
                return self.has_members(factors[place], kind, {})
        return not bound.is_tuple and self.has_members(bound.domain, kind, {})

    def _has_arguments(self, sort: Sort | None, kind: Kind) -> bool:
        match sort:
            case SequenceSort():
                return kind is Kind.NUMBER
            case MapSort():
                return kind.is_of(sort.key)
        return False

    def _inside(self, node: c.Expression, given: Given) -> tuple[c.Expression, Given] | None:
        """Return what an expression has the value of, with the arguments of calls there."""
        match node:
            case c.Let():
                return node.body, given
            case c.Prime():
                return node.operand, given
            case c.MiddleRef():
                return node.after, given
            case c.HiddenRef():
                return node.variable.expression, given
            case c.LocalRef() if node.binding in given:
                argument = given[node.binding]
                return argument.expression, argument.given
            case c.Call() if not node.definition.is_recursive:
                arguments = (Argument(one, given) for one in node.arguments)
                lent = zip(node.definition.parameters, arguments, strict=True)
                return node.definition.body, {**given, **dict(lent)}
        return None

    def _constant(self, node: c.ConstantRef) -> Lazy:
        try:
            return self._constants.constant_named(node.name)
        except (NotConstant, Undetermined):
            return None


_MEMBERS: dict[O, Kind] = {
    **dict.fromkeys((O.INTERVAL, O.NAT, O.INT), Kind.NUMBER),
    O.BOOLEAN: Kind.TRUTH,
    O.POWER_SET: Kind.SET,
}
"""Of what kind the members are of the set that an operator makes."""
