"""Rankings at all parameter values: what is proved is so at each, and nothing else is proved."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.engines.allparams.ranked import NoRanking, RankedProof, prove_by_rankings_for_all
from bmc.engines.liveness.decide import decide
from bmc.engines.liveness.question import Question
from bmc.engines.task import SILENT
from bmc.evidence.certificate import CertificateError
from bmc.evidence.parametric_certificate import ParametricCertificate
from bmc.evidence.parametric_certify import certify_parametric
from bmc.evidence.verdict import Contradiction, Result, Verdict
from bmc.lang.suite import Suite
from bmc.lang.temporal import Specification, strong, weak
from bmc.lang.terms import Term
from bmc.readings.quantified.structures import NotQuantified
from bmc.system.ranked import NotFair, RankMonitor

from .test_ranking import FALSE_CLAIMS, classic, switch, waits_for_light


def for_all(suite: Suite, claim: str) -> RankedProof:
    return prove_by_rankings_for_all(suite, claim, SILENT)


def result(suite: Suite, claim: str) -> Result:
    (found,) = for_all(suite, claim).proof.results
    return found


@lru_cache
def ring() -> tuple[Suite, ParametricCertificate]:
    suite = classic("token_ring.py:TokenRing")
    certificate = for_all(suite, "Works").proof.certificate
    assert certificate is not None
    return suite, ParametricCertificate.from_json(certificate.to_json())


@pytest.mark.nightly
def test_a_ring_of_any_size_works() -> None:
    suite, certificate = ring()
    assert certify_parametric(certificate, suite).claims == ("Works",)
    for processes in (2, 4):
        (found,) = decide(Question(suite, {"processes": processes}, ("Works",)))
        assert found.verdict is Verdict.PROVED


def test_strong_fairness_with_a_rank_for_waiting() -> None:
    suite = switch(waits_for_light, strong("Arrive"), weak("Flip"))
    assert result(suite, "Arrives").verdict is Verdict.PROVED


@pytest.mark.nightly
def test_any_channel_gets_messages_across() -> None:
    suite = classic("alternating_bit.py:AlternatingBit")
    found = for_all(suite, "Arrive").proof
    assert found.results[0].verdict is Verdict.PROVED, found.results[0].reason
    assert found.certificate is not None
    assert certify_parametric(found.certificate, suite).claims == ("Arrive",)


@pytest.mark.nightly
def test_termination_is_detected_in_any_ring() -> None:
    """Dijkstra's EWD 840, by how many are black."""
    suite = classic("termination_detection.py:TerminationDetection")
    found = for_all(suite, "Detects").proof
    assert found.results[0].verdict is Verdict.PROVED, found.results[0].reason
    assert found.certificate is not None
    assert certify_parametric(found.certificate, suite).claims == ("Detects",)


@pytest.mark.nightly
def test_leaders_of_any_cluster_come_up() -> None:
    suite = catalogue.find("kafka")
    found = for_all(suite, "LeaderComesUp").proof
    assert found.results[0].verdict is Verdict.PROVED, found.results[0].reason
    assert found.certificate is not None
    assert certify_parametric(found.certificate, suite).claims == ("LeaderComesUp",)
    assert len(found.certificate.invariants) < 6


def test_what_is_wrong_is_said_with_the_least_ring_that_shows_it() -> None:
    found = result(classic("token_ring.py:GreedyRing"), "Works")
    assert found.verdict is Verdict.UNKNOWN
    assert found.reason is not None
    assert found.reason.startswith("by Nearer: the rank rises (on Work")
    assert "at processes=2" in found.reason


@pytest.mark.parametrize("name", FALSE_CLAIMS)
def test_a_wrong_ranking_proves_nothing(name: str) -> None:
    reason, suite = FALSE_CLAIMS[name]
    found = result(suite, "Arrives")
    assert found.verdict is Verdict.UNKNOWN
    assert found.reason is not None
    # Where two actions are wrong, either may be named.
    assert reason.split(" is ")[-1] in found.reason


class TestPlantedFaults:
    def test_without_what_it_asks_of_a_rank_the_greedy_ring_would_work(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = RankMonitor._found

        def without(self: Any, *given: Any) -> Iterator[tuple[str, Term]]:
            wrong = ("the rank rises", "the rank does not fall", "though the rank did not fall")
            for text, one in asked(self, *given):
                if not text.endswith(wrong):
                    yield text, one

        monkeypatch.setattr(RankMonitor, "_found", without)
        suite = classic("token_ring.py:GreedyRing")
        assert result(suite, "Works").verdict is Verdict.PROVED
        (explored,) = decide(Question(suite, {"processes": 2}, ("Works",)))
        assert explored.verdict is Verdict.VIOLATED

    def test_a_finder_who_asks_less_than_the_judge_is_found_out(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from bmc.engines.allparams import prove

        def confused(certificate: ParametricCertificate, suite: Suite, *more: Any) -> Any:
            greedy = classic("token_ring.py:GreedyRing")
            return certify_parametric(certificate, replace(greedy, name=suite.name), *more)

        monkeypatch.setattr(prove, "certify_parametric", confused)
        with pytest.raises(Contradiction, match="belongs to another model"):
            for_all(classic("token_ring.py:TokenRing"), "Works")


class TestCertificates:
    def test_less_fairness(self) -> None:
        suite, certificate = ring()
        for less in ((weak("Work"),), (weak("Pass"),), ()):
            with pytest.raises(CertificateError, match="leans on what does not exist"):
                certify_parametric(
                    certificate, replace(suite, specifications=(Specification("Fair", less),))
                )

    def test_a_claim_of_states_is_none_of_behaviours(self) -> None:
        suite, certificate = ring()
        with pytest.raises(CertificateError):
            certify_parametric(replace(certificate, watching=None), suite)

    def test_another_claim(self) -> None:
        suite, certificate = ring()
        assert certificate.watching is not None
        for change in ({"claim": "ComesBy"}, {"formula": "TRUE"}, {"ranking": "Farther"}):
            forged = replace(certificate.watching, **change)  # type: ignore[arg-type]
            with pytest.raises(CertificateError):
                certify_parametric(replace(certificate, watching=forged), suite)

    def test_a_condition_is_missing(self) -> None:
        suite, certificate = ring()
        for name in list(certificate.refutations)[:2]:
            rest = {n: r for n, r in certificate.refutations.items() if n != name}
            with pytest.raises(CertificateError, match="says nothing of"):
                certify_parametric(replace(certificate, refutations=rest), suite)


class TestRefused:
    def test_a_claim_that_nobody_ranks(self) -> None:
        with pytest.raises(NoRanking, match="ComesBy has no ranking"):
            for_all(classic("token_ring.py:TokenRing"), "ComesBy")

    def test_a_rank_that_counts_records_is_named_with_its_place(self) -> None:
        with pytest.raises(NotQuantified, match=r"FollowersComeNearer \(.*rankings.py:"):
            for_all(catalogue.find("kafka"), "FollowerComesUp")

    def test_a_rank_that_leans_on_no_fairness(self) -> None:
        with pytest.raises(NotFair, match="which is weakly fair"):
            for_all(switch(waits_for_light, weak("Arrive"), weak("Flip")), "Arrives")


def test_no_time_left_for_a_second_ranking_is_no_wrong_option() -> None:
    suite = classic("token_ring.py:TokenRing")
    (one,) = suite.rankings
    other = copy(one)
    other.name = "Again"
    both = replace(suite, rankings=(one, other))
    (found,) = prove_by_rankings_for_all(both, "Works", SILENT, 0.01).proof.results
    assert found.verdict is Verdict.UNKNOWN
