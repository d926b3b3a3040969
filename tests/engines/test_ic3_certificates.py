"""Certificates with found clauses are read strictly, and judged clause by clause."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bmc.properties.kafka import KAFKA_KIP320

from bmc.engines.ic3.prove import prove
from bmc.engines.task import Task
from bmc.evidence import certify as certifying
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import certify

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
STRUCTURAL = ("control", "logs", "fencing")


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    (result,) = prove(Task(KAFKA_KIP320, SMALL, ("StrongIsr",), lemma_groups=STRUCTURAL))
    assert result.certificate is not None
    assert result.certificate.clauses
    return result.certificate


def test_it_survives_a_file(certificate: Certificate, tmp_path: Path) -> None:
    certificate.write(tmp_path / "proof.json")
    read = Certificate.read(tmp_path / "proof.json")
    assert read == certificate
    assert certify(read, KAFKA_KIP320).claims == ("StrongIsr",)


def test_its_clauses_are_for_readers(certificate: Certificate) -> None:
    literals = {literal for clause in certificate.clauses for literal in clause}
    assert "~ replicaState[Replica1].hw >= 1" in literals
    assert "~ replicaState[Replica2].isr[Replica1]" in literals


Alteration = Callable[[dict[str, Any]], object]


def _negated(literal: str) -> str:
    return literal[2:] if literal.startswith("~ ") else f"~ {literal}"


def _first(text: str) -> Alteration:
    def alter(document: dict[str, Any]) -> None:
        document["clauses"][0][0] = text

    return alter


def _turned(document: dict[str, Any]) -> None:
    clause = document["clauses"][0]
    clause[0] = _negated(clause[0])


@pytest.mark.parametrize("solver", ["bitwuzla", "glucose"])
@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (lambda d: d.update(clauses=[]), "does not imply StrongIsr"),
        (lambda d: d["clauses"].append(["replicaState[Replica1].hw >= 1"]), "hold initially"),
        (lambda d: d["clauses"].append(["~ nextRecordId >= 1"]), "does not hold inductively"),
        (_turned, "does not"),
        (_first("replicaState[Replica9].hw >= 1"), "is not a literal"),
        (_first("replicaState[Replica1].hw >= 0"), "is not a literal"),
        (_first("replicaState[Replica1].hw >= 01"), "is not a literal"),
        (_first("replicaState[Replica1].hw>=1"), "is not a literal"),
        (_first("~ ~ replicaState[Replica1].hw >= 1"), "is not a literal"),
        (_first(" replicaState[Replica1].hw >= 1"), "is not a literal"),
        (_first(""), "is not a literal"),
        (lambda d: d.update(clauses=None), "incomplete or malformed"),
        (lambda d: d.update(clauses={"1": ["x"]}), "incomplete or malformed"),
        (lambda d: d.update(clauses=["nextRecordId >= 1"]), "incomplete or malformed"),
        (lambda d: d["clauses"].append([]), "incomplete or malformed"),
        (lambda d: d["clauses"].append([1]), "incomplete or malformed"),
    ],
)
def test_it_rejects_what_was_altered(
    certificate: Certificate, alter: Alteration, reason: str, solver: str
) -> None:
    document = json.loads(json.dumps(certificate.to_json()))
    alter(document)
    with pytest.raises(CertificateError, match=reason):
        certify(Certificate.from_json(document), KAFKA_KIP320, solver=solver)


@pytest.mark.parametrize("solver", ["bitwuzla", "glucose"])
def test_one_clause_of_an_orbit_is_asked_for(
    certificate: Certificate, solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the images are there; a clause without its image has every clause asked for."""
    monkeypatch.setattr(certifying, "_WORTHWHILE", 1)
    monkeypatch.setattr(certifying, "_TOGETHER", 1)
    whole = certify(certificate, KAFKA_KIP320, solver=solver)
    assert not whole.every_instance
    lame = ("~ replicaState[Replica1].hw >= 1", "replicaState[Replica1].hw >= 1")
    assert certify(_with(certificate, lame), KAFKA_KIP320, solver=solver).every_instance


def test_of_many_clauses_glucose_judges_unless_it_found_them(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certifying, "_MANY", 1)
    assert certify(certificate, KAFKA_KIP320).solver.startswith("glucose ")
    found = replace(certificate, found_by="glucose 4.1")
    assert certify(found, KAFKA_KIP320).solver.startswith("bitwuzla ")
    with pytest.raises(CertificateError, match="found this proof itself"):
        certify(found, KAFKA_KIP320, solver="glucose")


@pytest.mark.parametrize("solver", ["bitwuzla", "glucose"])
def test_a_claim_about_one_replica_is_no_orbit(
    certificate: Certificate, solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong of the second replica only is found, though the first one comes first."""
    monkeypatch.setattr(certifying, "_WORTHWHILE", 1)
    right = next(c for c in certificate.clauses if any("Replica2" in text for text in c))
    wrong = tuple(_negated(text) if "Replica2" in text else text for text in right)
    with pytest.raises(CertificateError, match="does not hold"):
        certify(_with(certificate, wrong), KAFKA_KIP320, solver=solver)


def _with(certificate: Certificate, clause: tuple[str, ...]) -> Certificate:
    return replace(certificate, clauses=(*certificate.clauses, clause))


def test_no_orbit_can_go(certificate: Certificate) -> None:
    """Every tenth clause alone is missed: what was found is not padded."""
    kept = 0
    for number in range(0, len(certificate.clauses), 10):
        document = certificate.to_json()
        document["clauses"] = [list(c) for i, c in enumerate(certificate.clauses) if i != number]
        try:
            certify(Certificate.from_json(document), KAFKA_KIP320)
            kept += 1
        except CertificateError:
            pass
    assert kept <= len(certificate.clauses) // 20
