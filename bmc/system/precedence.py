"""Symmetry breaking on paths: members of a scalarset are first chosen in their order.

Renaming the members of scalarsets maps executions to executions, and a violation to a violation,
since the language has no constants of them. So of all images of an execution it is enough to
look at one in which member ``i+1`` is an argument of an action only after member ``i`` was (value
precedence; Law and Lee, *Global constraints for integer and set value precedence*, 2004).
Arguments are read in order within a step. What is asserted of the path beside must be symmetric
itself, as Init is, and as all instances of a lemma together are. What is asked at its end may name
members too: they count as chosen before the first step.
"""

from __future__ import annotations

from collections.abc import Mapping

from bmc.lang.properties import Property
from bmc.layout.renaming import members
from bmc.solving.interface import Handle
from bmc.system.transition import Instance, Rule, TransitionSystem
from bmc.system.unrolling import Unrolling

Member = tuple[str, int]


class Precedence:
    """Asserts, step by step of an unrolling, that choices come in order.

    ``named`` says of scalarsets how many of their members, the first ones, are chosen before the
    first step. With ``when`` the order is kept only where that holds.
    """

    def __init__(
        self,
        unrolling: Unrolling,
        named: Mapping[str, int] | None = None,
        when: Handle | None = None,
    ) -> None:
        self._unrolling = unrolling
        self._named = named or {}
        self._unless = [] if when is None else [unrolling.solver.negation(when)]
        self._chosen = [_chosen(unrolling.system, rule) for rule in unrolling.system.rules]
        self._used: dict[Member, Handle] = {}

    def step(self, k: int) -> None:
        """Constrain the step from frame ``k``, which has been added; steps come in order."""
        solver = self._unrolling.solver
        selectors = self._unrolling.frames[k].selectors
        takers: dict[Member, list[Handle]] = {}
        for selector, chosen in zip(selectors, self._chosen, strict=True):
            here: set[Member] = set()
            for sort, number in chosen:
                before = sort, number - 1
                if number > self._named.get(sort, 0) and before not in here:
                    earlier = [self._used[before]] if before in self._used else []
                    solver.clause(*self._unless, solver.negation(selector), *earlier)
                here.add((sort, number))
            for member in here:
                takers.setdefault(member, []).append(selector)
        for member, found in takers.items():
            used = solver.boolean()
            earlier = [self._used[member]] if member in self._used else []
            solver.clause(solver.negation(used), *found, *earlier)
            self._used[member] = used


def _chosen(system: TransitionSystem, rule: Rule) -> list[Member]:
    """The members that a rule's arguments name, in order of the arguments."""
    action = next(a for a in system.model.actions if a.name == rule.action)
    sorts = {a.name: a.variable.sort for a in action.arguments}
    return [
        (sort.name, number)
        for name, value in rule.arguments.items()
        for sort, number in members(sorts[name], value)
    ]


def named(stated: Property, instance: Instance) -> dict[str, int]:
    """By scalarset, how many members a representative instance names; they are the first ones."""
    found: dict[str, int] = {}
    for argument, value in zip(stated.arguments, instance.arguments, strict=True):
        for sort, number in members(argument.sort, value):
            found[sort.name] = max(found.get(sort.name, 0), number + 1)
    return found
