"""The judge's own construction of a step: a number chooses the rule, each scalar is a conditional.

Engines build their steps as relations (:mod:`bmc.system.unrolling`); nothing of that is used here.
"""

from __future__ import annotations

from bmc.readings.circuit import Node
from bmc.solving.interface import Handle, Solver, Translation
from bmc.system.transition import TransitionSystem


class SymbolicPath:
    """The scalars of the last state of a path, as terms over its first state and the choices."""

    def __init__(self, system: TransitionSystem, solver: Solver) -> None:
        self.system = system
        self.solver = solver
        self.handles: list[Handle] = [
            solver.boolean() if leaf.boolean else solver.integer(leaf.low, leaf.high)
            for leaf in system.leaves
        ]
        self.before: list[Handle] = []
        """The scalars of the state before the last one; none before the first step."""
        self.read = Translation(solver, self.handles)
        self.solver.add(self.is_state())
        self.solver.add(self.read(self.system.constraint))

    def is_state(self) -> Handle:
        """That the scalars are those of a state: in range, and canonical."""
        true = self.system.circuit.true
        parts = [self.read(self.system.well_formed)]
        for leaf, handle in zip(self.system.leaves, self.handles, strict=True):
            if not leaf.boolean:
                low, high = self.solver.number(leaf.low), self.solver.number(leaf.high)
                parts.append(self.solver.apply("le", true, [low, handle]))
                parts.append(self.solver.apply("le", true, [handle, high]))
        return self.solver.apply("and", true, parts) if len(parts) > 1 else parts[0]

    def advance(self) -> None:
        """Take one step: a number chooses the rule."""
        solver, rules = self.solver, self.system.rules
        choice = solver.integer(0, max(0, len(rules) - 1))
        after = list(self.handles)
        enabled: list[Handle] = []
        for number, rule in enumerate(rules):
            chosen = solver.equal(choice, solver.number(number), boolean=False)
            takes = self.system.circuit.and_(rule.guard, self.system.circuit.not_(rule.overflow))
            enabled.append(solver.any([solver.negation(chosen), self.read(takes)]))
            for index, node in rule.updates.items():
                after[index] = self._chosen(index, chosen, node, after[index])
        for condition in enabled or [solver.constant(False)]:
            solver.add(condition)
        self.before, self.handles = self.handles, after
        self.read = Translation(solver, after)
        solver.add(self.read(self.system.constraint))

    def _chosen(self, index: int, chosen: Handle, node: Node, otherwise: Handle) -> Handle:
        then = self.read(node)
        if not self.system.leaves[index].boolean:
            return self.solver.apply("ite", node, [chosen, then, otherwise])
        negated = self.solver.negation(chosen)
        yes, no = self.solver.any([negated, then]), self.solver.any([chosen, otherwise])
        return self.solver.apply("and", node, [yes, no])
