"""A real Kafka under faults does what the model of deployed brokers does, and no more.

The test starts three brokers. Where that cannot be done it fails with what is missing; the
recorded logs of such runs are what the everyday tests check.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "benchmarks" / "conformance" / "kafka_cluster.py"


@pytest.fixture(scope="session")
def jars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that Maven fills once."""
    return tmp_path_factory.mktemp("jars")


@pytest.mark.nightly
@pytest.mark.xdist_group("kafka")
@pytest.mark.parametrize(("how", "clean"), [((), True), (("--unclean",), False)])
def test_brokers_that_are_killed_and_started_again(
    how: tuple[str, ...], clean: bool, jars: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    words = ["--jars", str(jars), "--out", str(out), "--rounds", "1", *how]
    ended = subprocess.run(
        [sys.executable, str(SCRIPT), *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert ended.returncode == 0, f"no Kafka can be run here: {ended.stderr}"
    deployed, unclean = ended.stdout.split("kafka-kip320-deployed-unclean ")
    if clean:
        assert "conforms" in deployed
    else:
        # In whose words: the broker that was elected is in no ISR.
        assert "impossible at line" in deployed
        assert "ControllerElectLeader" in deployed
        assert "quorumState" in deployed
    assert "conforms" in unclean
