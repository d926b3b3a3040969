"""Random circuits, each gate with the values that arithmetic and logic give it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st

from bmc.readings.circuit import Circuit, Node
from tests.strategies.draw import Draw, draws

BOOLS = 3
RANGES = ((0, 2), (-1, 1), (0, 1))
"""The integer variables' ranges. Variables are numbered: first Bools, then these."""

ASSIGNMENTS = tuple(product(*[(0, 1)] * BOOLS, *(range(low, high + 1) for low, high in RANGES)))

_LOGIC: dict[str, Callable[..., bool]] = {
    "not_": lambda a: not a,
    "and_": lambda *parts: all(parts),
    "or_": lambda *parts: any(parts),
    "implies": lambda a, b: not a or b,
    "needed": lambda a, b: not a or b,
    "iff": lambda a, b: a == b,
    "choose": lambda c, a, b: a if c else b,
}
_ARITIES = {"not_": 1, "implies": 2, "needed": 2, "iff": 2, "choose": 3}
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "le": lambda a, b: a <= b,
    "lt": lambda a, b: a < b,
}
_NUMBERS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
}


@dataclass(frozen=True)
class Gate:
    """What was asked for, and its value under each of :data:`ASSIGNMENTS`."""

    op: str
    args: tuple[int, ...]
    data: int
    values: tuple[int, ...]


Plan = list[Gate]
"""Gates in the order they are built; ``args`` are positions in it."""


def plans() -> st.SearchStrategy[Plan]:
    """Up to twenty gates over six variables; arguments are often shared."""
    return draws().map(plan_of)


def plan_of(draw: Draw) -> Plan:
    """The plan that these choices make."""
    plan = list(_inputs())
    for _ in range(draw.number(1, 20)):
        plan.append(_gate(draw, plan))
    return plan


def _inputs() -> Iterator[Gate]:
    for value in (0, 1):
        yield Gate("constant", (), value, (value,) * len(ASSIGNMENTS))
    for number in (-1, 0, 1, 2):
        yield Gate("number", (), number, (number,) * len(ASSIGNMENTS))
    for index in range(BOOLS):
        yield Gate("variable", (), index, tuple(a[index] for a in ASSIGNMENTS))
    for index in range(BOOLS, BOOLS + len(RANGES)):
        yield Gate("integer_variable", (), index, tuple(a[index] for a in ASSIGNMENTS))


def _gate(draw: Draw, plan: Plan) -> Gate:
    numbers = [i for i, gate in enumerate(plan) if is_number(gate)]
    truths = [i for i, gate in enumerate(plan) if not is_number(gate)]
    # The latest first, so that circuits grow deep rather than wide.
    numbers.reverse()
    truths.reverse()
    op = draw.one_of((*_LOGIC, *_COMPARISONS, *_NUMBERS, "ite", "eq", "le"))
    if op in _LOGIC:
        arity = _ARITIES.get(op) or draw.number(0, 4)
        return _made(plan, op, _LOGIC[op], [draw.one_of(truths) for _ in range(arity)])
    if op == "ite":
        condition, then, otherwise = draw.one_of(truths), draw.one_of(numbers), draw.one_of(numbers)
        return _made(plan, op, _LOGIC["choose"], [condition, then, otherwise])
    function = {**_COMPARISONS, **_NUMBERS}[op]
    return _made(plan, op, function, [draw.one_of(numbers), draw.one_of(numbers)])


def _made(plan: Plan, op: str, function: Callable[..., int], args: list[int]) -> Gate:
    columns = [plan[i].values for i in args]
    rows = range(len(ASSIGNMENTS))
    values = tuple(int(function(*(column[row] for column in columns))) for row in rows)
    return Gate(op, tuple(args), 0, values)


def is_number(gate: Gate) -> bool:
    """Whether a gate is an integer."""
    return gate.op in ("number", "integer_variable", "ite", *_NUMBERS)


def build(circuit: Circuit, plan: Plan) -> list[Node]:
    """The nodes of a plan, by the circuit's constructors."""
    nodes: list[Node] = []
    for gate in plan:
        make = getattr(circuit, gate.op)
        if gate.op == "integer_variable":
            nodes.append(make(gate.data, *RANGES[gate.data - BOOLS]))
        elif gate.op in ("constant", "number", "variable"):
            nodes.append(make(gate.data))
        else:
            nodes.append(make(*(nodes[i] for i in gate.args)))
    return nodes
