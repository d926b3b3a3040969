"""A generalised Büchi automaton that accepts the words on which a formula is true.

The tableau of Gerth, Peled, Vardi and Wolper (*Simple on-the-fly automatic verification of linear
temporal logic*, 1995). A node demands the truth of some atoms of the state it is in; a word is
accepted by a run that visits each of the ``accepting`` sets again and again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from bmc.lang.by_parts import ByParts
from bmc.lang.temporal import Both, Formula, Not, Now, Taken, Until
from bmc.lang.terms import Term


@dataclass(frozen=True)
class TableauNode:
    """A node: the atoms that hold in it (or do not), and the nodes that may follow.

    ``steps`` says the same of the step out of it.
    """

    demands: Mapping[Term, bool]
    following: tuple[int, ...]
    steps: Mapping[Term, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Automaton:
    """Nodes by number, those a run may start in, and the sets it has to visit for ever."""

    nodes: tuple[TableauNode, ...]
    initial: tuple[int, ...]
    accepting: tuple[frozenset[int], ...]


@dataclass(frozen=True)
class _Literal(ByParts):
    atom: Term
    positive: bool
    of_step: bool = False


@dataclass(frozen=True)
class _Two:
    left: _Normal
    right: _Normal


@dataclass(frozen=True)
class _And(_Two):
    pass


@dataclass(frozen=True)
class _Or(_Two):
    pass


@dataclass(frozen=True)
class _Until(_Two):
    pass


@dataclass(frozen=True)
class _Release(_Two):
    """``right`` holds until ``left`` does, that state included; or for ever."""


_Normal = _Literal | _And | _Or | _Until | _Release


def automaton(formula: Formula, positive: bool) -> Automaton:
    """Return the automaton of ``formula``, or of its negation unless ``positive``.

    It is the same whenever it is made: certificates have the fingerprint of a model beside it.
    """
    wanted = _normal(formula, positive)
    places = _places(wanted)
    tableau = _Tableau(places)
    tableau.expand(_Open({_START}, [wanted], set(), set()))
    closed = tableau.closed
    following: list[list[int]] = [[] for _ in closed]
    for number, node in enumerate(closed):
        for before in node.incoming:
            if before != _START:
                following[before].append(number)
    promises = [f for f in places if isinstance(f, _Until) and any(f in n.old for n in closed)]
    return Automaton(
        tuple(
            TableauNode(
                _demanded(node.old, places, of_step=False),
                tuple(following[number]),
                _demanded(node.old, places, of_step=True),
            )
            for number, node in enumerate(closed)
        ),
        tuple(n for n, node in enumerate(closed) if _START in node.incoming),
        tuple(
            frozenset(
                n
                for n, node in enumerate(closed)
                if promise not in node.old or promise.right in node.old
            )
            for promise in promises
        ),
    )


_Places = Mapping["_Normal", int]
"""Where each part of a formula stands in it: sets of parts have no order of their own."""


def _places(wanted: _Normal) -> _Places:
    found: dict[_Normal, int] = {}
    todo = [wanted]
    while todo:
        one = todo.pop()
        found.setdefault(one, len(found))
        if isinstance(one, _Two):
            todo += [one.right, one.left]
    return found


def _demanded(old: frozenset[_Normal], places: _Places, *, of_step: bool) -> dict[Term, bool]:
    literals = (one for one in sorted(old, key=places.__getitem__) if isinstance(one, _Literal))
    return {one.atom: one.positive for one in literals if one.of_step is of_step}


def _normal(formula: Formula, positive: bool) -> _Normal:
    """Push negations down to the atoms."""
    match formula:
        case Now(term):
            return _Literal(term, positive)
        case Taken(term):
            return _Literal(term, positive, of_step=True)
        case Not(inner):
            return _normal(inner, not positive)
        case Both(left, right):
            pair = _normal(left, positive), _normal(right, positive)
            return _And(*pair) if positive else _Or(*pair)
        case Until(left, right):
            pair = _normal(left, positive), _normal(right, positive)
            return _Until(*pair) if positive else _Release(*pair)
        case _:
            assert_never(formula)


_START = -1


@dataclass
class _Open:
    incoming: set[int]
    new: list[_Normal]
    old: set[_Normal]
    next: set[_Normal]


@dataclass
class _Closed:
    incoming: set[int]
    old: frozenset[_Normal]
    next: frozenset[_Normal]


@dataclass
class _Tableau:
    places: _Places
    closed: list[_Closed] = field(default_factory=list)

    def expand(self, start: _Open) -> None:
        todo = [start]
        while todo:
            node = todo.pop()
            if node.new:
                todo += self._split(node)
                continue
            old, after = frozenset(node.old), frozenset(node.next)
            known = next((c for c in self.closed if c.old == old and c.next == after), None)
            if known is not None:
                known.incoming |= node.incoming
                continue
            self.closed.append(_Closed(set(node.incoming), old, after))
            todo.append(_Open({len(self.closed) - 1}, self._sorted(after), set(), set()))

    def _sorted(self, parts: frozenset[_Normal]) -> list[_Normal]:
        return sorted(parts, key=self.places.__getitem__)

    def _split(self, node: _Open) -> list[_Open]:
        *rest, one = node.new
        if one in node.old:
            return [_Open(node.incoming, rest, node.old, node.next)]
        old = {*node.old, one}
        match one:
            case _Literal(atom, positive, of_step):
                # A step that stutters is not taken, whatever it is asked to be.
                if _is(atom, not positive) and not (of_step and atom.data):
                    return []
                if replace(one, positive=not positive) in node.old:
                    return []
                return [_Open(node.incoming, rest, old, node.next)]
            case _And(left, right):
                return [_Open(node.incoming, [*rest, left, right], old, node.next)]
            case _Or(left, right):
                return [
                    _Open(set(node.incoming), [*rest, left], set(old), set(node.next)),
                    _Open(set(node.incoming), [*rest, right], set(old), set(node.next)),
                ]
            case _Until(left, right):
                return [
                    _Open(set(node.incoming), [*rest, left], set(old), {*node.next, one}),
                    _Open(set(node.incoming), [*rest, right], set(old), set(node.next)),
                ]
            case _Release(left, right):
                return [
                    _Open(set(node.incoming), [*rest, right], set(old), {*node.next, one}),
                    _Open(set(node.incoming), [*rest, left, right], set(old), set(node.next)),
                ]
            case _:
                assert_never(one)


def _is(atom: Term, value: bool) -> bool:
    """Whether an atom is the constant ``value``."""
    return atom.op == "bool" and atom.data is value


def recurring_nodes(whole: Automaton) -> frozenset[int]:
    """Return the nodes of the components in which a run can stay and be accepted."""
    reach = [_reached(whole.nodes, node.following) for node in whole.nodes]
    found: set[int] = set()
    for number in range(len(whole.nodes)):
        component = {other for other in reach[number] if number in reach[other]}
        if component and all(component & chosen for chosen in whole.accepting):
            found |= component
    return frozenset(found)


def _reached(nodes: Sequence[TableauNode], starts: Iterable[int]) -> set[int]:
    found: set[int] = set()
    todo = list(starts)
    while todo:
        number = todo.pop()
        if number not in found:
            found.add(number)
            todo += nodes[number].following
    return found
