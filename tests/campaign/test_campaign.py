"""A small campaign: random protocols and terms, and some planted faults. The large one is
``benchmarks/fuzz_campaign.py``, and all faults are in ``benchmarks/checker_mutants.py``."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from bmc.evidence.verdict import Result, Verdict
from tests.campaign.campaign import Figures, run
from tests.campaign.engines import Disagreement, Tally, known, require
from tests.campaign.machines import Ladder
from tests.campaign.mutants import MUTANTS
from tests.campaign.probes import Written

ROOT = Path(__file__).resolve().parents[2]


def test_engines_say_what_is_so_of_random_protocols() -> None:
    figures = Figures()
    run(iter(range(41, 53)), figures, lambda: True)
    assert [(f.number, f.check, f.said) for f in figures.failures] == []
    assert figures.protocols == 12
    assert figures.random_terms > 50
    assert figures.undefined_terms > 5
    # Some claims hold, some fail at the start, and some only far from it.
    assert min(figures.failing_at[None], figures.failing_at[0]) > 8
    assert sum(n for depth, n in figures.failing_at.items() if depth and depth > 1) > 4
    assert figures.tally.certificates > 2


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (Verdict.PROVED, "which fails after 3 steps"),
        (Verdict.UNKNOWN, "clean to 3, but 3 steps violate it"),
        (Verdict.VIOLATED, "without a trace"),
    ],
)
def test_a_wrong_answer_is_noticed(verdict: Verdict, said: str) -> None:
    truth = known(Written(Ladder, {}))  # type: ignore[arg-type]
    assert truth.fails["NotThree"] == 3
    wrong = Result("NotThree", verdict, "engine", 0.0, depth=3)
    with pytest.raises(Disagreement, match=said):
        require(truth, "engine", [wrong], Tally())


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_place_of_each_fault_is_there(mutant: object) -> None:
    found = find_spec(mutant.module)  # type: ignore[attr-defined]
    assert found is not None
    assert found.origin is not None
    assert Path(found.origin).read_text().count(mutant.old) == 1  # type: ignore[attr-defined]


def test_planted_faults_are_caught() -> None:
    """Quick ones, of several floors; the command prints a line for each."""
    some = [
        "the judge does not ask the start",
        "the judge takes the first",
        "one state of the row",
        "a fingerprint forgets the constraint",
        "a trace may begin",
        "solver that gives up has",
        "states of one hash",
        "contradict",
    ]
    command = [sys.executable, str(ROOT / "benchmarks" / "checker_mutants.py"), *some]
    told = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.count("caught ") == len(some)
