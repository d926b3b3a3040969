"""The judge's own construction of a step: a number chooses the rule, each scalar is a conditional.

Engines build their steps as relations (:mod:`bmc.system.unrolling`); nothing of that is used here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from bmc.readings.circuit import Node, scalars_read
from bmc.solving.interface import Handle, Solver, Translation
from bmc.system.transition import Rule, TransitionSystem


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
        self._chosen_rules: list[Handle] = []
        self.read = Translation(solver, self.handles)
        self.solver.add(self.is_state())
        self.solver.add(self.read(self.system.constraint))

    def is_state(self) -> Handle:
        """That the scalars are those of a state: in range, and canonical."""
        return self._all(
            [self.read(self.system.well_formed), *self._in_range(dict(enumerate(self.handles)))]
        )

    def into_a_state(self, rule: Rule) -> Handle:
        """That ``rule``, where it can be taken in the last state, leads to a state.

        Only what speaks of a scalar that the rule writes is looked at: the rest holds of the last
        state, which is one. A state that the state constraint forbids is none that is led to.
        """
        solver, system = self.solver, self.system
        after = list(self.handles)
        for index, node in rule.updates.items():
            after[index] = self.read(node)
        reached = Translation(solver, after)
        written = {part.uid: part for i in rule.updates for part in self._speaking_of.get(i, ())}
        is_state = [reached(part) for part in written.values()]
        is_state += self._in_range({index: after[index] for index in rule.updates})
        refused = [rule.overflow, system.circuit.not_(rule.guard)]
        excuses = [*map(self.read, refused), solver.negation(reached(system.constraint))]
        return solver.any([*excuses, self._all(is_state or [solver.constant(True)])])

    @cached_property
    def _speaking_of(self) -> dict[int, list[Node]]:
        """By scalar, the conjuncts of being well formed that read it."""
        whole = self.system.well_formed
        found: dict[int, list[Node]] = {}
        for part in whole.args if whole.op == "and" else [whole]:
            for index in scalars_read([part]):
                found.setdefault(index, []).append(part)
        return found

    def _in_range(self, handles: Mapping[int, Handle]) -> list[Handle]:
        true, solver = self.system.circuit.true, self.solver
        found = []
        for index, handle in handles.items():
            leaf = self.system.leaves[index]
            if not leaf.boolean:
                low, high = solver.number(leaf.low), solver.number(leaf.high)
                found.append(solver.apply("le", true, [low, handle]))
                found.append(solver.apply("le", true, [handle, high]))
        return found

    def _all(self, parts: Sequence[Handle]) -> Handle:
        whole = self.system.circuit.true
        return self.solver.apply("and", whole, parts) if len(parts) > 1 else parts[0]

    def advance(self) -> None:
        """Take one step: a number chooses the rule."""
        solver, rules = self.solver, self.system.rules
        choice = solver.integer(0, max(0, len(rules) - 1))
        after = list(self.handles)
        enabled: list[Handle] = []
        self._chosen_rules = [
            solver.equal(choice, solver.number(number), boolean=False)
            for number in range(len(rules))
        ]
        written: dict[int, dict[Node, list[Handle]]] = {}
        for rule, chosen in zip(rules, self._chosen_rules, strict=True):
            takes = self.system.circuit.and_(rule.guard, self.system.circuit.not_(rule.overflow))
            enabled.append(solver.any([solver.negation(chosen), self.read(takes)]))
            for index, node in rule.updates.items():
                written.setdefault(index, {}).setdefault(node, []).append(chosen)
        for index, nodes in written.items():
            for node, choices in nodes.items():
                # Rules that write the same are one condition: the chain is as long as it must be.
                after[index] = self._chosen(index, solver.any(choices), node, after[index])
        for condition in enabled or [solver.constant(False)]:
            solver.add(condition)
        self.before, self.handles = self.handles, after
        self.read = Translation(solver, after)
        solver.add(self.read(self.system.constraint))

    def last_by(self, rules: Collection[int]) -> Handle:
        """That the last step is taken by one of these rules, given by their positions."""
        chosen = self._chosen_rules
        if len(rules) == len(chosen):
            return self.solver.constant(True)
        return self.solver.any([chosen[rule] for rule in sorted(rules)])

    def _chosen(self, index: int, chosen: Handle, node: Node, otherwise: Handle) -> Handle:
        then = self.read(node)
        if not self.system.leaves[index].boolean:
            return self.solver.apply("ite", node, [chosen, then, otherwise])
        negated = self.solver.negation(chosen)
        yes, no = self.solver.any([negated, then]), self.solver.any([chosen, otherwise])
        return self.solver.apply("and", node, [yes, no])
