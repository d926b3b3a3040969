"""Everything that a search does in its inner loops, as machine code for one system."""

from __future__ import annotations

from collections.abc import Sequence

from bmc.engines.native.expansion import NativeExpansion, expansion_program
from bmc.engines.native.formulas import NativeFormulas, formulas_program
from bmc.engines.native.images import NativeImages, images_program
from bmc.engines.packed.blocks import LANES as MOST_AT_ONCE
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing
from bmc.engines.packed.quotient import Quotient
from bmc.engines.packed.successors import Expansion
from bmc.readings.native.machine import NoMachineCode, machines
from bmc.readings.native.program import LANES
from bmc.system.transition import TransitionSystem

_MOST_ROOM = 1 << 28
"""Bytes that are asked for, though most of them are never written."""
_IMAGES = 1 << 22
"""Bytes of the images that are looked at together: they stay in the processor's caches."""


def native_inner_loops(
    system: TransitionSystem,
    packing: Packing,
    expansion: Expansion,
    evaluated: Sequence[Formulas],
    quotient: Quotient | None = None,
) -> NativeExpansion:
    """Make these formulas be evaluated by machine code, and the images of states be found so, and
    return what finds successors so.

    Raises NoMachineCode, also where the successors of a batch could take too much room.
    """
    room = 8 * packing.words * LANES * len(system.rules)
    if room > _MOST_ROOM:
        raise NoMachineCode(f"the steps of {LANES} states could take {room >> 20:,} MB")
    formulas = [one for one in evaluated if one.nodes]
    programs = [
        expansion_program(expansion.plans, packing),
        *(formulas_program(one.nodes, packing) for one in formulas),
    ]
    at_once = 0 if quotient is None else images_at_once(quotient, packing.words)
    if quotient is not None and at_once:
        programs.append(images_program(packing, quotient.nodes, quotient.changes))
    of_rules, *others = machines(programs, packing.words)
    for one, machine in zip(formulas, others, strict=False):
        one.use(NativeFormulas(machine, len(one.nodes)))
    if quotient is not None and at_once:
        images = NativeImages(others[-1], len(quotient.nodes), packing.words, at_once)
        quotient.use(images)
    return NativeExpansion(of_rules, len(system.rules), packing.words, expansion)


def images_at_once(quotient: Quotient, words: int) -> int:
    """Return of how many states the images are found together by machine code; 0 where those of a
    batch would take too much room."""
    of_batch = 8 * words * LANES * len(quotient.nodes)
    if not 0 < of_batch <= _MOST_ROOM:
        return 0
    return min(MOST_AT_ONCE, LANES * max(1, _IMAGES // of_batch))
