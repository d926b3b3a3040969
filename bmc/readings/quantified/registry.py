"""How operators are read: a rule for each, registered by the modules that hold the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bmc.lang.operator_table import OperatorName
from bmc.lang.sorts import BoolSort
from bmc.lang.terms import Term
from bmc.readings.quantified.formulas import FALSE, Expression
from bmc.readings.quantified.structures import ABSENT, Structure

if TYPE_CHECKING:
    from bmc.readings.quantified.reader import Reader


@dataclass(frozen=True)
class Read:
    """A structure and where it is defined."""

    value: Structure
    defined: Expression


Environment = Mapping[Term, Structure]
Rule = Callable[["Reader", Term, Environment], Read]
RULES: dict[OperatorName, Rule] = {}


def rule(*ops: OperatorName) -> Callable[[Rule], Rule]:
    """Register how operators are read."""

    def register(function: Rule) -> Rule:
        for op in ops:
            RULES[op] = function
        return function

    return register


def truth_of(value: Structure) -> Expression:
    """A truth value, also where nothing was read: there, the term is not defined."""
    return FALSE if value is ABSENT else value


def of_nothing(term: Term, parts: Sequence[Structure], defined: Expression) -> Read | None:
    """What an operator gives that reads something absent: there, the term is not defined."""
    if not any(part is ABSENT for part in parts):
        return None
    return Read(FALSE if isinstance(term.sort, BoolSort) else ABSENT, defined)
