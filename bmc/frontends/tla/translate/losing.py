"""What can leave an expression without a value."""

from __future__ import annotations

from collections.abc import Mapping

from bmc.frontends.tla import core as c
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.free import Occurrences
from bmc.lang.sorts import (
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    Sort,
    VariantSort,
    parts,
)

TESTS = frozenset(
    {
        O.EQUAL,
        O.EQUIVALENT,
        O.NOT_EQUAL,
        O.IN,
        O.NOT_IN,
        O.SUBSET_EQUAL,
        O.LESS,
        O.LESS_EQUAL,
        O.GREATER,
        O.GREATER_EQUAL,
        O.IS_FINITE_SET,
    }
)
"""The operators that make a truth of values, all of which they read."""

CONNECTIVES = frozenset({O.AND, O.OR, O.IMPLIES, O.NOT})

OF_SETS = frozenset(
    {
        O.CUP,
        O.CAP,
        O.SET_MINUS,
        O.UNION,
        O.CARDINALITY,
        O.IS_FINITE_SET,
        O.SUBSET_EQUAL,
        O.POWER_SET,
        O.SEQ,
    }
)
"""The operators whose operands are sets, and have no value of others."""

OF_NUMBERS = frozenset(
    {
        O.PLUS,
        O.MINUS,
        O.NEGATE,
        O.TIMES,
        O.DIVIDE,
        O.MODULO,
        O.POWER,
        O.INTERVAL,
        O.LESS,
        O.LESS_EQUAL,
        O.GREATER,
        O.GREATER_EQUAL,
    }
)
"""The operators whose operands are numbers."""

OF_FUNCTIONS = {O.DOMAIN: 1, O.MERGE: 2}
"""The operators whose operands are functions, and how many of them are."""

OF_SEQUENCES = {
    O.LEN: 1,
    O.HEAD: 1,
    O.TAIL: 1,
    O.APPEND: 1,
    O.SUB_SEQ: 1,
    O.SELECT_SEQ: 1,
    O.CONCATENATE: 2,
}
"""The operators whose first operands are sequences, and how many of them are."""

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


class Losing(Occurrences[bool]):
    """Whether something occurs in an expression that can leave it without a value.

    What holds values of several kinds, or functions of several domains, can, as its sort says.
    """

    def __init__(self, sorts: Mapping[str, Sort]) -> None:
        super().__init__()
        self._sorts = sorts
        self._mixed = {name for name, sort in sorts.items() if mixed(sort)}

    def _here(self, node: c.Expression, inner: frozenset[bool]) -> frozenset[bool]:
        match node:
            case c.Builtin() if any(self._is_other(one, node.operator) for one in node.arguments):
                return inner | {True}
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

    def _is_other(self, operand: c.Expression, operator: O) -> bool:
        """Tell whether an operand may be of another kind than an operator is for, in any state."""
        wanted = _WANTED.get(operator)
        if wanted is None:
            return False
        if isinstance(operand, c.LocalRef):
            return wanted is _FUNCTIONS
        if isinstance(operand, c.VariableRef) and operand.name in self._sorts:
            return not isinstance(self._sorts[operand.name], wanted)
        return False


_FUNCTIONS = (MapSort, RecordSort, SequenceSort)
_WANTED: dict[O, tuple[type[Sort], ...]] = {
    **dict.fromkeys(OF_NUMBERS, (IntSort,)),
    **dict.fromkeys((O.DOMAIN, O.LEN), _FUNCTIONS),
}
"""Of operators that lose no value otherwise, the sorts that have what they are for."""


def mixed(sort: Sort) -> bool:
    """Tell whether values of a sort are of several kinds, or functions of several domains."""
    return isinstance(sort, OptionSort | VariantSort) or any(map(mixed, parts(sort)))
