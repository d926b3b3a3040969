"""Of a row that another one implies, `sweep verify` accepts what a sweep would have written."""

from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.cli.shared.sweep_evidence import describe
from bmc.sweep.job import JobLimits, Method, key_of
from bmc.sweep.plan import Share, jobs_of
from bmc.sweep.runner import Tools, run_job
from bmc.sweep.seeds import Seeds
from bmc.sweep.store import Store
from tests.cli.running import ROOT, bmc

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("implied")

COUNTER = f"{ROOT}/tests/sweep/counters.py:Counter"
POINT = {"top": 4, "rounds": 1}
ONE, SEVERAL = "Small", "Small, InRange"


@pytest.fixture(scope="module")
def causes() -> dict[str, Any]:
    """Violations that imply others, by what they are about: a claim, and what walks watched."""
    suite, limits, found = catalogue.find(COUNTER), JobLimits(60.0, 4096), {}
    for engine, claims, seeds in (("bounded", ONE, ()), ("simulate", SEVERAL, [Seeds(0, 1, 9)])):
        method = Method(engine, 9, "cadical", False)
        share = Share(suite, [POINT], claims.split(", "))
        (job,) = jobs_of([share], method, limits, "tests", seeds)
        found[claims] = run_job(Tools(catalogue.find, describe), job)
    return found


@pytest.mark.parametrize(
    ("claim", "changed", "reason"),
    [
        (ONE, {"parameters": {"top": 40, "rounds": 1}}, "implied by a replayed trace"),
        (ONE, {"parameters": {"top": 2, "rounds": 1}}, "does not imply it"),
        (ONE, {"parameters": {"top": 5, "rounds": 2}}, "does not imply it"),
        (ONE, {"parameters": {"top": 41, "rounds": 1}}, "between 1 and 40"),
        (ONE, {"trace_states": 9}, "does not imply it"),
        (ONE, {"trace": "traces/other.json"}, "does not imply it"),
        (SEVERAL, {}, "does not imply it"),
    ],
    ids=str,
)
def test_an_implied_row_is_its_cause_at_larger_parameters_that_there_are(
    claim: str, changed: dict[str, Any], reason: str, causes: dict[str, Any], tmp_path: Path
) -> None:
    """It was accepted where a protocol refuses them, and with a trace of something else.

    Walks that violate one of their claims implied that all of them are violated.
    """
    cause, store = causes[claim], Store(tmp_path)
    store.add(cause.row, [*cause.evidence, ("traces/other.json", "{}")])
    row = {**dict.fromkeys(("seeds", "walks", "found")), "ended": "implied"}
    row = {**cause.row, "parameters": {"top": 5, "rounds": 1}, **row, **changed}
    row |= {"implied_by": cause.row["key"], "key": key_of(row)}
    store.add(row)
    answered = bmc("sweep", "verify", str(tmp_path), "--protocol", COUNTER, "--json")
    (found,) = (one for one in answered.document["rows"] if one["key"] == row["key"])
    assert reason in found["reason"]
    assert found["standing"] == ("accepted" if "replayed" in reason else "rejected")
    assert answered.code == (0 if "replayed" in reason else 2)
