"""The tables of docs/protocols.md say what is kept of each decision, and nothing else."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def table() -> ModuleType:
    """The command, as a module."""
    path = ROOT / "benchmarks" / "protocols_table.py"
    spec = importlib.util.spec_from_file_location("protocols_table", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def run(table: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["protocols_table.py", *arguments])
    table.main()


def test_the_docs_are_what_is_kept(table: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    run(table, monkeypatch, "--check")


def test_a_change_by_hand_is_noticed(
    table: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = table.PAGE.read_text(encoding="utf-8")
    assert "| **violated** |" in page
    changed = tmp_path / "protocols.md"
    changed.write_text(page.replace("| **violated** |", "| **proved** |"), encoding="utf-8")
    monkeypatch.setattr(table, "PAGE", changed)
    with pytest.raises(SystemExit, match=r"protocols.md is not what protocols.json says"):
        run(table, monkeypatch, "--check")


def test_every_case_is_kept(table: ModuleType) -> None:
    kept = {(c["protocol"], *c["parameters"].values()) for c in table._kept()["cases"]}
    assert kept == {(case.protocol, *case.parameters.values()) for case in table.CASES}


def test_engines_that_contradict_each_other_are_not_written_down(table: ModuleType) -> None:
    result = {
        "verdict": "violated",
        "engine": "bounded",
        "trace": [{}] * 4,
        "k": None,
        "lemmas": [],
        "checked_by": None,
        "depth": 3,
        "induction_failure": None,
    }
    longer = {**result, "engine": "explicit", "trace": [{}] * 5}
    found = table.finding(result, None)
    with pytest.raises(SystemExit, match="contradict"):
        table.merged(found, table.finding(longer, {"distinct_states": 9}))
    agreed = table.merged(found, table.finding(result, {"distinct_states": 9}))
    assert "explicit search agrees" in table.evidence(agreed)
