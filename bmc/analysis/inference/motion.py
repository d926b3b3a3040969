"""How formulas move as a protocol goes on: what explored steps make true, and false again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from bmc.engines.packed.formulas import Formulas
from bmc.engines.samples import BoundMet, Explored
from bmc.engines.task import Observer
from bmc.lang.errors import BmcError
from bmc.lang.model import Model
from bmc.lang.terms import Term
from bmc.readings.circuit import Node, evaluate
from bmc.system.transition import TransitionSystem

_STATES = 4_000
"""States of each world whose steps are looked at."""
_BINDINGS = 200
_BESIDE = 15_000
"""States with ghosts that are explored to see which actions change them."""


class Motion:
    """Steps out of explored states of several sizes; ``seconds`` limit what is explored anew."""

    def __init__(
        self, worlds: Sequence[Explored], seed: int, seconds: float, observer: Observer
    ) -> None:
        self._worlds = worlds
        self._seed, self._seconds, self._observer = seed, seconds, observer

    def goes_back(self, formula: Term, variables: Sequence[Term]) -> bool:
        """Whether a step makes a formula false that was true, for some values of its variables."""
        return any(list(_changing(world, formula, variables, False)) for world in self._worlds)

    def begins_false(self, formula: Term, variables: Sequence[Term]) -> bool:
        """Whether a formula is false in every initial state, for all values of its variables."""
        for world in self._worlds:
            nodes = _nodes(world.system, formula, variables)
            leaves = range(len(world.system.leaves))
            for _, values in world.system.starts:
                numbers = evaluate([values[i] for i in leaves], [])
                if any(evaluate(nodes, numbers)):
                    return False
        return True

    def actions(self, model: Model, seen: Term, variables: Sequence[Term]) -> frozenset[str]:
        """Return the actions of a model with ghosts that make a formula over them true."""
        found: set[str] = set()
        for world in self._worlds:
            try:
                beside = Explored(TransitionSystem(model, world.system.parameters), self._seed)
                beside.explore(_BESIDE, self._seconds, self._observer)
            except BmcError:
                continue
            found |= set(_changing(beside, seen, variables, True))
        return frozenset(found)


def _changing(world: Explored, formula: Term, variables: Sequence[Term], to: bool) -> Iterator[str]:
    """Yield the actions of explored steps that make a formula true, or false."""
    nodes = _nodes(world.system, formula, variables)
    if not nodes:
        return
    formulas = Formulas(world.packing, nodes)
    before = world.sample(_STATES)
    try:
        steps = world.stepped(before)
    except BoundMet:
        return
    was, then = formulas.evaluate(before)[:, steps.lanes], formulas.evaluate(steps.rows)
    changed = (then & ~was if to else was & ~then).any(axis=0)
    for number in np.unique(steps.rules[changed]).tolist():
        yield world.system.rules[number].action


def _nodes(system: TransitionSystem, formula: Term, variables: Sequence[Term]) -> list[Node]:
    """Return a formula for some choices of its variables' values; nothing where it has no value."""
    circuit = system.circuit
    found = []
    every = list(product(*(system.domains.values(v.sort) for v in variables)))
    for values in every[:: -(-len(every) // _BINDINGS) or 1]:
        chosen = zip(variables, values, strict=True)
        read = system.expander.expand(
            formula, {v: system.shapes.constant(v.sort, x) for v, x in chosen}
        )
        found.append(circuit.and_(read.defined, read.shape))
    return found
