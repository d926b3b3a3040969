"""LLVM's assembly language to functions that can be called."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bmc.lang.errors import BmcError
from bmc.readings.native.driver import ALWAYS, FIELDS, driver
from bmc.readings.native.program import LANES, Assembled, Program

Function = Callable[..., int]
"""What takes addresses and 64-bit integers and returns a 64-bit integer."""


class NoMachineCode(BmcError):
    """Machine code cannot be made here; the message says why."""


class MachineCode:
    """The functions of a text in LLVM's assembly language.

    ``effort`` is how hard the compiler tries, 0 to 3. Raises NoMachineCode where there is no
    compiler for this machine.
    """

    def __init__(self, text: str, effort: int = 1) -> None:
        binding = _binding()
        try:
            module = binding.parse_assembly(text)
            target = binding.Target.from_default_triple()
            features = binding.get_host_cpu_features().flatten()
            machine = target.create_target_machine(
                cpu=binding.get_host_cpu_name(), features=features, opt=effort, jit=True
            )
            module.triple = target.triple
            module.data_layout = str(machine.target_data)
            self._engine = binding.create_mcjit_compiler(module, machine)
            self._engine.finalize_object()
        except (RuntimeError, OSError) as error:
            raise NoMachineCode(f"LLVM makes no code for this machine: {error}") from error

    def function(self, name: str, arguments: int) -> Function:
        """Return the function of a name, which has so many arguments of 64 bits.

        Other threads run while it does. It is valid as long as this object is.
        """
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * arguments)
        call = kind(self._engine.get_function_address(name))
        return cast(Function, call)


@lru_cache(maxsize=1)
def _binding() -> Any:
    try:
        from llvmlite import binding

        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
    except (ImportError, OSError, RuntimeError) as error:
        raise NoMachineCode(f"llvmlite cannot be used: {error}") from error
    return binding


def address(array: NDArray[Any] | None) -> int:
    """Return where a contiguous array lies, 0 for None."""
    if array is None:
        return 0
    assert array.flags.c_contiguous
    return array.ctypes.data


def machines(programs: Sequence[Program], words: int) -> list[VectorMachine]:
    """Return a machine for each program, over states of so many words. Raises NoMachineCode.

    They share the code, which is made once.
    """
    # The machine's loop names all of these, whether a program has them or not.
    operations = {name: number for number, name in enumerate(ALWAYS)}
    assembled = [program.assembled(operations) for program in programs]
    code = MachineCode(driver(operations, words))
    return [VectorMachine(code, one) for one in assembled]


class VectorMachine:
    """Runs one program over blocks of states."""

    def __init__(self, code: MachineCode, program: Assembled) -> None:
        self._code = code
        self._run = code.function("run", 1)
        self._held: dict[str, NDArray[Any]] = {
            "code": program.code,
            "registers": program.registers(),
            "patches": program.patches,
            "masks": np.zeros(LANES // 64, np.uint64),
        }

    def run(self, arrays: Mapping[str, NDArray[Any]], numbers: Mapping[str, int]) -> MachineRun:
        """Run with the addresses of the arrays and the numbers as fields."""
        fields = {name: address(array) for name, array in {**self._held, **arrays}.items()}
        fields |= numbers
        context = np.array([fields.get(name, 0) for name in FIELDS], np.int64)
        reached = self._run(address(context))
        return MachineRun(reached, int(context[FIELDS.index("count")]))


@dataclass(frozen=True)
class MachineRun:
    """The first state that was not looked at, -1 at one that is out of bounds, and the successors
    there are now."""

    reached: int
    count: int
