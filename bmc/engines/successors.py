"""Successors of blocks of states: with numpy, until to go on so costs more than machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bmc.engines.packed.blocks import NumpyCost
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing
from bmc.engines.packed.quotient import Quotient
from bmc.engines.packed.store import StateStore
from bmc.engines.packed.successors import Expansion
from bmc.engines.packed.table import StateTable
from bmc.readings.vector import TooWide
from bmc.system.transition import TransitionSystem

if TYPE_CHECKING:
    from bmc.engines.native.expansion import NativeExpansion

_TAKEN_BY_MACHINE_CODE = 96 << 20
"""Bytes that loading LLVM and making code takes at most: 80 MB were seen."""


class Successors:
    """What finds the successors in a search, ``expansion``: numpy at first."""

    def __init__(self, system: TransitionSystem, packing: Packing) -> None:
        self._system, self._packing = system, packing
        self._numpy = Expansion(system, packing)
        self._cost: NumpyCost | None = NumpyCost(len(system.circuit))
        self.expansion: Expansion | NativeExpansion = self._numpy

    def consider_machine_code(
        self,
        states: int,
        evaluated: Sequence[Formulas],
        table: StateTable | StateStore | None,
        failed: Callable[[str], None],
        quotient: Quotient | None = None,
        room: int | None = None,
    ) -> bool:
        """Return whether machine code begins here, before so many states are taken next.

        It is made where it is installed and would by now have been less work. It finds the
        successors then, the truth of the formulas, the images of states, and what is new in the
        table. It is told why it ``failed``, where it does, as where there is a limit of memory
        that leaves less ``room``, in bytes, than it takes.
        """
        if self._cost is None or not self._cost.of_level(states):
            return False
        self._cost = None
        from bmc.readings.native.installed import installed

        if not installed():
            return False
        if room is not None and room < _TAKEN_BY_MACHINE_CODE:
            failed("the limit of memory leaves no room to make machine code in")
            return False
        from bmc.engines.native.search import native_inner_loops
        from bmc.readings.native.machine import NoMachineCode

        try:
            if table is not None:
                table.use_machine_code()
            self.expansion = native_inner_loops(
                self._system, self._packing, self._numpy, evaluated, quotient
            )
        except (NoMachineCode, TooWide) as reason:
            # Too wide may be what a rule computes that no state enables: numpy never looks at it.
            failed(str(reason))
            return False
        return True
