"""Renaming the members of scalarsets in a whole state, scalar by scalar.

Members are interchangeable (Ip and Dill, *Better verification through symmetry*, 1996), so a
state stands for all its images. An image is made of the state's own nodes: what is indexed by a
member moves to the member's new place, what holds one is looked up, what is kept in canonical
order is sorted again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from bmc.lang.errors import BmcError
from bmc.lang.model import Action, Model
from bmc.lang.operator_table import OPERATORS, SymmetryRule
from bmc.lang.properties import Property
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import (
    Scalarset,
    Sort,
)
from bmc.lang.terms import Term, subterms
from bmc.layout import renaming
from bmc.layout.layouts import Bit, Cases, Layout, Maybe, Number, Row, Slots, Table
from bmc.layout.renaming import Naming
from bmc.readings.circuit import Node
from bmc.readings.shapes import Shape
from bmc.system.transition import TransitionSystem


class NotSymmetric(BmcError):
    """A model or a property tells the members of a scalarset apart."""


def require_symmetric(model: Model, stated: Iterable[Property]) -> None:
    """NotSymmetric if a term can single out a member of a scalarset.

    The language refuses such terms where they are built; this looks at the terms themselves.
    """
    roots = {"the state constraint": [model.constraint]}
    for action in (model.initial, *model.actions):
        roots[f"action {action.name}"] = list(_terms(action))
    roots |= {p.name: [p.body] for p in stated}
    for where, terms in roots.items():
        for term in subterms(terms):
            what = _singled_out(term)
            if what is not None:
                raise NotSymmetric(
                    f"{where} tells the members of {what} apart ({term!r}): explore without "
                    "symmetry, or make it a choice of the action"
                )


def _terms(action: Action) -> Iterator[Term]:
    yield from (a.collection for a in action.arguments if a.collection is not None)
    for branch in action.branches:
        yield from branch.guards
        yield from branch.updates.values()


def _singled_out(term: Term) -> Sort | None:
    sort: Sort
    match OPERATORS[term.op].symmetry:
        case SymmetryRule.RESPECTED:
            return None
        case SymmetryRule.CHOICE:
            sort = term.args[0].sort
        case SymmetryRule.CONSTANT:
            sort = term.sort
        case unknown:
            assert_never(unknown)
    return sort if symmetric_parts(sort) else None


def namings(system: TransitionSystem) -> list[Naming]:
    """All renamings of the scalarsets that the state speaks of, the identity first."""
    return list(renaming.namings(system.domains, system.model.variables.values()))


class Renaming:
    """Images of a system's state, as nodes over the state's own scalars."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system

    def image(self, naming: Naming) -> dict[int, Node]:
        """The new node of each scalar (by leaf) that a renaming can change."""
        found: dict[int, Node] = {}
        system = self._system
        for name, sort in system.model.variables.items():
            before = system.state[name]
            layout = system.shapes.layouts.of(sort)
            after = self._shape(layout, before, naming, system.circuit.true)
            pairs = zip(system.shapes.leaves(before), system.shapes.leaves(after), strict=True)
            for old, new in pairs:
                if old is not new and old.op in ("var", "ivar"):
                    found[old.data] = new
        return found

    def _shape(self, layout: Layout, shape: Shape, naming: Naming, there: Node) -> Shape:
        """The image of a shape; where it is not ``there``, what absence is filled with stays.

        That is asked where a member is held only. What is absent is filled alike, so it is left as
        it was where its parts change places, and the scalars of sets and maps are the very ones.
        """
        if not layout.scalarsets & naming.keys():
            return shape
        c = self._system.circuit
        match layout:
            case Number(sort=Scalarset() as members):
                names = naming[members]
                if not names:
                    # Nothing is ever here: an empty scalarset stands in what is always absent.
                    return shape
                image: Node = c.number(names[-1])
                for member, name in reversed(list(enumerate(names[:-1]))):
                    image = c.ite(c.eq(shape, c.number(member)), c.number(name), image)
                return c.ite(there, image, shape)
            case Bit() | Number():
                return shape
            case Maybe():
                # It is not present where it stands in something that is absent.
                return shape[0], self._shape(layout.part, shape[1], naming, shape[0])
            case Row():
                pairs = zip(layout.parts, shape, strict=True)
                return tuple(self._shape(part, inside, naming, there) for part, inside in pairs)
            case Cases():
                tag, contents = shape
                chosen = enumerate(zip(layout.parts, contents, strict=True))
                # What is absent has the first tag.
                return tag, tuple(
                    self._shape(part, inside, naming, c.and_(there, c.eq(tag, c.number(i))))
                    for i, (part, inside) in chosen
                )
            case Table():
                moved = [self._shape(layout.part, inside, naming, there) for inside in shape]
                return self._placed(layout, moved, naming)
            case Slots():
                length, slots = shape
                # What is absent has no length.
                held = [c.lt(c.number(i), length) for i in range(len(slots))]
                images = [
                    self._shape(layout.part, slot, naming, t)
                    for t, slot in zip(held, slots, strict=True)
                ]
                return length, tuple(self._sorted(held, images) if layout.canonical else images)
            case _:
                assert_never(layout)

    def _placed(self, layout: Table, parts: Sequence[Shape], naming: Naming) -> Shape:
        domains, index = self._system.domains, layout.index
        pairs = zip(layout.keys, parts, strict=True)
        at = {renaming.renamed(domains, index, v, naming): part for v, part in pairs}
        return tuple(at[value] for value in layout.keys)

    def _sorted(self, there: Sequence[Node], slots: list[Shape]) -> list[Shape]:
        """Slots in canonical order; those that are there stay before the others."""
        c, shapes = self._system.circuit, self._system.shapes
        found = list(slots)
        for end in range(len(found) - 1, 0, -1):
            for i in range(end):
                swap = c.and_(there[i + 1], shapes.less(found[i + 1], found[i]))
                low = shapes.ite(swap, found[i + 1], found[i])
                found[i + 1] = shapes.ite(swap, found[i], found[i + 1])
                found[i] = low
        return found
