"""A text is a model at the constants of its configuration: no proof of it is for all values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.engines.allparams.prove import ParametricTask
from bmc.evidence.certificate import CertificateError
from bmc.evidence.parametric_certificate import ParametricCertificate, parametric_fingerprint
from bmc.evidence.parametric_certify import certify_parametric
from bmc.frontends.tla.suite import suite_of
from bmc.lang.suite import NoFreeParameters

COUNTED = """---- MODULE Counted ----
EXTENDS Naturals, FiniteSets
CONSTANTS N, Procs
VARIABLES x, s
Init == x = 0 /\\ s = {}
Up == x < N /\\ x' = x + 1 /\\ s' = s
Join(p) == p \\notin s /\\ s' = s \\union {p} /\\ x' = x
Next == Up \\/ \\E p \\in Procs : Join(p)
Small == x <= 3
Few == Cardinality(s) <= 2
====
"""
CONFIG = "INIT Init NEXT Next CONSTANTS N = 3 Procs = {a, b} INVARIANTS Small Few\n"


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    (tmp_path / "Counted.tla").write_text(COUNTED)
    (tmp_path / "Counted.cfg").write_text(CONFIG + "CHECK_DEADLOCK FALSE\n")
    return tmp_path / "Counted.tla"


@pytest.mark.parametrize(
    "command",
    [
        ["prove"],
        ["infer", "-P", "Small"],
        ["regress", "--update", "--baseline", "LOCK", "--protocol"],
    ],
    ids=lambda command: command[0],
)
def test_what_is_false_at_other_constants_is_not_proved_at_all(
    counted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    lock = tmp_path / "bmc.lock"
    words = [str(lock) if word == "LOCK" else word for word in command]
    assert run([*words, str(counted), "--all-parameters"]) == 2
    said = capsys.readouterr()
    assert "at the constants of its configuration" in said.err
    assert "proved" not in said.out
    assert not lock.exists()
    assert run(["prove", str(counted), "-p", "N=4", "-P", "Small"]) == 1
    assert run(["prove", str(counted), "-P", "Small"]) == 0


def test_neither_finder_nor_judge_takes_it(counted: Path) -> None:
    suite = suite_of("Counted", counted)
    with pytest.raises(NoFreeParameters):
        ParametricTask(suite, ("Small",))
    claimed = {"name": "Small", "kind": "invariant", "text": "TRUE", "digest": "0"}
    document = {
        "format": "bmc-parametric-certificate/1",
        "protocol": "Counted",
        "parameters_from": {},
        "fingerprint": parametric_fingerprint(suite.model(False)),
        "found_by": "z3",
        "claims": [claimed],
        "invariants": [],
        "conditions": [],
    }
    certificate = ParametricCertificate.from_json(json.loads(json.dumps(document)))
    with pytest.raises(CertificateError, match="at the constants of its configuration"):
        certify_parametric(certificate, suite)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("@Other.cfg", ["--config", "Counted.cfg"], "and --config another one: leave one out"),
        ("@N=3", ["-p", "N=4"], "N of Counted.tla@N=3,N=4 is given twice: say it once"),
        ("@N=3,N=4", [], "N of Counted.tla@N=3,N=4 is given twice: say it once"),
        ("", ["--bound", "x=0..3", "--bound", "x=0..9"], "x of --bound is given twice"),
        ("@Bounds.cfg", [], "the bound of x is given twice"),
        ("@Other.cfg", ["--config", "Other.cfg"], None),
        ("@N=4", ["-p", "N=4"], None),
        ("@Other.cfg", ["--bound", "x=0..9", "--bound", "x=0..9"], None),
    ],
)
def test_of_two_values_none_is_passed_over(
    counted: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    options: list[str],
    said: str | None,
) -> None:
    monkeypatch.chdir(counted.parent)
    Path("Other.cfg").write_text(CONFIG)
    Path("Bounds.cfg").write_text(CONFIG + "\\* bmc: bound x 0..3\n\\* bmc: bound x 0..9\n")
    code = run(["explore", f"Counted.tla{name}", *options])
    if said is None:
        assert code != 2
    else:
        assert (code, said in capsys.readouterr().err) == (2, True)


def test_a_trace_is_replayed_at_other_constants(
    counted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = counted.parent / "trace.json"
    assert run(["check", str(counted), "-p", "N=5", "-P", "Small", "--trace", str(trace)]) == 1
    replay = ["trace", "replay", str(trace), "--protocol", str(counted)]
    assert run([*replay, "-p", "N=4"]) == 1
    assert run([*replay, "-p", "N=3"]) == 2
    assert "outside Int[0..3] at these parameters" in capsys.readouterr().err
