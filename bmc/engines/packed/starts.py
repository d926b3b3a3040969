"""The initial states, packed: where explorations and random walks begin.

Some specifications have many: an inductive invariant takes the place of Init. So the choices of
Init's arguments are columns, a lane each, as states are to the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.blocks import lanes_for
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing, Rows
from bmc.lang.model import Argument
from bmc.lang.state import Branch
from bmc.lang.terms import Term
from bmc.layout.layouts import flat
from bmc.readings.circuit import Circuit, Node, evaluate
from bmc.readings.expand import Expander
from bmc.readings.shapes import Shape, Shapes
from bmc.readings.vector import Column, VectorProgram, column_type
from bmc.system.no_model import no_initial_state
from bmc.system.transition import TransitionSystem, beyond_initial_bounds

Places = NDArray[np.int64]
"""Choices of arguments, one a row: the place of each argument's value among those of its sort."""


def _go_on() -> None:
    """Let the initial states be listed to their end."""


def initial_rows(
    system: TransitionSystem,
    packing: Packing,
    constraint: Formulas,
    pause: Callable[[], None] = _go_on,
) -> Rows:
    """The initial states inside the state constraint, in the order of Init's choices.

    ``pause`` is called between blocks of choices, and may raise what ends the search for them.
    Raises NoInitialState when there is none, BoundTooSmall when one is outside its sorts.
    """
    rows = _all_rows(system, packing, pause)
    (inside,) = constraint.evaluate(rows)
    if not inside.any():
        raise no_initial_state(system.model, system.parameters)
    started: Rows = rows[inside]
    return started


def _all_rows(system: TransitionSystem, packing: Packing, pause: Callable[[], None]) -> Rows:
    init = system.model.initial
    if not init.arguments:
        # A branch is one state: a program for each costs more than it saves.
        leaves = range(len(system.leaves))
        states = [evaluate([values[i] for i in leaves], []) for _, values in system.starts]
        return packing.pack(states)
    starts = _Starts(system, packing, pause)
    found = [starts.of(branch) for branch in init.branches]
    rows: Rows = np.concatenate([rows for _, rows in found])
    if len(found) > 1:
        numbers = np.repeat(np.arange(len(found)), [len(rows) for _, rows in found])
        places = np.concatenate([places for places, _ in found])
        # The first argument changes slowest, and branches of one choice are in their order.
        rows = rows[np.lexsort((numbers, *places.T[::-1]))]
    return rows


@dataclass(frozen=True)
class _Stage:
    """Some arguments to choose, and the nodes that say which choices are kept.

    ``nodes`` are that the guards hold, that something has no value, and the leaves' new values.
    """

    arguments: slice
    nodes: tuple[Node, ...]
    leaves: tuple[int, ...] = ()


class _Starts:
    """Init with its arguments as variables of a circuit of their own."""

    def __init__(
        self, system: TransitionSystem, packing: Packing, pause: Callable[[], None]
    ) -> None:
        self._system = system
        self._packing = packing
        self._pause = pause
        self._circuit = Circuit()
        self._shapes = Shapes(self._circuit, system.domains)
        self._expander = Expander(self._shapes, {})
        self._arguments = system.model.initial.arguments
        self._sizes = [len(system.domains.values(a.variable.sort)) for a in self._arguments]
        self._inputs: list[dict[int, Column]] = []
        self._count = 0
        self._environment = {a.variable: self._variable(a) for a in self._arguments}

    def _variable(self, argument: Argument) -> Shape:
        def make(boolean: bool, low: int, high: int) -> Node:
            self._count += 1
            if boolean:
                return self._circuit.variable(self._count - 1)
            return self._circuit.integer_variable(self._count - 1, low, high)

        sort = argument.variable.sort
        shape = self._shapes.fresh(sort, make)
        encode = self._shapes.layouts.encode
        values = self._system.domains.values(sort)
        leaves = [*self._shapes.leaves(shape)]
        scalars = np.array([[*map(int, flat(encode(sort, v)))] for v in values], np.int64)
        # Of a sort without values it has no rows, and the columns all the same.
        scalars = scalars.reshape(len(values), len(leaves))
        self._inputs.append(
            {
                leaf.data: scalars[:, place]
                for place, leaf in enumerate(leaves)
                if leaf.op in ("var", "ivar")
            }
        )
        return shape

    def of(self, branch: Branch) -> tuple[Places, Rows]:
        """The choices that a branch's guards allow, and the states that it gives them.

        An argument that the branch does not read has its first value: others give the same states.
        """
        terms = (*branch.guards, *branch.updates.values())
        free = frozenset[Term]().union(*(term.free for term in terms))
        sizes = [
            size if argument.variable in free else min(size, 1)
            for argument, size in zip(self._arguments, self._sizes, strict=True)
        ]
        kept: Places = np.zeros((1, 0), np.int64)
        rows: Rows = np.zeros((0, self._packing.words), np.uint64)
        for stage in self._stages(branch):
            parts = list(self._chosen(stage, kept, sizes[stage.arguments]))
            kept = np.concatenate([places for places, _ in parts])
            rows = np.concatenate([packed for _, packed in parts])
        return kept, rows

    def _stages(self, branch: Branch) -> Iterator[_Stage]:
        c = self._circuit
        holds, defined = c.true, c.true
        first = chosen = 0
        for guard in branch.guards:
            reads = self._reach(guard.free)
            if reads > chosen and (holds is not c.true or defined is not c.true):
                # Few of the choices so far may be left before the next argument is chosen.
                yield _Stage(slice(first, chosen), (holds, c.not_(defined)))
                holds, defined, first = c.true, c.true, chosen
            chosen = max(chosen, reads)
            part = self._expander.expand(guard, self._environment)
            defined = c.and_(defined, c.implies(holds, part.defined))
            holds = c.and_(holds, part.shape)
        values: dict[int, Node] = {}
        entered: dict[str, Shape] = {}
        for name, before in self._system.state.items():
            start = self._expander.expand(branch.updates[name], self._environment)
            entered[name] = start.shape
            defined = c.and_(defined, c.implies(holds, start.defined))
            leaves = self._shapes.leaves
            for leaf, node in zip(leaves(before), leaves(start.shape), strict=True):
                if leaf.op in ("var", "ivar"):
                    values[leaf.data] = node
        judged = Expander(self._shapes, {(name, False): one for name, one in entered.items()})
        inside = judged.expand(self._system.model.constraint).defined
        defined = c.and_(defined, c.implies(holds, inside))
        rest = slice(first, len(self._arguments))
        yield _Stage(rest, (holds, c.not_(defined), *values.values()), tuple(values))

    def _reach(self, variables: frozenset[Term]) -> int:
        """How many arguments have to be chosen before all of these are."""
        numbered = enumerate(self._arguments, 1)
        return max((n for n, one in numbered if one.variable in variables), default=0)

    def _chosen(
        self, stage: _Stage, kept: Places, sizes: Sequence[int]
    ) -> Iterator[tuple[Places, Rows]]:
        """Yield the choices that a stage keeps, block by block, and the states of the last one.

        ``sizes`` says of each argument that is chosen how many values it has here. Raises
        BoundTooSmall where a choice has no value.
        """
        total = len(kept) * prod(sizes)
        lanes = lanes_for(total)
        evaluated = _Evaluated(stage.nodes, self._inputs, lanes)
        for start in range(0, max(1, total), lanes):
            if start:
                self._pause()
            rest = np.arange(start, min(start + lanes, total))
            columns = []
            for size in reversed(sizes):
                rest, column = np.divmod(rest, size)
                columns.append(column)
            places = np.column_stack([kept[rest], *reversed(columns)])
            holds, undefined, *nodes = evaluated.at(places)
            if undefined.any():
                raise beyond_initial_bounds(self._system.model.initial)
            values = {leaf: node[holds] for leaf, node in zip(stage.leaves, nodes, strict=True)}
            yield places[holds], self._packing.packed(values, int(holds.sum()))


class _Evaluated:
    """Nodes over the arguments, evaluated for blocks of choices."""

    def __init__(
        self, nodes: Sequence[Node], inputs: Sequence[Mapping[int, Column]], lanes: int
    ) -> None:
        self._nodes = nodes
        self._inputs = inputs
        self._varying = {node.uid: node for node in nodes if node.op not in ("num", "const")}
        self._program = VectorProgram([list(self._varying.values())]).bind(lanes)

    def at(self, places: Places) -> list[Column]:
        """The value of each node for each of these choices."""
        count, read = len(places), self._program.inputs
        for number, inputs in enumerate(self._inputs[: places.shape[1]]):
            for variable, scalars in inputs.items():
                if variable in read:
                    read[variable][:count] = scalars[places[:, number]]
        found = dict(zip(self._varying, next(self._program.run()), strict=True))
        return [
            found[node.uid][:count]
            if node.uid in found
            else np.full(count, node.data, column_type(node))
            for node in self._nodes
        ]
