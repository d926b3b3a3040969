"""That members of scalarsets can be interchanged, shown for the very circuits that are judged.

The language has no constants of a scalarset, so renaming its members maps every state to a state
and every step to a step (Ip and Dill, *Better verification through symmetry*, 1996). The judge does
not lean on that. For a renaming ``p``, given as a node for each scalar of the image, it shows of
every state ``s`` in range, canonical or not reachable as it may be:

1. ``p(s)`` is a state again, and satisfies Init and the state constraint where ``s`` does;
2. every instance ``i`` of a conjunct has an instance ``j`` with ``i(p(s)) = j(s)``, one to one;
3. every rule ``r`` has a rule ``q``: where ``r`` can be taken in ``s``, ``q`` can in ``p(s)``, and
   leads to the image of where ``r`` leads.

Then a counterexample to the induction (or to the initiation) of ``j`` is mapped to one of ``i``:
who has refuted the latter need not look for the former. Its last step, by ``r``, is mapped to one
by ``q``: of the rules that renamings make of each other while they leave an instance as it is, one
is enough to ask for that instance. Two renamings generate all: the exchange of two members, and the
turn of all. Most equalities are plain after rewriting
(:mod:`bmc.evidence.normal_form`), since circuits are hashed by structure; what is left is asked of
the solver. Where one cannot be shown, nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from bmc.evidence.families import AnyFamily, NoCounterpart
from bmc.evidence.moves import Move, exchanges, orbits
from bmc.evidence.normal_form import NormalForm
from bmc.evidence.panel import Inquiry
from bmc.evidence.path import SymbolicPath
from bmc.lang.sorts import Sort
from bmc.layout.domain import Value
from bmc.layout.renaming import Naming, generators, renamed
from bmc.readings.circuit import Node, Substitution, cone
from bmc.system.renaming import Renaming
from bmc.system.transition import Rule, TransitionSystem

Orbits = list[list[int]]
"""Positions of instances, those together of which one's induction is everybody's."""


class Interchange:
    """What has to hold for some families of instances to be symmetric in a system.

    ``left`` are the circuits (over the state's scalars) that must be true in every state and are
    not by their structure. Raises NoCounterpart when the images do not even match in number.
    """

    def __init__(self, system: TransitionSystem, families: Sequence[AnyFamily]) -> None:
        self._system = system
        self._families = families
        self.left: list[Node] = []
        self._moves: list[Move] = []
        self._firsts: dict[tuple[int, ...], frozenset[int]] = {}
        self._plain = NormalForm(system)
        images = Renaming(system)
        for naming in generators(system.domains, self._sorts()):
            self._under(naming, images.image(naming))
        self.left = list({n.uid: n for n in self.left if n is not system.circuit.true}.values())

    def require(self, inquiry: Inquiry, path: SymbolicPath) -> None:
        """Ask all that is left of a path of one state; raises Refuted, or NotDecided."""
        for node in self.left:
            inquiry.always(path, node, "members cannot be interchanged")

    def orbits(self, family: int) -> Orbits:
        """The orbits of one family's instances, by their positions."""
        size = len(self._families[family])
        return orbits(size, (move.instances[family] for move in self._moves))

    def last_rules(self, family: int, position: int) -> frozenset[int]:
        """Positions of rules by one of which a counterexample to an instance may end.

        If there is one at all, that is: exchanges that leave the instance as it is make of one that
        ends by another rule one that ends by these.
        """
        kept = tuple(
            number
            for number, exchange in enumerate(self._exchanges)
            if exchange.instances[family][position] == position
        )
        if kept not in self._firsts:
            found = orbits(
                len(self._system.rules), (self._exchanges[number].rules for number in kept)
            )
            self._firsts[kept] = frozenset(orbit[0] for orbit in found)
        return self._firsts[kept]

    @cached_property
    def _exchanges(self) -> tuple[Move, ...]:
        return exchanges(self._moves)

    def _sorts(self) -> Iterator[Sort]:
        model = self._system.model
        yield from model.variables.values()
        yield from (a.variable.sort for action in model.actions for a in action.arguments)
        yield from (sort for family in self._families for sort in family.sorts)

    def _under(self, naming: Naming, image: Mapping[int, Node]) -> None:
        system, c = self._system, self._system.circuit
        rewritten, plain = NormalForm(system, image), self._plain
        self.left += rewritten.to_show
        for index, node in image.items():
            leaf = system.leaves[index]
            if not leaf.boolean:
                self.left.append(c.le(c.number(leaf.low), node))
                self.left.append(c.le(node, c.number(leaf.high)))
        self.left.append(rewritten(system.well_formed))
        self._same(rewritten(system.constraint), plain(system.constraint))
        self._same(rewritten(system.initial), plain(system.initial))
        moved = tuple(family.moved(system.domains, naming) for family in self._families)
        for family in self._families:
            for after, before in family.equations(system.domains, naming):
                self._same(rewritten(after), plain(before))
        self._moves.append(Move(moved, self._rules(naming, image, rewritten)))

    def _rules(
        self, naming: Naming, image: Mapping[int, Node], rewritten: Substitution
    ) -> tuple[int, ...]:
        """Under the guard of every rule its counterpart can be taken, and leads to the image.

        Returns where the rules' counterparts are.
        """
        system, c = self._system, self._system.circuit
        touched = _readers(image)
        counterparts = self._counterparts(naming)
        for rule, counterpart in zip(system.rules, counterparts, strict=True):
            other = system.rules[counterpart]
            taken = self._plain(_taken(system, rule))
            self.left.append(c.implies(taken, rewritten(_taken(system, other))))
            after = Substitution.by_index(c, rule.updates)
            changed = set(other.updates).union(*(touched.get(i, ()) for i in rule.updates))
            for index in sorted(changed | (rule.updates.keys() - image.keys())):
                before = system.leaf_node(index)
                reached = after(image.get(index, before))
                node = other.updates.get(index)
                wanted = image.get(index, before) if node is None else rewritten(node)
                self.left.append(c.implies(taken, self._equal(reached, wanted)))

        return counterparts

    def _counterparts(self, naming: Naming) -> tuple[int, ...]:
        """By position of a rule that of the one of renamed arguments; equal arguments in order."""
        system = self._system
        actions = {
            a.name: {x.name: x.variable.sort for x in a.arguments} for a in system.model.actions
        }
        by_name: dict[object, list[int]] = {}
        for number, rule in enumerate(system.rules):
            by_name.setdefault(_name(rule, rule.arguments.values()), []).append(number)
        found = [0] * len(system.rules)
        for numbers in by_name.values():
            first = system.rules[numbers[0]]
            sorts = actions[first.action]
            moved = [
                renamed(system.domains, sorts[argument], value, naming)
                for argument, value in first.arguments.items()
            ]
            others = by_name.get(_name(first, moved), [])
            if len(others) != len(numbers):
                raise NoCounterpart(f"a rule of {first.action} has no image")
            for number, other in zip(numbers, others, strict=True):
                found[number] = other
        if len(set(found)) != len(found):
            raise NoCounterpart("two rules have one image")
        return tuple(found)

    def _same(self, one: Node, other: Node) -> None:
        self.left.append(self._equal(one, other))

    def _equal(self, one: Node, other: Node) -> Node:
        return self._system.shapes.equal(one, other)


def _name(rule: Rule, arguments: Iterable[Value]) -> object:
    return rule.action, rule.branch, tuple(arguments)


def _taken(system: TransitionSystem, rule: Rule) -> Node:
    return system.circuit.and_(rule.guard, system.circuit.not_(rule.overflow))


def _readers(image: Mapping[int, Node]) -> dict[int, set[int]]:
    """By scalar, the scalars whose images depend on it."""
    found: dict[int, set[int]] = {}
    for index, node in image.items():
        for part in cone([node]):
            if part.op in ("var", "ivar"):
                found.setdefault(part.data, set()).add(index)
    return found
