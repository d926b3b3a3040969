"""The language protocols are written in: sorts, terms, states, actions, properties.

A description made of these is symbolic in its parameters and knows nothing of how it will be
read. No solver, no concrete state and no search may be mentioned here. The words at the end mean
what :mod:`bmc.lang.build` makes.
"""

from bmc.lang import build, terms
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
from bmc.lang.terms import Expr, Handle, Operand, Term
from bmc.lang.words import word

TRUE, FALSE = Handle(build.TRUE), Handle(build.FALSE)

coerce = word(terms.coerce)
integer = word(terms.integer)
append = word(build.append)
at = word(build.at)
choose = word(build.choose)
conj = word(build.conj)
disj = word(build.disj)
empty = word(build.empty)
everything = word(build.everything)
exists = word(build.exists)
filtered = word(build.filtered)
first = word(build.first)
forall = word(build.forall)
implies = word(build.implies)
inject = word(build.inject)
insert = word(build.insert)
is_case = word(build.is_case)
is_none = word(build.is_none)
is_some = word(build.is_some)
ite = word(build.ite)
last = word(build.last)
lookup = word(build.lookup)
mapping = word(build.mapping)
maximum = word(build.maximum)
member = word(build.member)
minimum = word(build.minimum)
one = word(build.one)
payload = word(build.payload)
record = word(build.record)
remove = word(build.remove)
size = word(build.size)
some = word(build.some)
tail = word(build.tail)
take = word(build.take)
the = word(build.the)
union_of = word(build.union_of)

__all__ = [
    "BOOL",
    "FALSE",
    "TRUE",
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
    "append",
    "at",
    "choose",
    "coerce",
    "conj",
    "disj",
    "empty",
    "everything",
    "exists",
    "filtered",
    "first",
    "forall",
    "implies",
    "inject",
    "insert",
    "integer",
    "invariant",
    "is_case",
    "is_none",
    "is_some",
    "ite",
    "last",
    "lemma",
    "lifeline",
    "lifelines",
    "logs",
    "lookup",
    "mapping",
    "maximum",
    "member",
    "minimum",
    "one",
    "one_of",
    "operator",
    "payload",
    "record",
    "remove",
    "size",
    "some",
    "step_invariant",
    "tail",
    "take",
    "the",
    "union_of",
    "witness",
]
