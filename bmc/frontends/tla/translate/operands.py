"""The built-in operators by what they are for: sets, numbers, truths, functions or sequences."""

from __future__ import annotations

from bmc.frontends.tla.operators import Operator as O

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
    O.SORT_SEQ: 1,
    O.CONCATENATE: 2,
}
"""The operators whose first operands are sequences, and how many of them are."""
