"""Expansion: terms to shapes over a circuit, at one choice of parameters.

Every result comes with a Bool node that says where it is *defined*: where no partial operator
was read outside its domain. The node follows the order in which the `value` reading reads, so
both agree on what "bound too small" means.

A file of rules for each kind of sort; solvers are out of sight here.
"""

from bmc.lang.operator_table import OPERATORS, require_rules

# The files of rules fill the table when they are imported.
from bmc.readings.expand import binders, scalars, sequences, sets, structures
from bmc.readings.expand.expander import RULES, Expanded, Expander

require_rules("circuit", RULES, OPERATORS.keys())

__all__ = [
    "RULES",
    "Expanded",
    "Expander",
    "binders",
    "scalars",
    "sequences",
    "sets",
    "structures",
]
