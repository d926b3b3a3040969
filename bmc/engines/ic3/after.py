"""Formulas about the state after a rule, as formulas about the state before it."""

from __future__ import annotations

from collections.abc import Mapping

from bmc.readings.circuit import Node, cone
from bmc.system.transition import Rule, TransitionSystem

_CONSTRUCTORS = {
    "not": "not_",
    "and": "and_",
    "or": "or_",
    "iff": "iff",
    "eq": "eq",
    "le": "le",
    "ite": "ite",
    "add": "add",
    "sub": "sub",
}


class After:
    """Weakest preconditions of single rules, by substitution.

    They are exact where the rule is taken: a rule is a function of the state before it.
    """

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._known: dict[int, dict[int, Node]] = {}
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
        known = self._known.setdefault(rule, {})
        if node.uid not in known:
            self._substitute(node, self._system.rules[rule].updates, known)
        return known[node.uid]

    def across(self, node: Node, rule: int) -> Node:
        """A formula over both states of a step (``n .. 2n-1`` are the scalars after it)."""
        chosen: Rule = self._system.rules[rule]
        shift = len(self._system.leaves)
        values = {
            index + shift: chosen.updates.get(index, self._system.leaf_node(index))
            for index in range(shift)
        }
        known: dict[int, Node] = {}
        self._substitute(node, values, known)
        return known[node.uid]

    def _substitute(self, root: Node, values: Mapping[int, Node], known: dict[int, Node]) -> None:
        for node in cone([root]):
            if node.uid in known:
                continue
            if node.op in ("var", "ivar"):
                known[node.uid] = values.get(node.data, node)
            elif not node.args:
                known[node.uid] = node
            else:
                make = getattr(self._system.circuit, _CONSTRUCTORS[node.op])
                known[node.uid] = make(*(known[part.uid] for part in node.args))
