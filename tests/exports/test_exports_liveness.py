"""A temporal claim as a circuit: its bad output can be reached exactly where it is violated."""

from pathlib import Path

import pytest

from tests.cli.running import bmc
from tests.exports.aiger_reader import read_aiger

CLASSICS = Path(__file__).parents[2] / "docs/examples/classics"
ELECTION = f"{CLASSICS / 'leader_election.py'}:ChangRoberts"


@pytest.mark.parametrize(
    ("claim", "violated"), [("Elected", False), ("ElectedWithoutStarting", True)]
)
def test_liveness_is_exported_as_safety(tmp_path: Path, claim: str, violated: bool) -> None:
    file = tmp_path / "lasso.aig"
    answered = bmc("export", "aiger", ELECTION, "-p", "processes=2", "-P", claim, "-o", str(file))
    assert answered.code == 0
    _, bad = read_aiger(file.read_bytes()).reachable()
    assert bad.keys() == ({claim} if violated else set())


def test_two_temporal_claims_are_two_files(tmp_path: Path) -> None:
    both = ("-P", "Elected", "-P", "ElectedWithoutStarting", "-o", str(tmp_path / "x.aig"))
    answered = bmc("export", "aiger", ELECTION, *both)
    assert answered.code == 2
    assert "name one" in answered.err
