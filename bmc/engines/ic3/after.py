"""Formulas about the state after a rule, as formulas about the state before it."""

from __future__ import annotations

from bmc.readings.circuit import Node, Substitution
from bmc.system.transition import Rule, TransitionSystem


class After:
    """Weakest preconditions of single rules, by substitution.

    They are exact where the rule is taken: a rule is a function of the state before it.
    """

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._before: dict[int, Substitution] = {}
        self._taken: dict[int, Node] = {}

    def taken(self, rule: int) -> Node:
        """That the rule can be taken: enabled, within bounds, to a state inside the constraint."""
        found = self._taken.get(rule)
        if found is None:
            system = self._system
            chosen = system.rules[rule]
            c = system.circuit
            inside = self.node(system.constraint, rule)
            found = self._taken[rule] = c.and_(chosen.guard, c.not_(chosen.overflow), inside)
        return found

    def node(self, node: Node, rule: int) -> Node:
        """The formula before the rule that says what ``node`` says after it."""
        found = self._before.get(rule)
        if found is None:
            updates = self._system.rules[rule].updates
            found = self._before[rule] = Substitution.by_index(self._system.circuit, updates)
        return found(node)

    def across(self, node: Node, rule: int) -> Node:
        """A formula over both states of a step (``n .. 2n-1`` are the scalars after it)."""
        chosen: Rule = self._system.rules[rule]
        shift = len(self._system.leaves)
        values = {
            index + shift: chosen.updates.get(index, self._system.leaf_node(index))
            for index in range(shift)
        }
        return Substitution.by_index(self._system.circuit, values)(node)
