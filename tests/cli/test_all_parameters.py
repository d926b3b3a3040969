"""`bmc prove --all-parameters` and its certificates on the command line."""

import json
from pathlib import Path

import pytest

from tests.cli.running import bmc


def test_a_proof_and_its_certificate(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    proof = bmc("prove", "id-sequence", "--all-parameters", "--certificate", str(file), "--json")
    assert proof.code == 0
    document = proof.document
    assert document["parameters_from"] == {"max_id": 0}
    (result,) = document["results"]
    assert result["verdict"] == "proved"
    assert result["certificate"] == str(file)
    assert result["checked_by"].startswith("cvc5")
    assert all(c["proven"] for c in document["conditions"])
    judged = bmc("certify", str(file), "--json")
    assert judged.code == 0
    assert judged.document["claims"] == ["TypeOk"]
    assert "accepted" in bmc("certify", str(file)).out
    for word in (("--every-instance",), ("--solver", "z3")):
        passed_over = bmc("certify", str(file), *word)
        assert passed_over.code == 2
        assert f"{word[0]} would change nothing" in passed_over.err


RING = f"{Path(__file__).parents[2]}/docs/examples/classics/token_ring.py:TokenRing"


def test_a_temporal_claim_and_its_certificate(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    asked = ("-P", "Works", "--all-parameters", "--certificate", str(file), "--json")
    proof = bmc("prove", RING, *asked)
    assert proof.code == 0
    (result,) = proof.document["results"]
    assert (result["kind"], result["verdict"]) == ("temporal", "proved")
    assert proof.document["watching"]["ranking"] == "Nearer"
    assert proof.document["watching"]["specification"] == "Fair"
    judged = bmc("certify", str(file), "--protocol", RING)
    assert judged.code == 0
    assert "accepted: Works" in judged.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-P", "ComesBy"), "ComesBy has no ranking"),
        (("-P", "Works", "-P", "ComesBy"), "name one"),
        (("-P", "Works", "--master", "local[1]"), "leave --master out"),
        (("-P", "Works", "--memory", "500"), "no limit of memory"),
        (("-P", "Works", "--solver", "z3"), "leave --solver out"),
    ],
)
def test_temporal_claims_that_cannot_be_asked(arguments: tuple[str, ...], said: str) -> None:
    answer = bmc("prove", RING, "--all-parameters", *arguments)
    assert answer.code == 2
    assert said in answer.err


def test_a_changed_certificate_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    assert bmc("prove", "id-sequence", "--all-parameters", "--certificate", str(file)).code == 0
    document = json.loads(file.read_text(encoding="utf-8"))
    document["conditions"].pop()
    file.write_text(json.dumps(document), encoding="utf-8")
    judged = bmc("certify", str(file))
    assert judged.code == 2
    assert "is rejected" in judged.err


def test_what_stays_open_is_explained() -> None:
    answer = bmc("prove", "replicated-log-retention", "--all-parameters", "--all", "--verbose")
    assert answer.code == 3
    assert "Open: 1 condition" in answer.out
    assert "COUNTEREXAMPLE TO INDUCTION" in answer.out
    assert "TypeOk after TruncateTo (case 2)" in answer.out
    document = bmc(
        "prove", "replicated-log-retention", "--all-parameters", "--all", "--json"
    ).document
    assert document["results"][0]["verdict"] == "unknown"
    assert document["results"][0]["induction_failure"]["is_execution"] is False
    assert document["induction_failure_at"]["replicas"] == 1 + (
        document["induction_failure_at"]["log_size"] - 1
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-p", "max_id=3"), "leave -p out"),
        (("--engine", "ic3"), "leave --engine out"),
        (("--engine", "ranked"), "leave --engine out"),
        (("--k", "3"), "leave --k out"),
        (("--k", "0"), "must be 1 or more"),
        (("--trace", "all.html"), "finds no traces"),
        (("--max-traces", "2"), "finds no traces"),
        (("--explain",), "leave --explain out"),
        (("--timeout", "-1"), "must be positive"),
    ],
)
def test_options_that_do_not_fit_are_refused(arguments: tuple[str, ...], said: str) -> None:
    answer = bmc("prove", "id-sequence", "--all-parameters", *arguments)
    assert answer.code == 2
    assert said in answer.err


@pytest.mark.parametrize(
    ("protocol", "why"),
    [
        (
            "kafka-transactions",
            (
                "2 things have no first-order reading",
                "variable add_partitions_responses: a set of sets",
                "variable discarded_add_partitions_responses: a set of sets",
            ),
        ),
        (
            "elasticsearch",
            (
                "3 things have no first-order reading",
                "the state constraint: only sets of members of a scalarset",
                "ClientRequest (encodings/elasticsearch/replication.py",
                "ApplyClusterStateFromMaster (encodings/elasticsearch/replication.py",
            ),
        ),
    ],
)
def test_what_cannot_be_read_is_refused_by_name_and_all_at_once(
    protocol: str, why: tuple[str, ...]
) -> None:
    answer = bmc("prove", protocol, "--all-parameters")
    assert answer.code == 2
    assert all(one in answer.err for one in why)
