"""What a reading says of a case: a value, or that the bounds are too small for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from bmc.lang import (
    BoundTooSmall,
    Sort,
)
from bmc.lang.terms import Term
from bmc.layout.domain import Domains
from bmc.readings.circuit import BOOL_OPS, Circuit, Node, evaluate
from bmc.readings.expand import Expanded, Expander
from bmc.readings.gates import Gates, simulate
from bmc.readings.order import Unary
from bmc.readings.shapes import Shape, Shapes
from bmc.readings.value import Evaluator
from bmc.readings.vector import Column, VectorProgram
from bmc.solving.interface import Answer, Handle, Solver, Translation
from tests.strategies.cases import Case
from tests.strategies.values import Value

TOO_SMALL = "the bounds are too small"

NodeReader = Callable[[Sequence[Node], "Leaves"], list[int]]
"""Gives circuit nodes their numbers under the leaves' numbers."""


def evaluate_columns(nodes: Sequence[Node], columns: Mapping[int, Column]) -> list[Column]:
    """The values of nodes by lane, where circuit variable ``i`` has the values ``columns[i]``.

    All given columns have one length.
    """
    lanes = len(next(iter(columns.values())))
    bound = VectorProgram([nodes]).bind(lanes)
    for variable, column in bound.inputs.items():
        column[:] = columns[variable]
    return next(bound.run())


def by_value(case: Case) -> Value:
    """What the `value` reading says."""
    evaluator = Evaluator(case.world.domains)
    try:
        return evaluator.evaluate(case.term, case.state, dict(case.arguments), case.after)
    except BoundTooSmall:
        return TOO_SMALL


class Leaves:
    """Fresh scalars in a circuit, each with the number it has in the example at hand."""

    def __init__(self, domains: Domains) -> None:
        self.circuit = Circuit()
        self.domains = domains
        self.shapes = Shapes(self.circuit, domains)
        self.nodes: list[Node] = []
        self.numbers: list[int] = []

    def fresh(self, sort: Sort) -> Shape:
        """A shape of fresh scalars, each with its least number."""
        return self.shapes.fresh(sort, self._fresh)

    def holding(self, sort: Sort, value: Value) -> Shape:
        """A shape of fresh scalars with the numbers that stand for ``value``."""
        made = self.fresh(sort)
        constant = self.shapes.constant(sort, value)
        pairs = zip(self.shapes.leaves(made), self.shapes.leaves(constant), strict=True)
        for node, number in pairs:
            if node.op in ("var", "ivar"):
                self.numbers[node.data] = number.data
        return made

    def _fresh(self, boolean: bool, low: int, high: int) -> Node:
        index = len(self.nodes)
        c = self.circuit
        node = c.variable(index) if boolean else c.integer_variable(index, low, high)
        self.nodes.append(node)
        self.numbers.append(low)
        return node


def by_constants(case: Case) -> Value:
    """What the expansion says over the state's values themselves."""
    leaves = Leaves(case.world.domains)
    return outcome(leaves, case.term.sort, _expanded(case, leaves, leaves.shapes.constant), python)


def by_variables(case: Case, *readers: NodeReader) -> list[Value]:
    """What the expansion over fresh scalars says by each way of reading circuit nodes."""
    leaves = Leaves(case.world.domains)
    expanded = _expanded(case, leaves, leaves.holding)
    return [outcome(leaves, case.term.sort, expanded, reader) for reader in readers]


def _expanded(case: Case, leaves: Leaves, shape: Callable[[Sort, Value], Shape]) -> Expanded:
    variables: dict[tuple[str, bool], Shape] = {}
    for name, sort in case.variables.items():
        variables[name, False] = shape(sort, case.state[name])
        variables[name, True] = shape(sort, case.after[name])
    # As in a transition system, arguments are constants.
    arguments: Mapping[Term, Shape] = {
        a: leaves.shapes.constant(a.sort, v) for a, v in case.arguments.items()
    }
    return Expander(leaves.shapes, variables).expand(case.term, arguments)


def outcome(leaves: Leaves, sort: Sort, expanded: Expanded, read: NodeReader) -> Value:
    """The value that an expansion has, read by ``read``."""
    nodes = list(leaves.shapes.leaves(expanded.shape))
    defined, *numbers = read([expanded.defined, *nodes], leaves)
    if not defined:
        return TOO_SMALL
    value = leaves.shapes.layouts.decode(sort, iter(numbers))
    canonical = [n.data for n in leaves.shapes.leaves(leaves.shapes.constant(sort, value))]
    # Equality compares scalars, so what is absent must hold the default.
    return value if numbers == canonical else f"{value!r}, held as {numbers}, not as {canonical}"


def python(nodes: Sequence[Node], leaves: Leaves) -> list[int]:
    """Read nodes by the transition system's evaluation."""
    return evaluate(nodes, leaves.numbers)


def vectors(nodes: Sequence[Node], leaves: Leaves) -> list[int]:
    """Read nodes by numpy, in the middle of three lanes of which the others hold other numbers."""
    columns = {}
    for node, number in zip(leaves.nodes, leaves.numbers, strict=True):
        kind = np.bool_ if node.op in BOOL_OPS else np.int64
        columns[node.data] = np.array([node.low, number, node.high], kind)
    lane = evaluate_columns(nodes, columns or {0: np.zeros(3, np.bool_)})
    return [int(column[1]) for column in lane]


def solved_by(make: Callable[[], Solver]) -> NodeReader:
    """Read nodes by a solver's model of the leaves' numbers, and ask that it is the only one."""

    def read(nodes: Sequence[Node], leaves: Leaves) -> list[int]:
        solver = make()
        handles = [
            solver.boolean() if n.op in BOOL_OPS else solver.integer(n.low, n.high)
            for n in leaves.nodes
        ]
        translate = Translation(solver, handles)
        for node, handle, number in zip(leaves.nodes, handles, leaves.numbers, strict=True):
            solver.add(_is(solver, node, handle, number))
        read_off = [translate(node) for node in nodes]
        assert solver.check() is Answer.SAT
        numbers = [solver.value(handle) for handle in read_off]
        same = [_is(solver, n, h, v) for n, h, v in zip(nodes, read_off, numbers, strict=True)]
        solver.clause(*(solver.negation(s) for s in same))
        assert solver.check() is Answer.UNSAT
        return numbers

    return read


def gates(nodes: Sequence[Node], leaves: Leaves) -> list[int]:
    """Read nodes as an and-inverter graph, simulated on the leaves' numbers in order encoding."""
    graph = Gates()
    inputs: list[int | Unary] = []
    bits: list[bool] = []
    for node, number in zip(leaves.nodes, leaves.numbers, strict=True):
        if node.op in BOOL_OPS:
            inputs.append(graph.input())
            bits.append(bool(number))
        else:
            inputs.append(graph.integer(node.low, node.high))
            bits += [number >= bound for bound in range(node.low + 1, node.high + 1)]
    numbers = []
    for handle in graph.read(nodes, inputs):
        chain = handle.bits if isinstance(handle, Unary) else (handle,)
        held = simulate(graph, chain, bits)
        assert held == sorted(held, reverse=True), "an integer's literals imply those before them"
        numbers.append((handle.low if isinstance(handle, Unary) else 0) + sum(held))
    return numbers


def _is(solver: Solver, node: Node, handle: Handle, number: int) -> Handle:
    if node.op in BOOL_OPS:
        return solver.equal(handle, solver.constant(bool(number)), boolean=True)
    return solver.equal(handle, solver.number(number), boolean=False)


def subterms(term: Term) -> Iterable[Term]:
    """Every term inside a term, itself included, once."""
    seen: set[Term] = set()
    stack = [term]
    while stack:
        one = stack.pop()
        if one not in seen:
            seen.add(one)
            stack.extend(one.args)
    return seen
