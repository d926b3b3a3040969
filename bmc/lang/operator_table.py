"""Every operator of the language, in one table.

A term's ``op`` is an :data:`OperatorName`, so mypy refuses a name that is not here wherever one is
made or compared. Each reading hands its table of rules to :func:`require_rules` when it is
imported: an operator that a reading forgets is an import that fails, not a failure at run time.

To add an operator: its name and its row here, a function that builds it in :mod:`bmc.lang.build`
and its word in :mod:`bmc.lang`, a rule in :mod:`bmc.readings.value`, one in
:mod:`bmc.readings.expand` and one, written without a look at that, in
:mod:`bmc.evidence.independent`; one in :mod:`bmc.readings.quantified` too, unless its row says that
it has no first-order reading, and one in :mod:`bmc.reports.exports.tla` where TLA+ has no sign for
it. What comes as data is asked of the function (:mod:`bmc.lang.well_sorted`).
:mod:`bmc.readings.compiled` may have a rule, which is quicker than the interpreter's; reports write
it as its row says.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Literal, get_args

from bmc.lang.errors import LanguageError

OperatorName = Literal[
    "bool",
    "int",
    "enum",
    "bound",
    "variable",
    "bound_variable",
    "narrow",
    "not",
    "and",
    "or",
    "implies",
    "ite",
    "eq",
    "le",
    "lt",
    "add",
    "sub",
    "mul",
    "div",
    "mod",
    "none",
    "some",
    "is_none",
    "the",
    "record",
    "field",
    "with_field",
    "inject",
    "is_case",
    "payload",
    "select",
    "store",
    "empty",
    "full",
    "insert",
    "remove",
    "union",
    "intersection",
    "difference",
    "subset",
    "member",
    "lookup",
    "size",
    "append",
    "at",
    "tail",
    "take",
    "forall",
    "exists",
    "lambda",
    "filter",
    "choose",
    "last",
    "first",
    "union_of",
]


class SymmetryRule(Enum):
    """What an operator does to the symmetry of scalarsets (Ip and Dill 1996)."""

    RESPECTED = "commutes with every renaming of members"
    CONSTANT = "names a value of its own sort"
    CHOICE = "chooses by an order of its first argument's sort"


MANY = sys.maxsize


@dataclass(frozen=True)
class Operator:
    """What is known of an operator beside its meaning.

    It takes ``least`` arguments, and up to ``more`` further ones. The first argument of a
    ``binder`` is a bound variable; it scopes over all arguments but the domain, which stands
    second when the binder runs over a set. ``infix`` is TLA+'s sign and how tightly it binds;
    ``call`` the name by which an application is written that has no notation of its own.
    ``python`` is how a protocol writes it: Python's sign between two arguments, or a word of
    :mod:`bmc.lang` before them; None where the sort or the data are written as well.
    """

    least: int
    more: int = 0
    binder: bool = False
    symmetry: SymmetryRule = SymmetryRule.RESPECTED
    first_order: bool = True
    infix: tuple[str, int] | None = None
    call: str | None = None
    python: str | None = None


OPERATORS: Mapping[OperatorName, Operator] = {
    # Constants and variables.
    "bool": Operator(0),
    "int": Operator(0, symmetry=SymmetryRule.CONSTANT),
    "enum": Operator(0, symmetry=SymmetryRule.CONSTANT),
    "bound": Operator(0, symmetry=SymmetryRule.CONSTANT),
    "variable": Operator(0),
    "bound_variable": Operator(0),
    "narrow": Operator(1, symmetry=SymmetryRule.CONSTANT),
    # Truth values and integers.
    "not": Operator(1),
    "and": Operator(0, more=MANY, infix=("/\\", 2), python="conj"),
    "or": Operator(0, more=MANY, infix=("\\/", 1), python="disj"),
    "implies": Operator(2, infix=("=>", 0), python="implies"),
    "ite": Operator(3, python="ite"),
    "eq": Operator(2, infix=("=", 4), python="=="),
    "le": Operator(2, infix=("<=", 4), python="<="),
    "lt": Operator(2, infix=("<", 4), python="<"),
    "add": Operator(2, infix=("+", 6), python="+"),
    "sub": Operator(2, infix=("-", 6), python="-"),
    "mul": Operator(2, infix=("*", 7), python="*"),
    # Solvers for all sizes decide sums, and no quotients.
    "div": Operator(2, first_order=False, infix=("\\div", 7), python="//"),
    "mod": Operator(2, first_order=False, infix=("%", 7), python="%"),
    # Options, records, variants, maps.
    "none": Operator(0),
    "some": Operator(1),
    "is_none": Operator(1, python="is_none"),
    "the": Operator(1, python="the"),
    "record": Operator(0, more=MANY),
    "field": Operator(1),
    "with_field": Operator(2),
    "inject": Operator(1),
    "is_case": Operator(1),
    "payload": Operator(1),
    "select": Operator(2),
    "store": Operator(3),
    # Sets and sequences.
    "empty": Operator(0),
    "full": Operator(0),
    "insert": Operator(2, python="insert"),
    "remove": Operator(2, python="remove"),
    "union": Operator(2, infix=("\\union", 5), python="|"),
    "intersection": Operator(2, infix=("\\intersect", 5), python="&"),
    "difference": Operator(2, infix=("\\", 5), python="-"),
    "subset": Operator(2, infix=("\\subseteq", 4), python="<="),
    "member": Operator(2, infix=("\\in", 4), python="member"),
    "lookup": Operator(2, call="Lookup", python="lookup"),
    "size": Operator(1, python="size"),
    "append": Operator(2, call="Append", python="append"),
    "at": Operator(2, python="at"),
    "tail": Operator(1, call="Tail", python="tail"),
    "take": Operator(2, call="Take", python="take"),
    # Binders.
    "forall": Operator(2, more=1, binder=True),
    "exists": Operator(2, more=1, binder=True),
    "lambda": Operator(2, binder=True),
    "filter": Operator(2, binder=True),
    "choose": Operator(2, binder=True, symmetry=SymmetryRule.CHOICE),
    "last": Operator(3, binder=True, symmetry=SymmetryRule.CHOICE),
    "first": Operator(3, binder=True, symmetry=SymmetryRule.CHOICE),
    # How many elements come together is a number, and first-order logic counts nothing.
    "union_of": Operator(2, more=1, binder=True, first_order=False),
}

if set(OPERATORS) != set(get_args(OperatorName)):
    raise LanguageError(
        "an operator's name and its row belong together: "
        f"{sorted(set(OPERATORS) ^ set(get_args(OperatorName)))}"
    )

BINDERS = frozenset(name for name, row in OPERATORS.items() if row.binder)
"""Operators whose first argument is a bound variable."""

OVER_SETS = frozenset(name for name, row in OPERATORS.items() if row.binder and row.more)
"""Binders that may run over a set, which then stands second."""


def require_operator(name: str, arguments: int) -> None:
    """LanguageError unless there is an operator of this name with so many arguments."""
    row = OPERATORS.get(name)  # type: ignore[call-overload]
    if row is None:
        raise LanguageError(f"there is no operator {name!r}: bmc.lang.operator_table lists all")
    if not row.least <= arguments <= row.least + row.more:
        most = "" if row.more == MANY else f" and at most {row.least + row.more}"
        raise LanguageError(
            f"{name} is given {arguments} arguments: it takes at least {row.least}{most}"
        )


def require_rules(reading: str, rules: Collection[str], names: Collection[OperatorName]) -> None:
    """LanguageError unless ``rules`` are exactly for ``names``.

    Readings call it when they are imported, so that one which forgets an operator cannot be used.
    """
    missing, unknown = set(names) - set(rules), set(rules) - set(names)
    if missing:
        raise LanguageError(f"the {reading} reading has no rule for {', '.join(sorted(missing))}")
    if unknown:
        raise LanguageError(
            f"the {reading} reading has a rule for {', '.join(sorted(unknown))}, which "
            "bmc.lang.operator_table does not give it"
        )
