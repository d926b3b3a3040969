"""Commands end on protocols whose terms share their parts, as values that a loop makes do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import bmc

SHARED = """
from bmc.lang import *

class Shared(Protocol):
    n = Variable(Integer("N", 0, 3))

    @action()
    def Init(self, s):
        s.n = 0

    @action()
    def Up(self, s):
        s.require(s.n < 3)
        s.n = s.n + 1

    Next = one_of(Up)

    @invariant("true, and shared")
    def Claim(self, s):
        t = s.n < 4
        for _ in range(60):
            t = (t & (s.n < 5)) | (t & (s.n < 6))
        return t
"""


@pytest.mark.parametrize("command", ["explore", "simulate", "testgen"])
def test_a_command_goes_once_through_shared_parts(command: str, tmp_path: Path) -> None:
    file = tmp_path / "shared.py"
    file.write_text(SHARED)
    more = ["--out", str(tmp_path / "suite")] if command == "testgen" else []
    assert bmc(command, f"{file}:Shared", *more, "--timeout", "60").code == 0


def test_inference_keeps_its_limit_where_parts_are_shared(tmp_path: Path) -> None:
    """It took every way to a part, and did not look at the clock meanwhile."""
    file = tmp_path / "shared.py"
    file.write_text(SHARED)
    answered = bmc("infer", f"{file}:Shared", "--timeout", "3")
    assert answered.code in (0, 3)
    assert "all hold in all 4 reachable states" in answered.out
