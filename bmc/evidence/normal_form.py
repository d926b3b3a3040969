"""Circuits in a form in which those of a renamed state mostly are the very nodes of the state.

An image of a state is made of conditionals (which name a member has now), and what a circuit makes
of them is larger than what it says. Here that is made small again, by three facts: the parts of a
conjunction are true and those of a disjunction false where the other parts are looked at; a number
has one value; and a member that was renamed to ``k`` is the one that ``k`` was made of. Where the
latter depends on what fills the place of an absent member, it is left to be shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bmc.readings.circuit import Circuit, Node, Substitution, evaluate, scalars_read
from bmc.system.transition import TransitionSystem

_DEPTH = 2
"""How far below the parts of a junction what is known of the others is looked for."""
_MOST_PASSES = 3


class NormalForm(Substitution):
    """Circuits in this form, with the nodes of ``image`` in the place of scalars (by index).

    ``to_show`` are circuits that have to be true in every state for the form to mean the same.
    """

    def __init__(self, system: TransitionSystem, image: Mapping[int, Node] | None = None) -> None:
        renamed = image or {}
        super().__init__(system.circuit, lambda variable: renamed.get(variable.data, variable))
        self.to_show: list[Node] = []
        for index, node in renamed.items():
            if not system.leaves[index].boolean:
                self._member(system, index, node)

    def _rebuilt(self, node: Node, args: Sequence[Node]) -> Node:
        return simplified(self._circuit, super()._rebuilt(node, args))

    def _member(self, system: TransitionSystem, index: int, node: Node) -> None:
        """Say of each number what it means that the image of a scalar has it."""
        c, leaf = self._circuit, system.leaves[index]
        there, renamed = c.true, node
        if node.op == "ite" and node.args[2].op == "ivar":
            # What stands in the place of an absent member stays.
            there, renamed, _ = node.args
        read = scalars_read([renamed])
        if len(read) != 1:
            return
        (source,) = read
        before = system.leaf_node(source)
        numbers = [0] * (source + 1)
        origins: dict[int, list[int]] = {}
        for numbers[source] in range(before.low, before.high + 1):
            origins.setdefault(evaluate([renamed], numbers)[0], []).append(numbers[source])
        for number in range(leaf.low, leaf.high + 1):
            atom = c.eq(system.leaf_node(index), c.number(number))
            if atom.op != "eq" or len(origins.get(number, ())) != 1:
                continue
            is_origin = c.eq(before, c.number(origins[number][0]))
            # A state has the first number where there is none.
            absent = c.not_(there)
            form = c.or_(absent, is_origin) if number == leaf.low else c.and_(there, is_origin)
            self._known[atom.uid] = form
            self.to_show.append(c.iff(form, c.eq(node, c.number(number))))


def simplified(circuit: Circuit, node: Node) -> Node:
    """Return a node that is true where ``node`` is, for all scalars in their ranges."""
    for _ in range(_MOST_PASSES):
        if node.op not in ("and", "or"):
            break
        before, node = node, _Junction(circuit, node).simplified()
        if node is before:
            break
    return node


class _Junction:
    """A conjunction or disjunction, and what is known while one of its parts is looked at.

    A part never stands in what stands in it, so that parts may be used for each other all at once:
    each follows from those that it contains.
    """

    def __init__(self, circuit: Circuit, node: Node) -> None:
        self._circuit, self._node = circuit, node
        self._truth: dict[int, bool] = {}
        self._value: dict[int, int] = {}
        is_and = node.op == "and"
        excluded: dict[int, set[int]] = {}
        for part in node.args:
            stated, true = (part.args[0], not is_and) if part.op == "not" else (part, is_and)
            self._truth[stated.uid] = true
            if is_number(stated):
                number, value = stated.args[0], stated.args[1].data
                if true:
                    self._value[number.uid] = value
                else:
                    excluded.setdefault(number.uid, set()).add(value)
        self._left: list[Node] = []
        """That a number has the only value that the parts leave it."""
        for part in node.args:
            stated = part.args[0] if part.op == "not" else part
            if is_number(stated) and stated.args[0].uid not in self._value:
                number = stated.args[0]
                left = set(range(number.low, number.high + 1)) - excluded[number.uid]
                if len(left) == 1:
                    (value,) = left
                    self._value[number.uid] = value
                    only = circuit.eq(number, circuit.number(value))
                    self._left.append(only if is_and else circuit.not_(only))

    def simplified(self) -> Node:
        c, node = self._circuit, self._node
        parts = [self._part(part) for part in node.args] + self._left
        same = not self._left and all(a is b for a, b in zip(parts, node.args, strict=True))
        if same:
            return node
        return c.all(parts) if node.op == "and" else c.any(parts)

    def _part(self, part: Node) -> Node:
        """Return a part as it is where the others are known."""
        stated = part.args[0] if part.op == "not" else part
        if is_number(stated):
            value = self._value.get(stated.args[0].uid)
            if value is None or value == stated.args[1].data:
                return part
            found = self._circuit.false
        elif stated.op in ("and", "or"):
            found = self._inside(stated, _DEPTH)
        else:
            return part
        return self._circuit.not_(found) if part.op == "not" else found

    def _inside(self, node: Node, depth: int) -> Node:
        """Return a junction whose own parts are looked at."""
        parts = [self._known(part, depth) for part in node.args]
        if all(a is b for a, b in zip(parts, node.args, strict=True)):
            return node
        return self._circuit.all(parts) if node.op == "and" else self._circuit.any(parts)

    def _known(self, node: Node, depth: int) -> Node:
        c, truth = self._circuit, self._truth.get(node.uid)
        if truth is not None:
            return c.constant(truth)
        if is_number(node):
            value = self._value.get(node.args[0].uid)
            return node if value is None else c.constant(value == node.args[1].data)
        if node.op == "not":
            found = self._known(node.args[0], depth)
            return node if found is node.args[0] else c.not_(found)
        if node.op in ("and", "or") and depth > 1:
            return self._inside(node, depth - 1)
        return node


def is_number(node: Node) -> bool:
    """Whether a node says that a scalar has a certain value."""
    return node.op == "eq" and node.args[0].op == "ivar" and node.args[1].op == "num"
