"""A guard as TLC is to read it.

TLC takes each disjunct of an action as a way to take a step and reads all of them, so that
``~is_case \\/ payload > 0`` has no value where the case is another. The condition of an IF is read
first, as the disjuncts of bmc are.
"""

from __future__ import annotations

from collections.abc import Sequence

from bmc.lang.build import TRUE
from bmc.lang.operator_table import OperatorName
from bmc.lang.sorts import BOOL
from bmc.lang.terms import Term, make, subterms
from bmc.reports.exports.tla.valued import has_marks

_PARTIAL: frozenset[OperatorName] = frozenset(
    {"the", "payload", "at", "tail", "take", "div", "mod", "choose"}
)
"""What ends TLC where it has no value."""


def read_in_order(guard: Term) -> Term:
    """Return a guard that means the same, in which no disjunct is read when an earlier one holds.

    It is one wherever TLC looks for disjuncts: in conjunctions, under quantifiers, behind ``=>``,
    in an IF and in what a function that is written out gives.
    """
    match guard.op:
        case "or" if any(map(_may_fail, guard.args[1:])):
            return _one_by_one(guard.args)
        case "and" | "or":
            args = [read_in_order(one) for one in guard.args]
        case "exists" | "forall" | "implies" | "lambda":
            args = [*guard.args[:-1], read_in_order(guard.args[-1])]
        case "select" if guard.args[0].op == "lambda":
            args = [read_in_order(guard.args[0]), guard.args[1]]
        case "ite":
            args = [guard.args[0], *map(read_in_order, guard.args[1:])]
        case _:
            return guard
    return make(guard.op, args, guard.sort, guard.data)


def _one_by_one(disjuncts: Sequence[Term]) -> Term:
    first, *others = disjuncts
    rest = _one_by_one(others) if len(others) > 1 else read_in_order(others[0])
    return make("ite", (first, TRUE, rest), BOOL)


def _may_fail(term: Term) -> bool:
    return has_marks(term) or any(one.op in _PARTIAL or _outside(one) for one in subterms([term]))


def _outside(term: Term) -> bool:
    """Whether a function is applied to a number that may be none of its arguments."""
    return term.op == "select" and term.args[1].op == "narrow"
