"""The `quantified` reading: terms as first-order formulas, at no particular parameter values.

Scalarsets become uninterpreted sorts, integers stay integers between symbolic bounds, maps become
functions and sets predicates. Nothing here knows a solver, a proof obligation or a search.
"""

from bmc.lang.operator_table import OPERATORS, require_rules

# The files of rules fill the table when they are imported.
from bmc.readings.quantified import collections, scalars
from bmc.readings.quantified.reader import RULES

require_rules("first-order", RULES, [n for n, row in OPERATORS.items() if row.first_order])

__all__ = ["RULES", "collections", "scalars"]
