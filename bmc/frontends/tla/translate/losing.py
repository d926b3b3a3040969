"""What can leave an expression without a value."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from bmc.frontends.tla import core as c
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.free import Occurrences
from bmc.frontends.tla.translate.operands import CONNECTIVES, OF_SETS, TESTS
from bmc.frontends.tla.translate.wanted import (
    Surely,
    Wanted,
    bounds_of,
    may_be_no_tuple,
    operands,
    united,
)
from bmc.lang.sorts import OptionSort, Sort, VariantSort, parts

_SAFE = (TESTS | CONNECTIVES | OF_SETS) | {
    O.PLUS,
    O.MINUS,
    O.NEGATE,
    O.TIMES,
    O.INTERVAL,
    O.LEN,
    O.DOMAIN,
    O.BOOLEAN,
    O.STRING,
    O.NAT,
    O.INT,
    O.REAL,
    O.ANY,
}
"""Operators that have a value wherever their operands are of the kinds that they are for."""

ALONE = (
    c.BooleanLiteral
    | c.IntegerLiteral
    | c.StringLiteral
    | c.ModelValueLiteral
    | c.ConstantRef
    | c.VariableRef
)
"""Expressions that read no other, and have a value."""


class Losing(Occurrences[bool]):
    """Whether something occurs in an expression that can leave it without a value.

    What holds values of several kinds, or functions of several domains, can, as its sort says.
    """

    def __init__(self, sorts: Mapping[str, Sort], constants: Constants) -> None:
        super().__init__()
        self.wanted = Wanted()
        self._surely = Surely(sorts, constants)
        self._mixed = {name for name, sort in sorts.items() if mixed(sort)}

    def _here(self, node: c.Expression, inner: frozenset[bool]) -> frozenset[bool]:
        if True in inner or self.may_be_other(node) or any(map(may_be_no_tuple, bounds_of(node))):
            return frozenset({True})
        match node:
            case c.Call():
                calls = self._of_definition(node.definition)
                return inner | calls | ({True} if node.definition.is_recursive else set())
            case c.VariableRef():
                return inner | ({True} if node.name in self._mixed else set())
            case c.Builtin() if node.operator in _SAFE:
                return inner
            case (
                c.LocalRef()
                | c.ConstantRef()
                | c.BooleanLiteral()
                | c.IntegerLiteral()
                | c.StringLiteral()
                | c.ModelValueLiteral()
                | c.If()
                | c.Let()
                | c.Quantifier()
                | c.SetEnumeration()
                | c.SetFilter()
                | c.SetMap()
                | c.FunctionLiteral()
                | c.FunctionSet()
                | c.RecordLiteral()
                | c.RecordSet()
                | c.TupleLiteral()
                | c.Product()
                | c.Prime()
            ):
                return inner
        return inner | {True}

    def may_be_other(self, node: c.Expression) -> bool:
        """Tell whether something in an expression may be of another kind than it has to be.

        Of a name that is bound elsewhere whoever knows what it holds has to ask.
        """
        asked = chain(operands(node), self.wanted.given(node) if isinstance(node, c.Call) else ())
        return any(
            not isinstance(one, c.LocalRef) and not self._surely.is_of(one, kind, {})
            for one, kind in asked
        ) or not (
            all(self._surely.runs_over(*one) for one in self.wanted.bound(node))
            and all(map(self._surely.holds_sets, united(node)))
        )


def mixed(sort: Sort) -> bool:
    """Tell whether values of a sort are of several kinds, or functions of several domains."""
    return isinstance(sort, OptionSort | VariantSort) or any(map(mixed, parts(sort)))


def needs_no_value(operator: O, operand: c.Expression) -> bool:
    """Tell whether an operator asks a function for no value: for a recursive one's domain."""
    while isinstance(operand, c.Call | c.Let):
        if isinstance(operand, c.Call) and operand.definition.is_recursive:
            return False
        operand = operand.body if isinstance(operand, c.Let) else operand.definition.body
    return operator is O.DOMAIN and isinstance(operand, c.RecursiveFunction)
