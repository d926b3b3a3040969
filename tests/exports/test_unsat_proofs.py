"""A proof that is exported beside its clauses is one: checked here, by propagation alone."""

import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from bmc.solving.unsat_proofs import NoUnsatProof, unsat_proof
from tests.cli.running import bmc

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("unsat proofs")

Clause = tuple[int, ...]


def contradicts(clauses: Iterable[Clause], assumed: Clause) -> bool:
    """Whether unit propagation finds a contradiction where all literals of a clause are false."""
    true = {-literal for literal in assumed}
    left = list(clauses)
    while True:
        found: set[int] = set()
        rest = []
        for clause in left:
            if any(literal in true for literal in clause):
                continue
            open_ = [literal for literal in clause if -literal not in true]
            if not open_:
                return True
            if len(open_) == 1:
                found.add(open_[0])
            rest.append(clause)
        if any(-literal in found for literal in found):
            return True
        if not found:
            return False
        true |= found
        left = rest


def clauses_of(dimacs: str) -> list[Clause]:
    return [tuple(map(int, line.split()[:-1])) for line in dimacs.splitlines()[1:]]


def is_proved(dimacs: str, steps: Sequence[str]) -> bool:
    """Whether each clause of a proof follows by propagation, down to the empty one."""
    known = {tuple(sorted(clause)) for clause in clauses_of(dimacs)}
    for step in steps:
        deleted, clause = step.startswith("d"), step.removeprefix("d").split()[:-1]
        literals = tuple(sorted(map(int, clause)))
        if deleted:
            # What is kept for longer than it was needed proves nothing that is false.
            continue
        if not contradicts(known, literals):
            return False
        known.add(literals)
        if not literals:
            return True
    return False


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("proofs")
    certificate = made / "proof.json"
    words = ("-p", "replicas=2", "-p", "max_version=1", "-P", "ValidHighWatermark")
    proved = bmc("prove", "kafka-async-isr", *words, "--certificate", str(certificate))
    assert proved.code == 0, proved.err
    out = made / "smt"
    written = bmc("certificate", "export", str(certificate), "--smtlib", str(out), "--drat")
    assert written.code == 0, written.err
    return out


def test_every_question_without_an_answer_has_a_proof(folder: Path) -> None:
    expected = [f for f in folder.glob("*.smt2") if "(set-info :status unsat)" in f.read_text()]
    assert len(expected) > 10
    for file in expected:
        steps = file.with_suffix(".drat").read_text().splitlines()
        assert is_proved(file.with_suffix(".cnf").read_text(), steps), file.name
    assert {f.stem for f in folder.glob("*.drat")} == {f.stem for f in expected}
    assert "drat-trim" in (folder / "README.md").read_text()


def test_a_proof_that_lacks_its_steps_or_a_clause_is_none(folder: Path) -> None:
    file = folder / "consecution-LeaderRequestShrinkIsr.cnf"
    dimacs, steps = file.read_text(), file.with_suffix(".drat").read_text().splitlines()
    assert not is_proved(dimacs, ["0"])
    assert not is_proved(dimacs, steps[:-1])
    head, *lines = dimacs.splitlines()
    (first,) = (i for i, line in enumerate(steps) if line == "0")
    wrong = [*steps[: first // 2], "1 0", "-1 0", *steps[first // 2 :]]
    assert not is_proved(dimacs, wrong)
    # Half of the question has an answer, whatever the proof of the whole says.
    assert not is_proved("\n".join([head, *lines[: len(lines) // 2]]), steps)


def test_what_can_be_satisfied_has_no_proof() -> None:
    text = "(set-logic QF_BV)(declare-const |a| Bool)(assert (or |a| (not |a|)))(check-sat)"
    with pytest.raises(NoUnsatProof):
        unsat_proof(text)


def test_a_wrong_certificate_is_exported_without_a_proof(folder: Path, tmp_path: Path) -> None:
    document = json.loads((folder.parent / "proof.json").read_text())
    del document["conjuncts"][0]
    certificate = tmp_path / "wrong.json"
    certificate.write_text(json.dumps(document))
    out = tmp_path / "smt"
    told = bmc("certificate", "export", str(certificate), "--smtlib", str(out), "--drat")
    assert told.code == 2
    assert "it can be satisfied" in told.err
    assert not out.exists()
    # Nor does it leave its questions beside the page of another proof.
    shutil.copytree(folder, out)
    assert bmc("certificate", "export", str(certificate), "--smtlib", str(out), "--drat").code == 2
    assert contents(out) == contents(folder)


def test_what_is_not_exported_is_told_with_its_file(folder: Path, tmp_path: Path) -> None:
    """That a certificate belongs to another model was told of no file, as `certify` does."""
    document = json.loads((folder.parent / "proof.json").read_text())
    for name, part, value, said in (
        ("other.json", "fingerprint", "0" * 64, "it belongs to another model"),
        ("small.json", "parameters", {"n": 2}, "has no parameter 'n'"),
        ("none.json", "format", None, "expected format"),
    ):
        certificate, out = tmp_path / name, tmp_path / "smt"
        certificate.write_text(json.dumps({**document, part: value}))
        told = bmc("certificate", "export", str(certificate), "--smtlib", str(out))
        assert told.code == 2
        assert f"{certificate} is rejected: " in told.err
        assert said in told.err
        assert not out.exists()


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_an_export_takes_the_place_of_an_earlier_one(folder: Path, tmp_path: Path) -> None:
    out, again = tmp_path / "smt", tmp_path / "again"
    shutil.copytree(folder, out)
    (out / "mine.smt2").write_text("(check-sat)")
    (out / "safety-Another.smt2").write_text("(check-sat)")
    page = out / "README.md"
    page.write_text(page.read_text() + "| `safety-Another.smt2` | unsat | Another claim. |\n")
    words = ("certificate", "export", str(folder.parent / "proof.json"), "--smtlib")
    assert bmc(*words, str(out)).code == 0
    assert bmc(*words, str(again)).code == 0
    # Neither a proof in DRAT of another question nor a question that the page does not list.
    assert contents(out) == {**contents(again), "mine.smt2": b"(check-sat)"}


def test_a_file_that_is_something_else_is_kept(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "initiation.smt2").write_text("my own")
    words = ("certificate", "export", str(folder.parent / "proof.json"), "--smtlib", str(tmp_path))
    told = bmc(*words)
    assert told.code == 2
    assert "name another folder" in told.err
    assert contents(tmp_path) == {"initiation.smt2": b"my own"}
