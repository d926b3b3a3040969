"""The circuit reading for numpy: many states at once, a column a node and a lane a state.

A :class:`VectorProgram` lists array operations for groups of nodes; what groups share is computed
once. Bound to a number of lanes it owns its columns and evaluates without allocating, so that
the columns of a block stay in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bmc.lang.errors import BmcError, LanguageError
from bmc.readings.circuit import BOOL_OPS, Node, cone

Column = NDArray[Any]
"""The values of a node, by lane: bool, or the integer type of :func:`column_type`."""


Operand = int | NDArray[Any]
"""What an operation reads: a register, by number, or a constant."""


class TooWide(BmcError):
    """An integer of the model needs more than 64 bits."""


@lru_cache(maxsize=4096)
def integer_type(low: int, high: int) -> np.dtype[Any]:
    """The smallest signed integer type that holds ``low .. high``; TooWide when none does."""
    for kind in (np.int8, np.int16, np.int32, np.int64):
        limits = np.iinfo(kind)
        if limits.min <= low and high <= limits.max:
            return np.dtype(kind)
    raise TooWide(f"the range {low} .. {high} exceeds 64 bits: choose smaller parameters")


def column_type(node: Node) -> np.dtype[Any]:
    """The type of a node's column. It holds the operands of a sum too, so no sum wraps."""
    if node.op in BOOL_OPS:
        return np.dtype(np.bool_)
    parts = [node, *(a for a in node.args if a.op not in BOOL_OPS)]
    return integer_type(min(p.low for p in parts), max(p.high for p in parts))


@dataclass(slots=True)
class _Operation:
    """``out := ufunc(*operands)``, where ``out`` is a register."""

    ufunc: np.ufunc
    operands: tuple[Operand, ...]
    out: int

    def arguments(self, columns: Sequence[Column]) -> tuple[NDArray[Any], ...]:
        """What the ufunc is called with, over the given columns."""
        read = [columns[x] if isinstance(x, int) else x for x in self.operands]
        if self.ufunc is np.multiply:
            # As an integer, a condition needs no conversion.
            read = [x.view(np.int8) if x.dtype == np.bool_ else x for x in read]
        return (*read, columns[self.out])


class VectorProgram:
    """Array operations that evaluate groups of nodes, group after group.

    The nodes of a group are readable together, until the next group is evaluated; registers are
    shared among nodes whose lifetimes do not meet. Raises TooWide for an integer node beyond 64
    bits.
    """

    def __init__(self, groups: Sequence[Sequence[Node]]) -> None:
        self.register_types: list[np.dtype[Any]] = []
        self._free: dict[np.dtype[Any], list[int]] = {}
        self._register: dict[int, int] = {}
        self._fixed: dict[int, NDArray[Any]] = {}
        self._inputs: dict[int, int] = {}
        self._kept: set[int] = set()
        self._groups: list[tuple[list[_Operation], list[int]]] = []
        orders = _orders(groups)
        last = _last_uses(orders, groups)
        moment = 0
        for order, roots in zip(orders, groups, strict=True):
            operations: list[_Operation] = []
            for node in order:
                self._emit(node, operations)
                for used in {a.uid for a in node.args}:
                    self._release(used, last, moment)
                moment += 1
            self._groups.append((operations, [self._root(r) for r in roots]))
            for used in {r.uid for r in roots}:
                self._release(used, last, moment)
            moment += 1

    def bind(self, lanes: int) -> BoundProgram:
        """The program over columns of its own, of ``lanes`` lanes each."""
        columns: list[Column] = [np.zeros(lanes, dtype) for dtype in self.register_types]
        for register, value in self._fixed.items():
            columns[register].fill(value)
        groups = []
        for operations, roots in self._groups:
            calls = [(op.ufunc, op.arguments(columns)) for op in operations]
            groups.append((calls, [columns[r] for r in roots]))
        inputs = {variable: columns[r] for variable, r in self._inputs.items()}
        return BoundProgram(lanes, inputs, groups)

    def _new(self, dtype: np.dtype[Any]) -> int:
        free = self._free.setdefault(dtype, [])
        if free:
            return free.pop()
        self.register_types.append(dtype)
        return len(self.register_types) - 1

    def _keep(self, node: Node) -> int:
        self.register_types.append(column_type(node))
        register = self._register[node.uid] = len(self.register_types) - 1
        self._kept.add(register)
        return register

    def _release(self, uid: int, last: Mapping[int, int], moment: int) -> None:
        register = self._register.get(uid)
        if register is None or register in self._kept or last[uid] != moment:
            return
        self._free[self.register_types[register]].append(register)

    def _root(self, node: Node) -> int:
        if node.op in ("num", "const") and node.uid not in self._register:
            self._fixed[self._keep(node)] = _constant(node)
        return self._register[node.uid]

    def _operand(self, node: Node) -> Operand:
        return _constant(node) if node.op in ("num", "const") else self._register[node.uid]

    def _emit(self, node: Node, operations: list[_Operation]) -> None:
        if node.op in ("num", "const"):
            return
        if node.op in ("var", "ivar"):
            self._inputs[node.data] = self._keep(node)
            return
        # Taken before the operands are released: a chain writes it while it still reads them.
        dtype = column_type(node)
        out = self._register[node.uid] = self._new(dtype)
        parts = [self._operand(a) for a in node.args]
        if node.op == "ite":
            operations.extend(_conditional(parts, out))
        elif node.op in _UFUNCS:
            ufunc = _UFUNCS[node.op]
            if node.op in ("add", "sub") and np.result_type(*map(column_type, node.args)) != dtype:
                # numpy adds in the operands' type, whatever the type of the result.
                operations.append(_Operation(np.positive, (parts[0],), out))
                parts[0] = out
            operations.append(_Operation(ufunc, tuple(parts[:2]), out))
            operations.extend(_Operation(ufunc, (out, p), out) for p in parts[2:])
        else:
            raise LanguageError(f"the vector reading has no rule for {node.op!r}")


class BoundProgram:
    """A program with its columns.

    ``inputs`` maps the index of each circuit variable that the program reads to its column: the
    caller fills those, then takes the groups of :meth:`run` one by one.
    """

    def __init__(
        self,
        lanes: int,
        inputs: Mapping[int, Column],
        groups: Sequence[tuple[Sequence[tuple[np.ufunc, tuple[Any, ...]]], list[Column]]],
    ) -> None:
        self.lanes = lanes
        self.inputs = inputs
        self._groups = groups

    def run(self) -> Iterator[list[Column]]:
        """The columns of each group's nodes; they are valid until the next group is taken."""
        for calls, roots in self._groups:
            for ufunc, arguments in calls:
                ufunc(*arguments)
            yield roots


_UFUNCS: dict[str, np.ufunc] = {
    "not": np.logical_not,
    "and": np.logical_and,
    "or": np.logical_or,
    "iff": np.equal,
    "eq": np.equal,
    "le": np.less_equal,
    "add": np.add,
    "sub": np.subtract,
}


def _conditional(parts: Sequence[Operand], out: int) -> list[_Operation]:
    # otherwise ^ ((then ^ otherwise) * condition) runs on the vector unit, in a tenth of the
    # time of np.where.
    condition, then, otherwise = parts
    return [
        _Operation(np.bitwise_xor, (then, otherwise), out),
        _Operation(np.multiply, (out, condition), out),
        _Operation(np.bitwise_xor, (out, otherwise), out),
    ]


def _constant(node: Node) -> NDArray[Any]:
    return np.array(node.data, column_type(node))


def _orders(groups: Sequence[Sequence[Node]]) -> list[list[Node]]:
    """For each group the nodes that no group before it has evaluated, arguments first."""
    orders: list[list[Node]] = [[] for _ in groups]
    current = 0

    def announced() -> Iterator[Node]:
        nonlocal current
        for number, roots in enumerate(groups):
            current = number
            yield from roots

    # The cone takes its next root only when it has yielded all that the one before needs.
    for node in cone(announced()):
        orders[current].append(node)
    return orders


def _last_uses(
    orders: Sequence[Sequence[Node]], groups: Sequence[Sequence[Node]]
) -> dict[int, int]:
    """For each node the moment of its last use; a group's end is a moment of its own."""
    last: dict[int, int] = {}
    moment = 0
    for order, roots in zip(orders, groups, strict=True):
        for node in order:
            for used in node.args:
                last[used.uid] = moment
            moment += 1
        for root in roots:
            last[root.uid] = moment
        moment += 1
    return last
