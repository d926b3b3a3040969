"""Rows of published models that several processes measure at once are all kept."""

from __future__ import annotations

import importlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def explored(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("tla_explored")


def test_rows_of_several_processes_are_kept(explored: ModuleType, tmp_path: Path) -> None:
    """Each wrote what it had read when it began, and the last one won."""
    file = tmp_path / "rows.json"

    def row(number: int, outcome: str = "equal") -> object:
        return explored.Row(f"Model{number}", 4, outcome, 4, None, 0.5, None)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: explored.keep(file, row(n)), range(8)))
    explored.keep(file, row(7, "too slow"))
    kept = explored.kept_rows(file)
    assert {name: one.outcome for name, one in kept.items()} == {
        f"Model{n}": "too slow" if n == 7 else "equal" for n in range(8)
    }
