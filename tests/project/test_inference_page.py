"""What is measured of lemma inference is put into the page's tables, row by row."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]

PAGE = """before

| protocol | here | lemmas | CPU s | endive s |
|---|---|--:|--:|--:|
| Lock | proved | 2 | 1.5 | 3 |
| Chord | no text | | | 4 |
| Raft | unknown | - | 26.1 | 5 |

1 of the 3 are proved, in 2 s of processor time together.

| other | here |
|---|---|
| Raft | stays |
"""


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    path = ROOT / "benchmarks" / "lemma_inference.py"
    spec = importlib.util.spec_from_file_location("lemma_inference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "lemma_inference", module)
    spec.loader.exec_module(module)
    return module


def test_a_row_takes_the_place_of_its_protocols(benchmark: ModuleType) -> None:
    heading = PAGE.splitlines()[2:4]
    rows = ["| Raft | proved | 7 | 10.0 | 5 |", "| New | unknown | - | 1.0 | - |", "", "said"]
    page = benchmark.written(PAGE, [*heading, *rows])
    expected = PAGE.replace("| Raft | unknown | - | 26.1 | 5 |\n", f"{rows[0]}\n{rows[1]}\n")
    assert page == expected.replace(
        "1 of the 3 are proved, in 2 s", "2 of the 4 are proved, in 12 s"
    )
    assert benchmark.written(page, [*heading, *rows]) == page


def test_a_page_without_the_table_is_refused(benchmark: ModuleType) -> None:
    with pytest.raises(benchmark.NoTable, match="no table with this heading"):
        benchmark.written("nothing", ["| protocol |", "|---|", "| Raft |"])


def test_the_page_has_the_tables_that_are_measured(
    benchmark: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    told = (ROOT / "docs" / "inference.md").read_text(encoding="utf-8")
    page.write_text(told, encoding="utf-8")
    for lines in (benchmark.endive, benchmark.scimitar):
        benchmark.shown(lines(tmp_path, ["none of them"], 1.0), page)
    assert page.read_text(encoding="utf-8") == told
    assert "| protocol | here |" in capsys.readouterr().out
