"""Rows about temporal claims: decided by their engines, with lassos that are judged again."""

import json
from dataclasses import replace
from errno import EAGAIN
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.cli.shared.sweep_evidence import describe, is_about, lasso_of
from bmc.lang import State, Suite, lemma
from bmc.lang.ranking import Rank, RankingDeclaration, helpful, rank
from bmc.lang.terms import Term
from bmc.reports.sweeps.digest import command
from bmc.running.supervisor import Supervisor
from bmc.sweep.job import Job, JobLimits, Method, as_row, identity_of
from bmc.sweep.plan import Share, jobs_of
from bmc.sweep.rows import settles
from bmc.sweep.runner import Tools, run_job
from bmc.sweep.store import Store
from tests.cli.running import ROOT, bmc

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("sweep temporal claims")

LOCK = f"{ROOT}/docs/examples/classics/mutual_exclusion.py:TestAndSet"
TWO = {"processes": 2}
OTHERS = {
    "protocol": "another",
    "parameters": {"processes": 3},
    "property": "EntersStrongly",
    "specification": "Another",
    "violated_instance": {"p": "nobody"},
    "trace": [],
    "loop": 0,
    "closing": {"action": "Leave"},
    "fairness": [],
    "text": "nothing is wrong",
    "more": 1,
}
"""What a file could show its readers in the place of what is judged, by its parts."""


def jobs(engine: str, *claims: str) -> list[Job]:
    asked = Share(catalogue.find(LOCK), [TWO], claims)
    return jobs_of([asked], Method(engine, 10, "cadical", True), JobLimits(60.0, 4096), "tests")


@pytest.fixture(scope="module")
def answers() -> list[Any]:
    wanted = [
        *jobs("explicit", "EntersWeakly", "EntersStrongly"),
        *jobs("monitored", "EntersStrongly"),
    ]
    return [run_job(Tools(catalogue.find, describe), job) for job in wanted]


@pytest.fixture
def store(answers: list[Any], tmp_path: Path) -> Store:
    made = Store(tmp_path)
    for finished in answers:
        made.add(finished.row, finished.evidence)
    return made


def test_a_row_has_verdict_and_evidence(answers: list[Any]) -> None:
    violated, explored, certified = (finished.row for finished in answers)
    assert (violated["verdict"], violated["trace_states"]) == ("violated", 4)
    assert (explored["verdict"], explored["certificate"]) == ("proved", None)
    assert (certified["verdict"], certified["k"]) == ("proved", 1)
    assert certified["checked_by"].startswith("bitwuzla")
    assert command(certified).endswith(
        "-P EntersStrongly --engine monitored --timeout 60 --memory 4096"
    )


@pytest.mark.parametrize(
    ("place", "raised", "ended"),
    [
        ("bmc.engines.liveness.decide.graph_of", MemoryError(), "memory"),
        ("bmc.engines.team.Supervisor.start", BlockingIOError(EAGAIN, "none left"), "lost"),
    ],
)
def test_what_kept_an_engine_from_an_answer_is_tried_again(
    place: str, raised: Exception, ended: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (asked,) = jobs("explicit", "EntersStrongly")
    start = Supervisor.start

    def lacking(*given: Any, **more: Any) -> Any:
        if "a job" in given:
            return start(*given, **more)
        raise raised

    monkeypatch.setattr(place, lacking)
    row = {"implied_by": None, **run_job(Tools(catalogue.find, describe), asked).row}
    assert (row["verdict"], row["ended"]) == ("unknown", ended)
    assert not settles(row, replace(asked, limits=JobLimits(60.0, 8192)))


def test_lassos_and_certificates_are_judged_again(store: Store) -> None:
    answered = bmc("sweep", "verify", str(store.folder), "--protocol", LOCK, "--json")
    found = {(r["property"], r["standing"]) for r in answered.document["rows"]}
    assert found == {
        ("EntersWeakly", "accepted"),
        ("EntersStrongly", "accepted"),
        ("EntersStrongly", "unchecked"),
    }
    assert answered.code == 3


def test_a_lasso_implies_none_at_other_parameters(answers: list[Any], tmp_path: Path) -> None:
    """A parameter that only adds executions adds steps that fairness asks for."""
    violated, store = answers[0], Store(tmp_path)
    store.add(violated.row, violated.evidence)
    (job,) = jobs("lasso", "EntersWeakly")
    implied = {
        **violated.row,
        **as_row(job),
        "ended": "implied",
        "implied_by": violated.row["key"],
    }
    store.add(implied)
    answered = bmc("sweep", "verify", str(store.folder), "--protocol", LOCK, "--json")
    assert answered.code == 2
    (found,) = (r for r in answered.document["rows"] if r["key"] == job.key)
    assert found["standing"] == "rejected"
    assert found["reason"] == "what it names does not imply it"


def test_a_lasso_that_does_not_close_is_rejected(answers: list[Any], tmp_path: Path) -> None:
    ((_, text),) = answers[0].evidence
    file, suite = tmp_path / "lasso.json", catalogue.find(LOCK)
    file.write_text(text, encoding="utf-8")
    assert lasso_of(file, suite, TWO, "EntersWeakly") is not None
    # Strong fairness excludes it.
    assert lasso_of(file, suite, TWO, "EntersStrongly") is None
    document = json.loads(text)
    document["recorded"]["loop"] = 3
    file.write_text(json.dumps(document), encoding="utf-8")
    assert lasso_of(file, suite, TWO, "EntersWeakly") is None


@pytest.mark.parametrize("part", sorted(OTHERS))
def test_a_file_that_shows_another_lasso_than_is_judged_is_rejected(
    part: str, answers: list[Any], tmp_path: Path
) -> None:
    ((_, text),) = answers[0].evidence
    file, suite = tmp_path / "lasso.json", catalogue.find(LOCK)
    file.write_text(text, encoding="utf-8")
    found = lasso_of(file, suite, TWO, "EntersWeakly")
    assert found is not None
    assert is_about(file, suite, TWO, found)
    document = json.loads(text)
    assert document.get(part) != OTHERS[part]
    document[part] = OTHERS[part]
    file.write_text(json.dumps(document), encoding="utf-8")
    assert not is_about(file, suite, TWO, found)


def test_lemmas_and_rankings_are_part_of_what_is_asked_where_they_help() -> None:
    """A ranking that was mended was never asked about again: what it left open stayed unknown."""
    ring = catalogue.find(f"{ROOT}/docs/examples/classics/token_ring.py:TokenRing")
    (first, *others) = ring.rankings
    turned = RankingDeclaration(_slower, "", first.claim, first.arguments)
    mended, more = replace(ring, rankings=(turned, *others)), replace(ring, lemmas=(_KEPT,))

    def asked(suite: Suite, engine: str) -> str:
        return identity_of(suite, "Works", Method(engine, 10, "cadical", True))

    assert len({asked(one, "ranked") for one in (ring, mended, more)}) == 3
    assert len({asked(one, "monitored") for one in (ring, mended, more)}) == 2
    assert len({asked(one, "explicit") for one in (ring, mended, more)}) == 1


def _slower(protocol: object, s: State, p: Term) -> Rank:
    return rank(s.holder, by=helpful("Pass"))


@lemma("the token is with somebody")
def _KEPT(protocol: object, s: State) -> Term:
    return s.holder >= 0


def test_fairness_is_part_of_what_is_asked() -> None:
    weakly, strongly = jobs("explicit", "EntersWeakly", "EntersStrongly")
    assert weakly.identity != strongly.identity


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-P", "EntersWeakly", "-P", "Exclusion"), "temporal claims are decided by themselves"),
        (("-P", "EntersWeakly", "--engine", "kinduction"), "ask it of the others alone"),
        (("-P", "EntersWeakly", "--prune"), "a lasso need not be one at larger values"),
        (("-P", "EntersWeakly", "--mutants"), "asked about its other claims only"),
        (("-P", "Exclusion", "--engine", "lasso"), "there is no engine 'lasso'"),
    ],
)
def test_what_is_no_sweep_of_temporal_claims(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    answered = bmc("sweep", LOCK, *words, "--out", str(tmp_path), "--dry-run")
    assert answered.code == 2
    assert said in answered.err
