"""What the tests of commands share."""

from pathlib import Path

import pytest

from bmc.cli.app import run

from .clock import CLOCK, CONSTANTS, Bmc


@pytest.fixture
def bmc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bmc:
    (tmp_path / "Clock.tla").write_text(CLOCK)

    def call(command: str, config: str, *options: str, stderr: bool = False) -> tuple[int, str]:
        (tmp_path / "Clock.cfg").write_text(CONSTANTS + config)
        code = run([command, str(tmp_path / "Clock.tla"), *options])
        said = capsys.readouterr()
        return code, said.err if stderr else said.out

    return call
