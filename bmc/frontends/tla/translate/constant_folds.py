"""In which order MapThenFoldSet takes the members of a set: its `choose` says it."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.errors import Span, TlaUnsupported
from bmc.frontends.tla.translate.constant_sets import ConstantSets, NotConstant, Undetermined
from bmc.frontends.tla.translate.lazy import Closure

MOST_SUBSETS = 10
"""The most possible members of a set that varies, each subset of which is asked what it loses."""


def taken_in_turn(run: ConstantSets, choose: Any, members: frozenset[Any], span: Span) -> list[Any]:
    """Return the members of a set as `choose` takes one after the other, the first one first.

    Raises NotConstant where `choose` reads a state, and Undetermined where it takes no member.
    """
    if _takes_first(choose):
        return list(v.ordered(members))
    order: list[Any] = []
    while members:
        order.append(_taken(run, choose, members, span))
        members -= {order[-1]}
    return order


def chosen_order(run: ConstantSets, choose: Any, possible: list[Any], span: Span) -> list[Any]:
    """Return the possible members of a set, so that each set of them loses them in this order.

    Raises TlaUnsupported where there is no such order, or none that can be told.
    """
    whole = frozenset(possible)
    try:
        order = taken_in_turn(run, choose, whole, span)
        if _takes_first(choose) or _is_order(run, choose, order, span):
            return order
    except (NotConstant, Undetermined):
        pass
    raise TlaUnsupported(
        span,
        "a fold over a set that varies in an order that is not known to be the same for all its "
        "subsets is not supported",
        "Let it choose by `LAMBDA s : CHOOSE x \\in s : TRUE`, or fold a sequence by FoldLeft.",
    )


def _is_order(run: ConstantSets, choose: Any, order: list[Any], span: Span) -> bool:
    """Tell whether each subset loses the member that comes first of all its members."""
    if len(order) > MOST_SUBSETS:
        return False
    subsets = (s for size in range(1, len(order)) for s in combinations(order, size))
    return all(_taken(run, choose, frozenset(s), span) == s[0] for s in subsets)


def _taken(run: ConstantSets, choose: Any, members: frozenset[Any], span: Span) -> Any:
    taken = run.applied(choose, [members], span)
    if taken not in members:
        raise Undetermined(span, f"{v.show(taken)} is chosen, which is no member")
    return taken


def _takes_first(choose: Any) -> bool:
    """Tell whether it is `LAMBDA s : CHOOSE x \\in s : TRUE`, which takes the first in order."""
    if not isinstance(choose, Closure) or not isinstance(choose.body, c.Choose):
        return False
    bound, test = choose.body.bound, choose.body.body
    return (
        isinstance(bound.domain, c.LocalRef)
        and bound.domain.binding is choose.parameters[0]
        and not bound.is_tuple
        and isinstance(test, c.BooleanLiteral)
        and test.value
    )
