"""Symmetry breaking on paths: members of a scalarset are first chosen in their order.

Renaming the members of scalarsets maps executions to executions, and a violation to a violation,
since the language has no constants of them. So of all images of an execution it is enough to
look at one in which member ``i+1`` is an argument of an action only after member ``i`` was (value
precedence; Law and Lee, *Global constraints for integer and set value precedence*, 2004).
Arguments are read in order within a step. Only paths from initial states may be cut down so:
what is asserted beside must be symmetric itself, as all instances of a lemma together are.
"""

from __future__ import annotations

from bmc.solving.interface import Handle
from bmc.system.transition import Rule, TransitionSystem, members
from bmc.system.unrolling import Unrolling

Member = tuple[str, int]


class Precedence:
    """Asserts, step by step of an unrolling that starts initially, that choices come in order."""

    def __init__(self, unrolling: Unrolling) -> None:
        self._unrolling = unrolling
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
                if number and before not in here:
                    earlier = [self._used[before]] if before in self._used else []
                    solver.clause(solver.negation(selector), *earlier)
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
