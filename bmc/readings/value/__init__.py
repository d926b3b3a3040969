"""The `value` reading: terms evaluated on concrete states.

It is written from the language's meaning alone, shares no code with the symbolic readings, and
judges them: every counterexample is replayed here before anybody sees it.

A file of rules for each kind of sort; no symbolic reading may be imported here.
"""

from bmc.lang.operator_table import OPERATORS, require_rules

# The files of rules fill the table when they are imported.
from bmc.readings.value import binders, scalars, sequences, sets, structures
from bmc.readings.value.evaluator import RULES, ConcreteState, Environment, Evaluator
from bmc.readings.value.interpreter import Interpreter, Successor

require_rules("value", RULES, OPERATORS.keys())

__all__ = [
    "RULES",
    "ConcreteState",
    "Environment",
    "Evaluator",
    "Interpreter",
    "Successor",
    "binders",
    "scalars",
    "sequences",
    "sets",
    "structures",
]
