"""Two ways to take a step as one, where they only differ in what the variables become.

`IF p THEN x' = a ELSE x' = b` is `x' = IF p THEN a ELSE b`. Each way is a ground rule for each
choice of the arguments before it, and what follows is translated for each way: six such conditions
behind a choice of a message make 64 rules for every message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bmc.frontends.tla.forms import count, listable
from bmc.frontends.tla.layout import Layout
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.formulas import decided
from bmc.frontends.tla.translate.kinds import capacity
from bmc.frontends.tla.translate.lazy import Formula, Lazy
from bmc.frontends.tla.translate.translator import Context
from bmc.lang.model import Argument
from bmc.lang.terms import Term

FEW = 256
"""Choices of arguments for which each way is a rule of its own, which a trace can name."""


def many_choices(arguments: tuple[Argument, ...], layout: Layout) -> bool:
    """Tell whether there are so many choices of arguments that ways are worth merging."""
    found = 1
    for one in arguments:
        if one.collection is not None:
            found *= capacity(one.collection.sort, layout)
        elif listable(one.variable.sort):
            found *= count(one.variable.sort)
    return found > FEW


def merged(
    expressions: Expressions,
    condition: Formula,
    then: tuple[Context, Context],
    otherwise: tuple[Context, Context],
    before: Context,
) -> Context | None:
    """Return two ways as one; None where one of them chooses or asks what the other does not.

    Each is given as it is behind the condition and at its end.
    """
    if not isinstance(condition, Term):
        return None
    ways = [end for _, end in (then, otherwise)]
    if any(len(one.arguments) != len(before.arguments) for one in ways):
        return None
    if ways[0].updates.keys() != ways[1].updates.keys():
        return None
    asked = [end.guards[len(start.guards) :] for start, end in (then, otherwise)]
    if not all(_only_asks(guard) for guards in asked for guard in guards):
        return None
    first, second = map(expressions.all_of, asked)
    read = (
        expressions.settled(True, condition),
        expressions.implied(condition, lambda: first),
        expressions.implied(expressions.negated(condition), lambda: second),
    )
    guards = tuple(expressions.term(one) for one in read if one is not True)
    updates = _either(expressions, condition, ways[0].updates, ways[1].updates)
    return replace(before, guards=(*before.guards, *guards), updates=updates)


def _only_asks(guard: Term) -> bool:
    """Tell whether a guard is true wherever it has a value, as what a step reads is."""
    match guard.op:
        case "and":
            return all(map(_only_asks, guard.args))
        case "implies":
            return _only_asks(guard.args[1])
        case "the":
            return guard.args[0].op == "none"
    return decided(guard) is True


def _either(
    expressions: Expressions,
    condition: Term,
    then: Mapping[str, Lazy],
    otherwise: Mapping[str, Lazy],
) -> Mapping[str, Lazy]:
    return {
        name: value
        if value is otherwise[name]
        else expressions.conditional(condition, value, otherwise[name])
        for name, value in then.items()
    }
