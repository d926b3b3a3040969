"""The exports of the lock's certificates are judged by two solvers that read nothing but text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.shared import catalogue
from bmc.evidence.certificate import Certificate
from bmc.evidence.independent.export import export
from bmc.regress.carrying import carried_over
from bmc.solving.scripts import ScriptSolver, answer

LOCK = Path(__file__).resolve().parents[2] / "bmc.lock.d"
LARGE = {"kafka-transactions", "verified-log-waiting"}
"""Protocols whose exports are z3's alone: what takes it a minute takes cvc5 ten times as long."""


def certificates() -> list[tuple[Path, ScriptSolver]]:
    """The files of the lock that hold a certificate at given parameters, and who judges each."""
    solvers: tuple[ScriptSolver, ...] = ("z3", "cvc5")
    read = {path: json.loads(path.read_text()) for path in sorted(LOCK.glob("*.json"))}
    return [
        (path, solver)
        for path, document in read.items()
        if document.get("format") == "bmc-certificate/1"
        for solver in (solvers[:1] if document["protocol"] in LARGE else solvers)
    ]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("path", "solver"), certificates(), ids=lambda one: one.stem if isinstance(one, Path) else one
)
def test_an_export_is_judged_as_it_says(path: Path, solver: ScriptSolver, tmp_path: Path) -> None:
    old = Certificate.read(path)
    suite = catalogue.find(old.protocol)
    certificate = carried_over(old, suite, old.parameters)
    assert certificate is not None
    export(certificate, suite, tmp_path)
    scripts = sorted(tmp_path.glob("*.smt2"))
    assert scripts
    for script in scripts:
        text = script.read_text()
        found = answer(text, solver, 120)
        assert f":status {found})" in text or script.name == "vacuity-step.smt2", script.name
        assert found != "unknown"
