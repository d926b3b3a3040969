"""The independent judge accepts what is proved, rejects what is altered, and stands alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bmc.properties.kafka import KAFKA_KIP101, KAFKA_KIP320

from bmc.engines.ic3.prove import prove as ic3
from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence import both_judges
from bmc.evidence.both_judges import confirm_if_small
from bmc.evidence.certificate import Certificate, CertificateError, Disproved, Statement
from bmc.evidence.independent.export import export
from bmc.evidence.independent.judge import NotJudged, judge, obligations
from bmc.evidence.verdict import Contradiction
from bmc.lang import (
    Expr,
    Integer,
    Protocol,
    State,
    Step,
    Suite,
    Variable,
    action,
    invariant,
    one_of,
)
from bmc.lang.fingerprint import fingerprint
from bmc.running.files import UnwritableFile
from bmc.solving.scripts import ScriptAnswer, ScriptSolver, answer
from tests.cli.running import bmc
from tests.engines import machines
from tests.engines.test_assumptions import SUITE as LEDGE

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("independent")

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
CLAIMS = ("TypeOk", "WeakIsr", "StrongIsr", "ElectedLeaderInIsr")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    found = prove(Task(KAFKA_KIP320, SMALL, CLAIMS))[0].certificate
    assert found is not None
    return found


def test_it_accepts_what_was_proved(certificate: Certificate) -> None:
    judged = judge(certificate, KAFKA_KIP320)
    assert judged.claims == CLAIMS
    assert [name.split()[0] for name in judged.solvers] == ["z3", "cvc5"]
    assert judged.by_all == judged.conditions == len(obligations(certificate, KAFKA_KIP320)) > 20
    assert judged.remarks == ()


def test_what_one_solver_alone_has_decided_is_not_said_of_both(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def heard(text: str, solver: ScriptSolver, seconds: float | None) -> ScriptAnswer:
        asked.append(solver)
        return answer(text, solver, seconds)

    monkeypatch.setattr("bmc.evidence.independent.judge.answer", heard)
    monkeypatch.setattr("bmc.evidence.independent.judge._CHEAP", 20_000)
    judged = judge(certificate, KAFKA_KIP320)
    assert 0 < judged.by_all < judged.conditions
    assert asked.count("z3") == judged.conditions
    assert asked.count("cvc5") == judged.by_all


def test_it_accepts_an_induction_of_depth_two_with_a_step_invariant() -> None:
    found = prove(Task(LEDGE, {}, ("NeverDown", "NoFall"), depth=3))[0].certificate
    assert found is not None
    assert found.k == 2
    assert judge(found, LEDGE).claims == ("NeverDown", "NoFall")
    shallow = Certificate.from_json(found.to_json() | {"k": 1})
    with pytest.raises(Disproved, match="Fall does not keep the conjunction"):
        judge(shallow, LEDGE)


def test_a_conjunct_may_say_that_the_bounds_suffice() -> None:
    suite = machines.suite(machines.Pair)
    found = prove(Task(suite, {}, ("OtherBelowLimit",), 2))[0].certificate
    assert found is not None
    document = json.loads(json.dumps(found.to_json()))
    document["conjuncts"].append(vars(Statement.bounds()))
    assert judge(Certificate.from_json(document), suite).claims == ("OtherBelowLimit",)


Alteration = Callable[[dict[str, Any]], object]


def _without(name: str) -> Alteration:
    def alter(document: dict[str, Any]) -> None:
        document["conjuncts"] = [c for c in document["conjuncts"] if c["name"] != name]

    return alter


def _add(part: str) -> Alteration:
    """Add a statement that is false in the initial state."""

    def alter(document: dict[str, Any]) -> None:
        model = KAFKA_KIP320.model(ghosts=True)
        stated = KAFKA_KIP320.describe(KAFKA_KIP320.find("LeaderInIsr"), model)
        document[part].append(vars(Statement.of(stated)))

    return alter


@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (_without("replica_keeps_below_its_high_watermark"), "does not"),
        (_without("one_request_an_epoch"), "does not"),
        (lambda d: d.update(conjuncts=[]), "does not"),
        (_add("claims"), "does not imply LeaderInIsr"),
        (_add("conjuncts"), "does not hold at the beginning"),
        (lambda d: d["conjuncts"][0].update(text="TRUE"), "is not what the certificate says"),
        (lambda d: d["claims"][0].update(digest="0" * 64), "is not what the certificate says"),
        (lambda d: d["conjuncts"][0].update(name="no_such_lemma"), "does not exist"),
        (lambda d: d.update(fingerprint="0" * 64), "another model"),
    ],
)
def test_it_rejects_what_was_altered(
    certificate: Certificate, alter: Alteration, reason: str
) -> None:
    document = json.loads(json.dumps(certificate.to_json()))
    alter(document)
    with pytest.raises(CertificateError, match=reason):
        judge(Certificate.from_json(document), KAFKA_KIP320, solvers=("cvc5",))


def test_it_rejects_the_certificate_of_another_model(certificate: Certificate) -> None:
    with pytest.raises(CertificateError, match="another model"):
        judge(certificate, KAFKA_KIP101)


def test_no_time_is_no_verdict(certificate: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotJudged, match="the time limit passed"):
        judge(certificate, KAFKA_KIP320, timeout=1e-6)

    clock = [0.0]

    def unanswered(text: str, solver: str, seconds: float) -> str:
        clock[0] += seconds if seconds < 1 else 0
        return "unknown"

    monkeypatch.setattr("bmc.evidence.independent.judge.monotonic", lambda: clock[0])
    monkeypatch.setattr("bmc.evidence.independent.judge.answer", unanswered)
    with pytest.raises(NotJudged, match="the time limit passed before z3 decided"):
        judge(certificate, KAFKA_KIP320, timeout=0.9)
    with pytest.raises(NotJudged, match="z3 could not decide"):
        judge(certificate, KAFKA_KIP320, timeout=60)


def test_who_has_accepted_is_said_where_the_independent_judge_has_no_time(
    certificate: Certificate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "proof.json"
    certificate.write(file)
    monkeypatch.setattr(both_judges, "_left", lambda end: 1e-6)
    asked = bmc("certify", str(file), "--independent", "--timeout", "100")
    assert asked.code == 3
    assert "accepts it, but the independent judge: the time limit passed before" in asked.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param((), "", marks=pytest.mark.nightly),
        (("--independent",), "the independent judge, asked now, takes many times as long for a"),
    ],
)
def test_that_it_takes_long_is_said_before(
    words: tuple[str, ...], said: str, certificate: Certificate, tmp_path: Path
) -> None:
    file = tmp_path / "proof.json"
    certificate.write(file)
    command = [sys.executable, "-m", "bmc", "certify", str(file), *words]
    asked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert said in asked.stderr
    assert ("--timeout SECONDS would end it" in asked.stderr) == bool(words)


def test_regress_asks_it_of_what_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    suite = machines.suite(machines.Pair)
    found = prove(Task(suite, {}, ("OtherBelowLimit",), 2))[0].certificate
    assert found is not None
    judged = confirm_if_small(found, suite)
    assert judged is not None
    assert [name.split()[0] for name in judged.solvers] == ["z3"]
    monkeypatch.setattr(both_judges, "SMALL", 20)
    assert confirm_if_small(found, suite) is None
    wrong = Certificate.from_json(found.to_json() | {"conjuncts": []})
    monkeypatch.undo()
    with pytest.raises(Contradiction, match="rejected by the independent judge"):
        confirm_if_small(wrong, suite)


def test_found_clauses_are_judged_by_their_texts() -> None:
    task = Task(KAFKA_KIP320, SMALL, ("StrongIsr",), lemma_groups=("control", "logs", "fencing"))
    (result,) = ic3(task)
    found = result.certificate
    assert found is not None
    assert found.clauses
    assert judge(found, KAFKA_KIP320, solvers=("z3",)).claims == ("StrongIsr",)
    document = found.to_json()
    fewer = Certificate.from_json(document | {"clauses": document["clauses"][:1]})
    strange = Certificate.from_json(document | {"clauses": [["nowhere >= 1"]]})
    with pytest.raises(Disproved):
        judge(fewer, KAFKA_KIP320)
    with pytest.raises(CertificateError, match="'nowhere >= 1' is not a literal"):
        judge(strange, KAFKA_KIP320)


class Nowhere(Protocol):
    """A protocol without initial states: everything holds of all its reachable states."""

    place = Variable(Integer("Place", 0, 2))

    @action()
    def Init(self, s: Step) -> None:
        s.place = 0

    @action()
    def Stay(self, s: Step) -> None:
        s.require(s.place == 2)

    def Constraint(self, s: State) -> Expr:
        return s.place > 0

    Next = one_of(Stay)

    @invariant("this is so of nothing")
    def Two(self, s: State) -> Expr:
        return s.place == 2


def test_a_vacuous_certificate_is_rejected() -> None:
    suite = Suite.of(Nowhere, "nowhere")
    model = suite.model(False)
    two = Statement.of(suite.describe(suite.find("Two"), model))
    made = Certificate("nowhere", {}, fingerprint(model, {}), 1, (two,), (two,), "cadical 1.9.5")
    with pytest.raises(Disproved, match="no state is initial"):
        judge(made, suite)


def test_it_shares_nothing_with_the_finder() -> None:
    """Imported by itself, it brings only the language, the certificate's format and solvers.

    And what a certificate of a temporal claim is about: the monitor, a model in our language.
    """
    program = (
        "import sys, bmc.evidence.independent.judge, bmc.evidence.independent.export\n"
        "print([m for m in sys.modules if m.startswith('bmc.')])"
    )
    command = [sys.executable, "-c", program]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(eval(said.stdout))
    allowed = ("bmc.lang", "bmc.evidence.independent")
    others = {m for m in loaded if not m.startswith(allowed)}
    assert others == {
        "bmc.evidence",
        "bmc.evidence.assumptions",
        "bmc.evidence.certificate",
        "bmc.evidence.markdown",
        "bmc.evidence.statements",
        "bmc.evidence.untrusted",
        "bmc.running",
        "bmc.running.file_names",
        "bmc.running.files",
        "bmc.solving",
        "bmc.solving.scripts",
        "bmc.solving.unsat_proofs",
        "bmc.solving.z3_library",
        "bmc.system",
        "bmc.system.automaton",
        "bmc.system.fair_conditions",
        "bmc.system.fair_monitor",
        "bmc.system.follower",
        "bmc.system.ranked",
        "bmc.system.watched",
    }


def test_an_export_is_judged_without_bmc(certificate: Certificate, tmp_path: Path) -> None:
    written = export(certificate, KAFKA_KIP320, tmp_path)
    assert {path.name for path in written} == {path.name for path in tmp_path.iterdir()}
    readme = (tmp_path / "README.md").read_text()
    scripts = sorted(tmp_path.glob("*.smt2"))
    assert len(scripts) == len(written) - 1 > 20
    assert "as its `:status`, unless either\nanswer is right" in readme
    for path in scripts:
        text = path.read_text()
        assert path.name in readme
        found = answer(text, "z3")
        if path.name == "vacuity-step.smt2":
            assert ":status" not in text
            assert found == "sat"
        else:
            assert f"(set-info :status {found})" in text


class Alike(Protocol):
    """Names that differ in their capital letters only."""

    bit = Variable(Integer("Bit", 0, 1))

    @action()
    def Init(self, s: Step) -> None:
        s.bit = 0

    @action()
    def Set(self, s: Step) -> None:
        s.bit = 1

    @action()
    def SET(self, s: Step) -> None:
        s.bit = 0

    Next = one_of(Set, SET)

    @invariant("it is a bit")
    def Low(self, s: State) -> Expr:
        return s.bit < 2

    @invariant("it is a bit as well")
    def LOW(self, s: State) -> Expr:
        return s.bit <= 1


def test_obligations_have_files_of_their_own_whatever_a_file_system_tells_apart(
    tmp_path: Path,
) -> None:
    suite = Suite.of(Alike, "alike")
    found = prove(Task(suite, {}, ("Low", "LOW")))[0].certificate
    assert found is not None
    written = export(found, suite, tmp_path)
    assert len({path.name.casefold() for path in written}) == len(written)
    readme = (tmp_path / "README.md").read_text()
    assert all(path.name in readme for path in written[:-1])


def test_an_export_writes_over_no_page_but_its_own(
    certificate: Certificate, tmp_path: Path
) -> None:
    page = tmp_path / "README.md"
    page.write_text("# A project\n")
    with pytest.raises(UnwritableFile, match="name another folder"):
        export(certificate, KAFKA_KIP320, tmp_path)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["# A project\n"]
    page.unlink()
    os.mkfifo(page)
    with pytest.raises(UnwritableFile, match="it is no file but a pipe"):
        export(certificate, KAFKA_KIP320, tmp_path)
    page.unlink()
    export(certificate, KAFKA_KIP320, tmp_path)
    page.write_text(f"{page.read_text()}\nof an older version\n")
    export(certificate, KAFKA_KIP320, tmp_path)
    assert "of an older version" not in page.read_text()
