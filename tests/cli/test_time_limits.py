"""What comes after the search ends with the user's limit, too."""

from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from bmc.cli.shared.catalogue import find
from bmc.cli.shared.counterexamples import Counterexamples
from bmc.cli.shared.refuted import short_search
from bmc.conformance.demands import Survey, survey
from bmc.conformance.mapping_file import read_mapping
from bmc.conformance.search import Limits
from bmc.conformance.verdict import Conforms, Unknown, check_log
from bmc.engines.bounded import check
from bmc.engines.explicit import explore
from bmc.engines.liveness.question import Question
from bmc.engines.minimisation import CUT_OFF
from bmc.engines.preference import TracePreference
from bmc.engines.task import SILENT, Deadline, Observer, Task
from bmc.evidence.certificate import Certificate
from bmc.evidence.certify import Certified, certify
from bmc.evidence.panel import Progress
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.suite import Suite
from tests.cli.running import ROOT, bmc
from tests.engines.test_minimisation import SUITE

SHOWN = Counterexamples(False, (), None, TracePreference(), as_tlc=False)
LIMIT = 0.05


def late(task: Task, observer: Observer) -> tuple[Result, ...]:
    """An engine that finds a trace when its time is up."""
    found = check(Task(SUITE, {}, task.properties, 4), observer)
    sleep(LIMIT)
    return found


def test_a_trace_that_is_found_at_the_limit_is_shown_as_it_is() -> None:
    """Up to twenty processor seconds more were spent on it."""
    task = Task(SUITE, {}, ("NotTwice",), 4, LIMIT)
    (raw,) = late(task, SILENT)
    (result,) = SHOWN.simplifying(late)(task, SILENT)
    assert (result.verdict, result.trace, result.reason) == (Verdict.VIOLATED, raw.trace, CUT_OFF)


def test_a_trace_of_an_exploration_is_made_simpler_in_what_is_left() -> None:
    task = Task(SUITE, {}, ("NotTwice",))
    found = explore(task, stop_at_violation=True).verdicts()
    (cut,) = SHOWN.simpler(task, found, SILENT, Deadline(0.0))
    assert (cut.trace, cut.reason) == (found[0].trace, CUT_OFF)
    (simple,) = SHOWN.simpler(task, found, SILENT, Deadline(60.0))
    assert simple.reason is None


def test_refuted_claims_are_not_searched_when_time_is_up() -> None:
    """A proof that had used up its limit searched for ten seconds more."""
    task = Task(find("kafka"), {"replicas": 2}, (), timeout=60.0)
    (open_,) = short_search(task, ("LeaderInIsr",), Deadline(0.0))
    assert (open_.verdict, open_.reason) == (Verdict.UNKNOWN, "the time limit has passed")
    (found,) = short_search(task, ("LeaderInIsr",), Deadline(60.0))
    assert found.verdict is Verdict.VIOLATED


def test_reading_a_log_for_its_parameters_takes_from_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log of 300,000 events was read for ten seconds under any limit, which began behind that."""
    log, mapping = tmp_path / "log", tmp_path / "map"
    log.write_text('{"event": "a"}\n')
    mapping.write_text('[[event]]\nname = "a"\nactions = []\n')
    read = survey

    def slow(*asked: Any) -> Survey:
        sleep(5)
        return read(*asked)

    monkeypatch.setattr("bmc.conformance.demands.survey", slow)
    began = monotonic()
    words = ["trace", "check", "id-sequence", "--log", str(log), "--map", str(mapping)]
    ended = bmc(*words, "--timeout", "0.5")
    assert (ended.code, ended.out) == (3, "")
    assert monotonic() - began < 5


def test_the_search_in_a_log_has_what_reading_it_left(tmp_path: Path) -> None:
    log, mapping = tmp_path / "log", tmp_path / "map"
    log.write_text('{"event": "a"}\n')
    mapping.write_text('[[event]]\nname = "a"\nactions = [{ name = "NextId" }]\n')
    suite = find("id-sequence")
    asked = read_mapping(mapping, suite)
    told = survey(log, asked, suite.model(False), {})
    for earlier, verdict in ((0, Conforms), (9, Unknown)):
        since = monotonic() - earlier
        found = check_log(log, asked, told, suite, (), Limits(seconds=8), since=since)
        assert isinstance(found.verdict, verdict)


def test_what_a_proof_of_behaviours_is_asked_last_has_what_the_judge_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each question of `certify` had the whole limit to itself."""
    proof = tmp_path / "proof.json"
    named = f"{ROOT}/docs/examples/classics/token_ring.py:TokenRing"
    bmc("prove", named, "-P", "Works", "--engine", "ranked", "--certificate", str(proof))
    left: list[float | None] = []

    def slow(
        certificate: Certificate, suite: Suite, progress: Progress, *limits: object
    ) -> Certified:
        sleep(LIMIT)
        return certify(certificate, suite, progress)

    def asked(question: Question, claim: str, deadline: Deadline) -> None:
        left.append(deadline.remaining())

    monkeypatch.setattr("bmc.evidence.certify.certify", slow)
    monkeypatch.setattr("bmc.engines.liveness.fair_behaviour.why_none_is_known", asked)
    found = bmc("certify", str(proof), "--protocol", named, "--timeout", "60")
    assert found.code == 0, found.err
    (seconds,) = left
    assert seconds is not None
    assert seconds <= 60.0 - LIMIT
