"""The judge of certificates believes nothing: whatever is altered is rejected, with the reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from bmc.properties.kafka import KAFKA_KIP101, KAFKA_KIP320

from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.certificate import Certificate, CertificateError, Statement
from bmc.evidence.certify import NotDecided, certify

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("certify")

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
CLAIMS = ("TypeOk", "WeakIsr", "StrongIsr", "ElectedLeaderInIsr")


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    results = prove(Task(KAFKA_KIP320, SMALL, CLAIMS))
    found = results[0].certificate
    assert found is not None
    return found


def test_it_accepts_what_was_proved(certificate: Certificate, tmp_path: Path) -> None:
    certificate.write(tmp_path / "proof.json")
    read = Certificate.read(tmp_path / "proof.json")
    assert read == certificate
    accepted = certify(read, KAFKA_KIP320)
    assert accepted.claims == CLAIMS
    assert accepted.solver.startswith("bitwuzla")
    assert accepted.conditions > 50


Alteration = Callable[[dict[str, Any]], object]


def _without(name: str) -> Alteration:
    def alter(document: dict[str, Any]) -> None:
        document["conjuncts"] = [c for c in document["conjuncts"] if c["name"] != name]

    return alter


def _claim(name: str, document: dict[str, Any]) -> None:
    model = KAFKA_KIP320.model(ghosts=True)
    stated = KAFKA_KIP320.describe(KAFKA_KIP320.find(name), model)
    statement = Statement.of(stated)
    document["claims"].append(
        {f: getattr(statement, f) for f in ("name", "kind", "text", "digest")}
    )


def _false_conjunct(document: dict[str, Any]) -> None:
    _claim("LeaderInIsr", document)
    document["conjuncts"].append(document["claims"].pop())


@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (_without("replica_keeps_below_its_high_watermark"), "does not"),
        (_without("one_request_an_epoch"), "does not"),
        (lambda d: d.update(conjuncts=[]), "does not"),
        (partial(_claim, "LeaderInIsr"), "does not imply LeaderInIsr"),
        (partial(_claim, "TwoLeaders"), "TwoLeaders is a witness"),
        (_false_conjunct, "LeaderInIsr does not hold initially"),
        (lambda d: d["conjuncts"][0].update(text="TRUE"), "is not what the certificate says"),
        (lambda d: d["claims"][0].update(digest="0" * 64), "is not what the certificate says"),
        (lambda d: d["claims"][0].update(name="StrongIsr"), "is not what the certificate says"),
        (lambda d: d["conjuncts"][0].update(name="no_such_lemma"), "does not exist"),
        (lambda d: d["parameters"].update(log_size=2), "another model"),
        (lambda d: d["parameters"].update(log_size=0), "between 1 and 64"),
        (lambda d: d.update(fingerprint="0" * 64), "another model"),
    ],
)
def test_it_rejects_what_was_altered(
    certificate: Certificate, alter: Alteration, reason: str
) -> None:
    document = json.loads(json.dumps(certificate.to_json()))
    alter(document)
    with pytest.raises(Exception, match=reason):
        certify(Certificate.from_json(document), KAFKA_KIP320)


def test_no_solver_judges_itself(certificate: Certificate) -> None:
    document = certificate.to_json() | {"found_by": "bitwuzla 0.9"}
    own = Certificate.from_json(document)
    with pytest.raises(CertificateError, match="bitwuzla found this proof itself"):
        certify(own, KAFKA_KIP320, solver="bitwuzla")
    assert certify(own, KAFKA_KIP320).solver.startswith("z3")


def test_it_rejects_the_certificate_of_another_model(certificate: Certificate) -> None:
    with pytest.raises(CertificateError, match="another model"):
        certify(certificate, KAFKA_KIP101)


@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (lambda d: d.update(format="bmc-certificate/9"), "another version"),
        (lambda d: d.pop("claims"), "incomplete or malformed"),
        (lambda d: d.update(claims=[]), "claims nothing"),
        (lambda d: d.update(k=0), "k must be 1 or more"),
        (lambda d: d.update(k="1"), "incomplete or malformed"),
        (lambda d: d.update(conjuncts=[1]), "of another form"),
        (lambda d: d.update(assumed=[]), "a part 'assumed', which this version of bmc does not"),
    ],
)
def test_it_rejects_what_is_no_certificate(
    certificate: Certificate, alter: Alteration, reason: str
) -> None:
    document = certificate.to_json()
    alter(document)
    with pytest.raises(CertificateError, match=reason):
        Certificate.from_json(document)


def test_no_certificate_shows_nothing_whoever_makes_it(certificate: Certificate) -> None:
    """Of none of the first states the independent judge asked whether the conjunction holds."""
    with pytest.raises(CertificateError, match="k must be 1 or more"):
        replace(certificate, k=0)
    with pytest.raises(CertificateError, match="claims nothing"):
        replace(certificate, claims=())
    with pytest.raises(CertificateError, match="name it in found_by"):
        replace(certificate, found_by=" ")


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match=r"cannot read .*nowhere\.json"):
        Certificate.read(tmp_path / "nowhere.json")
    (tmp_path / "cut.json").write_text('{"format": "bmc-cert')
    with pytest.raises(CertificateError, match="is not JSON"):
        Certificate.read(tmp_path / "cut.json")


def test_no_time_is_neither_accepted_nor_wrong(certificate: Certificate) -> None:
    with pytest.raises(NotDecided):
        certify(certificate, KAFKA_KIP320, timeout=1e-6)
