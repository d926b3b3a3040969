"""Ctrl-C inside a solver is a KeyboardInterrupt, whatever the solver's binding makes of it."""

import signal
import subprocess
import sys

# No two of thirteen pigeons share one of twelve holes: too hard to be refuted before the signal.
ASKED = """
from bmc.solving.core_solver import CoreSolver

HOLES = 12
sits = [[pigeon * HOLES + hole + 1 for hole in range(HOLES)] for pigeon in range(HOLES + 1)]
apart = [
    [-one[hole], -other[hole]]
    for hole in range(HOLES)
    for place, other in enumerate(sits)
    for one in sits[:place]
]
solver = CoreSolver([*sits, *apart], HOLES * (HOLES + 1))
try:
    print("asking", flush=True)
    solver.solve([])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_while_cadical_solves_is_a_keyboard_interrupt() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ASKED], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asking\n"
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert said == "interrupted\n"
