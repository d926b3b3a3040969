"""Everything that a search does in its inner loops, as machine code for one system."""

from __future__ import annotations

from collections.abc import Sequence

from bmc.engines.native.expansion import NativeExpansion, expansion_program
from bmc.engines.native.formulas import NativeFormulas, formulas_program
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing
from bmc.engines.packed.successors import Expansion
from bmc.readings.native.machine import NoMachineCode, machines
from bmc.readings.native.program import LANES
from bmc.system.transition import TransitionSystem

_MOST_ROOM = 1 << 28
"""Bytes that are asked for, though most of them are never written."""


def native_inner_loops(
    system: TransitionSystem,
    packing: Packing,
    expansion: Expansion,
    evaluated: Sequence[Formulas],
) -> NativeExpansion:
    """Make these formulas be evaluated by machine code, and return what finds successors so.

    Raises NoMachineCode, also where the successors of a batch could take too much room.
    """
    room = 8 * packing.words * LANES * len(system.rules)
    if room > _MOST_ROOM:
        raise NoMachineCode(f"the steps of {LANES} states could take {room >> 20:,} MB")
    formulas = [one for one in evaluated if one.nodes]
    programs = [
        expansion_program(system.rules, packing),
        *(formulas_program(one.nodes, packing) for one in formulas),
    ]
    of_rules, *of_formulas = machines(programs, packing.words)
    for one, machine in zip(formulas, of_formulas, strict=True):
        one.use(NativeFormulas(machine, len(one.nodes)))
    return NativeExpansion(of_rules, len(system.rules), packing.words, expansion)
