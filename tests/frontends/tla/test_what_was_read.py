"""What a step of a trace read is told where a condition's later parts have no value."""

from __future__ import annotations

from pathlib import Path

from bmc.evidence.sources import sources
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter
from tests.frontends.tla.models import explored, translated

TEXT = """
EXTENDS Integers, Sequences
VARIABLES x, y, q
Init == x = 0 /\\ y = 0 /\\ q = <<>>
Next == \\/ y = 0 /\\ y' = 1 /\\ UNCHANGED <<x, q>>
        \\/ /\\ x' = y + (IF q # <<>> /\\ y = (IF Head(q) = 1 THEN 0 ELSE 1) THEN 0 ELSE 1)
           /\\ q' = <<1>> /\\ UNCHANGED y
Low == x < 2
"""


def test_a_condition_behind_what_decides_is_not_read(tmp_path: Path) -> None:
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Low"
    translation = translated(tmp_path, TEXT, config)
    trace = explored(translation).violations["Low"]
    interpreter = Interpreter(translation.model, Domains({}))
    found = sources(interpreter, trace, 2, {"x"})
    assert [str(one.part) for one in found] == ["y"]
