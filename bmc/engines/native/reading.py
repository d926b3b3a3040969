"""How a program begins: the leaves of states from their packed rows."""

from __future__ import annotations

from collections.abc import Iterable

from bmc.engines.packed.packing import Packing, Unit
from bmc.readings.circuit import Node, cone
from bmc.readings.native.program import Program, Value, width_of


def read_rows(
    program: Program, packing: Packing, roots: Iterable[Node], parts: Iterable[Unit] = ()
) -> dict[Unit, Value]:
    """Write how the variables that the roots depend on are taken out of rows.

    Return the values of these parts of the rows before the step.
    """
    leaves = len(packing.fields)
    variables = {n.data: n for n in cone(roots) if n.op in ("var", "ivar")}
    taken: dict[tuple[Unit, int], Value] = {}

    def take(unit: Unit, after: int) -> Value:
        if (unit, after) not in taken:
            size = unit.dtype.itemsize
            value = taken[unit, after] = program.value(8 * size)
            program.do(f"unit{8 * size}", value, small=unit.position * size, number=after)
        return taken[unit, after]

    for index, node in sorted(variables.items()):
        field = packing.fields[index % leaves]
        width = 8 * field.unit.dtype.itemsize
        value = program.value(width)
        whole = take(field.unit, index // leaves)
        program.do(f"field{width}", value, whole, small=field.shift, number=field.mask)
        own = width_of(node)
        if own != width:
            narrow, value = value, program.value(own)
            program.do(f"zcast{width}_{own}", value, narrow)
        if field.low:
            program.do(f"increase{own}", value, value, number=field.low)
        program.know(node, value)
    return {unit: take(unit, 0) for unit in parts}
