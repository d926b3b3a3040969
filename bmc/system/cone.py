"""The cone of influence: the scalars of the state that can matter to a question.

Whether an execution exists depends on what guards, bounds and the state constraint read, and on
what decides the values of those scalars; the question reads others beside. A scalar that none of
them reads, directly or through an update, is written and never asked for. It can be left out of a
search and of an induction: a rule's guard never speaks of it, so the executions that are left
are those of the whole system with this scalar forgotten. (A guard that is *dropped* would allow
more, which is why everything that any guard reads is in the cone.) The values of what was left
out are found again by taking the rules of the path.

See Clarke, Grumberg, Peled, *Model Checking*, 1999, section 13.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from bmc.readings.circuit import Node, scalars_read
from bmc.system.transition import TransitionSystem


class ConeOfInfluence:
    """What can matter in a system, to be asked for several questions."""

    def __init__(self, system: TransitionSystem) -> None:
        self._count = len(system.leaves)
        self._behind = _dependencies(system)
        roots = [system.constraint]
        roots += [node for rule in system.rules for node in (rule.guard, rule.overflow)]
        roots += [guard for guard, _ in system.starts]
        self._always = self._closed(scalars_read(roots))

    def of(self, asked: Iterable[Node]) -> frozenset[int]:
        """Return the leaves, by index, that can matter to nodes over the state.

        ``asked`` may read the state after a step too. A condition of the sorts that ties two
        scalars together keeps both or none.
        """
        if len(self._always) == self._count:
            return self._always
        return self._closed(self._always | {n % self._count for n in scalars_read(asked)})

    def _closed(self, found: AbstractSet[int]) -> frozenset[int]:
        reached = set(found)
        waiting = list(reached)
        while waiting:
            new = self._behind[waiting.pop()] - reached
            reached |= new
            waiting += new
        return frozenset(reached)


def _dependencies(system: TransitionSystem) -> list[set[int]]:
    """By leaf, the leaves that its next or first value reads, or that its sort ties it to."""
    writing: list[list[Node]] = [[] for _ in system.leaves]
    for updates in [rule.updates for rule in system.rules] + [start for _, start in system.starts]:
        for index, node in updates.items():
            writing[index].append(node)
    behind = [scalars_read(nodes) for nodes in writing]
    for condition in system.sort_conditions:
        tied = scalars_read([condition])
        for index in tied:
            behind[index] |= tied
    return behind
