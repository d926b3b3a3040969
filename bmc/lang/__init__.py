"""The language protocols are written in: sorts, terms, states, actions, properties.

A description made of these is symbolic in its parameters and knows nothing of how it will be
read. No solver, no concrete state and no search may be mentioned here. The words that make terms
are those of :mod:`bmc.lang.words`.
"""

from bmc.lang import words
from bmc.lang.aliases import alias
from bmc.lang.bounds import Bound
from bmc.lang.drawing import Card, Drawing, Inbox, Log, Messages, lifeline, lifelines, logs
from bmc.lang.errors import (
    BmcError,
    BoundTooSmall,
    LanguageError,
    ParameterError,
    SortError,
    UnknownName,
)
from bmc.lang.operators import operator
from bmc.lang.parameters import Amount, Parameter
from bmc.lang.properties import invariant, lemma, step_invariant, witness
from bmc.lang.protocol import History, Monitor, Protocol, Variable, action, after, one_of
from bmc.lang.sorts import (
    BOOL,
    BoundedSet,
    EnumSort,
    Integer,
    KeyedSetSort,
    MapSort,
    OptionSort,
    Record,
    Scalarset,
    Sequence,
    SetSort,
    Sort,
    Variant,
)
from bmc.lang.state import State, Step
from bmc.lang.suite import Suite, Unreached
from bmc.lang.terms import Expr, Operand, Term
from bmc.lang.words import *

__all__ = [
    *words.__all__,
    "BOOL",
    "Amount",
    "BmcError",
    "Bound",
    "BoundTooSmall",
    "BoundedSet",
    "Card",
    "Drawing",
    "EnumSort",
    "Expr",
    "History",
    "Inbox",
    "Integer",
    "KeyedSetSort",
    "LanguageError",
    "Log",
    "MapSort",
    "Messages",
    "Monitor",
    "Operand",
    "OptionSort",
    "Parameter",
    "ParameterError",
    "Protocol",
    "Record",
    "Scalarset",
    "Sequence",
    "SetSort",
    "Sort",
    "SortError",
    "State",
    "Step",
    "Suite",
    "Term",
    "UnknownName",
    "Unreached",
    "Variable",
    "Variant",
    "action",
    "after",
    "alias",
    "invariant",
    "lemma",
    "lifeline",
    "lifelines",
    "logs",
    "one_of",
    "operator",
    "step_invariant",
    "witness",
]
