"""A few random temporal claims; ``benchmarks/fuzz_temporal.py`` looks at many."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Verdict
from tests.campaign.engines import Disagreement
from tests.campaign.temporal import Tally, agree, look

ROOT = Path(__file__).resolve().parents[2]


def test_engines_agree_on_random_claims() -> None:
    tally = Tally()
    for number in (105, 112, 116, 118, 121):
        look(number, tally)
    found = tally.verdicts
    assert found["explicit proved"] > 0
    assert found["explicit violated"] > 0
    assert found["lasso violated"] > 0
    assert found["monitored proved"] > 0
    assert found["inductive proved"] > 0
    assert tally.certificates == found["monitored proved"] + found["inductive proved"]


def test_a_disagreement_is_noticed() -> None:
    one = TemporalResult("Claim", Verdict.PROVED, "Drawn", 0.0)
    other = replace(one, verdict=Verdict.VIOLATED, engine="lasso")
    with pytest.raises(Disagreement, match="explicit proves what lasso refutes"):
        agree(0, [one, other])


def test_a_search_that_says_nothing_has_missed_nothing() -> None:
    """The claim has no value at one choice of its argument, and is false at another."""
    tally = Tally()
    look(1_301_432, tally)
    assert (tally.verdicts["explicit violated"], tally.verdicts["lasso unknown"]) == (1, 1)


@pytest.mark.nightly
def test_a_run_goes_on_where_it_ended(tmp_path: Path) -> None:
    state = tmp_path / "run.jsonl"
    command = [sys.executable, str(ROOT / "benchmarks" / "fuzz_temporal.py"), "--seed", "1"]
    command += ["--no-monitor", "--state", str(state)]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *more], capture_output=True, text=True, check=False, timeout=300
        )

    whole = run("--protocols", "11", "--processes", "2")
    assert whole.returncode == 0, whole.stderr
    # The long one is kept.
    pieces = sorted(state.read_text().splitlines(), key=lambda line: int(json.loads(line)["first"]))
    assert [json.loads(piece)["numbers"] for piece in pieces] == [10, 1]
    state.write_text(pieces[0] + "\n")
    rest = run("--protocols", "11")
    assert sorted(_untimed(state)) == sorted(_untimed_lines(pieces))
    assert _figures(rest.stdout) == _figures(whole.stdout)
    assert _figures(run("--protocols", "11").stdout) == _figures(whole.stdout)
    changed = {**json.loads(pieces[0]), "code": "another"}
    state.write_text(json.dumps(changed) + "\n")
    assert "not those of this run" in run("--protocols", "11").stderr


def _untimed(state: Path) -> list[str]:
    return _untimed_lines(state.read_text().splitlines())


def _untimed_lines(pieces: list[str]) -> list[str]:
    read = [json.loads(piece) for piece in pieces]
    return [json.dumps({**one, "seconds": 0, "processor": 0}, sort_keys=True) for one in read]


def _figures(out: str) -> list[str]:
    return [line for line in out.splitlines() if not line.startswith("seconds")]
