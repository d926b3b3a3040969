"""Circuit nodes as a program for the vector machine of :mod:`bmc.readings.native.machine`.

The machine's registers hold a number for each of :data:`LANES` states. A program is straight-line
code with jumps ahead, past instructions whose results nobody reads behind them.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bmc.lang.errors import LanguageError
from bmc.readings.circuit import BOOL_OPS, Node
from bmc.readings.vector import column_type, integer_type

LANES = 512
"""States a batch: so many that the machine's own work is little, and so few that their registers
stay in the processor's nearest caches."""

Value = int
"""A result of an instruction, or a constant, before it has a register."""


@dataclass(frozen=True)
class Assembled:
    """A program whose values have registers.

    An instruction is a row of ``code``: operation, result, three operands, a number, and a number
    of 64 bits in two halves. ``memory`` is the size of the registers in bytes;
    ``fixed`` gives for constants the place, the bits and the number, and ``patches`` for
    each byte that is written its place in a row, that in the registers, and the distance of two
    lanes there.
    """

    code: NDArray[np.int32]
    memory: int
    fixed: tuple[tuple[int, int, int], ...]
    patches: NDArray[np.int32]

    def registers(self) -> NDArray[np.uint8]:
        """Return memory for the registers, with the constants in it, that suits vectors."""
        whole = np.zeros(self.memory + LANES, np.uint8)
        start = -whole.ctypes.data % 64
        found = whole[start : start + self.memory]
        for place, width, number in self.fixed:
            register = found[place : place + LANES * width // 8]
            register.view(f"u{width // 8}")[:] = number & ((1 << width) - 1)
        return found


class Program:
    """Instructions that are written one after the other, and the nodes computed so far."""

    def __init__(self) -> None:
        self._widths: list[int] = []
        self._code: list[tuple[str, Value, Value, Value, Value, int, int]] = []
        self._patches: list[tuple[int, Value, int]] = []
        self._read_at: dict[int, list[Value]] = {}
        self._known: dict[int, Value] = {}
        self._casts: dict[tuple[Value, int], Value] = {}
        self._fixed: dict[tuple[int, int], Value] = {}
        self._meanwhile: tuple[list[int], list[tuple[Value, int]]] | None = None

    def value(self, width: int) -> Value:
        """Return a new value whose numbers have so many bits."""
        self._widths.append(width)
        return len(self._widths) - 1

    def do(
        self,
        operation: str,
        result: Value = -1,
        a: Value = -1,
        b: Value = -1,
        c: Value = -1,
        small: int = 0,
        number: int = 0,
    ) -> int:
        """Write an instruction, and return its place. Operands are values, -1 for none."""
        self._code.append((operation, result, a, b, c, small, number))
        return len(self._code) - 1

    def jump_here(self, place: int) -> None:
        """Make the instruction at a place, which jumps, jump to the next one."""
        self._code[place] = (*self._code[place][:6], len(self._code))

    def emit(self, rule: int, patches: Sequence[tuple[int, Value, int]]) -> None:
        """Write a rule's successors.

        A patch is a place in a row, the value with the byte that goes there, and which byte of it.
        """
        first = len(self._patches)
        self._patches += patches
        place = self.do("emit", small=rule, number=first << 32 | len(patches))
        self._read_at[place] = [value for _, value, _ in patches]

    def constant(self, number: int, width: int) -> Value:
        """Return the value that is the same number in all lanes."""
        key = number, width
        if key not in self._fixed:
            self._fixed[key] = self.value(width)
        return self._fixed[key]

    def know(self, node: Node, value: Value) -> None:
        """Say where the numbers of a circuit variable are."""
        self._known[node.uid] = value

    def evaluate(self, roots: Iterable[Node]) -> None:
        """Compute nodes and what they need; the variables among them are known."""
        self._compute(self._unknown(roots))

    def evaluate_shared(self, groups: Sequence[Sequence[Node]]) -> None:
        """Compute what several groups of nodes need."""
        needed = [self._unknown(roots) for roots in groups]
        times = Counter(node.uid for own in needed for node in own)
        for own in needed:
            self._compute(n for n in own if times[n.uid] > 1 and n.uid not in self._known)

    @contextmanager
    def meanwhile(self) -> Iterator[None]:
        """Forget at the end what is computed in between: a jump leads past it."""
        assert self._meanwhile is None
        nodes: list[int] = []
        casts: list[tuple[Value, int]] = []
        self._meanwhile = nodes, casts
        yield
        self._meanwhile = None
        for uid in nodes:
            del self._known[uid]
        for cast in casts:
            del self._casts[cast]

    def of(self, node: Node) -> Value:
        """Return the value of a Bool node (0 or 1 in 8 bits), or of an integer node."""
        if node.op == "const":
            return self.constant(node.data, 8)
        if node.op == "num":
            return self.constant(node.data, width_of(node))
        return self._known[node.uid]

    def cast(self, value: Value, width: int) -> Value:
        """Return the same numbers in another width, in which they have to fit."""
        own = self._widths[value]
        if own == width:
            return value
        if (value, width) not in self._casts:
            found = self._casts[value, width] = self.value(width)
            if self._meanwhile is not None:
                self._meanwhile[1].append((value, width))
            self.do(f"cast{own}_{width}", found, value)
        return self._casts[value, width]

    def assembled(self, operations: dict[str, int]) -> Assembled:
        """Return the program with registers for its values.

        ``operations`` are the numbers that operations have so far; those that are new are added.
        """
        # One place more, which -1 (no value) is an index of.
        last = [-1] * (len(self._widths) + 1)
        for place, (_, result, a, b, c, _, _) in enumerate(self._code):
            last[result] = last[a] = last[b] = last[c] = place
            for used in self._read_at.get(place, ()):
                last[used] = place
        registers = [-1] * len(last)
        fixed = []
        memory = 0
        for (number, width), value in self._fixed.items():
            registers[value] = memory
            fixed.append((memory, width, number))
            memory += LANES * width // 8
            last[value] = -1
        last[-1] = -1
        free: dict[int, list[int]] = {8: [], 16: [], 32: [], 64: []}
        flat = array("q")
        for place, (operation, result, a, b, c, small, number) in enumerate(self._code):
            if registers[result] < 0 and result >= 0:
                room = free[self._widths[result]]
                if room:
                    registers[result] = room.pop()
                else:
                    registers[result] = memory
                    memory += LANES * self._widths[result] // 8
            known = operations.get(operation)
            if known is None:
                known = operations[operation] = len(operations)
            words = registers[result], registers[a], registers[b], registers[c], small
            flat.extend((known, *words, number & 0xFFFFFFFF, number >> 32 & 0xFFFFFFFF))
            for used in (result, a, b, c, *self._read_at.get(place, ())):
                if last[used] == place:
                    last[used] = -1
                    free[self._widths[used]].append(registers[used])
        code = np.array(flat, np.int64).reshape(-1, 8).astype(np.int32)
        patches = [
            (place, registers[value] + byte, self._widths[value] // 8)
            for place, value, byte in self._patches
        ]
        table = np.array(patches or [(0, 0, 0)], np.int32)
        return Assembled(code, memory, tuple(fixed), table)

    def _unknown(self, roots: Iterable[Node]) -> list[Node]:
        """Return what is to be computed for these nodes, arguments first."""
        known, seen = self._known, set[int]()
        found: list[Node] = []
        for root in roots:
            stack: list[Node | None] = [root]
            while stack:
                node = stack.pop()
                if node is None:
                    ready = stack.pop()
                    assert ready is not None
                    found.append(ready)
                elif node.args and node.uid not in known and node.uid not in seen:
                    seen.add(node.uid)
                    stack += node, None
                    stack += node.args
        return found

    def _compute(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self._known[node.uid] = self._computed(node)
            if self._meanwhile is not None:
                self._meanwhile[0].append(node.uid)

    def _computed(self, node: Node) -> Value:
        op, args = node.op, node.args
        match op:
            case "not":
                found = self.value(8)
                self.do("not", found, self.of(args[0]))
            case "and" | "or" | "iff":
                found = self.value(8)
                first, second, *others = map(self.of, args)
                if others:
                    self.do(f"{op}_all", found, first, second, others.pop())
                else:
                    self.do(op, found, first, second)
                while len(others) > 1:
                    self.do(f"{op}_all", found, found, others.pop(), others.pop())
                for other in others:
                    self.do(op, found, found, other)
            case "eq" | "le":
                found = self.value(8)
                low, high = min(a.low for a in args), max(a.high for a in args)
                width = 8 * integer_type(low, high).itemsize
                a, b = (self.cast(self.of(x), width) for x in args)
                self.do(f"{op}{width}", found, a, b)
            case "add" | "sub" | "ite":
                width = width_of(node)
                operands = [self.cast(self.of(x), width) for x in args[-2:]]
                found = self.value(width)
                if op == "ite":
                    operands.append(self.of(args[0]))
                self.do(f"{op}{width}", found, *operands)
            case _:
                raise LanguageError(f"the native reading has no rule for {op!r}")
        return found


def width_of(node: Node) -> int:
    """Return the bits of a node's numbers."""
    return 8 if node.op in BOOL_OPS else 8 * column_type(node).itemsize
